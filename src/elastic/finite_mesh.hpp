/// Mesh of finite elements: a geometry::Mesh with the nodes of the chosen order and its boundary faces.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "elastic/shapes.hpp"
#include "geometry/shape.hpp"

namespace scree::elastic {

/// A boundary face with its node numbers, counter-clockwise seen from outside: corners, then mid-edge nodes.
struct BoundaryFace {
  std::array<int, kMostFaceNodes> node;
  FaceKind kind;
  int element;  ///< it belongs to
  int face;     ///< local number there, as in geometry::element_faces()
  int surface;  ///< surface id
  [[nodiscard]] std::span<const int> nodes() const { return {node.data(), static_cast<std::size_t>(node_count(kind))}; }
};

/// Nodes, mixed elements, boundary. The first nodes are those of the geometry::Mesh it was made from, in order;
/// order 2 adds one node in the middle of every edge. Elements keep their order.
struct FiniteMesh {
  int order = 1;
  std::vector<Vec3> nodes;                ///< referential places, m
  std::vector<Kind> kinds;                ///< of each element
  std::vector<int> element_start{0};      ///< element e has element_nodes[element_start[e] .. element_start[e+1])
  std::vector<int> element_nodes;
  std::vector<int> element_volume;        ///< volume id of each element
  std::vector<BoundaryFace> boundary;     ///< element by element

  [[nodiscard]] int elements() const { return static_cast<int>(kinds.size()); }
  [[nodiscard]] int dofs() const { return 3 * static_cast<int>(nodes.size()); }
  [[nodiscard]] std::span<const int> element(int e) const {
    const auto k = static_cast<std::size_t>(e);
    return {element_nodes.data() + element_start[k], static_cast<std::size_t>(element_start[k + 1] - element_start[k])};
  }
  /// Referential node places as one flat list x0, y0, z0, x1, ...: the start value of q.
  [[nodiscard]] std::vector<double> positions() const;
};

/// Finite elements of order 1 or 2 on a mesh. InputError when the mesh is unsound or the order is another.
[[nodiscard]] FiniteMesh make_finite_mesh(const geometry::Mesh& mesh, int order = 1);

}  // namespace scree::elastic
