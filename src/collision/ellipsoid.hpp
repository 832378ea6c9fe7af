/// Nearest points on ellipses and ellipsoids, and the 2 x 2 eigenproblem that goes with them.
#pragma once

#include <Eigen/Dense>

#include <cmath>

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

/// Unit outward normals of all boundary points that the line along the normal leads to y from: at most 2 N, the nearest one among them.
/// With s_i = g_i / (u + e_i) they are the roots u of |s| = 1, one beyond each of the outer poles -e_i and none or two between neighbours, where |s| is
/// convex. Components of y below rounding count as of its order: roots at the poles are then as close to them as matters.
template <int N>
int stationary_on_ellipsoid(const Eigen::Matrix<double, N, 1>& radii, const Eigen::Matrix<double, N, 1>& y, Eigen::Matrix<double, N, 1>* normals);

extern template int stationary_on_ellipsoid<2>(const Eigen::Vector2d&, const Eigen::Vector2d&, Eigen::Vector2d*);
extern template int stationary_on_ellipsoid<3>(const Eigen::Vector3d&, const Eigen::Vector3d&, Eigen::Vector3d*);

/// Eigenvalues (ascending) and orthonormal eigenvectors of the symmetric matrix [a b; b c], in closed form.
struct Symmetric2 {
  Eigen::Vector2d values;
  Eigen::Matrix2d vectors;

  Symmetric2(double a, double b, double c) {
    // Angle of the larger eigenvalue's vector:  tan 2t = 2 b / (a - c).
    const double half = 0.5 * (a - c), radius = std::sqrt(half * half + b * b), middle = 0.5 * (a + c);
    const double larger = middle >= 0.0 ? middle + radius : middle - radius;
    const double other = larger != 0.0 ? (a * c - b * b) / larger : 0.0;
    values = middle >= 0.0 ? Eigen::Vector2d(other, larger) : Eigen::Vector2d(larger, other);
    Eigen::Vector2d v(half + radius, b);
    if (half < 0.0) v = {b, radius - half};
    const double length = v.norm();
    if (length > 0.0) v /= length;
    else v = {1.0, 0.0};
    vectors << -v[1], v[0], v[0], v[1];
  }
};

}  // namespace scree::collision
