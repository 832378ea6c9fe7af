/// Faces of the half-cylinders x_N >= 0, |x_T| <= r of Tresca's and the frictionless law, block by block:
/// what active-set methods (GPMINRES, KUCERA) need to know of an iterate. Scaled unknowns of first_order.hpp.
#pragma once

#include <vector>

#include "solvers/first_order.hpp"

namespace scree::solvers {

/// One block's part of the face an iterate lies on.
struct Face {
  bool normal = true;        ///< x_N may move both ways
  bool disk = false;         ///< x_T may move both ways in its plane
  bool circle = false;       ///< |x_T| = r: tangent moves only
  Vec2 t = Vec2::Zero();     ///< outward unit vector on the circle
  double curvature = 0.0;    ///< multiplier over radius: the Lagrangian's second derivative along the circle

  [[nodiscard]] bool operator==(const Face& other) const {
    return normal == other.normal && disk == other.disk && circle == other.circle;
  }
};

/// The face of block a at x with gradient g.
[[nodiscard]] inline Face face_of(const FirstOrderProblem& problem, std::ptrdiff_t a, const Vec3& x, const Vec3& g) {
  constexpr double kOnCircle = 1.0 - 1e-12;  // projections land on the circle up to rounding
  Face face;
  face.disk = !normal_only(problem.kind(a), 0.0);
  if (!frictional(problem.kind(a))) return face;
  face.normal = x.x() > 0.0;
  const double radius = problem.threshold(a), length = x.tail<2>().norm();
  if (radius <= 0.0) return face;
  face.circle = length >= kOnCircle * radius;
  face.disk = !face.circle;
  if (face.circle) {
    face.t = x.tail<2>() / length;
    face.curvature = std::max(0.0, -g.tail<2>().dot(face.t)) / radius;
  }
  return face;
}

/// The part of v along the face.
[[nodiscard]] inline Vec3 along(const Face& face, const Vec3& v) {
  Vec3 result = Vec3::Zero();
  if (face.normal) result.x() = v.x();
  if (face.disk) result.tail<2>() = v.tail<2>();
  if (face.circle) result.tail<2>() = v.tail<2>() - v.tail<2>().dot(face.t) * face.t;
  return result;
}

/// The projected gradient: g without the parts that push out of the set. Zero exactly at a solution.
[[nodiscard]] inline Vec3 projected_gradient(const FirstOrderProblem& problem, std::ptrdiff_t a, const Face& face, const Vec3& g) {
  Vec3 result = along(face, g);
  if (!frictional(problem.kind(a))) return result;
  if (!face.normal) result.x() = std::min(0.0, g.x());
  if (face.circle) result.tail<2>() += std::max(0.0, g.tail<2>().dot(face.t)) * face.t;
  return result;
}

}  // namespace scree::solvers
