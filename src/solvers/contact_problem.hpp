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
  /// What `residual` is measured against (theory eq. 3.9): sqrt(sum rho_a |B_a|^2) when zero. Steppers
  /// set it so that gaps ahead of open contacts do not flatter the figure.
  double scale = 0.0;

  [[nodiscard]] int blocks() const { return static_cast<int>(kind.size()); }

  /// InputError when sizes disagree, a number is not finite, mu < 0, or a law is not known.
  void validate() const;
};

/// The same problem with friction left out.
[[nodiscard]] ContactProblem without_friction(ContactProblem problem);

/// rho = 3 / tr W_aa, the scaling of a block (kg); 1 where W_aa = 0   (theory sec. 3.4).
[[nodiscard]] inline double block_rho(const Mat3& W_aa) noexcept {
  const double trace = W_aa.trace();
  return trace > 0.0 ? 3.0 / trace : 1.0;
}

/// block_rho() of every block.
[[nodiscard]] std::vector<double> block_scaling(const Operator& W);

/// What the yardstick `residual` divides by: the problem's scale, or sqrt(sum rho_a |B_a|^2) when that is zero.
[[nodiscard]] double residual_scale(const ContactProblem& problem);

}  // namespace scree::solvers
