#include "solvers/first_order.hpp"

#include <array>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/law.hpp"

namespace scree::solvers {

namespace {

/// rho_a: 3 / tr W_aa, or 1 / W_NN where the tangents do not act.
double scaling_of(const Mat3& W, bool normal_alone) {
  const double inverse = normal_alone ? W(0, 0) : W.trace() / 3.0;
  const double rho = inverse > 0.0 ? 1.0 / inverse : 1.0;
  return std::isfinite(rho) ? rho : 1.0;
}

}  // namespace

Formulation formulation_from(const std::string& name, std::span<const Formulation> allowed) {
  std::string list;
  for (Formulation formulation : allowed) {
    if (name == to_string(formulation)) return formulation;
    list += (list.empty() ? "" : ", ") + to_string(formulation);
  }
  throw_input("formulation '{}': choose one of {}", name, list);
}

Scaling scaling_from(const std::string& solver, const std::string& preconditioner) {
  if (preconditioner == "diagonal") return Scaling::blocks;
  if (preconditioner == "none") return Scaling::uniform;
  throw_input("{}: preconditioner '{}' is unknown; choose diagonal or none", solver, preconditioner);
}

FirstOrderProblem::FirstOrderProblem(const ContactProblem& problem, Formulation formulation, std::span<const double> guess,
                                     Scaling scaling)
    : problem_(formulation == Formulation::frictionless ? without_friction(problem) : problem), formulation_(formulation),
      scaled_(problem_, factors(scaling)), threshold_(problem.kind.size(), 0.0),
      b_(Eigen::Map<const VecX>(scaled_.b().data(), size())), R_(problem.B.size()), U_(problem.B.size()) {
  if (formulation != Formulation::tresca) return;
  for (std::size_t a = 0; a < threshold_.size(); ++a)
    if (frictional(problem_.kind[a])) threshold_[a] = problem_.mu[a] * std::max(0.0, guess[3 * a]) / scaled_.scale()[a];
}

std::vector<double> FirstOrderProblem::factors(Scaling scaling) const {
  std::vector<double> s(problem_.kind.size());
  std::array<double, 2> sums{static_cast<double>(s.size()), 0.0};   // of blocks, and of their 1 / s^2
  for (std::size_t a = 0; a < s.size(); ++a) {
    s[a] = std::sqrt(scaling_of(problem_.W->diagonal()[a], normal_only(problem_.kind[a], problem_.mu[a])));
    sums[1] += 1.0 / (s[a] * s[a]);
  }
  if (scaling != Scaling::uniform) return s;
  sums = total(sums);
  std::fill(s.begin(), s.end(), std::sqrt(sums[0] / sums[1]));
  return s;
}

void FirstOrderProblem::product(const VecX& d, VecX& q) {
  scaled_.apply(numbers(d), numbers(q));
  ++products_;
}

void FirstOrderProblem::gradient(const VecX& x, VecX& g) {
  product(x, g);
  add_scaled(1.0, b_, g);
}

void FirstOrderProblem::modified(const VecX& g, VecX& F) const {
  parallel_for(blocks(), [&](std::ptrdiff_t a) {
    const bool relaxed = formulation_ != Formulation::coulomb && frictional(kind(a));
    F.segment<3>(3 * a) = relaxed ? Vec3(g.segment<3>(3 * a)) : modified_velocity(g.segment<3>(3 * a), kind(a), mu(a));
  });
}

Vec3 FirstOrderProblem::project(std::ptrdiff_t a, const Vec3& trial) const {
  const bool cylinder = formulation_ == Formulation::tresca && frictional(kind(a));
  return cylinder ? project_on_half_cylinder(trial, threshold(a)) : project_on_block(trial, kind(a), mu(a));
}

void FirstOrderProblem::project(VecX& x) const {
  parallel_for(blocks(), [&](std::ptrdiff_t a) { x.segment<3>(3 * a) = project(a, x.segment<3>(3 * a)); });
}

double FirstOrderProblem::measure(Yardstick yardstick, const VecX& x, const VecX& g) {
  if (formulation_ == Formulation::tresca) {
    const double error = total_sum(blocks(), [&](std::ptrdiff_t a) {
      return (x.segment<3>(3 * a) - project(a, x.segment<3>(3 * a) - g.segment<3>(3 * a))).squaredNorm();
    });
    const double scale = residual_scale(problem_);
    if (error == 0.0) return 0.0;
    return scale > 0.0 ? std::sqrt(error) / scale : kInfinity;
  }
  to_impulses(x, R_);
  parallel_for(blocks(), [&](std::ptrdiff_t a) { Eigen::Map<Vec3>(U_.data() + 3 * a) = g.segment<3>(3 * a) / block_scale(a); });
  return solvers::measure(formulation_ == Formulation::convex ? Yardstick::ccp : yardstick, problem_, R_, U_);
}

double largest_eigenvalue(FirstOrderProblem& problem, int iterations) {
  // A start without symmetry, the same on every run.
  VecX v(problem.size()), q(problem.size());
  for (Eigen::Index k = 0; k < v.size(); ++k) v[k] = 1.0 + 0.5 * std::sin(12.9898 * static_cast<double>(k));
  double value = 0.0;
  for (int i = 0; i < iterations; ++i) {
    const double length = norm(v);
    if (!(length > 0.0) || !std::isfinite(length)) break;
    v /= length;
    problem.product(v, q);
    value = std::max(value, norm(q));
    v.swap(q);
  }
  return value > 0.0 && std::isfinite(value) ? 1.05 * value : 1.0;
}

void SafeStep::take(VecX& x, VecX& g) {
  problem_.modified(g, F_);
  for (int attempt = 0; attempt < 40; ++attempt) {
    parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) {
      next_.segment<3>(3 * a) = problem_.project(a, x.segment<3>(3 * a) - F_.segment<3>(3 * a) / L_);
    });
    problem_.gradient(next_, g_next_);
    const double curvature = total_sum(x.size(), [&](std::ptrdiff_t k) { return (next_[k] - x[k]) * (g_next_[k] - g[k]); });
    const double length = total_sum(x.size(), [&](std::ptrdiff_t k) { return (next_[k] - x[k]) * (next_[k] - x[k]); });
    if (!(curvature > L_ * length)) break;
    L_ = std::max(2.0 * L_, curvature / length);
  }
  x.swap(next_);
  g.swap(g_next_);
}

bool ScaledWatch::certified(VecX& x, VecX& g) {
  problem_.from_impulses(best(), x);
  problem_.gradient(x, g);
  const double given = problem_.measure(stop().yardstick, x, g);
  record(given);
  begin(std::isfinite(given) ? given : kInfinity);
  be_patient();
  if (solved()) return true;
  // Zero costs no product; a guess worse than that is dropped.
  const VecX guess = x;
  x.setZero();
  const double at_rest = problem_.measure(stop().yardstick, x, problem_.free_gradient());
  if (!(best_value() <= at_rest) || !std::isfinite(best_value())) {
    g = problem_.free_gradient();
    std::ranges::fill(best(), 0.0);
    begin(std::isfinite(at_rest) ? at_rest : kInfinity);
    be_patient();
    return ended();
  }
  x = guess;
  problem_.project(x);
  if (on_any(x != guess)) problem_.gradient(x, g);
  return spent();
}

bool ScaledWatch::finished(const VecX& x, const VecX& g, int iterations) {
  count(iterations - this->iterations());
  const double value = problem_.measure(stop().yardstick, x, g);
  note(on_all(x.allFinite()) ? value : kInfinity, [&](std::span<double> R) { problem_.to_impulses(x, R); });
  return ended();
}

SolveReport ScaledWatch::report(int fallbacks, const char* advice) {
  count_fallback(fallbacks);
  count_products(problem_.products());
  return Watch::report(advice);
}

}  // namespace scree::solvers
