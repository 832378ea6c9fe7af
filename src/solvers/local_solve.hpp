/// One block at a time: find R with C(W_aa R + q, R) = 0, q the velocity of the block without its own impulse.
///
/// Local order (N, T1, T2); impulses in N s, velocities in m/s. The exact solve eliminates the normal impulse,
///   R_N = s - c.R_T,  s = -q_N / W_NN,  c = W_NT / W_NN,
///   A = W_TT - W_TN W_NT / W_NN,  b = q_T - W_TN q_N / W_NN,
/// and looks for the multiplier lambda >= 0 of  (A + lambda I) R_T = -b,  |R_T| = mu R_N  when sticking
/// (lambda = 0) leaves the cone. A need not be symmetric.
#pragma once

#include <string>
#include <vector>

#include "solvers/contact_problem.hpp"

namespace scree::solvers {

/// Reduced tangential mobility below this fraction of tr W_aa counts as none.
inline constexpr double kTangentFloor = 1e-14;

/// How blocks are solved inside sweeps. The three iterative ones are those of the Solfec manual; whatever
/// they fail on is finished by the exact one.
enum class DiagonalSolver {
  exact,               ///< closed elimination and a scalar Newton for the slip multiplier
  semismooth_newton,   ///< Newton on the manual's eq. (6.3)
  projected_gradient,  ///< R_N on the half-line, then R_T on the disk of radius mu R_N
  de_saxe_and_feng,    ///< projection of R - rho (U + mu |U_T| n) on the cone
  convex,              ///< the convex relaxation in place of Coulomb's law; not offered by name
  tresca               ///< Tresca's law, `mu` being the threshold in N s; not offered by name
};

[[nodiscard]] std::string to_string(DiagonalSolver solver);
/// InputError for an unknown name. Names as in the manual: 'EXACT', 'SEMISMOOTH_NEWTON', ...
[[nodiscard]] DiagonalSolver diagonal_solver_from(const std::string& name);

/// Coefficients of a quadratic pencil in lambda: what the slip multiplier depends on.
///   v(lambda) = p + lambda b,  D(lambda) = lambda^2 + trace lambda + determinant,
///   R_T = -v / D,  R_N = s + c.v / D.
struct SlipEquation {
  double b1, b2, p1, p2;   ///< b and p = adj(A) b
  double c1, c2;           ///< W_NT / W_NN
  double trace, determinant;
  double s, mu;
};

/// Root of  mu (s D + c.v) / |v| = 1  above the largest root of D, from any guess; bracketed, never fails for s > 0.
[[nodiscard]] double slip_multiplier(const SlipEquation& equation, double guess) noexcept;

/// What the exact solve needs of a diagonal block, computed once.
struct LocalBlock {
  LocalBlock() = default;
  explicit LocalBlock(const Mat3& W_aa);

  Mat3 W = Mat3::Zero();
  double inverse_NN = 0.0;            ///< 1 / W_NN, 0 when the normal has no mobility
  Vec2 c = Vec2::Zero();              ///< W_NT / W_NN
  Vec2 e = Vec2::Zero();              ///< W_TN / W_NN
  Mat2 A = Mat2::Zero();              ///< reduced tangential matrix
  double trace = 0.0, determinant = 0.0;
  double inverse_determinant = 0.0;   ///< 0 unless the determinant is positive
  double rho = 1.0;                   ///< 3 / tr W_aa
};

/// Exact solution of a block (always finite; zero where the block has no mobility). `multiplier` carries
/// the slip multiplier from call to call as a guess, 0 at first.
[[nodiscard]] Vec3 solve_exact(const LocalBlock& block, BlockKind kind, double mu, const Vec3& q, double& multiplier) noexcept;

enum class LocalOutcome { ok, diverged, failed };

struct LocalIteration {
  DiagonalSolver solver = DiagonalSolver::exact;
  double epsilon = 1e-10;     ///< relative change of R that ends the iteration
  int max_iterations = 100;
};

/// Solve a block with the given method from the guess R; R receives the answer of the method when it
/// converged, of the exact solve otherwise.
LocalOutcome solve_local(const LocalIteration& how, const LocalBlock& block, BlockKind kind, double mu, const Vec3& q,
                         Vec3& R, double& multiplier) noexcept;

}  // namespace scree::solvers
