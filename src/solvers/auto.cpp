#include "solvers/auto.hpp"

#include "core/error.hpp"
#include "core/threads.hpp"
#include "core/timer.hpp"
#include "solvers/auto_deformable.hpp"
#include "solvers/auto_laws.hpp"
#include "solvers/auto_stages.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/cone.hpp"
#include "solvers/first_order.hpp"
#include "solvers/local_solve.hpp"
#include "solvers/option_reader.hpp"

namespace scree::solvers {

namespace {

constexpr Formulation kLaws[] = {Formulation::coulomb, Formulation::convex, Formulation::tresca, Formulation::frictionless};
constexpr double kPatience = 60.0;      ///< Newton steps' worth of sweeps that sweeps may still need
constexpr int kFewestBlocks = 32;       ///< islands of fewer blocks in all are not looked for
constexpr double kLongPatience = 600.0; ///< the same for large packings, where Newton steps seldom help
constexpr int kWarmSweeps = 400;        ///< from a warm start before zero is tried
constexpr int kWarmRounds = 1;          ///< of Newton from a warm start before zero is tried
constexpr int kSharedSweeps = 300;      ///< sweeps of all islands together before they are taken apart
constexpr int kNoLimit = 1 << 30;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// One connected problem (or one taken as such): all stages.
SolveReport solve_connected(const ContactProblem& problem, const AutoOptions& options, const StopRule& stop, std::span<double> R,
                            double value, std::unique_ptr<Sweeper>& packed) {
  AutoStages stages(problem, stop, options.margin, R, value, packed);
  const double patience = options.newton ? (stages.large() ? kLongPatience : kPatience) * stages.newton_cost() : kInfinity;
  if (options.newton && !stages.solved()) stages.splitting_where_rows_are_long();
  // A warm start in a bad place costs more than it saves: after a while, zero gets the same chance.
  const bool warm = std::any_of(R.begin(), R.end(), [](double r) { return r != 0.0; });
  if (warm && !stages.solved()) stages.sweeps(patience, kWarmSweeps);
  if (warm && !stages.solved()) stages.sweeps_from_zero(kInfinity, kWarmSweeps);
  if (!stages.solved()) stages.sweeps(patience, stages.large() || !options.newton ? kNoLimit : stop.max_iterations / 3);
  // So does Newton: on small problems, a cold start gets its turn after some rounds.
  const bool retry = options.newton && warm && !stages.large();
  if (options.newton && !stages.solved()) stages.newton_and_global(retry ? kWarmRounds : kNoLimit);
  if (retry && !stages.solved() && !stages.exhausted()) {
    stages.sweeps_from_zero(patience, stop.max_iterations / 3);
    if (!stages.solved()) stages.newton_and_global(kNoLimit);
  }
  std::copy(stages.best().begin(), stages.best().end(), R.begin());
  return stages.report();
}

/// Squared error and share of the squared scale of each island.
class IslandLedger {
 public:
  IslandLedger(const ContactProblem& problem, AutoWorkspace& work) : problem_(problem), work_(work) {
    const std::size_t n = at(work.islands.count());
    work_.share.assign(n, 0.0);
    double total = 0.0;
    for (int i = 0; i < work.islands.count(); ++i) {
      for (int a : work.islands.blocks(i)) work_.share[at(i)] += rho(a) * Eigen::Map<const Vec3>(problem.B.data() + 3 * a).squaredNorm();
      total += work_.share[at(i)];
    }
    // A scale given with the problem is split in the same proportions.
    if (problem.scale > 0.0 && total > 0.0)
      for (double& share : work_.share) share *= problem.scale * problem.scale / total;
  }

  /// Islands that miss the tolerance, from U = W R + B in the workspace.
  [[nodiscard]] std::vector<int> open_islands(std::span<const double> R, double tolerance) const {
    std::vector<int> open;
    for (int i = 0; i < work_.islands.count(); ++i) {
      double error = 0.0;
      for (int a : work_.islands.blocks(i)) error += squared_error(a, R);
      if (error > tolerance * tolerance * work_.share[at(i)]) open.push_back(i);
    }
    return open;
  }

  [[nodiscard]] double scale_of(std::span<const int> islands) const {
    double sum = 0.0;
    for (int i : islands) sum += work_.share[at(i)];
    return std::sqrt(sum);
  }

 private:
  [[nodiscard]] double rho(int a) const {
    const double trace = problem_.W->diagonal()[at(a)].trace();
    return trace > 0.0 ? 3.0 / trace : 1.0;
  }

  [[nodiscard]] double squared_error(int a, std::span<const double> R) const {
    const Vec3 r = Eigen::Map<const Vec3>(R.data() + 3 * a);
    Vec3 U = Eigen::Map<const Vec3>(work_.U.data() + 3 * a);
    const BlockKind kind = problem_.kind[at(a)];
    const double mu = problem_.mu[at(a)], step = rho(a);
    if (kind == BlockKind::contact) U.x() += mu * std::hypot(U.y(), U.z());
    return (r - project_on_block(r - step * U, kind, mu)).squaredNorm() / step;
  }

  const ContactProblem& problem_;
  AutoWorkspace& work_;
};

class AutoRun {
 public:
  AutoRun(const ContactProblem& problem, const AutoOptions& options, std::span<double> R, AutoWorkspace& work)
      : problem_(problem), options_(options), R_(R), work_(work) {}

  SolveReport run() {
    work_.U.resize(R_.size());
    double start = measured();
    report_.stage = "warm start";
    if (!(start <= 1.0)) start = without_wild_guess(start);
    if (start <= options_.tolerance) {
      report_.status = Status::converged;
      return report_;
    }
    if (problem_.blocks() == 1 && options_.max_iterations > 0 && solved_in_closed_form(start)) return report_;
    if (suits_working_set(problem_, options_)) {
      const std::vector<double> given(R_.begin(), R_.end());
      report_ = solve_working_set(problem_, options_, R_, work_);
      if (report_.status == Status::converged) return report_;
      // Never go on from something worse than what came in.
      const double value = measured();
      if (!(value <= start)) std::copy(given.begin(), given.end(), R_.begin());
      start = value <= start ? value : measured();
    }
    if (!options_.islands || options_.yardstick != Yardstick::residual || problem_.blocks() < kFewestBlocks) return whole(start);
    work_.islands.find(*problem_.W);
    if (work_.islands.count() < 2) return whole(start);
    return apart(start);
  }

 private:
  /// A single block needs no iteration.
  bool solved_in_closed_form(double start) {
    const Vec3 guess = Eigen::Map<const Vec3>(R_.data());
    double multiplier = 0.0;
    Eigen::Map<Vec3>(R_.data()) = solve_exact(LocalBlock(problem_.W->diagonal()[0]), problem_.kind[0], problem_.mu[0],
                                              Eigen::Map<const Vec3>(problem_.B.data()), multiplier);
    const double value = measured();
    if (value <= options_.tolerance) {
      report_.status = Status::converged;
      report_.iterations = 1;
      report_.stage = "closed form";
      return true;
    }
    if (!(value <= start)) Eigen::Map<Vec3>(R_.data()) = guess;
    return false;
  }

  /// A guess worse than none is dropped; zero needs no product.
  double without_wild_guess(double start) {
    const std::vector<double> zero(R_.size(), 0.0);
    const double at_rest = measure(options_.yardstick, problem_, zero, problem_.B);
    if (start <= at_rest) return start;
    std::fill(R_.begin(), R_.end(), 0.0);
    std::copy(problem_.B.begin(), problem_.B.end(), work_.U.begin());
    return at_rest;
  }

  double measured() {
    relative_velocity(problem_, R_, work_.U);
    ++report_.products;
    const double value = measure(options_.yardstick, problem_, R_, work_.U);
    if (options_.history) report_.history.push_back(value);
    return value;
  }

  [[nodiscard]] StopRule rest() const {
    StopRule stop = options_;
    stop.max_iterations = std::max(0, options_.max_iterations - report_.iterations);
    stop.max_seconds = std::max(0.0, options_.max_seconds - timer_.seconds());
    return stop;
  }

  SolveReport whole(double start) {
    SolveReport report = solve_connected(problem_, options_, rest(), R_, start, work_.packed);
    add_costs(report, report_);
    return report;
  }

  SolveReport apart(double start) {
    const std::vector<double> given(R_.begin(), R_.end());
    const IslandLedger ledger(problem_, work_);
    std::vector<int> open = ledger.open_islands(R_, options_.tolerance);
    if (open.size() > 1) {
      sweep_together(open, ledger);
      measured();
      open = ledger.open_islands(R_, options_.tolerance);
    }
    for (int island : open) solve_island(island, ledger);
    const double value = measured();
    // Never hand back something worse than what came in.
    if (!(value <= start)) std::copy(given.begin(), given.end(), R_.begin());
    report_.status = value <= options_.tolerance ? Status::converged
                     : timer_.seconds() >= options_.max_seconds ? Status::max_seconds
                                                                : Status::max_iterations;
    if (report_.status != Status::converged) report_.advice = "raise max_iterations or max_seconds, or loosen the tolerance";
    return report_;
  }

  /// All open islands in one run of sweeps: cheap for the many small ones.
  void sweep_together(const std::vector<int>& open, const IslandLedger& ledger) {
    work_.active.clear();
    for (int island : open)
      for (int a : work_.islands.blocks(island)) work_.active.push_back(a);
    std::sort(work_.active.begin(), work_.active.end());
    ContactProblem part = restrict_to(problem_, work_.active);
    part.scale = ledger.scale_of(open);
    std::vector<double> R;
    gather_part(R_, work_.active, R);
    AutoStages stages(part, rest(), options_.margin, R, -1.0, work_.packed);
    stages.sweeps(kSharedSweeps, kSharedSweeps);
    scatter_part(stages.best(), work_.active, R_);
    add_costs(report_, stages.report());
    report_.stage = "sweeps";
  }

  void solve_island(int island, const IslandLedger& ledger) {
    const auto blocks = work_.islands.blocks(island);
    ContactProblem part = restrict_to(problem_, blocks);
    part.scale = ledger.scale_of(std::array{island});
    std::vector<double> R;
    gather_part(R_, blocks, R);
    const SolveReport report = solve_connected(part, options_, rest(), R, -1.0, work_.packed);
    scatter_part(R, blocks, R_);
    add_costs(report_, report);
    report_.stage = report.stage;
  }

  const ContactProblem& problem_;
  const AutoOptions& options_;
  std::span<double> R_;
  AutoWorkspace& work_;
  Timer timer_;
  SolveReport report_;
};

}  // namespace

SolveReport solve_auto(const ContactProblem& problem, const AutoOptions& options, std::span<double> R, AutoWorkspace& workspace) {
  const Timer timer;
  SolveReport report = AutoRun(problem, options, R, workspace).run();
  report.seconds = timer.seconds();
  return report;
}

SolverInfo auto_info() {
  SolverInfo info;
  info.name = "AUTO";
  info.text =
      "The default: checks the warm start, takes independent islands apart, sweeps with momentum, then a "
      "proximal semismooth Newton with ADMM beside it where sweeps are too slow. Robust to high accuracy; choices never depend on the clock.";
  info.formulations = {std::begin(kLaws), std::end(kLaws)};
  info.options = {
      {"formulation", std::string("coulomb"), "law: coulomb, convex, tresca (thresholds mu R_N of the guess) or frictionless"},
      {"islands", true, "solve independent parts apart (yardstick residual only)"},
      {"newton", true, "allow Newton and ADMM stages; False: accelerated sweeps only"},
      {"margin", 1.0, "share of the tolerance, in (0, 1], that sweeps go on to while it costs at most half as much again"},
  };
  info.solve = [](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
    const OptionReader read(find_solver("AUTO"), values);
    AutoOptions options;
    static_cast<StopRule&>(options) = stop;
    options.islands = read.flag("islands");
    options.newton = read.flag("newton");
    options.margin = read.real("margin");
    if (!(options.margin > 0.0 && options.margin <= 1.0)) throw_input("AUTO: margin = {} is outside (0, 1]; 1 stops at the tolerance", options.margin);
    thread_local AutoWorkspace workspace;  // keeps its memory from step to step
    return solve_auto_law(problem, formulation_from(read.text("formulation"), kLaws), options, R, workspace);
  };
  return info;
}

}  // namespace scree::solvers
