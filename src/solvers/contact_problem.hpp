/// The one problem type of every solver:  find R with  C(W R + B, R) = 0   (theory eq. 3.3).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "solvers/operator.hpp"

namespace scree::solvers {

/// What a block of three unknowns may do.
enum class BlockKind : std::uint8_t {
  contact,    ///< Signorini-Coulomb: R in the cone |R_T| <= mu R_N  (mu = 0: R_T = 0, R_N >= 0)
  bilateral,  ///< R free, U = 0 (a fixed point)
  direction   ///< R_N free with U_N = 0; R_T = 0 with U_T free (fixed direction, prescribed velocity, link)
};

/// Frictional contact problem. Restitution, prescribed velocities, gaps ahead and cohesion are all
/// contained in B by whoever assembles it.
struct ContactProblem {
  std::shared_ptr<const Operator> W;
  std::vector<BlockKind> kind;
  std::vector<double> mu;  ///< friction coefficient of each block (0 where it has no meaning)
  std::vector<double> B;   ///< free relative velocity, 3 a block, m/s
  /// What `residual` is measured against (theory eq. 3.9): sqrt(sum rho_a |B_a|^2) when zero. Steppers
  /// set it so that gaps ahead of open contacts do not flatter the figure.
  double scale = 0.0;

  [[nodiscard]] int blocks() const { return static_cast<int>(kind.size()); }

  /// InputError when sizes disagree, a number is not finite, or mu < 0.
  void validate() const;
};

/// rho_a = 3 / tr W_aa, the scaling of each block; 1 where W_aa = 0.
[[nodiscard]] std::vector<double> block_scaling(const Operator& W);

/// What the yardstick `residual` divides by: the problem's scale, or sqrt(sum rho_a |B_a|^2) when that is zero.
[[nodiscard]] double residual_scale(const ContactProblem& problem);

}  // namespace scree::solvers
