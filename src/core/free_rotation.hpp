/// Torque-free rotation of a rigid body in closed form (theory sec. 2.4).
///
/// Everything is in the body's principal axes. Angular momentum M (kg m^2/s), principal moments D (kg m^2):
///   dM/dt = M x D^-1 M,     dLam/dt = Lam skew(D^-1 M)
/// M follows Jacobi's elliptic functions, and the angle by which the body has turned about its momentum an elliptic integral of the
/// third kind. Energy and momentum are kept to rounding for any time span, of either sign.
#pragma once

#include "core/vec.hpp"

namespace scree {

struct FreeRotation {
  Mat3 turn;      ///< Lam(0)^T Lam(t)
  Vec3 momentum;  ///< M(t); turn M(t) = M(0)
};

/// Rotation of a free body during `time` (s), from the momentum M(0). The moments are positive, in any order; the axes are right-handed.
[[nodiscard]] FreeRotation free_rotation(const Vec3& moments, const Vec3& momentum, double time);

}  // namespace scree
