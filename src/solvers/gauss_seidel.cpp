#include "solvers/gauss_seidel.hpp"

#include "core/error.hpp"
#include "core/timer.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/momentum.hpp"
#include "solvers/first_order.hpp"
#include "solvers/option_reader.hpp"
#include "solvers/relaxed_sweeps.hpp"

namespace scree::solvers {

namespace {

constexpr Formulation kLaws[] = {Formulation::coulomb, Formulation::convex, Formulation::tresca, Formulation::frictionless};
constexpr int kRefreshInterval = 150;   ///< sweeps between recomputations of the velocities kept along
constexpr int kLongestWait = 64;        ///< sweeps between measurements at most, when chosen automatically

/// One solve: sweeps, measurements and the memory of the best iterate.
class GaussSeidel {
 public:
  GaussSeidel(const ContactProblem& problem, const GaussSeidelOptions& options, std::span<double> R, GaussSeidelWorkspace& workspace)
      : problem_(problem), options_(options), R_(R), work_(workspace), scale_(residual_scale(problem)) {
    work_.U.resize(problem.B.size());
  }

  SolveReport run() {
    work_.error = GaussSeidelError::none;
    if (start_is_good()) return report_;
    choose_sweeper();
    Momentum momentum;
    SweepRule rule{0.0, options_.omega, false};
    while (report_.status != Status::converged) {
      if (report_.iterations >= options_.max_iterations) return finish(Status::max_iterations);
      if (timer_.seconds() >= options_.max_seconds) return finish(Status::max_seconds);
      rule.backward = options_.reverse && report_.iterations % 2 == 1;
      last_ = sweeper_->sweep(rule);
      ++report_.iterations;
      ++report_.products;
      report_.fallbacks += last_.diverged + last_.failed;
      if (!std::isfinite(last_.change)) return finish(Status::diverged);
      if (options_.acceleration == Acceleration::nesterov) rule.momentum = momentum.after(last_);
      if (stop_now()) return finish(Status::converged);
      if (report_.iterations % kRefreshInterval == 0) sweeper_->refresh();
    }
    return report_;
  }

 private:
  bool start_is_good() {
    relative_velocity(problem_, R_, work_.U);
    best_value_ = measure(options_.yardstick, problem_, R_, work_.U);
    ++report_.products;
    keep(best_value_);
    if (best_value_ <= options_.tolerance) report_.status = Status::converged;
    else work_.best.assign(R_.begin(), R_.end());
    return report_.status == Status::converged;
  }

  void choose_sweeper() {
    if (options_.diagonal_solver == DiagonalSolver::exact) {
      if (!work_.packed) work_.packed = make_packed_sweeper();
      if (work_.packed->begin(problem_, R_)) {
        sweeper_ = work_.packed.get();
        return;
      }
    }
    const double epsilon = options_.diagonal_epsilon > 0.0 ? options_.diagonal_epsilon : 0.01 * options_.tolerance;
    work_.general = make_general_sweeper({options_.diagonal_solver, epsilon, options_.diagonal_max_iterations});
    work_.general->begin(problem_, R_);
    sweeper_ = work_.general.get();
  }

  void keep(double value) {
    if (options_.history) report_.history.push_back(value);
  }

  /// Remember the iterate in R when it is the best.
  void remember(double value) {
    if (!(value < best_value_)) return;
    best_value_ = value;
    std::copy(R_.begin(), R_.end(), work_.best.begin());
  }

  /// The outside yardstick at the present iterate, which goes to R.
  double measured() {
    sweeper_->get(R_);
    relative_velocity(problem_, R_, work_.U);
    ++report_.products;
    const double value = measure(options_.yardstick, problem_, R_, work_.U);
    remember(value);
    return value;
  }

  bool stop_now() {
    if (options_.criterion == SweepCriterion::relative_change) {
      const double change = last_.size > 0.0 ? std::sqrt(last_.change / last_.size) : 0.0;
      keep(change);
      return change <= options_.tolerance;
    }
    if (options_.history) {
      const double value = measured();
      keep(value);
      return value <= options_.tolerance;
    }
    // A cheap forecast says when a measurement is worth its price.
    const double change = std::sqrt(last_.change);
    const double forecast = scale_ > 0.0 ? error_per_change_ * change / scale_ : 0.0;
    const int wait = options_.check_interval > 0 ? options_.check_interval : std::clamp(report_.iterations / 4, 8, kLongestWait);
    const bool due = report_.iterations - checked_ >= wait;
    if (!due && (options_.check_interval > 0 || forecast > options_.tolerance)) return false;
    checked_ = report_.iterations;
    if (options_.yardstick != Yardstick::residual) {
      const double value = measured();
      if (change > 0.0) error_per_change_ = value * scale_ / change;
      return value <= options_.tolerance;
    }
    const double error = std::sqrt(sweeper_->squared_error());
    if (change > 0.0) error_per_change_ = error / change;
    const double value = scale_ > 0.0 ? error / scale_ : error;
    if (value > options_.tolerance) {
      if (value < kWorthKeeping * best_value_) {
        sweeper_->get(R_);
        remember(value);
      }
      return false;
    }
    if (measured() <= options_.tolerance) return true;
    sweeper_->refresh();
    return false;
  }

  SolveReport finish(Status status) {
    if (status != Status::converged) {
      if (status != Status::diverged && report_.iterations > checked_) measured();
      std::copy(work_.best.begin(), work_.best.end(), R_.begin());
      work_.error = GaussSeidelError::diverged;
      report_.advice = "raise max_iterations, loosen the tolerance, or use AUTO";
    } else if (options_.criterion == SweepCriterion::relative_change) {
      sweeper_->get(R_);
    }
    if (last_.failed > 0) work_.error = GaussSeidelError::diagonal_failed;
    else if (last_.diverged > 0) work_.error = GaussSeidelError::diagonal_diverged;
    report_.status = status;
    if (status == Status::converged && best_value_ > options_.tolerance && options_.criterion == SweepCriterion::yardstick)
      report_.status = Status::max_iterations;
    return report_;
  }

  static constexpr double kWorthKeeping = 0.5;   ///< copy an unfinished iterate only when it halves the best

  const ContactProblem& problem_;
  const GaussSeidelOptions& options_;
  std::span<double> R_;
  GaussSeidelWorkspace& work_;
  double scale_;
  Sweeper* sweeper_ = nullptr;
  SweepSums last_;
  double best_value_ = kInfinity, error_per_change_ = 1.0;
  int checked_ = 0;
  Timer timer_;
  SolveReport report_;
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
  options.check_interval = reader.integer("check_interval");
  const std::string& criterion = reader.text("criterion");
  if (criterion == "relative_change") options.criterion = SweepCriterion::relative_change;
  else if (criterion != "yardstick") throw_input("GAUSS_SEIDEL: criterion '{}' is unknown; choose yardstick or relative_change", criterion);
  const std::string& acceleration = reader.text("acceleration");
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
  const Timer timer;
  SolveReport report = GaussSeidel(problem, options, R, workspace).run();
  report.seconds = timer.seconds();
  return report;
}

SolverInfo gauss_seidel_info() {
  SolverInfo info;
  info.name = "GAUSS_SEIDEL";
  info.text =
      "Nonlinear block Gauss-Seidel: each block is solved in turn with the latest impulses of the others. Robust and cheap "
      "to moderate accuracy; with rigid bodies its sweeps are threaded. Nesterov momentum makes it several times faster on packings.";
  info.formulations = {std::begin(kLaws), std::end(kLaws)};
  info.options = {
      {"formulation", std::string("coulomb"), "law: coulomb, convex, tresca (thresholds mu R_N of the guess) or frictionless; the last three "
                                              "use the options reverse and (tresca excepted) omega only"},
      {"diagonal_solver", std::string("EXACT"), "how a block is solved: EXACT, SEMISMOOTH_NEWTON, PROJECTED_GRADIENT or DE_SAXE_AND_FENG"},
      {"diagonal_epsilon", 0.0, "relative change of R that ends an iterative block solve; 0: tolerance / 100"},
      {"diagonal_max_iterations", 100, "iterations of a block solve before the exact one takes over"},
      {"reverse", false, "alternate forward and backward sweeps"},
      {"omega", 1.0, "relaxation in (0, 2); 1: none"},
      {"criterion", std::string("yardstick"), "what ends the sweeps: yardstick, or relative_change |S - R| / |R| as in the Solfec manual"},
      {"check_interval", 0, "sweeps between measurements of the yardstick; 0: automatic"},
      {"acceleration", std::string("none"), "none, or nesterov: momentum with growth restart"},
  };
  info.solve = [](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
    const SolverInfo& self = find_solver("GAUSS_SEIDEL");
    const GaussSeidelOptions options = read(self, stop, values);
    const Formulation law = formulation_from(OptionReader(self, values).text("formulation"), kLaws);
    if (law != Formulation::coulomb) return solve_other_law(problem, options, law, R);
    thread_local GaussSeidelWorkspace workspace;  // keeps its memory from step to step
    return solve_gauss_seidel(problem, options, R, workspace);
  };
  return info;
}

}  // namespace scree::solvers
