/// Nearest points on ellipses and ellipsoids.
#pragma once

#include <Eigen/Dense>

namespace scree::collision {

/// Nearest boundary point of the ellipsoid  sum (x_i / r_i)^2 = 1  in its own axes.
template <int N>
struct EllipsoidFoot {
  Eigen::Matrix<double, N, 1> point;
  Eigen::Matrix<double, N, 1> normal;  ///< unit, outward, at the point
  double distance = 0.0;               ///< signed: y = point + distance * normal
};

/// Nearest boundary point to y, from outside or inside (then the globally nearest one); N = 2 or 3.
/// The point is x_i = r_i^2 y_i / (t + r_i^2) where t is the largest root of
/// sum (r_i y_i / (t + r_i^2))^2 = 1, found by Newton's method from the left, where the sum is convex and falling:
/// no step overshoots. The distance is exact to a few units of rounding of the smallest radius.
template <int N>
[[nodiscard]] EllipsoidFoot<N> nearest_on_ellipsoid(const Eigen::Matrix<double, N, 1>& radii,
                                                    const Eigen::Matrix<double, N, 1>& y);

extern template EllipsoidFoot<2> nearest_on_ellipsoid<2>(const Eigen::Vector2d&, const Eigen::Vector2d&);
extern template EllipsoidFoot<3> nearest_on_ellipsoid<3>(const Eigen::Vector3d&, const Eigen::Vector3d&);

}  // namespace scree::collision
