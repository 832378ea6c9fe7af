#include <algorithm>

#include "core/abandon.hpp"
#include "core/error.hpp"
#include "geometry/build.hpp"
#include "geometry/checks.hpp"
#include "geometry/element.hpp"
#include "geometry/mesh_faces.hpp"
#include "geometry/packed.hpp"
#include "geometry/polyhedron.hpp"

namespace scree::geometry {

namespace {

Polyhedron element_polyhedron(const Mesh& mesh, int e) {
  const auto nodes = element(mesh, e);
  Polyhedron polyhedron;
  polyhedron.vertices.reserve(nodes.size());
  for (int n : nodes) polyhedron.vertices.push_back(mesh.nodes[n]);
  for (const ElementFace& f : element_faces(static_cast<int>(nodes.size()))) add_face(polyhedron, f.nodes(), mesh.surface_id);
  return polyhedron;
}

/// Sizes of the arrays against each other, element sizes, indices: nothing is dereferenced before.
void check_layout(const Mesh& mesh, std::string_view what) {
  const int nodes = static_cast<int>(mesh.nodes.size());
  if (mesh.elements() == 0) throw_input("{}: no element given", what);
  if (mesh.element_start.size() != mesh.element_volume.size() + 1 || mesh.element_start.front() != 0 ||
      mesh.element_start.back() != static_cast<int>(mesh.element_nodes.size()) ||
      !std::is_sorted(mesh.element_start.begin(), mesh.element_start.end()) || mesh.faces.size() != mesh.face_surface.size()) {
    throw_input("{}: element_start, element_nodes, element_volume and face lists do not fit together", what);
  }
  std::vector<char> used(mesh.nodes.size(), 0);
  for (int e = 0; e < mesh.elements(); ++e) {
    const auto list = element(mesh, e);
    if (!is_element_size(static_cast<int>(list.size()))) {
      throw_input("{}: element {} has {} nodes: 4 (tetrahedron), 5 (pyramid), 6 (wedge) or 8 (hexahedron) are allowed", what, e, list.size());
    }
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (list[k] < 0 || list[k] >= nodes) throw_input("{}: element {} names node {}: indices run from 0 to {}", what, e, list[k], nodes - 1);
      if (std::find(list.begin(), list.begin() + k, list[k]) != list.begin() + k) {
        throw_input("{}: element {} ({}) names node {} twice: each may appear once", what, e, text(list), list[k]);
      }
      used[list[k]] = 1;
    }
  }
  const auto unused = std::find(used.begin(), used.end(), 0);
  if (unused != used.end()) {
    const std::size_t n = unused - used.begin();
    throw_input("{}: node {} at {} belongs to no element: remove it", what, n, text(mesh.nodes[n]));
  }
}

/// Positive volume, and no corner folded inwards.
void check_element(const Mesh& mesh, int e, std::string_view what) {
  const auto nodes = element(mesh, e);
  const int count = static_cast<int>(nodes.size());
  Piece piece{element_polyhedron(mesh, e), 0, 0};
  const double size = piece.bounds().extent().norm(), volume = piece.volume(), cube = size * size * size;
  if (volume < -kFlat * cube) {
    throw_input("{}: element {} ({}, nodes {}) is inside out, its volume is {:g} m^3: number the bottom nodes counter-clockwise "
                "seen from the top", what, e, element_name(count), text(nodes), volume);
  }
  if (!(volume > kFlat * cube)) {
    throw_input("{}: element {} ({}, nodes {}) has no volume: its nodes lie in a plane or are numbered crosswise", what, e,
                element_name(count), text(nodes));
  }
  for (const ElementCorner& corner : element_corners(count)) {
    const Vec3& a = mesh.nodes[nodes[corner[0]]];
    const Vec3 b = mesh.nodes[nodes[corner[1]]] - a, c = mesh.nodes[nodes[corner[2]]] - a, d = mesh.nodes[nodes[corner[3]]] - a;
    if (b.cross(c).dot(d) >= -kFlat * cube) continue;
    throw_input("{}: element {} ({}, nodes {}) is folded at node {}: check the order of its nodes", what, e, element_name(count),
                text(nodes), nodes[corner[0]]);
  }
}

/// Pieces that share a node with each piece, sorted.
std::vector<std::vector<int>> adjacent_elements(const Mesh& mesh) {
  std::vector<std::vector<int>> around(mesh.nodes.size()), adjacent(mesh.elements());
  for (int e = 0; e < mesh.elements(); ++e) {
    for (int n : element(mesh, e)) around[n].push_back(e);
  }
  for (int e = 0; e < mesh.elements(); ++e) {
    throw_if_stopped();
    auto& list = adjacent[e];
    for (int n : element(mesh, e)) list.insert(list.end(), around[n].begin(), around[n].end());
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    list.erase(std::lower_bound(list.begin(), list.end(), e));
    list.shrink_to_fit();
  }
  return adjacent;
}

}  // namespace

void check_mesh(const Mesh& mesh, std::string_view what) {
  check_layout(mesh, what);
  check_points(what, "node", mesh.nodes);
  for (int e = 0; e < mesh.elements(); ++e) throw_if_stopped(), check_element(mesh, e, what);
  (void)mesh_faces(mesh, what);
}

Mesh make_mesh(std::span<const Vec3> nodes, std::span<const int> elements, std::span<const int> surfaces) {
  if (nodes.size() < 4) throw_input("MESH: {} nodes given: an element has at least 4", nodes.size());
  check_points("MESH", "node", nodes);
  const int count = static_cast<int>(nodes.size());
  Mesh mesh;
  mesh.nodes.assign(nodes.begin(), nodes.end());
  PackedList element_list("MESH", "element", "node", elements, count);
  while (!element_list.at_end()) {
    const auto list = element_list.next();
    mesh.element_nodes.insert(mesh.element_nodes.end(), list.begin(), list.end());
    mesh.element_start.push_back(static_cast<int>(mesh.element_nodes.size()));
    mesh.element_volume.push_back(element_list.identifier());
  }
  if (surfaces.empty()) throw_input("MESH: the list of surfaces is empty: give at least the surface id of all faces");
  mesh.surface_id = surfaces.front();
  PackedList face_list("MESH", "surface face", "node", surfaces.subspan(1), count);
  while (!face_list.at_end()) {
    const auto list = face_list.next();
    mesh.faces.emplace_back(list.begin(), list.end());
    mesh.face_surface.push_back(face_list.identifier());
  }
  check_mesh(mesh, "MESH");
  return mesh;
}

Shape make_shape(const Mesh& mesh) {
  check_mesh(mesh, "MESH");
  const std::vector<MeshFace> faces = mesh_faces(mesh, "MESH");
  Shape shape;
  shape.meshes.push_back(mesh);
  shape.adjacent = adjacent_elements(mesh);
  shape.piece_mesh.assign(mesh.elements(), 0);
  shape.piece_element.resize(mesh.elements());
  shape.pieces.reserve(mesh.elements());
  std::size_t first_face = 0;
  for (int e = 0; e < mesh.elements(); ++e) {
    throw_if_stopped();
    Polyhedron polyhedron = element_polyhedron(mesh, e);
    for (int f = 0; f < polyhedron.faces(); ++f) {
      polyhedron.face_neighbour[f] = faces[first_face + f].neighbour;
      polyhedron.face_surface[f] = faces[first_face + f].surface;
    }
    first_face += polyhedron.faces();
    complete(polyhedron);
    shape.pieces.push_back({std::move(polyhedron), mesh.element_volume[e], mesh.surface_id});
    shape.piece_element[e] = e;
  }
  return shape;
}

}  // namespace scree::geometry
