#include "solvers/newton.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/accelerated_sweeps.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/law.hpp"
#include "solvers/first_order.hpp"
#include "solvers/gauss_seidel.hpp"
#include "solvers/gmres.hpp"
#include "solvers/option_reader.hpp"
#include "solvers/relaxed_sweeps.hpp"
#include "solvers/scaled_problem.hpp"
#include "solvers/smoothed_law.hpp"
#include "solvers/watch.hpp"

namespace scree::solvers {

namespace {

constexpr int kRestart = 20;          ///< size of the Krylov space (report, Table 1)
constexpr int kNewtonPatience = 150;        ///< Newton steps without a gain of 10 % before the fallback
constexpr double kProgress = 0.9;
constexpr long kPackedSweeps = 4, kGeneralSweeps = 1;   ///< that take as long as a product within GMRES
constexpr double kGoodStep = 0.5;     ///< a step that leaves more of the error than this has more sweeps after it
constexpr long kMostEffort = 8;       ///< times the sweeps of the first step

void check(const NewtonOptions& options) {
  if (options.linear_iterations < 1) throw_input("NEWTON: linmaxiter = {} must be at least 1", options.linear_iterations);
  if (!(options.epsilon > 0.0 && options.epsilon < 1.0)) throw_input("NEWTON: epsilon = {} is outside (0, 1)", options.epsilon);
  if (!(options.delta >= 0.0)) throw_input("NEWTON: delta = {} must not be negative", options.delta);
  if (!(options.theta > 0.0 && options.theta <= 1.0)) throw_input("NEWTON: theta = {} is outside (0, 1]", options.theta);
  if (options.sweeps < -1) throw_input("NEWTON: sweeps = {}; -1 means as many as take the time of the linear solve, 0 none", options.sweeps);
  if (!(options.omega >= 0.0)) throw_input("NEWTON: omega = {} must not be negative", options.omega);
}

/// delta in units of W.
double regularisation(const NewtonOptions& options, const Operator& W) {
  if (options.delta_reference == DeltaReference::absolute) return options.delta;
  double smallest = kInfinity, largest = 0.0, sum = 0.0;
  for (const Mat3& block : W.diagonal())
    for (int k = 0; k < 3; ++k) {
      smallest = std::min(smallest, block(k, k));
      largest = std::max(largest, block(k, k));
      sum += block(k, k);
    }
  if (options.delta_reference == DeltaReference::smallest) return -options.delta * total_max(-smallest);
  if (options.delta_reference == DeltaReference::largest) return options.delta * total_max(largest);
  return options.delta * total(sum) / (3.0 * total(static_cast<double>(W.blocks())));
}

/// Sweeps with momentum that go on from an iterate: they settle quickly what couples near contacts, which rough linear solves leave.
class Smoother {
 public:
  Smoother(const ContactProblem& problem, const NewtonOptions& options) : problem_(problem), count_(options.formulation == Formulation::coulomb ? options.sweeps : 0), R_(problem.B.size()) {}

  /// Sweep from x after a linear solve of so many products; those that leave the numbers are undone.
  void improve(const ScaledProblem& scaled, long products, std::span<double> x) {
    const long sweeps = count_ >= 0 ? count_ : effort_ * products * (problem_.W->has_rigid_bodies() ? kPackedSweeps : kGeneralSweeps);
    if (sweeps == 0) return;
    scaled.to_impulses(x, R_);
    if (sweeper_) sweeper_->set(R_);
    else sweeper_ = &begin_sweeps(problem_, {}, R_, memory_);
    MomentumSweeps momentum(*sweeper_);
    double change = 0.0;
    for (long k = 0; k < sweeps; ++k) change = momentum.sweep().change;
    sweeps_ += sweeps;
    if (!std::isfinite(change)) return;
    sweeper_->get(R_);
    scaled.from_impulses(R_, x);
  }
  /// Linear solves gain little here: sweep more from now on.
  void work_harder() { effort_ = std::min(2 * effort_, kMostEffort); }
  [[nodiscard]] long sweeps() const { return sweeps_; }

 private:
  const ContactProblem& problem_;
  int count_;
  long effort_ = 1;
  std::vector<double> R_;
  SweeperMemory memory_;
  Sweeper* sweeper_ = nullptr;
  long sweeps_ = 0;
};

/// The state of Algorithm 1 in scaled unknowns.
class QuasiNewton {
 public:
  QuasiNewton(const ContactProblem& problem, const NewtonOptions& options)
      : scaled_(problem), options_(options), smoother_(problem, options), x_(scaled_.size()), u_(x_.size()), C_(x_.size()), step_(x_.size()),
        X_(problem.blocks()), Y_(X_.size()), inverse_(X_.size()), shift_(X_.size()) {
    const double delta = regularisation(options, *problem.W);
    for (std::size_t a = 0; a < shift_.size(); ++a) shift_[a] = delta * scaled_.scale()[a] * scaled_.scale()[a];
    velocity_ = scaled_.reference() / std::sqrt(std::max(1.0, total(static_cast<double>(problem.blocks()))));
    gmres_.resize(x_.size(), std::min(kRestart, options.linear_iterations));
  }

  void start(std::span<const double> R) {
    scaled_.from_impulses(R, x_);
    project();
    refresh();
  }
  /// R <- sweeps(proj_K [ R - A^-1 C ])
  void iterate() {
    const long before = products_;
    linearise();
    std::fill(step_.begin(), step_.end(), 0.0);
    double relaxation = 1.0;
    if (options_.linear_solver == LinearSolver::gmres) {
      const auto apply = [&](std::span<const double> in, std::span<double> out) { multiply(in, out); };
      const auto solve_blocks = [&](std::span<const double> in, std::span<double> out) { precondition(in, out); };
      gmres_.solve(apply, solve_blocks, C_, step_, options_.epsilon * norm(C_), options_.linear_iterations);
    } else {
      precondition(C_, step_);
      relaxation = options_.theta;
    }
    add_scaled(-relaxation, step_, x_);
    project();
    smoother_.improve(scaled_, products_ - before, x_);
    refresh();
  }
  void sweep_more() { smoother_.work_harder(); }
  void impulses(std::span<double> R) const { scaled_.to_impulses(x_, R); }
  void velocities(std::span<double> U) const { scaled_.to_velocities(u_, U); }
  [[nodiscard]] long products() const { return products_; }
  [[nodiscard]] long sweeps() const { return smoother_.sweeps(); }
  [[nodiscard]] long linear_iterations() const { return linear_iterations_; }

 private:
  void refresh() {
    scaled_.velocity(x_, u_);
    ++products_;
  }
  void project() {
    const ContactProblem& p = scaled_.problem();
    parallel_for(p.blocks(), [&](std::ptrdiff_t a) {
      Eigen::Map<Vec3> part(x_.data() + 3 * a);
      part = project_on_block(part, p.kind[a], p.mu[a]);
    });
  }
  /// Fixed when asked for; otherwise a tenth of the mean error, which keeps early steps calm. (Not of the residual: a block's weight there says nothing about steps.)
  [[nodiscard]] double smoothing() const {
    if (options_.omega > 0.0) return options_.omega * velocity_;
    const double error = scaled_.map_norm(x_, u_, options_.formulation == Formulation::convex) * velocity_ / scaled_.reference();
    return std::max(std::max(1e-3 * options_.tolerance, 1e-16) * velocity_, 0.1 * error);
  }
  /// C, X, Y and the inverted diagonal blocks of A.
  void linearise() {
    const double omega = smoothing();
    const ContactProblem& p = scaled_.problem();
    parallel_for(p.blocks(), [&](std::ptrdiff_t a) {
      const std::size_t i = a;
      const SmoothedLaw law = smoothed_law(Eigen::Map<const Vec3>(u_.data() + 3 * a), Eigen::Map<const Vec3>(x_.data() + 3 * a),
                                           p.kind[i], p.mu[i], omega, options_.formulation == Formulation::convex);
      Eigen::Map<Vec3>(C_.data() + 3 * a) = law.C;
      X_[i] = law.X;
      Y_[i] = law.Y;
      const double s = scaled_.scale()[i];
      Mat3 A = law.X * (s * s * p.W->diagonal()[i]) + law.Y;
      A.diagonal().array() += shift_[i];
      inverse_[i] = A.inverse();
      // A block without mobility is left where it is.
      if (!inverse_[i].allFinite() || inverse_[i].cwiseAbs().maxCoeff() > 1e12) inverse_[i].setIdentity();
    });
  }
  void multiply(std::span<const double> in, std::span<double> out) {
    scaled_.apply(in, out);
    ++products_;
    ++linear_iterations_;
    parallel_for(scaled_.blocks(), [&](std::ptrdiff_t a) {
      const std::size_t i = a;
      const Eigen::Map<const Vec3> d(in.data() + 3 * a);
      Eigen::Map<Vec3> o(out.data() + 3 * a);
      o = (X_[i] * o + Y_[i] * d + shift_[i] * d).eval();
    });
  }
  void precondition(std::span<const double> in, std::span<double> out) const {
    parallel_for(scaled_.blocks(), [&](std::ptrdiff_t a) {
      Eigen::Map<Vec3>(out.data() + 3 * a).noalias() = inverse_[a] * Eigen::Map<const Vec3>(in.data() + 3 * a);
    });
  }

  ScaledProblem scaled_;
  const NewtonOptions& options_;
  Smoother smoother_;
  std::vector<double> x_, u_, C_, step_;
  std::vector<Mat3> X_, Y_, inverse_;
  std::vector<double> shift_;
  double velocity_ = 1.0;  ///< root mean square of the scaled free velocity
  Gmres gmres_;
  long products_ = 0, linear_iterations_ = 0;
};

/// Newton iterations from the best iterate of the watch; false when they left the numbers.
bool run_newton(const ContactProblem& problem, const NewtonOptions& options, Watch& watch) {
  QuasiNewton newton(problem, options);
  newton.start(watch.best());
  std::vector<double> trial(problem.B.size()), U(problem.B.size());
  watch.be_patient(kProgress);
  bool finite = true;
  double error = kInfinity;
  while (finite && !watch.ended() && watch.iterations() < options.newton_iterations && newton.products() < options.max_products &&
         watch.stalled() < kNewtonPatience) {
    newton.iterate();
    watch.count();
    newton.impulses(trial);
    newton.velocities(U);
    const double before = std::exchange(error, watch.offer(trial, U));
    if (error > kGoodStep * before) newton.sweep_more();
    finite = std::isfinite(error);
  }
  SolveReport work;
  work.products = newton.products() + newton.sweeps();
  work.linear_iterations = newton.linear_iterations();
  watch.add(work);
  return finite;
}

/// Gauss-Seidel from the best iterate, within what is left of the limits.
SolveReport run_fallback(const ContactProblem& problem, const NewtonOptions& options, const Watch& watch) {
  const auto limited = [&](auto sweeps) {
    static_cast<StopRule&>(sweeps) = watch.rest();
    return sweeps;
  };
  GaussSeidelWorkspace workspace;
  if (options.formulation == Formulation::convex) return solve_relaxed_sweeps(problem, limited(RelaxedSweepsOptions{}), watch.best());
  return solve_gauss_seidel(problem, limited(GaussSeidelOptions{}), watch.best(), workspace);
}

}  // namespace

SolveReport solve_newton(const ContactProblem& problem, const NewtonOptions& options, std::span<double> R) {
  check(options);
  if (options.formulation == Formulation::frictionless) {
    NewtonOptions same = options;
    same.formulation = Formulation::coulomb;
    return solve_newton(without_friction(problem), same, R);
  }
  const char* advice = "NEWTON did not reach the tolerance: raise delta (0.01 to 0.1 of the average W_ii) or linmaxiter, or use AUTO";
  Watch watch(problem, measured_as(options.formulation, options), R);
  watch.offer(R);
  if (watch.ended()) return watch.report(advice);
  const bool finite = run_newton(problem, options, watch);
  if (!watch.ended() && options.fallback) {
    watch.count_fallback();
    watch.add(run_fallback(problem, options, watch));
    watch.offer(R);
  }
  return watch.report(advice, finite ? Status::max_iterations : Status::diverged);
}

SolverInfo newton_info() {
  return {"NEWTON",
          "Projected quasi-Newton method (PARMES TR2): smoothed root finding, regularised linear systems solved roughly by GMRES, "
          "each step smoothed by sweeps, Gauss-Seidel when it fails. Solfec's meritval and maxiter are `tolerance` with the yardstick 'merit' and `maxiter`.",
          {std::begin(kConeFormulations), std::end(kConeFormulations)},
          {{"formulation", std::string("coulomb"), "law: coulomb, convex or frictionless"},
           {"maxiter", 1000, "Newton steps before Gauss-Seidel takes over"},
           {"linver", std::string("GMRES"), "linear solver: 'GMRES', or 'DIAG' for the diagonal blocks alone"},
           {"linmaxiter", 10, "GMRES steps of one linear solve, at least 1"},
           {"maxmatvec", 100000, "matrix-vector products of all linear solves together"},
           {"epsilon", 0.25, "relative accuracy of linear solves, in (0, 1); 0.01 suits deformable bodies"},
           {"delta", 0.01, "diagonal regularisation, >= 0, in units of W (1/kg) or relative to what reldelta names"},
           {"reldelta", std::string("avg"), "what delta is relative to: 'min', 'avg' or 'max' diagonal entry of W, or 'none'"},
           {"theta", 0.25, "relaxation of 'DIAG' steps, in (0, 1]"},
           {"omega", 0.0, "smoothing relative to the free velocity; 0: 0.1 of the residual, at least 1e-3 tolerance"},
           {"sweeps", -1, "Gauss-Seidel sweeps with momentum after each Newton step; -1: as many as take the time of the linear solve, more (up to 8 times) after steps that gain little; 0: none, as in the report"},
           {"gsflag", std::string("ON"), "'ON': go on with Gauss-Seidel from the best iterate when Newton fails; 'OFF': do not"}},
          [](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
            const OptionReader read(find_solver("NEWTON"), values);
            const auto choice = [&](const char* name, std::initializer_list<const char*> allowed) {
              int k = 0;
              for (const char* text : allowed) {
                if (read.text(name) == text) return k;
                ++k;
              }
              throw_input("NEWTON: {} = '{}' is unknown; choose one of {}", name, read.text(name), fmt::join(allowed, ", "));
            };
            NewtonOptions options;
            static_cast<StopRule&>(options) = stop;
            options.formulation = formulation_from(read.text("formulation"), kConeFormulations);
            options.newton_iterations = read.integer("maxiter");
            options.linear_solver = static_cast<LinearSolver>(choice("linver", {"GMRES", "DIAG"}));
            options.linear_iterations = read.integer("linmaxiter");
            options.max_products = read.integer("maxmatvec");
            options.epsilon = read.real("epsilon");
            options.delta = read.real("delta");
            options.delta_reference = static_cast<DeltaReference>(choice("reldelta", {"none", "min", "avg", "max"}));
            options.theta = read.real("theta");
            options.omega = read.real("omega");
            options.sweeps = read.integer("sweeps");
            options.fallback = choice("gsflag", {"OFF", "ON"}) == 1;
            return solve_newton(problem, options, R);
          }};
}

}  // namespace scree::solvers
