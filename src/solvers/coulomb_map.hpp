/// The law of a block as a fixed point and its derivative (theory eq. 4.12).
///
/// With y = R - r U (r > 0 any step) a pair (U, R) obeys the law of its block exactly when R = law(y):
///   contact     law_N = max(0, y_N),   law_T = y_T cut to the disk of radius mu law_N   (Alart and Curnier)
///   bilateral   law = y
///   direction   law_N = y_N,  law_T = 0
/// The convex relaxation has the nearest point of the cone in place of the contact's law.
#pragma once

#include "core/vec.hpp"
#include "solvers/cone.hpp"
#include "solvers/contact_problem.hpp"

namespace scree::solvers {

struct LawPoint {
  Vec3 value;
  Mat3 derivative;  ///< an element of the generalised Jacobian d law / d y
  bool open;        ///< the derivative is zero
};

/// law(y); always inside the admissible set.
[[nodiscard]] inline Vec3 law_value(const Vec3& y, BlockKind kind, double mu) noexcept {
  if (kind == BlockKind::bilateral) return y;
  if (kind == BlockKind::direction) return {y.x(), 0.0, 0.0};
  if (y.x() <= 0.0) return Vec3::Zero();
  const double radius = mu * y.x(), length = std::sqrt(y.y() * y.y() + y.z() * y.z());
  if (length <= radius) return y;
  const double shrink = radius / length;
  return {y.x(), shrink * y.y(), shrink * y.z()};
}

/// law(y) with its derivative.
[[nodiscard]] inline LawPoint law_point(const Vec3& y, BlockKind kind, double mu) noexcept {
  LawPoint point{law_value(y, kind, mu), Mat3::Zero(), false};
  if (kind == BlockKind::bilateral) {
    point.derivative.setIdentity();
  } else if (kind == BlockKind::direction) {
    point.derivative(0, 0) = 1.0;
  } else if (y.x() <= 0.0) {
    point.open = true;
  } else {
    const double radius = mu * y.x(), length = std::sqrt(y.y() * y.y() + y.z() * y.z());
    point.derivative(0, 0) = 1.0;
    if (length <= radius) {
      point.derivative(1, 1) = point.derivative(2, 2) = 1.0;
    } else {
      // Slip along s: the radius grows with y_N, the direction turns with y_T.
      const Vec2 s(y.y() / length, y.z() / length);
      point.derivative.block<2, 1>(1, 0) = mu * s;
      point.derivative.block<2, 2>(1, 1) = (radius / length) * (Mat2::Identity() - s * s.transpose());
    }
  }
  return point;
}

/// The nearest point of the admissible set with its derivative (symmetric).
[[nodiscard]] inline LawPoint projection_point(const Vec3& y, BlockKind kind, double mu) noexcept {
  if (kind != BlockKind::contact) return law_point(y, kind, mu);
  LawPoint point{project_on_cone(y, mu), Mat3::Zero(), false};
  const double length = std::hypot(y.y(), y.z());
  if (length <= mu * y.x() && y.x() >= 0.0) {
    if (mu > 0.0) point.derivative.setIdentity();
    else point.derivative(0, 0) = 1.0;
  } else if (mu * length <= -y.x()) {
    point.open = true;
  } else {
    // On the face of the cone: along its generator, and around the axis.
    const Vec3 t = length > 0.0 ? Vec3(0.0, y.y() / length, y.z() / length) : Vec3::Zero();
    const Vec3 generator = Vec3::UnitX() + mu * t;
    point.derivative = generator * generator.transpose() / (1.0 + mu * mu);
    if (mu > 0.0 && length > 0.0) {
      const Vec3 around(0.0, -t.z(), t.y());
      point.derivative += (mu * point.value.x() / length) * around * around.transpose();
    }
  }
  return point;
}

}  // namespace scree::solvers
