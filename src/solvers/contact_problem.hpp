/// The one problem type of every solver:  find R with  C(W R + B, R) = 0   (theory eq. 3.3).
#pragma once

#include <memory>
#include <vector>

#include "solvers/law.hpp"
#include "solvers/operator.hpp"

namespace scree::solvers {

/// Frictional contact problem. Restitution, prescribed velocities, gaps ahead and cohesion are all
/// contained in B by whoever assembles it.
struct ContactProblem {
  std::shared_ptr<const Operator> W;
  std::vector<BlockKind> kind;
  std::vector<double> mu;  ///< parameter of each block's law: the friction coefficient of contacts, 0 where it has no meaning
  std::vector<double> B;   ///< free relative velocity, 3 a block, m/s
  /// What makes `residual` of the blocks' errors (theory eq. 3.9), (N s)^-2: residual^2 = sum weight_a |e_a|^2. Steppers give them, since
  /// they know the loads; empty: residual_weights().
  std::vector<double> weight;

  [[nodiscard]] int blocks() const { return static_cast<int>(kind.size()); }

  /// InputError when sizes disagree, a number is not finite, mu < 0 (mu = inf is a contact that never slips), or a law is not known.
  void validate() const;
};

/// True when the problem brings its weights; one without blocks has nothing to bring (of several ranks some may be without, and must measure as the others do).
[[nodiscard]] inline bool weighted(const ContactProblem& problem) { return !problem.weight.empty() || problem.kind.empty(); }

/// The same problem with friction left out.
[[nodiscard]] ContactProblem without_friction(ContactProblem problem);

/// rho = 3 / tr W_aa, the scaling of a block (kg); 1 where W_aa = 0   (theory sec. 3.4).
[[nodiscard]] inline double block_rho(const Mat3& W_aa) noexcept {
  const double trace = W_aa.trace();
  return trace > 0.0 ? 3.0 / trace : 1.0;
}

/// block_rho() of every block.
[[nodiscard]] std::vector<double> block_scaling(const Operator& W);

/// Impulse with which a block of mobility I / rho would answer the free velocity B alone, N s: minus its error at R = 0.
[[nodiscard]] inline Vec3 free_impulse(const Vec3& B, double rho, BlockKind kind, double mu) noexcept { return law_value(-rho * B, kind, mu); }

/// sqrt(sum |free impulse|^2 / rho_a), what doing nothing leaves undone; where that is nothing, sqrt(sum rho_a |B_a|^2).
[[nodiscard]] double residual_scale(const ContactProblem& problem);

/// The problem's weights, or 1 / (rho_a residual_scale^2) where it has none: the residual of R = 0 is then 1.
[[nodiscard]] std::vector<double> residual_weights(const ContactProblem& problem);

}  // namespace scree::solvers
