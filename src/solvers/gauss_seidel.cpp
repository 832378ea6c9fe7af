#include "solvers/gauss_seidel.hpp"

#include "core/error.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/momentum.hpp"
#include "solvers/first_order.hpp"
#include "solvers/option_reader.hpp"
#include "solvers/relaxed_sweeps.hpp"
#include "solvers/watch.hpp"

namespace scree::solvers {

namespace {

constexpr int kLongestWait = 64;        ///< sweeps between measurements at most, when chosen automatically

/// One solve: sweeps, and when they are measured.
class GaussSeidel {
 public:
  GaussSeidel(const ContactProblem& problem, const GaussSeidelOptions& options, std::span<double> R, GaussSeidelWorkspace& workspace)
      : problem_(problem), options_(options), work_(workspace), watch_(problem, options, R, &workspace.U), scale_(residual_scale(problem)) {
    work_.trial.resize(R.size());
  }

  SolveReport run() {
    work_.error = GaussSeidelError::none;
    if (watch_.offer(watch_.best()) <= options_.tolerance) return of_sweeps(watch_.report(""));
    const double epsilon = options_.diagonal_epsilon > 0.0 ? options_.diagonal_epsilon : 0.01 * options_.tolerance;
    sweeper_ = &begin_sweeps(problem_, {options_.diagonal_solver, epsilon, options_.diagonal_max_iterations}, watch_.best(), work_.sweepers);
    Momentum momentum;
    SweepRule rule{0.0, options_.omega, false};
    while (!watch_.spent()) {
      rule.backward = options_.reverse && watch_.iterations() % 2 == 1;
      last_ = sweeper_->sweep(rule);
      watch_.count();
      watch_.count_products(1);
      watch_.count_fallback(last_.diverged + last_.failed);
      if (!std::isfinite(last_.change)) return finish(Status::diverged);
      if (options_.acceleration == Acceleration::nesterov) rule.momentum = momentum.after(last_);
      if (stop_now()) return finish(Status::converged);
      if (watch_.iterations() % kRefreshInterval == 0) sweeper_->refresh();
    }
    return finish(Status::max_iterations);
  }

 private:
  /// The outside yardstick at the present iterate.
  double measured() {
    checked_ = watch_.iterations();
    sweeper_->get(work_.trial);
    return watch_.offer(work_.trial);
  }

  bool stop_now() {
    const double relative = last_.size > 0.0 ? std::sqrt(last_.change / last_.size) : 0.0;
    if (options_.criterion == SweepCriterion::relative_change) {
      if (options_.history) changes_.push_back(relative);
      return relative <= options_.tolerance && islands_settled();
    }
    if (options_.history) return measured() <= options_.tolerance && relative <= options_.change;
    if (relative > options_.change) return false;
    // A cheap forecast says when a measurement is worth its price.
    const double change = std::sqrt(last_.change);
    const double forecast = scale_ > 0.0 ? error_per_change_ * change / scale_ : 0.0;
    const int wait = options_.check_interval > 0 ? options_.check_interval : std::clamp(watch_.iterations() / 4, 8, kLongestWait);
    const bool due = watch_.iterations() - checked_ >= wait;
    if (!due && (options_.check_interval > 0 || forecast > options_.tolerance)) return false;
    checked_ = watch_.iterations();
    if (options_.yardstick != Yardstick::residual) {
      const double value = measured();
      if (change > 0.0) error_per_change_ = value * scale_ / change;
      return value <= options_.tolerance;
    }
    const double value = std::sqrt(sweeper_->squared_residual());
    if (change > 0.0) error_per_change_ = value * scale_ / change;
    if (value > options_.tolerance) {
      if (value < kWorthKeeping * watch_.best_value()) watch_.note(value, [&](std::span<double> best) { sweeper_->get(best); });
      return false;
    }
    if (measured() <= options_.tolerance) return true;
    sweeper_->refresh();
    return false;
  }

  /// Whether the last two iterates of every island differ by no more than the tolerance, as velocities R_a / rho_a. Reactions of light bodies are lost in sums over heavy ones; so each
  /// group of bodies that touch is solved as it would be alone.
  bool islands_settled() {
    const bool follows = compared_ == watch_.iterations() - 1;
    compared_ = watch_.iterations();
    work_.last.swap(work_.trial);
    work_.trial.resize(work_.last.size());
    sweeper_->get(work_.trial);
    if (!follows) {
      work_.islands.find(*problem_.W);
      return false;
    }
    for (int island = 0; island < work_.islands.count(); ++island)
      if (!settled(work_.islands.blocks(island))) return false;
    return true;
  }
  [[nodiscard]] bool settled(std::span<const int> blocks) const {
    double change = 0.0, size = 0.0;
    for (const int a : blocks) {
      const Eigen::Map<const Vec3> now(work_.trial.data() + 3 * a), last(work_.last.data() + 3 * a);
      const double inverse = 1.0 / block_rho(problem_.W->diagonal()[a]);
      change += (now - last).squaredNorm() * inverse * inverse;
      size += now.squaredNorm() * inverse * inverse;
    }
    return change <= options_.tolerance * options_.tolerance * size;
  }

  SolveReport finish(Status status) {
    if (status == Status::converged && options_.criterion == SweepCriterion::relative_change) sweeper_->get(watch_.best());
    if (status == Status::max_iterations && watch_.iterations() > checked_) measured();
    if (status != Status::converged) work_.error = GaussSeidelError::diverged;
    if (last_.failed > 0) work_.error = GaussSeidelError::diagonal_failed;
    else if (last_.diverged > 0) work_.error = GaussSeidelError::diagonal_diverged;
    const char* advice = "raise max_iterations, loosen the tolerance, or use AUTO";
    SolveReport report = watch_.report(advice, status);
    // Where the change of a sweep has a say, the yardstick alone does not tell.
    const bool by_change = options_.criterion == SweepCriterion::relative_change || options_.change < kInfinity;
    if (by_change && (status == Status::converged || report.status == Status::converged)) {
      report.status = status;
      report.advice = status == Status::converged ? "" : advice;
    }
    return of_sweeps(std::move(report));
  }

  /// The history of a solve that its changes end: one of each sweep, without the yardstick's values at its ends.
  [[nodiscard]] SolveReport of_sweeps(SolveReport report) {
    if (options_.criterion == SweepCriterion::relative_change) report.history = std::move(changes_);
    return report;
  }

  static constexpr double kWorthKeeping = 0.5;   ///< copy an unfinished iterate only when it halves the best

  const ContactProblem& problem_;
  const GaussSeidelOptions& options_;
  GaussSeidelWorkspace& work_;
  Watch watch_;
  double scale_;
  Sweeper* sweeper_ = nullptr;
  SweepSums last_;
  std::vector<double> changes_;  ///< relative, a sweep; where a history of them is asked for
  double error_per_change_ = 1.0;
  int checked_ = 0;
  int compared_ = -1;  ///< sweep whose iterate is in work_.trial
};

void check(const GaussSeidelOptions& options) {
  if (!(options.omega > 0.0 && options.omega < 2.0)) throw_input("GAUSS_SEIDEL: omega = {} is outside (0, 2); 1 is no relaxation", options.omega);
  if (options.diagonal_max_iterations < 1) throw_input("GAUSS_SEIDEL: diagonal_max_iterations = {} is below 1", options.diagonal_max_iterations);
  if (!(options.diagonal_epsilon >= 0.0)) throw_input("GAUSS_SEIDEL: diagonal_epsilon = {} is negative; 0 means tolerance / 100", options.diagonal_epsilon);
  if (options.check_interval < 0) throw_input("GAUSS_SEIDEL: check_interval = {} is negative; 0 means automatic", options.check_interval);
}

GaussSeidelOptions read(const SolverInfo& info, const StopRule& stop, const OptionValues& values) {
  const OptionReader reader(info, values);
  GaussSeidelOptions options;
  static_cast<StopRule&>(options) = stop;
  options.diagonal_solver = diagonal_solver_from(reader.text("diagonal_solver"));
  options.diagonal_epsilon = reader.real("diagonal_epsilon");
  options.diagonal_max_iterations = reader.integer("diagonal_max_iterations");
  options.reverse = reader.flag("reverse");
  options.omega = reader.real("omega");
  options.change = reader.real("change") > 0.0 ? reader.real("change") : kInfinity;
  options.check_interval = reader.integer("check_interval");
  const std::string& criterion = reader.text("criterion");
  if (criterion == "relative_change") options.criterion = SweepCriterion::relative_change;
  else if (criterion != "yardstick") throw_input("GAUSS_SEIDEL: criterion '{}' is unknown; choose yardstick or relative_change", criterion);
  const std::string& acceleration = reader.text("acceleration");
  constexpr const char* kVariants[] = {"FULL", "MIDDLE_JACOBI", "BOUNDARY_JACOBI", "SIMPLIFIED"};
  if (const std::string& variant = reader.text("variant"); std::ranges::find(kVariants, variant) == std::end(kVariants))
    throw_input("GAUSS_SEIDEL: variant '{}' is unknown; choose {}", variant, fmt::join(kVariants, ", "));
  if (acceleration == "nesterov") options.acceleration = Acceleration::nesterov;
  else if (acceleration != "none") throw_input("GAUSS_SEIDEL: acceleration '{}' is unknown; choose none or nesterov", acceleration);
  return options;
}

SolveReport solve_other_law(const ContactProblem& problem, const GaussSeidelOptions& options, Formulation law, std::span<double> R) {
  check(options);
  RelaxedSweepsOptions relaxed;
  static_cast<StopRule&>(relaxed) = options;
  relaxed.formulation = law;
  relaxed.omega = law == Formulation::tresca ? 1.0 : options.omega;
  relaxed.reverse = options.reverse;
  return solve_relaxed_sweeps(problem, relaxed, R);
}

}  // namespace

std::string to_string(GaussSeidelError error) {
  switch (error) {
    case GaussSeidelError::none: return "OK";
    case GaussSeidelError::diverged: return "DIVERGED";
    case GaussSeidelError::diagonal_diverged: return "DIAGONAL_DIVERGED";
    case GaussSeidelError::diagonal_failed: return "DIAGONAL_FAILED";
  }
  return "";
}

SolveReport solve_gauss_seidel(const ContactProblem& problem, const GaussSeidelOptions& options, std::span<double> R,
                               GaussSeidelWorkspace& workspace) {
  check(options);
  return GaussSeidel(problem, options, R, workspace).run();
}

SolverInfo gauss_seidel_info() {
  SolverInfo info;
  info.name = "GAUSS_SEIDEL";
  info.text =
      "Nonlinear block Gauss-Seidel: each block is solved in turn with the latest impulses of the others. Robust and cheap "
      "to moderate accuracy; with rigid bodies its sweeps are threaded. Nesterov momentum makes it several times faster on packings.";
  info.formulations = {std::begin(kEveryFormulation), std::end(kEveryFormulation)};
  info.options = {
      {"formulation", std::string("coulomb"), "law: coulomb, convex, tresca (thresholds mu R_N of the guess) or frictionless; the last three "
                                              "use the options reverse and (tresca excepted) omega only"},
      {"diagonal_solver", std::string("EXACT"), "how a block is solved: EXACT, SEMISMOOTH_NEWTON, PROJECTED_GRADIENT or DE_SAXE_AND_FENG"},
      {"diagonal_epsilon", 0.0, "relative change of R that ends an iterative block solve; 0: tolerance / 100"},
      {"diagonal_max_iterations", 100, "iterations of a block solve before the exact one takes over"},
      {"reverse", false, "alternate forward and backward sweeps"},
      {"omega", 1.0, "relaxation in (0, 2); 1: none"},
      {"criterion", std::string("yardstick"), "what ends the sweeps: yardstick, or relative_change |S - R| / |R| as in the Solfec manual, of each group of bodies that touch"},
      {"change", 0.0, "relative change |S - R| / |R| that the last sweep must not exceed either; 0: any"},
      {"check_interval", 0, "sweeps between measurements of the yardstick; 0: automatic"},
      {"acceleration", std::string("none"), "none, or nesterov: momentum with growth restart"},
      {"variant", std::string("FULL"), "on several ranks: FULL, interiors, then pairs of ranks in turn; MIDDLE_JACOBI, interiors, then all boundaries at once, with bodies "
                                       "between ranks split; BOUNDARY_JACOBI, everything at once so; SIMPLIFIED, the same and local sweeps over what is no contact"},
  };
  info.solve = [](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
    const SolverInfo& self = find_solver("GAUSS_SEIDEL");
    const GaussSeidelOptions options = read(self, stop, values);
    const Formulation law = formulation_from(OptionReader(self, values).text("formulation"), kEveryFormulation);
    if (law != Formulation::coulomb) return solve_other_law(problem, options, law, R);
    thread_local GaussSeidelWorkspace workspace;  // keeps its memory from step to step
    return solve_gauss_seidel(problem, options, R, workspace);
  };
  return info;
}

}  // namespace scree::solvers
