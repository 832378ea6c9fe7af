#include "solvers/local_solve.hpp"

#include "core/error.hpp"
#include "solvers/law.hpp"

namespace scree::solvers {

namespace {

constexpr DiagonalSolver kAll[] = {DiagonalSolver::exact, DiagonalSolver::semismooth_newton,
                                   DiagonalSolver::projected_gradient, DiagonalSolver::de_saxe_and_feng};

/// |v| and mu (s D + c.v), the two sides of the slip condition, with their derivatives.
struct SlipSides {
  double length2, length, slope;  ///< |v|^2, |v|, v.b
  double cone, cone_slope;
};

SlipSides slip_sides(const SlipEquation& e, double lambda) noexcept {
  const double v1 = e.p1 + lambda * e.b1, v2 = e.p2 + lambda * e.b2;
  const double D = (lambda + e.trace) * lambda + e.determinant;
  SlipSides sides;
  sides.length2 = v1 * v1 + v2 * v2;
  sides.length = std::sqrt(sides.length2);
  sides.slope = v1 * e.b1 + v2 * e.b2;
  sides.cone = e.mu * (e.s * D + e.c1 * v1 + e.c2 * v2);
  sides.cone_slope = e.mu * (e.s * (2.0 * lambda + e.trace) + e.c1 * e.b1 + e.c2 * e.b2);
  return sides;
}

/// Largest root of D, 0 when D > 0 on the positive axis.
double lower_end(const SlipEquation& e) noexcept {
  const double half = 0.5 * e.trace;
  const double discriminant = half * half - e.determinant;
  return discriminant > 0.0 ? std::max(0.0, std::sqrt(discriminant) - half) : 0.0;
}

}  // namespace

std::string to_string(DiagonalSolver solver) {
  switch (solver) {
    case DiagonalSolver::exact: return "EXACT";
    case DiagonalSolver::semismooth_newton: return "SEMISMOOTH_NEWTON";
    case DiagonalSolver::projected_gradient: return "PROJECTED_GRADIENT";
    case DiagonalSolver::de_saxe_and_feng: return "DE_SAXE_AND_FENG";
    case DiagonalSolver::convex: return "CONVEX";
    case DiagonalSolver::tresca: return "TRESCA";
  }
  return "";
}

DiagonalSolver diagonal_solver_from(const std::string& name) {
  for (DiagonalSolver solver : kAll)
    if (name == to_string(solver)) return solver;
  throw_input("diagonal solver '{}' is unknown; choose EXACT, SEMISMOOTH_NEWTON, PROJECTED_GRADIENT or DE_SAXE_AND_FENG", name);
}

double slip_multiplier(const SlipEquation& e, double guess) noexcept {
  const double floor = lower_end(e);
  double low = floor, high = kInfinity;
  const double length_b = std::hypot(e.b1, e.b2);
  // Isotropic blocks without normal coupling: this is already the answer.
  double lambda = guess > floor ? guess : std::max(floor, length_b / (e.mu * e.s) - 0.5 * e.trace);
  for (int iteration = 0; iteration < 100; ++iteration) {
    const SlipSides sides = slip_sides(e, lambda);
    const double difference = sides.cone - sides.length;
    if (difference >= 0.0) high = std::min(high, lambda);
    else low = std::max(low, lambda);
    // Newton on cone / |v| - 1, linear in lambda for isotropic blocks.
    const double slope = sides.cone_slope * sides.length2 - sides.cone * sides.slope;
    double next = lambda - difference * sides.length2 / slope;
    const double size = lambda + e.trace;
    if (!(next > low && next < high)) {
      if (std::abs(next - lambda) <= 1e-15 * size) return lambda;
      next = high < kInfinity ? 0.5 * (low + high) : 4.0 * std::max(lambda, size);
    }
    const double step = std::abs(next - lambda);
    lambda = next;
    if (step <= 1e-8 * size || high - low <= 1e-15 * size) break;
  }
  return lambda;
}

LocalBlock::LocalBlock(const Mat3& W_aa) : W(W_aa) {
  const double total = W.trace();
  rho = block_rho(W);
  if (!(W(0, 0) > kTangentFloor * std::abs(total))) return;
  inverse_NN = 1.0 / W(0, 0);
  c = W.block<1, 2>(0, 1).transpose() * inverse_NN;
  e = W.block<2, 1>(1, 0) * inverse_NN;
  A = W.block<2, 2>(1, 1) - W.block<2, 1>(1, 0) * c.transpose();
  A.diagonal().array() += kTangentFloor * total;
  trace = A.trace();
  determinant = A.determinant();
  if (determinant > 0.0) inverse_determinant = 1.0 / determinant;
}

Vec3 solve_exact(const LocalBlock& block, BlockKind kind, double mu, const Vec3& q, double& multiplier) noexcept {
  if (!built_in(kind)) return registered_law(kind).solve(block.W, block.rho, q, mu);
  const double s = -q.x() * block.inverse_NN;
  if (block.inverse_NN == 0.0) return Vec3::Zero();
  if (kind == BlockKind::direction) return {s, 0.0, 0.0};
  if (kind == BlockKind::contact && s <= 0.0) return Vec3::Zero();
  if (kind == BlockKind::contact && mu == 0.0) return {s, 0.0, 0.0};

  // Stick: U = 0.
  const Vec2 b = q.tail<2>() - block.e * q.x();
  const Vec2 p(block.A(1, 1) * b.x() - block.A(0, 1) * b.y(), block.A(0, 0) * b.y() - block.A(1, 0) * b.x());
  if (block.determinant > 0.0) {
    const Vec2 R_T = -block.inverse_determinant * p;
    const double R_N = s - block.c.dot(R_T), limit = mu * R_N;
    if (kind == BlockKind::bilateral || (limit >= 0.0 && R_T.squaredNorm() <= limit * limit)) return {R_N, R_T.x(), R_T.y()};
  } else if (kind == BlockKind::bilateral) {
    return {s, 0.0, 0.0};
  }

  // Slip against the direction of U_T = -lambda R_T.
  const SlipEquation equation{b.x(), b.y(), p.x(), p.y(), block.c.x(), block.c.y(), block.trace, block.determinant, s, mu};
  multiplier = slip_multiplier(equation, multiplier);
  const double D = (multiplier + block.trace) * multiplier + block.determinant;
  const Vec2 R_T = D > 0.0 ? Vec2(-(p + multiplier * b) / D) : Vec2::Zero();
  const double R_N = std::max(0.0, s - block.c.dot(R_T));
  const Vec2 kept = project_on_disk(R_T, mu * R_N);
  const Vec3 R(R_N, kept.x(), kept.y());
  return is_finite(R) ? R : Vec3(s, 0.0, 0.0);
}

}  // namespace scree::solvers
