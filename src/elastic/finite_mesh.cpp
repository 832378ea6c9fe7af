#include "elastic/finite_mesh.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "geometry/build.hpp"
#include "geometry/element.hpp"
#include "geometry/mesh_faces.hpp"

namespace scree::elastic {

namespace {

/// Edges of the mesh, each once, sorted: their index gives the number of the mid-edge node.
std::vector<std::array<int, 2>> mesh_edges(const geometry::Mesh& mesh) {
  std::vector<std::array<int, 2>> edges;
  for (int e = 0; e < mesh.elements(); ++e) {
    const auto nodes = geometry::element(mesh, e);
    for (const auto& [a, b] : element_edges(static_cast<int>(nodes.size()))) edges.push_back({std::min(nodes[a], nodes[b]), std::max(nodes[a], nodes[b])});
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

class EdgeNumbers {
 public:
  EdgeNumbers(const geometry::Mesh& mesh, int order) : first_(static_cast<int>(mesh.nodes.size())) {
    if (order == 2) edges_ = mesh_edges(mesh);
  }
  [[nodiscard]] int node(int a, int b) const {
    const std::array<int, 2> key{std::min(a, b), std::max(a, b)};
    return first_ + static_cast<int>(std::lower_bound(edges_.begin(), edges_.end(), key) - edges_.begin());
  }
  [[nodiscard]] const std::vector<std::array<int, 2>>& edges() const { return edges_; }

 private:
  int first_;
  std::vector<std::array<int, 2>> edges_;
};

BoundaryFace boundary_face(const geometry::Mesh& mesh, const geometry::MeshFace& face, int order, const EdgeNumbers& numbers) {
  const auto nodes = geometry::element(mesh, face.element);
  const geometry::ElementFace& local = geometry::element_faces(static_cast<int>(nodes.size()))[face.face];
  BoundaryFace result{{}, FaceKind::tri3, face.element, face.face, face.surface};
  result.node.fill(-1);
  for (int k = 0; k < local.size; ++k) {
    const int a = nodes[local.node[k]], b = nodes[local.node[(k + 1) % local.size]];
    result.node[k] = a;
    if (order == 2) result.node[local.size + k] = numbers.node(a, b);
  }
  result.kind = static_cast<FaceKind>((local.size == 3 ? 0 : 1) + (order == 2 ? 2 : 0));
  return result;
}

}  // namespace

std::vector<double> FiniteMesh::positions() const {
  std::vector<double> q(3 * nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) Vec3::Map(q.data() + 3 * n) = nodes[n];
  return q;
}

FiniteMesh make_finite_mesh(const geometry::Mesh& mesh, int order) {
  if (order != 1 && order != 2) throw_input("finite elements: order is {}: 1 and 2 are available", order);
  geometry::check_mesh(mesh, "finite elements");
  const EdgeNumbers numbers(mesh, order);
  FiniteMesh result;
  result.order = order;
  result.nodes = mesh.nodes;
  result.element_volume = mesh.element_volume;
  for (const auto& [a, b] : numbers.edges()) result.nodes.push_back(0.5 * (mesh.nodes[a] + mesh.nodes[b]));
  for (int e = 0; e < mesh.elements(); ++e) {
    const auto nodes = geometry::element(mesh, e);
    const int corners = static_cast<int>(nodes.size());
    result.kinds.push_back(kind_of(corners, order));
    result.element_nodes.insert(result.element_nodes.end(), nodes.begin(), nodes.end());
    if (order == 2) {
      for (const auto& [a, b] : element_edges(corners)) result.element_nodes.push_back(numbers.node(nodes[a], nodes[b]));
    }
    result.element_start.push_back(static_cast<int>(result.element_nodes.size()));
  }
  for (const geometry::MeshFace& face : geometry::mesh_faces(mesh, "finite elements")) {
    if (face.neighbour < 0) result.boundary.push_back(boundary_face(mesh, face, order, numbers));
  }
  return result;
}

}  // namespace scree::elastic
