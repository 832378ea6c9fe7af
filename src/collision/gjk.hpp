/// Distance of two polyhedra by the Gilbert-Johnson-Keerthi algorithm.
#pragma once

#include "collision/piece_store.hpp"

namespace scree::collision {

/// Nearest points of two convex polyhedra, or points of each that are within the tolerance of one another.
struct Nearest {
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();  ///< unit, from the first to the second point where these differ
  double distance = 0.0;  ///< of the two points; 0 when they touch or overlap
  double bound = 0.0;     ///< some direction parts the polyhedra by this much: the distance is between bound and `distance`
};

/// Works on the vertices alone. The subproblem, the nearest point of a simplex, is solved by trying all
/// its faces, edges and corners, which stays exact for flat simplices; for polyhedra the search ends
/// after finitely many steps, and at once when the bound exceeds `limit`. Touching means closer than `tolerance`.
[[nodiscard]] Nearest nearest_points(const PolyhedronView& a, const PolyhedronView& b, double tolerance, double limit);

/// The same with b moved by `shift`, the search starting along `ahead`, a guess of the normal (any non-zero vector).
[[nodiscard]] Nearest nearest_points(const PolyhedronView& a, const PolyhedronView& b, const Vec3& shift, const Vec3& ahead, double tolerance,
                                     double limit);

}  // namespace scree::collision
