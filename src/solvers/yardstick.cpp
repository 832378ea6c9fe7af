#include "solvers/yardstick.hpp"

#include "core/dense.hpp"
#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/law.hpp"
#include "solvers/totals.hpp"

namespace scree::solvers {

namespace {

/// Numerator and denominator sums, added a chunk at a time.
struct Sums {
  double error = 0.0, B = 0.0, R = 0.0, U = 0.0;
  Sums& operator+=(const Sums& other) {
    error += other.error;
    B += other.B;
    R += other.R;
    U += other.U;
    return *this;
  }
};

constexpr double kEachBody = 1e-2;  ///< share of the squared residual that `scaled_merit` is not below in a time step: 1e-8 is a residual of 1e-3   (theory sec. 3.4)
constexpr double kRegular = 1e-8;   ///< least pivot of a block solved without pivoting, relative to its trace

/// <W_aa^-1 x, x>; a block that constrains only its normal is measured along it.
double energy(const Mat3& W, const Vec3& x, bool along_normal) {
  if (along_normal) return W(0, 0) > 0.0 ? x.x() * x.x() / W(0, 0) : 0.0;
  // Elimination without pivoting serves all but nearly singular blocks.
  const double s10 = 0.5 * (W(1, 0) + W(0, 1)), s20 = 0.5 * (W(2, 0) + W(0, 2)), s21 = 0.5 * (W(2, 1) + W(1, 2));
  const double d0 = W(0, 0), l10 = s10 / d0, l20 = s20 / d0;
  const double d1 = W(1, 1) - l10 * s10, l21 = (s21 - l20 * s10) / d1, d2 = W(2, 2) - l20 * s20 - l21 * l21 * d1;
  const double least = kRegular * W.trace();
  if (d0 > least && d1 > least && d2 > least) {
    const double y1 = x.y() - l10 * x.x(), y2 = x.z() - l20 * x.x() - l21 * y1;
    return x.x() * x.x() / d0 + y1 * y1 / d1 + y2 * y2 / d2;
  }
  const double value = x.dot(solve_positive(Mat3(0.5 * (W + W.transpose())), x));
  return std::isfinite(value) ? value : x.squaredNorm() * 3.0 / std::max(W.trace(), 1e-300);
}

/// The free velocity of a block as far as the reference of `merit` counts it. In a time step (which gives weights) what separates by
/// itself, gaps ahead and limits not yet reached, must not flatter the figure.
Vec3 stopped_velocity(const ContactProblem& problem, std::size_t a) {
  Vec3 b(problem.B[3 * a], problem.B[3 * a + 1], problem.B[3 * a + 2]);
  if (!problem.weight.empty() && frictional(problem.kind[a]) && b.x() > 0.0) b.x() = 0.0;
  return b;
}

Sums block_sums(Yardstick yardstick, const ContactProblem& problem, const double* R, const double* U, std::ptrdiff_t a) {
  const std::size_t i = a;
  const Eigen::Map<const Vec3> r(R + 3 * a), u(U + 3 * a), b(problem.B.data() + 3 * a);
  const Mat3& W = problem.W->diagonal()[i];
  const auto kind = problem.kind[i];
  const double mu = bounded_parameter(kind, problem.mu[i]);
  Sums sums;
  if (in_energy(yardstick)) {
    const bool along_normal = impulse_set(kind, mu) == ImpulseSet::line;
    const double rho = yardstick == Yardstick::scaled_merit ? block_rho(W) : 1.0;
    sums.error = energy(W, natural_map(r, modified_velocity(u, kind, mu), rho, kind, mu) / rho, along_normal);
    sums.B = energy(W, stopped_velocity(problem, i), along_normal);
    if (yardstick == Yardstick::scaled_merit && !problem.weight.empty()) sums.U = problem.weight[i] * squared_error(r, u, rho, kind, mu);
  } else if (yardstick == Yardstick::siconos) {
    sums.error = natural_map(r, modified_velocity(u, kind, mu), 1.0, kind, mu).squaredNorm();
    sums.B = b.squaredNorm();
    sums.R = r.squaredNorm();
    sums.U = u.squaredNorm();
  } else {
    const double rho = block_rho(W);
    const bool relaxed = yardstick == Yardstick::ccp && frictional(kind);
    const double error = relaxed ? natural_map(r, u, rho, kind, mu).squaredNorm() : squared_error(r, u, rho, kind, mu);
    sums.error = problem.weight.empty() ? error / rho : problem.weight[i] * error;
    if (problem.weight.empty()) sums.B = free_impulse(b, rho, kind, mu).squaredNorm() / rho;
  }
  return sums;
}

/// error / reference with 0/0 = 0: a problem at rest that stays at rest is solved.
double ratio(double error, double reference) {
  if (error == 0.0) return 0.0;
  return reference > 0.0 ? error / reference : kInfinity;
}

}  // namespace

std::string to_string(Yardstick yardstick) {
  switch (yardstick) {
    case Yardstick::residual: return "residual";
    case Yardstick::merit: return "merit";
    case Yardstick::scaled_merit: return "scaled_merit";
    case Yardstick::siconos: return "siconos";
    case Yardstick::ccp: return "ccp";
  }
  return "";
}

Yardstick yardstick_from(const std::string& name) {
  for (Yardstick y : {Yardstick::residual, Yardstick::merit, Yardstick::scaled_merit, Yardstick::siconos, Yardstick::ccp})
    if (name == to_string(y)) return y;
  throw_input("yardstick '{}' is unknown; choose residual, merit, scaled_merit, siconos or ccp", name);
}

double measure(Yardstick yardstick, const ContactProblem& problem, std::span<const double> R, std::span<const double> U) {
  const Sums sums = total_sum<Sums>(
      problem.blocks(), [&](std::ptrdiff_t a) { return block_sums(yardstick, problem, R.data(), U.data(), a); });
  if (in_energy(yardstick)) return std::max(ratio(sums.error, sums.B), kEachBody * sums.U);
  if (yardstick == Yardstick::siconos) return ratio(std::sqrt(sums.error), std::sqrt(std::max({sums.B, sums.R, sums.U})));
  if (weighted(problem)) return std::sqrt(sums.error);
  return ratio(std::sqrt(sums.error), sums.B > 0.0 ? std::sqrt(sums.B) : residual_scale(problem));
}

double merit_reference(const ContactProblem& problem) {
  return total_sum(problem.blocks(), [&](std::ptrdiff_t a) {
    const std::size_t i = a;
    const bool along_normal = impulse_set(problem.kind[i], problem.mu[i]) == ImpulseSet::line;
    return energy(problem.W->diagonal()[i], stopped_velocity(problem, i), along_normal);
  });
}

double measure(Yardstick yardstick, const ContactProblem& problem, std::span<const double> R) {
  std::vector<double> U(problem.B.size());
  relative_velocity(problem, R, U);
  return measure(yardstick, problem, R, U);
}

void relative_velocity(const ContactProblem& problem, std::span<const double> R, std::span<double> U) {
  problem.W->apply(R, U);
  for (std::size_t k = 0; k < U.size(); ++k) U[k] += problem.B[k];
}

}  // namespace scree::solvers
