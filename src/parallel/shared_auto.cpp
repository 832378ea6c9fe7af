#include "parallel/shared_auto.hpp"

#include <algorithm>

#include "parallel/packing.hpp"
#include "solvers/gauss_seidel.hpp"
#include "solvers/option_reader.hpp"
#include "solvers/watch.hpp"

namespace scree::parallel {

namespace {

constexpr int kFirstSweeps = 1000;   ///< of all ranks before Newton steps, doubled from round to round
constexpr int kSweepsPerNewton = 20; ///< a Newton step takes the time of about so many sweeps

const solvers::SolverInfo& auto_solver() { return solvers::find_solver("AUTO"); }

/// Sweeps with momentum and Newton steps in turn, by whatever ranks share W.
solvers::SolveReport sweep_and_step(const solvers::ContactProblem& part, const solvers::StopRule& stop, const solvers::OptionValues&, std::span<double> R) {
  solvers::Watch watch(part, stop, R);
  watch.set_stage("warm start");
  watch.offer_guess();
  solvers::GaussSeidelWorkspace workspace;
  for (int sweeps = kFirstSweeps; !watch.ended(); sweeps *= 2) {
    solvers::GaussSeidelOptions seidel;
    static_cast<solvers::StopRule&>(seidel) = watch.rest(sweeps);
    seidel.acceleration = solvers::Acceleration::nesterov;
    watch.add(solvers::solve_gauss_seidel(part, seidel, watch.best(), workspace));
    watch.set_stage("sweeps");
    watch.offer(watch.best());
    if (watch.ended()) break;
    const solvers::StopRule rule = watch.rest(sweeps / kSweepsPerNewton);
    watch.add(solvers::find_solver("NEWTON").solve(part, rule, {{"gsflag", std::string("OFF")}}, watch.best()));
    watch.set_stage("Newton");
    watch.offer(watch.best());
  }
  return watch.report("raise max_iterations or max_seconds, or loosen the tolerance");
}

}  // namespace

SharedAuto::SharedAuto(const solvers::ContactProblem& problem, std::span<const int> rank, const solvers::StopRule& stop, const solvers::OptionValues& options, Team& team,
                       int most_gathered)
    : problem_(problem), rank_(rank), stop_(stop), options_(options), team_(team), most_gathered_(most_gathered) {}

solvers::SolveReport SharedAuto::run(std::span<double> R) {
  const solvers::StopRule asked = stop_;
  const solvers::OptionReader read(auto_solver(), options_);
  const double goal = read.real("goal");
  const int goal_iterations = read.integer("goal_iterations");
  options_["goal"] = 0.0;
  if (!(goal > 0.0 && goal < asked.tolerance)) return run_once(R);

  stop_.tolerance = goal;
  stop_.max_iterations = std::min(goal_iterations, asked.max_iterations);
  run_once(R);
  if (report_.status == solvers::Status::converged || report_.status == solvers::Status::interrupted) return report_;
  stop_ = asked;
  options_["margin"] = 1.0;
  return run_once(R);
}

/// To the tolerance of the rule at hand; what was spent before counts.
solvers::SolveReport SharedAuto::run_once(std::span<double> R) {
  double value = measure(stop_.yardstick, R);
  report_.status = solvers::Status::converged;
  if (report_.iterations == 0) report_.stage = "warm start";
  report_.advice.clear();
  if (!(value <= stop_.tolerance)) {
    assign();
    solve_apart(R);
    if (!blocks_of(kAll).empty()) solve_on_all(R);
    value = measure(stop_.yardstick, R);
    if (!(value <= stop_.tolerance) && report_.status != solvers::Status::interrupted && rest().max_iterations > 0 && problem_.blocks() <= most_gathered_) {
      solve_on_one(R);
      value = measure(stop_.yardstick, R);
    }
  }
  if (report_.status != solvers::Status::interrupted) {
    const bool solved = value <= stop_.tolerance;
    if (solved) report_.advice.clear();
    report_.status = solved ? solvers::Status::converged : report_.status == solvers::Status::converged ? solvers::Status::max_iterations : report_.status;
  }
  report_.residual = stop_.yardstick == solvers::Yardstick::residual ? value : measure(solvers::Yardstick::residual, R);
  report_.residual_known = true;
  return report_;
}

/// Who solves an island.
int SharedAuto::solver_of(std::span<const int> island) const {
  std::vector<int> count(team_.size(), 0);
  for (const int a : island) ++count[rank_[a]];
  const auto most = std::ranges::max_element(count);
  const bool inside = *most == static_cast<int>(island.size());
  return inside || static_cast<int>(island.size()) <= most_gathered_ ? static_cast<int>(most - count.begin()) : kAll;
}

void SharedAuto::assign() {
  blocks_.assign(static_cast<std::size_t>(team_.size()) + 1, {});
  if (stop_.yardstick == solvers::Yardstick::residual) {
    solvers::Islands islands;
    islands.find(*problem_.W);
    for (int i = 0; i < islands.count(); ++i) {
      const auto island = islands.blocks(i);
      auto& list = blocks_[solver_of(island) + 1];
      list.insert(list.end(), island.begin(), island.end());
    }
  } else {
    // Other yardsticks do not add up over islands.
    std::vector<int> everything;
    for (int a = 0; a < problem_.blocks(); ++a) everything.push_back(a);
    blocks_[solver_of(everything) + 1] = everything;
  }
  for (auto& list : blocks_) std::ranges::sort(list);
  weight_ = solvers::residual_weights(problem_);
  share_ = solvers::tolerance_shares(problem_, weight_, static_cast<int>(blocks_.size()), [&](int k) { return std::span<const int>(blocks_[k]); });
}

solvers::ContactProblem SharedAuto::part_of(int who) const {
  const auto blocks = blocks_of(who);
  if (static_cast<int>(blocks.size()) == problem_.blocks()) return problem_;
  solvers::ContactProblem part = solvers::restrict_to(problem_, blocks);
  part.weight = solvers::part_of(weight_, blocks);
  for (double& weight : part.weight) weight /= share_[who + 1];
  return part;
}

solvers::StopRule SharedAuto::rest() const {
  solvers::StopRule rule = stop_;
  rule.max_iterations = std::max(0, stop_.max_iterations - report_.iterations);
  rule.history = false;
  return rule;
}

void SharedAuto::add(const solvers::SolveReport& part) {
  report_.iterations += part.iterations;
  report_.work += part.work;
  report_.products += part.products;
  report_.linear_iterations += part.linear_iterations;
  report_.fallbacks += part.fallbacks;
  if (part.iterations > 0) report_.stage = part.stage;
  if (part.status == solvers::Status::converged || report_.status == solvers::Status::interrupted) return;
  report_.status = part.status;
  report_.advice = part.advice;
}

void SharedAuto::solve_apart(std::span<double> R) {
  const auto mine = blocks_of(team_.rank());
  std::vector<double> part_R;
  solvers::SolveReport here;
  here.status = solvers::Status::converged;
  if (!mine.empty()) {
    const solvers::ContactProblem part = part_of(team_.rank());
    solvers::gather_part(R, mine, part_R);
    here = auto_solver().solve(part, rest(), options_, part_R);
    here.history.clear();
  }
  const Brought all = team_.meet("impulses of islands", pack_solution(here, part_R));
  for (int r = 0; r < team_.size(); ++r) {
    add(unpack_solution(all[r], part_R));
    solvers::scatter_part(part_R, blocks_of(r), R);
  }
}

void SharedAuto::solve_on_all(std::span<double> R) {
  // The others' blocks are left out where they are: rows of all blocks are not held twice.
  std::vector<int> rank(rank_.size(), -1);
  for (const int a : blocks_of(kAll)) rank[a] = rank_[a];
  solvers::ContactProblem whole = problem_;
  whole.weight = weight_;
  for (double& weight : whole.weight) weight /= share_[kAll + 1];
  const SharedPart part(whole, rank, team_);
  solvers::SolverInfo info = auto_solver();
  info.solve = sweep_and_step;
  add(part.solve(info, rest(), options_, R));
}

void SharedAuto::solve_on_one(std::span<double> R) {
  constexpr int root = 0;
  std::vector<double> found(R.begin(), R.end());
  const Bytes answer = team_.from(root, "solution of the contact problem", [&] {
    const solvers::SolveReport report = auto_solver().solve(problem_, rest(), options_, found);
    return pack_solution(report, found);
  });
  report_.status = solvers::Status::converged;
  add(unpack_solution(answer, found));
  ++report_.fallbacks;
  std::ranges::copy(found, R.begin());
}

}  // namespace scree::parallel
