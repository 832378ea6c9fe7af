/// Distance of two polyhedra by the Gilbert-Johnson-Keerthi algorithm.
#pragma once

#include "collision/piece_store.hpp"

namespace scree::collision {

/// Nearest points of two convex polyhedra.
struct Nearest {
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
  double distance = 0.0;  ///< 0 when they touch or overlap
};

/// Works on the vertices alone. The subproblem, the nearest point of a simplex, is solved by trying all
/// its faces, edges and corners, which stays exact for flat simplices; for polyhedra the search ends
/// after finitely many steps. Touching means closer than `tolerance`.
[[nodiscard]] Nearest nearest_points(const PolyhedronView& a, const PolyhedronView& b, double tolerance);

}  // namespace scree::collision
