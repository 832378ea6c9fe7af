/// Making shapes from user input. Everything is checked; what is refused raises InputError naming the
/// face, vertex, node or element at fault.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "geometry/shape.hpp"

namespace scree::geometry {

[[nodiscard]] Shape make_sphere(const Vec3& center, double radius, int volume_id, int surface_id);

[[nodiscard]] Shape make_ellipsoid(const Vec3& center, const Vec3& radii, int volume_id, int surface_id,
                                   const Mat3& axes = Mat3::Identity());

/// Axis-aligned box; vertices and faces are numbered as in a hexahedron (element.hpp).
[[nodiscard]] Shape make_box(const Vec3& low, const Vec3& high, int volume_id, int surface_id);

/// Shape of one piece that comes from no mesh. The piece is taken as it is.
[[nodiscard]] Shape make_single(Piece piece);

/// Convex polyhedron from vertices and faces in the packed form of the input language:
/// [n, v1, ..., vn, surface, n, v1, ...], counter-clockwise seen from outside. Refused: fewer than four
/// vertices, index out of range, repeated or unused or duplicated vertices, non-planar or non-convex or
/// inside-out or degenerate faces, an open or non-manifold surface, NaN.
[[nodiscard]] Shape make_convex(std::span<const Vec3> vertices, std::span<const int> faces, int volume_id);

/// Convex hull of points; coplanar facets are merged into polygons, interior points dropped. Vertices keep
/// the order of the points; each face starts at its lowest vertex and faces are sorted by their vertices,
/// so the result depends on the points alone. Points closer than 1e-10 of the extent count as one.
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

/// Hexahedral box along the principal inertia axes of the shape, larger by 1 % of its extent on every side.
/// Local x, y, z are the principal axes nearest to the coordinate axes. Ids are those of the first piece.
[[nodiscard]] Mesh make_rough_hex(const Shape& shape, int i, int j, int k, std::span<const double> dx = {},
                                  std::span<const double> dy = {}, std::span<const double> dz = {});

/// Pipe of flat hexahedra about the axis from `point` to `point + direction`: ndir cells along the axis, nrad
/// (at least 3) around it, nthi through the wall. Nodes lie on the circles, the first one along the tangent
/// frame_from_normal gives. surfaces: inner, outer, bottom (at `point`), top.
[[nodiscard]] Mesh make_pipe(const Vec3& point, const Vec3& direction, double inner_radius, double thickness, int ndir,
                             int nrad, int nthi, int volume_id, std::span<const int, 4> surfaces);

/// InputError unless the mesh is sound in every respect make_mesh checks. `what` opens the message.
void check_mesh(const Mesh& mesh, std::string_view what = "MESH");

/// Principal axes of an Euler tensor as columns of a rotation, each as near to its coordinate axis as
/// possible; directions left free by equal moments are taken along the coordinate axes.
[[nodiscard]] Mat3 principal_axes(const Mat3& euler);

/// Shape whose pieces are the elements of a mesh; adjacency and interior faces are filled in.
[[nodiscard]] Shape make_shape(const Mesh& mesh);

/// One shape from several, pieces in order.
[[nodiscard]] Shape join(std::span<const Shape> shapes);

/// Recompute planes, edges and edge_faces of a polyhedron from vertices and faces.
void complete(Polyhedron& polyhedron);

}  // namespace scree::geometry
