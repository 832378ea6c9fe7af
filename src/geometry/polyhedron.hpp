/// Planes, edges and convexity of polyhedra: what the makers of shapes share.
#pragma once

#include <span>
#include <string_view>

#include "geometry/shape.hpp"

namespace scree::geometry {

/// Plane fitted to a polygon. `normal` is zero when the polygon has no area.
struct FacePlane {
  Vec3 normal = Vec3::Zero();  ///< unit, on the side from which the polygon turns counter-clockwise
  Vec3 center = Vec3::Zero();  ///< mean of the vertices, on the plane
  double area = 0.0;           ///< m^2
  double spread = 0.0;         ///< largest distance of a vertex from the plane, m
};

/// Least-squares plane through the polygon with the given vertices. The normal of a planar polygon is
/// that of its area vector, exact for axis-aligned faces.
[[nodiscard]] FacePlane fit_plane(std::span<const Vec3> vertices, std::span<const int> polygon);

/// The vertices of face f.
[[nodiscard]] std::span<const int> face(const Polyhedron& polyhedron, int f);

/// Append a face on the boundary.
void add_face(Polyhedron& polyhedron, std::span<const int> polygon, int surface, int neighbour = -1);

/// face_normal and face_offset from the vertices. InputError when a face has no area.
void update_planes(Polyhedron& polyhedron, std::string_view what);

/// edges (sorted) and edge_faces: the face that runs through edges[e] from the low to the high vertex
/// comes first. InputError when the surface is open, not manifold or turned inconsistently.
void update_edges(Polyhedron& polyhedron, std::string_view what);

/// InputError unless every face is a planar convex polygon with all vertices below it; planes must be up
/// to date. `size`: diameter of the polyhedron, the scale of the tolerances.
void check_convex(const Polyhedron& polyhedron, double size, std::string_view what);

}  // namespace scree::geometry
