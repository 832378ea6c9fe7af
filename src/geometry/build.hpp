/// Making shapes from user input. Everything is checked; what is refused raises InputError naming the
/// face, vertex, node or element at fault.
#pragma once

#include <span>
#include <vector>

#include "geometry/shape.hpp"

namespace scree::geometry {

[[nodiscard]] Shape make_sphere(const Vec3& center, double radius, int volume_id, int surface_id);

[[nodiscard]] Shape make_ellipsoid(const Vec3& center, const Vec3& radii, int volume_id, int surface_id,
                                   const Mat3& axes = Mat3::Identity());

/// Convex polyhedron from vertices and faces in the packed form of the input language:
/// [n, v1, ..., vn, surface, n, v1, ...], counter-clockwise seen from outside. Refused: fewer than four
/// vertices, index out of range, repeated or unused or duplicated vertices, non-planar or non-convex or
/// inside-out or degenerate faces, an open or non-manifold surface, NaN.
[[nodiscard]] Shape make_convex(std::span<const Vec3> vertices, std::span<const int> faces, int volume_id);

/// Convex hull of points; coplanar facets are merged into polygons, interior points dropped.
/// Refused: fewer than four points, all in one plane (relative to their extent), NaN.
[[nodiscard]] Shape make_hull(std::span<const Vec3> points, int volume_id, int surface_id);

/// Mesh from the packed forms of the input language: elements [n, n1, ..., nn, volume, ...],
/// surfaces [default, n, n1, ..., nn, surface, ...]. Refused: wrong element size, index out of range,
/// repeated node in an element, non-positive element volume, unused node, a listed face that is not on
/// the boundary, a face shared by three elements, NaN.
[[nodiscard]] Mesh make_mesh(std::span<const Vec3> nodes, std::span<const int> elements, std::span<const int> surfaces);

/// Hexahedral mesh stretched between eight corners (bottom face 0-1-2-3, top 4-5-6-7), i x j x k cells.
/// surfaces: ids of the faces in the order (0-3-2-1) bottom, (0-1-5-4), (1-2-6-5), (2-3-7-6), (3-0-4-7),
/// (4-5-6-7) top. dx, dy, dz: relative cell sizes, empty for uniform.
[[nodiscard]] Mesh make_hex(std::span<const Vec3, 8> corners, int i, int j, int k, int volume_id,
                            std::span<const int, 6> surfaces, std::span<const double> dx = {},
                            std::span<const double> dy = {}, std::span<const double> dz = {});

/// Shape whose pieces are the elements of a mesh; adjacency and interior faces are filled in.
[[nodiscard]] Shape make_shape(const Mesh& mesh);

/// One shape from several, pieces in order.
[[nodiscard]] Shape join(std::span<const Shape> shapes);

/// Recompute planes, edges and edge_faces of a polyhedron from vertices and faces.
void complete(Polyhedron& polyhedron);

}  // namespace scree::geometry
