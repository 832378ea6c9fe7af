/// Faces of a polyhedron as contact sees them.
#pragma once

#include <vector>

#include "geometry/shape.hpp"

namespace scree::collision {

struct ContactFace {
  std::vector<int> corners;  ///< counter-clockwise seen from outside
  int surface = 0;
  bool interior = false;  ///< another piece of the body lies behind
};

/// The faces, with neighbours that lie in one plane and have one surface id joined: a box given by twelve triangles
/// has six faces, so that its contact polygons and features are those of a box.
[[nodiscard]] std::vector<ContactFace> contact_faces(const geometry::Polyhedron& polyhedron);

/// Unit normal of a polygon by the sum of its triangles' area vectors; zero for a degenerate one.
[[nodiscard]] Vec3 polygon_normal(const Vec3* vertices, const int* corners, int count);

}  // namespace scree::collision
