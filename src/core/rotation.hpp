/// Rotations: the exponential map, frames. Rotations are 3x3 orthogonal matrices throughout.
#pragma once

#include "core/vec.hpp"

namespace scree {

/// Rotation by the vector a (axis times angle in radians):  exp(skew(a))   (theory eq. 2.6).
[[nodiscard]] Mat3 exp_rotation(const Vec3& a);

/// How the exponential map changes:  d exp(a) = exp(a) skew(T da)   with T the result.
[[nodiscard]] Mat3 exp_rotation_tangent(const Vec3& a);

/// One Newton-Schulz step towards the nearest orthogonal matrix: removes the rounding drift of
/// repeated products. The input must already be orthogonal to about 1e-3.
[[nodiscard]] Mat3 orthonormalised(const Mat3& rotation);

/// A right-handed frame whose first row is the unit vector n: rows (N, T1, T2). The choice of T1 is
/// a continuous function of n almost everywhere and depends on n alone.
[[nodiscard]] Mat3 frame_from_normal(const Vec3& n);

/// A right-handed frame of the unit vector n, normal to a coordinate axis, whose last row is that axis.
[[nodiscard]] Mat3 frame_in_plane(const Vec3& n, int axis);

}  // namespace scree
