/// Jordan algebra of one block for interior-point methods (interior-point paper sec. 4; theory sec. 4.6).
///
/// A contact with friction is put on the symmetric cone |x_T| <= x_0 by x = T_x R, y = T_y U with
/// T_x = diag(mu, 1, 1), T_y = diag(1, mu, mu). A frictionless contact uses its normal alone. F is the scaling of
/// Nesterov and Todd:  F x = F^-1 y = lambda.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/vec.hpp"

namespace scree::solvers {

/// x o y = (x.y, x_0 y_T + y_0 x_T)
[[nodiscard]] inline Vec3 jordan_product(const Vec3& x, const Vec3& y) noexcept {
  return {x.dot(y), x.x() * y.y() + y.x() * x.y(), x.x() * y.z() + y.x() * x.z()};
}

/// det x = x_0^2 - |x_T|^2, written without cancellation.
[[nodiscard]] inline double jordan_determinant(const Vec3& x) noexcept {
  const double tangent = std::hypot(x.y(), x.z());
  return (x.x() - tangent) * (x.x() + tangent);
}

/// The z with lambda o z = r; lambda inside the cone.
[[nodiscard]] inline Vec3 jordan_quotient(const Vec3& lambda, const Vec3& r) noexcept {
  const double first = (lambda.x() * r.x() - lambda.y() * r.y() - lambda.z() * r.z()) / jordan_determinant(lambda);
  return {first, (r.y() - first * lambda.y()) / lambda.x(), (r.z() - first * lambda.z()) / lambda.x()};
}

/// Largest t <= farthest for which x + t d stays in the cone (x inside).
[[nodiscard]] inline double step_to_boundary(const Vec3& x, const Vec3& d, double farthest) noexcept {
  // det(x + t d) = a t^2 + 2 b t + c, c > 0: its smallest positive root.
  const double a = jordan_determinant(d), c = jordan_determinant(x);
  const double b = x.x() * d.x() - x.y() * d.y() - x.z() * d.z();
  const double discriminant = b * b - a * c;
  double t = farthest;
  if (discriminant >= 0.0) {
    const double root = std::sqrt(discriminant);
    const double q = b < 0.0 ? -b + root : -b - root;
    for (const double candidate : {q != 0.0 ? c / q : -1.0, a != 0.0 ? q / a : -1.0})
      if (candidate > 0.0) t = std::min(t, candidate);
  }
  if (d.x() < 0.0) t = std::min(t, -x.x() / d.x());
  return t;
}

/// Scaling of a pair inside the cone.
struct NesterovTodd {
  NesterovTodd() = default;
  NesterovTodd(const Vec3& x, const Vec3& y) noexcept {
    const double det_x = jordan_determinant(x), det_y = jordan_determinant(y);
    const Vec3 xn = x / std::sqrt(det_x), yn = y / std::sqrt(det_y);
    const double gamma = std::sqrt(0.5 * (1.0 + xn.dot(yn)));
    w = Vec3(yn.x() + xn.x(), yn.y() - xn.y(), yn.z() - xn.z()) / (2.0 * gamma);
    eta = std::sqrt(std::sqrt(det_y / det_x));
    v = w;
    v.x() += 1.0;
    v /= std::sqrt(2.0 * (w.x() + 1.0));
  }

  [[nodiscard]] static Vec3 reflect(const Vec3& a) noexcept { return {a.x(), -a.y(), -a.z()}; }
  [[nodiscard]] Vec3 apply(const Vec3& a) const noexcept { return eta * (2.0 * v.dot(a) * v - reflect(a)); }
  [[nodiscard]] Vec3 apply_inverse(const Vec3& a) const noexcept {
    const Vec3 mirror = reflect(v);
    return (2.0 * mirror.dot(a) * mirror - reflect(a)) / eta;
  }
  /// F^-2;  F^2 = eta^2 (2 w w^T - diag(1, -1, -1)).
  [[nodiscard]] Mat3 inverse_square() const {
    const Vec3 mirror = reflect(w);
    Mat3 m = 2.0 / (eta * eta) * mirror * mirror.transpose();
    m.diagonal() -= Vec3(1.0, -1.0, -1.0) / (eta * eta);
    return m;
  }

  Vec3 w = Vec3::UnitX(), v = Vec3::UnitX();
  double eta = 1.0;
};

}  // namespace scree::solvers
