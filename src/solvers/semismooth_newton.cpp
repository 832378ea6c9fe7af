#include "solvers/semismooth_newton.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/law.hpp"
#include "solvers/first_order.hpp"
#include "solvers/gauss_seidel.hpp"
#include "solvers/option_reader.hpp"
#include "solvers/vector_kernels.hpp"

namespace scree::solvers {

namespace {

constexpr double kProgress = 0.3;   ///< a stall is a number of Newton steps without gaining this factor
constexpr double kSlow = 0.5;       ///< gain of a proximal step that the regularisation is holding back
constexpr double kLeastAlpha = 1e-17;   ///< regularisation below which linear systems cannot tell

std::unique_ptr<ContactProblem> own_problem(const ContactProblem& problem, Formulation formulation) {
  if (formulation == Formulation::tresca)
    throw_input("SEMISMOOTH_NEWTON: formulation = 'tresca' is not available; choose coulomb, convex or frictionless");
  return formulation == Formulation::frictionless ? std::make_unique<ContactProblem>(without_friction(problem)) : nullptr;
}

}  // namespace

SemismoothNewton::SemismoothNewton(const ContactProblem& problem, Formulation formulation)
    : frictionless_(own_problem(problem, formulation)), formulation_(formulation),
      scaled_(frictionless_ ? *frictionless_ : problem) {
  for (auto* v : {&x_, &u_x_, &X_, &u_, &dX_, &du_, &law_, &f_, &candidate_, &candidate_u_, &best_, &R_, &U_})
    v->resize(scaled_.size());
  D_.resize(problem.blocks());
  open_.resize(D_.size());
}

void SemismoothNewton::project(std::span<double> x) const {
  const ContactProblem& p = scaled_.problem();
  parallel_for(p.blocks(), [&](std::ptrdiff_t a) {
    Eigen::Map<Vec3> part(x.data() + 3 * a);
    part = project_on_block(part, p.kind[a], scaled_.parameter()[a]);
  });
}

void SemismoothNewton::start(std::span<const double> R, const SemismoothNewtonOptions& options) {
  if (!system_) system_ = scaled_.problem().W->make_newton_system(scaled_);
  alpha_ = options.alpha;
  hold_ = 0;
  next_hold_ = 1;
  best_value_ = kInfinity;
  std::copy(R.begin(), R.end(), best_.begin());
  jump(R);
}

void SemismoothNewton::jump(std::span<const double> R) {
  scaled_.from_impulses(R, x_);
  project(x_);
  scaled_.velocity(x_, u_x_);
  ++products_;
  residual_ = scaled_.residual(x_, u_x_, formulation_ == Formulation::convex);
}

void SemismoothNewton::record(Watch& watch) {
  scaled_.to_impulses(x_, R_);
  scaled_.to_velocities(u_x_, U_);
  watch.offer(R_, U_);
  best_value_ = watch.best_value();
}

double SemismoothNewton::evaluate(bool derivative) {
  const ContactProblem& p = scaled_.problem();
  const double step = 1.0 / alpha_;
  const bool convex = formulation_ == Formulation::convex;
  const double sum = parallel_sum(p.blocks(), [&](std::ptrdiff_t a) {
    const std::size_t i = a;
    const Vec3 y = Eigen::Map<const Vec3>(x_.data() + 3 * a) - step * Eigen::Map<const Vec3>(u_.data() + 3 * a);
    Eigen::Map<Vec3> law(law_.data() + 3 * a), f(f_.data() + 3 * a);
    const double mu = scaled_.parameter()[i];
    if (derivative) {
      const LawPoint point = convex ? projection_point(y, p.kind[i], mu) : law_point(y, p.kind[i], mu);
      law = point.value;
      D_[i] = point.derivative;
      open_[i] = point.open ? 1 : 0;
    } else {
      law = convex ? project_on_block(y, p.kind[i], mu) : law_value(y, p.kind[i], mu);
    }
    f = Eigen::Map<const Vec3>(X_.data() + 3 * a) - law;
    return f.squaredNorm();
  });
  return std::sqrt(sum);
}

double SemismoothNewton::line_search(double before, bool& damped) {
  double applied = 0.0, best_t = 0.0, best_value = kInfinity, value = kInfinity;
  const auto move_to = [&](double t) {
    add_scaled(t - applied, dX_, X_);
    add_scaled(t - applied, du_, u_);
    applied = t;
    return evaluate(false);
  };
  double t = 1.0;
  for (int halving = 0; halving < 8; ++halving, t *= 0.5) {
    value = move_to(t);
    if (value < best_value) {
      best_value = value;
      best_t = t;
    }
    if (value < (1.0 - 0.05 * t) * before) return value;
  }
  // No decrease: a mild increase is let through, anything worse is cut short.
  damped = best_value >= 1.5 * before;
  return move_to(damped ? 0.1 : best_t);
}

SemismoothNewton::Step SemismoothNewton::proximal_step(const SemismoothNewtonOptions& options, int budget, Watch& watch) {
  X_ = x_;
  u_ = u_x_;
  newton_steps_ = 0;
  double value = evaluate(true), lowest = value;
  int bad_in_a_row = 0, since_progress = 0;
  while (true) {
    combine(X_, -1.0, x_, dX_);
    if (newton_steps_ > 0 && value <= 0.1 * alpha_ * norm(dX_)) return Step::good;
    if (value <= 1e-15 * norm(X_)) return Step::good;
    const bool spent = newton_steps_ >= std::min(options.newton_limit, budget) || watch.spent();
    if (spent || bad_in_a_row >= 2 || since_progress >= 5)
      return bad_in_a_row >= 2 ? Step::bad : Step::fair;
    if (!system_->solve(alpha_, D_, open_, f_, dX_)) return Step::bad;
    ++newton_steps_;
    scaled_.apply(dX_, du_);
    ++products_;
    bool damped = false;
    value = line_search(value, damped);
    bad_in_a_row = damped ? bad_in_a_row + 1 : 0;
    since_progress = value < 0.9 * lowest ? 0 : since_progress + 1;
    lowest = std::min(lowest, value);
    evaluate(true);
  }
}

void SemismoothNewton::accept_or_retreat(Step step, const SemismoothNewtonOptions& options) {
  // Two candidates: the law's value, and the Newton iterate put back on the cones.
  project(X_);
  scaled_.velocity(X_, u_);
  scaled_.velocity(law_, du_);
  products_ += 2;
  const bool convex = formulation_ == Formulation::convex;
  const double from_iterate = scaled_.residual(X_, u_, convex), from_law = scaled_.residual(law_, du_, convex);
  const bool law_is_better = from_law <= from_iterate;
  const double reached = std::min(from_iterate, from_law);
  const bool accept = std::isfinite(reached) && (step == Step::good || reached < 0.9 * residual_);
  if (accept) {
    // Steps that come easily and gain little are held back by the regularisation itself: mobilities below it (heavy bodies on light ones).
    const bool held_back = step == Step::good && reached > kSlow * residual_;
    const double least = held_back ? kLeastAlpha : std::min(alpha_, options.alpha_min);
    x_.swap(law_is_better ? law_ : X_);
    u_x_.swap(law_is_better ? du_ : u_);
    residual_ = reached;
    if (hold_ > 0)
      --hold_;
    else if (newton_steps_ <= 3)
      alpha_ *= 0.2;
    else if (newton_steps_ <= 6)
      alpha_ *= 0.3;
    else if (newton_steps_ >= 10)
      alpha_ *= 2.0;
    alpha_ = std::max(alpha_, least);
  } else {
    alpha_ = std::min(4.0 * alpha_, 1e3);
    hold_ = next_hold_;
    next_hold_ = std::min(2 * next_hold_, 4);
  }
}

SolveReport SemismoothNewton::advance(const SemismoothNewtonOptions& options) {
  Watch watch(scaled_.problem(), measured_as(formulation_, options), best_);
  watch.begin(best_value_);
  const long products_before = products_, linear_before = system_->products();
  record(watch);
  watch.be_patient(kProgress);
  while (!watch.ended() && !(options.stall_limit > 0 && watch.stalled() >= options.stall_limit)) {
    const Step step = proximal_step(options, options.max_iterations - watch.iterations(), watch);
    watch.count(std::max(1, newton_steps_));
    accept_or_retreat(step, options);
    record(watch);
  }
  SolveReport report = watch.report("");
  report.linear_iterations = system_->products() - linear_before;
  report.products = products_ - products_before + report.linear_iterations;
  return report;
}

void SemismoothNewton::current(std::span<double> R) const { scaled_.to_impulses(x_, R); }
void SemismoothNewton::best(std::span<double> R) const { std::copy(best_.begin(), best_.end(), R.begin()); }

namespace {

void check(const SemismoothNewtonOptions& options) {
  if (!(options.alpha > 0.0 && options.alpha_min > 0.0 && options.alpha_min <= options.alpha))
    throw_input("SEMISMOOTH_NEWTON: alpha = {} and alpha_min = {} must be positive and ordered", options.alpha, options.alpha_min);
  if (options.newton_limit < 1) throw_input("SEMISMOOTH_NEWTON: newton_limit = {} must be at least 1", options.newton_limit);
  if (options.sweeps < 0) throw_input("SEMISMOOTH_NEWTON: sweeps = {} must not be negative", options.sweeps);
}

/// A few sweeps find most of the contact status at the price of some Newton steps.
SolveReport run_sweeps(const ContactProblem& problem, const SemismoothNewtonOptions& options, std::span<double> R) {
  GaussSeidelOptions sweeps;
  static_cast<StopRule&>(sweeps) = options;
  sweeps.max_iterations = std::min(options.sweeps, options.max_iterations);
  GaussSeidelWorkspace workspace;
  return solve_gauss_seidel(problem, sweeps, R, workspace);
}

}  // namespace

SolveReport solve_semismooth_newton(const ContactProblem& problem, const SemismoothNewtonOptions& options, std::span<double> R) {
  check(options);
  SemismoothNewton newton(problem, options.formulation);
  Watch watch(newton.problem(), measured_as(options.formulation, options), R);
  const auto left = [&] {
    SemismoothNewtonOptions rest = options;
    static_cast<StopRule&>(rest) = watch.rest();
    return rest;
  };
  const char* advice = "SEMISMOOTH_NEWTON did not reach the tolerance: raise max_iterations, give it a warm start, or use AUTO";
  watch.offer(R);
  if (watch.ended()) return watch.report(advice);
  if (options.sweeps > 0 && options.formulation != Formulation::convex) {
    watch.add(run_sweeps(newton.problem(), left(), R));
    watch.offer(R);
    if (watch.ended()) return watch.report(advice);
  }
  const SemismoothNewtonOptions rest = left();
  newton.start(R, rest);
  watch.add(newton.advance(rest));
  newton.best(R);
  watch.begin(newton.best_value());
  return watch.report(advice);
}

SolverInfo semismooth_newton_info() {
  return {"SEMISMOOTH_NEWTON",
          "Proximal semismooth Newton method: each step solves the problem regularised around the last iterate, with sparse direct "
          "factors in the space of contacts (explicit W) or of bodies. For high accuracy, hyperstatic packings included.",
          {Formulation::coulomb, Formulation::convex, Formulation::frictionless},
          {{"formulation", std::string("coulomb"), "law: coulomb, convex or frictionless"},
           {"sweeps", 50, "Gauss-Seidel sweeps before the first Newton step, none for the convex law"},
           {"alpha", 0.1, "first regularisation relative to the diagonal of W, positive"},
           {"alpha_min", 1e-8, "smallest regularisation, positive"},
           {"newton_limit", 12, "Newton steps of one proximal step, at least 1"}},
          [](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
            const OptionReader read(find_solver("SEMISMOOTH_NEWTON"), values);
            SemismoothNewtonOptions options;
            static_cast<StopRule&>(options) = stop;
            options.formulation = formulation_from(read.text("formulation"), kConeFormulations);
            options.sweeps = read.integer("sweeps");
            options.alpha = read.real("alpha");
            options.alpha_min = read.real("alpha_min");
            options.newton_limit = read.integer("newton_limit");
            return solve_semismooth_newton(problem, options, R);
          }};
}

}  // namespace scree::solvers
