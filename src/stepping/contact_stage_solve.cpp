#include <algorithm>
#include <utility>

#include "core/interrupt.hpp"
#include "solvers/condense.hpp"
#include "stepping/block_weights.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/impact.hpp"

namespace scree::stepping {

namespace {

constexpr double kMargin = 0.25;       ///< share of the tolerance AUTO aims for once it has to iterate, if that is cheap
constexpr double kNearer = 0.3;        ///< of the residual of the last impulses, below which their trend is followed: that of a structure at rest is error

}  // namespace

void ContactStage::solve(const StageInput& in) {
  report = {};
  merit = 0.0;
  ease_yielding(in);
  report.status = solvers::Status::converged;
  extrapolate(in);
  guess = R;
  if (problem.blocks() == 0) return;
  report = solve_problem(in, R);
  refuse_unbounded(problem, R, report);
  give_way(in);
  loosen_wedged(in);
  merit = solvers::measure(solvers::Yardstick::scaled_merit, problem, R);
  if (bouncing && in.level != Level::places && in.settings.restitution == RestitutionLaw::consistent) limit_restitution(in);
}

void ContactStage::extrapolate(const StageInput& in) {
  if (trend_.empty()) return;
  const double as_it_was = solvers::measure(in.solver.stop.yardstick, problem, R);
  if (as_it_was > in.solver.aim() / kNearer) {
    for (std::size_t k = 0; k < R.size(); ++k) trend_[k] += R[k];
    for (std::size_t a = 0; a < problem.kind.size(); ++a) {
      Eigen::Map<Vec3> block(trend_.data() + 3 * a);
      block = solvers::project_on_block(block, problem.kind[a], problem.mu[a]);
    }
    if (solvers::measure(in.solver.stop.yardstick, problem, trend_) < kNearer * as_it_was) R.swap(trend_);
  }
  trend_.clear();
}

solvers::SolveReport ContactStage::solve_problem(const StageInput& in, std::vector<double>& impulses) {
  const SolverSettings& solver = in.solver;
  solvers::OptionValues options = solver.penalty() ? solvers::OptionValues{} : solver.options;
  // A warm start that still holds is kept by AUTO. One that does not is replaced by a better one than asked for, so that the
  // next steps can keep it.
  if (solver.name == "AUTO") {
    options.try_emplace("margin", kMargin);
    options.try_emplace("goal", solver.aim());
    options.try_emplace("goal_iterations", static_cast<int>(in.spare));
  }
  const auto solve_here = [&] {
    // Prescribed constraints are taken out of the rows of bodies (solvers/equalities.hpp); sweeps over them in W that end early would feed energy.
    const bool prescribed = std::ranges::any_of(problem.kind, [](solvers::BlockKind kind) { return solvers::equations(kind) > 0; });
    if (solver.name != "AUTO" && !prescribed) condense();
    const solvers::SolveReport made = solvers::solve(solver.penalty() ? "GAUSS_SEIDEL" : solver.name, problem, solver.stop, options, impulses);
    problem.W = form_;
    return made;
  };
  const std::string name = solver.penalty() ? "GAUSS_SEIDEL" : solver.name;
  const solvers::SolveReport found =
      in.division ? in.division->solve({problem, *form_, block_ranks(*in.division, in.model), name, solver.stop, options}, solve_here, impulses) : solve_here();
  if (found.status == solvers::Status::interrupted) throw Interrupted();
  return found;
}

std::vector<int> ContactStage::block_ranks(const Division& division, const model::Model& model) const {
  std::vector<int> rank;
  for (std::size_t k = 0; k < reactions.size(); ++k) rank.push_back(division.pair_owner(model.constraints[k].body[0], model.constraints[k].body[1]));
  for (const int c : implicit) {
    const collision::ContactPoint& point = contacts[c].point;
    rank.push_back(division.pair_owner(point.body_a, point.body_b));
  }
  return rank;
}

void ContactStage::condense() {
  // Rows over the unknowns of deformable bodies are long; where bodies touch at few points, W itself is shorter.
  if (form_->rigid() || !solvers::condensing_pays(*form_)) return;
  if (!condensed_) condensed_ = std::make_shared<solvers::ExplicitForm>();
  condensed_->condense(*form_);
  problem.W = condensed_;
}

// --- restitution that adds no energy ------------------------------------------------------------------------

void ContactStage::limit_restitution(const StageInput& in) {
  const std::vector<double> U = velocities_after();
  const std::vector<int> group = groups();
  const double tolerance = accuracy(in);
  const std::vector<double> excess = group_excess(in, group);
  const auto work = impact_work(group, before_, {R, U}, excess);
  if (std::ranges::none_of(work, [&](const ImpactWork& w) { return w.creates_energy(tolerance); })) return;

  // The problem without restitution, and the place between its solution and Newton's.
  std::vector<double> newton = R;
  const std::vector<double> newton_B = problem.B, newton_bias = bias_;
  for (std::size_t k = 0; k < implicit.size(); ++k) {
    const std::size_t n = 3 * (reactions.size() + k);
    const double plain = bias(in, contacts[implicit[k]], false);
    problem.B[n] += plain - bias_[n];
    bias_[n] = plain;
  }
  report = solvers::both(report, solve_problem(in, R));
  const std::vector<double> U_plastic = velocities_after();
  const std::vector<double> shares = impact_shares(group, before_, {R, U_plastic}, {newton, U}, excess, tolerance);
  for (std::size_t k = 0; k < R.size(); ++k) R[k] += shares[group[k / 3]] * (newton[k] - R[k]);
  problem.B = newton_B;
  bias_ = newton_bias;
}

std::vector<double> ContactStage::velocities_after() const {
  std::vector<double> U(R.size());
  solvers::relative_velocity(problem, R, U);
  for (std::size_t k = 0; k < R.size(); ++k) U[k] -= bias_[k] + ahead_[k];
  return U;
}

std::vector<int> ContactStage::groups() const {
  std::vector<std::array<int, 2>> sides;
  for (int a = 0; a < problem.blocks(); ++a) sides.push_back(form_->bodies_of(a));
  return impact_groups(sides, scaling.slots());
}

std::vector<double> ContactStage::group_excess(const StageInput& in, std::span<const int> group) const {
  std::vector<double> excess(group.empty() ? 0 : static_cast<std::size_t>(*std::ranges::max_element(group)) + 1, 0.0);
  if (in.excess.empty()) return excess;
  std::vector<char> seen(static_cast<std::size_t>(scaling.slots()), 0);
  for (std::size_t a = 0; a < group.size(); ++a)
    for (const int slot : form_->bodies_of(static_cast<int>(a))) {
      if (slot < 0 || std::exchange(seen[slot], 1)) continue;
      excess[group[a]] += in.excess[scaling.body[slot]];
    }
  return excess;
}

bool ContactStage::adds_energy(const StageInput& in) const {
  const std::vector<double> U = velocities_after();
  const std::vector<int> group = groups();
  const auto work = impact_work(group, before_, {R, U}, group_excess(in, group));
  if (std::ranges::any_of(work, [&](const ImpactWork& w) { return w.creates_energy(2.0 * in.solver.stop.tolerance); })) return true;
  for (std::size_t i = 0; i < in.excess.size(); ++i) {
    const int slot = scaling.slot[i];
    const bool alone = slot < 0 || form_->incidence(slot).empty();
    if (alone && in.excess[i] > 2.0 * in.solver.stop.tolerance * in.model.bodies.mass[i] * in.free.linear[i].squaredNorm()) return true;
  }
  return false;
}

}  // namespace scree::stepping
