#include "solvers/law.hpp"
#include "solvers/local_solve.hpp"

namespace scree::solvers {

namespace {

/// Left side of the manual's eq. (6.3) in the order (N, T1, T2), and its generalised derivative by R.
void manual_map(const LocalBlock& block, double mu, const Vec3& q, const Vec3& R, Vec3& value, Mat3& slope) {
  const Vec3 d = R - block.rho * (block.W * R + q);
  const Mat3 d_slope = Mat3::Identity() - block.rho * block.W;
  const double length = std::hypot(d.y(), d.z());
  const double d_N = std::max(0.0, d.x());
  const bool pressed = d.x() > 0.0;
  value.x() = R.x() - d_N;
  slope.setZero();
  slope(0, 0) = 1.0;
  if (pressed) slope.row(0) -= d_slope.row(0);
  // The larger of the cone radius and |d_T| scales R_T.
  const bool inside = mu * d.x() >= length;
  const double radius = inside ? mu * d.x() : length;
  Eigen::RowVector3d radius_slope = Eigen::RowVector3d::Zero();
  if (inside) radius_slope = mu * d_slope.row(0);
  else if (length > 0.0) radius_slope = (d.y() * d_slope.row(1) + d.z() * d_slope.row(2)) / length;
  for (int t = 1; t < 3; ++t) {
    value[t] = radius * R[t] - mu * d_N * d[t];
    slope.row(t) = R[t] * radius_slope - mu * d_N * d_slope.row(t);
    if (pressed) slope.row(t) -= mu * d[t] * d_slope.row(0);
    slope(t, t) += radius;
  }
}

LocalOutcome semismooth_newton(const LocalIteration& how, const LocalBlock& block, double mu, const Vec3& q, Vec3& R) {
  for (int iteration = 0; iteration < how.max_iterations; ++iteration) {
    Vec3 value;
    Mat3 slope;
    manual_map(block, mu, q, R, value, slope);
    // Open: the tangential rows may vanish, the answer is zero.
    if (R.isZero(0.0) && value.isZero(0.0)) return LocalOutcome::ok;
    bool invertible = false;
    Mat3 inverse;
    slope.computeInverseWithCheck(inverse, invertible, 0.0);
    if (!invertible) return LocalOutcome::failed;
    const Vec3 step = inverse * value;
    if (!is_finite(step)) return LocalOutcome::failed;
    R -= step;
    if (step.norm() <= how.epsilon * R.norm()) return LocalOutcome::ok;
  }
  return LocalOutcome::diverged;
}

/// Step that contracts: a little under 2 / |W|.
double gradient_step(const LocalBlock& block) { return block.W.trace() > 0.0 ? 1.0 / block.W.norm() : 1.0; }

LocalOutcome projected_gradient(const LocalIteration& how, const LocalBlock& block, double mu, const Vec3& q, Vec3& R) {
  const double rho = gradient_step(block);
  for (int iteration = 0; iteration < how.max_iterations; ++iteration) {
    const Vec3 d = R - rho * (block.W * R + q);
    const Vec3 next = project_on_half_cylinder(d, mu * std::max(0.0, d.x()));
    const double change = (next - R).norm();
    R = next;
    if (change <= how.epsilon * R.norm()) return LocalOutcome::ok;
  }
  return LocalOutcome::diverged;
}

LocalOutcome de_saxe_and_feng(const LocalIteration& how, const LocalBlock& block, double mu, const Vec3& q, Vec3& R) {
  const double rho = gradient_step(block);
  for (int iteration = 0; iteration < how.max_iterations; ++iteration) {
    const Vec3 next = project_on_cone(R - rho * modified_velocity(block.W * R + q, BlockKind::contact, mu), mu);
    const double change = (next - R).norm();
    R = next;
    if (change <= how.epsilon * R.norm()) return LocalOutcome::ok;
  }
  return LocalOutcome::diverged;
}

/// Projected gradient steps on the cone (convex) or on the half-cylinder of radius mu (tresca): the block's own convex problem.
LocalOutcome relaxed_law(const LocalIteration& how, const LocalBlock& block, double mu, const Vec3& q, Vec3& R) {
  const double rho = gradient_step(block);
  for (int iteration = 0; iteration < how.max_iterations; ++iteration) {
    const Vec3 d = R - rho * (block.W * R + q);
    const Vec3 next = how.solver == DiagonalSolver::convex ? project_on_cone(d, mu) : project_on_half_cylinder(d, mu);
    if (!is_finite(next)) return LocalOutcome::failed;
    const double change = (next - R).norm();
    R = next;
    if (change <= how.epsilon * R.norm()) break;
  }
  // Every step descends: what the limit cuts off is left to the next sweep.
  return LocalOutcome::ok;
}

/// R satisfies the law of the block to a relative accuracy, whatever produced it.
bool holds(const LocalBlock& block, double mu, const Vec3& q, const Vec3& R, double epsilon) {
  const Vec3 F = modified_velocity(block.W * R + q, BlockKind::contact, mu);
  const Vec3 error = natural_map(R, F, block.rho, BlockKind::contact, mu);
  return error.norm() <= epsilon * (R.norm() + block.rho * q.norm());
}

}  // namespace

LocalOutcome solve_local(const LocalIteration& how, const LocalBlock& block, BlockKind kind, double mu, const Vec3& q,
                         Vec3& R, double& multiplier) noexcept {
  const bool relaxed = how.solver == DiagonalSolver::convex || how.solver == DiagonalSolver::tresca;
  if (relaxed && frictional(kind) && mu > 0.0) return relaxed_law(how, block, mu, q, R);
  // Only contacts with friction need iterations.
  const bool closed = relaxed || how.solver == DiagonalSolver::exact || !frictional(kind) || mu == 0.0 ||
                      q.x() >= 0.0 || block.inverse_NN == 0.0;
  LocalOutcome outcome = LocalOutcome::ok;
  if (!closed) {
    switch (how.solver) {
      case DiagonalSolver::semismooth_newton: outcome = semismooth_newton(how, block, mu, q, R); break;
      case DiagonalSolver::projected_gradient: outcome = projected_gradient(how, block, mu, q, R); break;
      default: outcome = de_saxe_and_feng(how, block, mu, q, R); break;
    }
    // A root outside the cone solves the equation but not the law.
    constexpr double kSlack = 1e3;
    if (outcome == LocalOutcome::ok && !(is_finite(R) && holds(block, mu, q, R, kSlack * how.epsilon)))
      outcome = LocalOutcome::failed;
  }
  if (closed || outcome != LocalOutcome::ok) R = solve_exact(block, kind, mu, q, multiplier);
  return outcome;
}

}  // namespace scree::solvers
