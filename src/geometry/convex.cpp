#include "core/error.hpp"
#include "geometry/build.hpp"
#include "geometry/checks.hpp"
#include "geometry/packed.hpp"
#include "geometry/polyhedron.hpp"

namespace scree::geometry {

namespace {

/// Faces of the packed list, every count and index checked before use.
Polyhedron unpack_faces(std::span<const Vec3> vertices, std::span<const int> faces) {
  Polyhedron polyhedron;
  polyhedron.vertices.assign(vertices.begin(), vertices.end());
  PackedList list("CONVEX", "face", "vertex", faces, static_cast<int>(vertices.size()));
  while (!list.at_end()) {
    const auto polygon = list.next();
    if (polygon.size() < 3) throw_input("CONVEX: face {} has {} vertices: it needs at least 3", polyhedron.faces(), polygon.size());
    add_face(polyhedron, polygon, list.identifier());
  }
  if (polyhedron.faces() < 4) throw_input("CONVEX: {} faces given: a polyhedron has at least 4", polyhedron.faces());
  return polyhedron;
}

void check_vertices_used_once(const Polyhedron& polyhedron, double size) {
  std::vector<char> used(polyhedron.vertices.size(), 0);
  for (int v : polyhedron.face_vertices) used[v] = 1;
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (!used[v]) throw_input("CONVEX: vertex {} at {} belongs to no face: remove it", v, text(polyhedron.vertices[v]));
  }
  const std::vector<int> first = coincident_points(polyhedron.vertices, kCoincident * size);
  for (std::size_t v = 0; v < first.size(); ++v) {
    if (first[v] == static_cast<int>(v)) continue;
    throw_input("CONVEX: vertices {} and {} coincide at {}: list the point once", first[v], v, text(polyhedron.vertices[v]));
  }
}

}  // namespace

Shape make_convex(std::span<const Vec3> vertices, std::span<const int> faces, int volume_id) {
  if (vertices.size() < 4) throw_input("CONVEX: {} vertices given: a polyhedron has at least 4", vertices.size());
  const double size = check_points("CONVEX", "vertex", vertices);
  Polyhedron polyhedron = unpack_faces(vertices, faces);
  check_vertices_used_once(polyhedron, size);
  update_planes(polyhedron, "CONVEX");
  check_convex(polyhedron, size, "CONVEX");
  update_edges(polyhedron, "CONVEX");
  const int surface = polyhedron.face_surface.front();
  return make_single({std::move(polyhedron), volume_id, surface});
}

}  // namespace scree::geometry
