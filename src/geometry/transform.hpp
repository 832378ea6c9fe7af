/// Moving, stretching and cutting shapes. Meshes kept in the shape follow. A refused call (InputError)
/// leaves the shape as it was.
#pragma once

#include <array>
#include <utility>

#include "geometry/shape.hpp"

namespace scree::geometry {

/// Scale along the axes about the origin. A sphere needs equal factors (or becomes an ellipsoid). Negative factors mirror: faces and
/// elements are turned right side out, nodes keep their numbers. Factors must be finite and not zero.
void scale(Shape& shape, const Vec3& factors);
void translate(Shape& shape, const Vec3& vector);
/// Rotate by an angle (radians) about the axis through `point`.
void rotate(Shape& shape, const Vec3& point, const Vec3& axis, double angle);
[[nodiscard]] Vec3 rotated(const Vec3& x, const Vec3& point, const Vec3& axis, double angle);

/// Cut by the plane through `point`: {below, above} the side the normal points to. Polyhedra are cut
/// exactly: the new faces, and faces whose neighbour went to the other side, get cut_surfaces (below, above); warped
/// faces of elements that are cut become fans of triangles. Vertices closer to the plane than 1e-9 of the
/// shape's size count as on it. Spheres and ellipsoids go whole to the side their centre is on. Either
/// half may be empty. Mesh pieces become plain polyhedra that keep their neighbours.
[[nodiscard]] std::pair<Shape, Shape> split(const Shape& shape, const Vec3& point, const Vec3& normal, std::array<int, 2> cut_surfaces);
[[nodiscard]] inline std::pair<Shape, Shape> split(const Shape& shape, const Vec3& point, const Vec3& normal, int cut_surface) {
  return split(shape, point, normal, std::array{cut_surface, cut_surface});
}

}  // namespace scree::geometry
