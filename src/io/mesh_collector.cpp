#include "io/mesh_collector.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "core/error.hpp"
#include "geometry/build.hpp"
#include "geometry/element.hpp"
#include "geometry/mesh_faces.hpp"

namespace scree::io {

namespace {

/// Six times the volume of a tetrahedron.
double triple(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) { return (b - a).cross(c - a).dot(d - a); }

/// Sign of an element's volume, from its corners with three edges.
double orientation(const std::vector<Vec3>& places, std::span<const int> nodes) {
  double sum = 0.0;
  for (const auto& c : geometry::element_corners(static_cast<int>(nodes.size()))) {
    sum += triple(places[nodes[c[0]]], places[nodes[c[1]]], places[nodes[c[2]]], places[nodes[c[3]]]);
  }
  return sum;
}

/// The same element seen in a mirror.
void turn(std::span<int> nodes) {
  switch (nodes.size()) {
    case 4: std::swap(nodes[1], nodes[2]); break;
    case 5: std::swap(nodes[1], nodes[3]); break;
    case 6: std::swap(nodes[1], nodes[2]), std::swap(nodes[4], nodes[5]); break;
    default: std::swap(nodes[1], nodes[3]), std::swap(nodes[5], nodes[7]); break;
  }
}

using Key = std::array<int, 4>;
Key key_of(std::span<const int> nodes) {
  Key key{-1, -1, -1, -1};
  std::copy(nodes.begin(), nodes.end(), key.begin());
  std::sort(key.begin(), key.end());
  return key;
}

/// Keys of all boundary faces.
std::set<Key> boundary_keys(const geometry::Mesh& mesh) {
  std::set<Key> keys;
  for (const geometry::MeshFace& face : geometry::mesh_faces(mesh)) {
    if (face.neighbour >= 0) continue;
    const auto nodes = geometry::element(mesh, face.element);
    std::array<int, 4> global;
    const auto& local = geometry::element_faces(static_cast<int>(nodes.size()))[face.face];
    for (int k = 0; k < local.size; ++k) global[k] = nodes[local.node[k]];
    keys.insert(key_of({global.data(), static_cast<std::size_t>(local.size)}));
  }
  return keys;
}

}  // namespace

bool MeshCollector::add_node(std::int64_t number, const Vec3& place) {
  if (!index_.emplace(number, static_cast<int>(places_.size())).second) return false;
  places_.push_back(place);
  return true;
}

void MeshCollector::add_element(std::span<const std::int64_t> corners, int volume) {
  corners_.insert(corners_.end(), corners.begin(), corners.end());
  start_.push_back(corners_.size());
  volume_.push_back(volume);
}

void MeshCollector::add_face(std::span<const std::int64_t> corners, int surface) {
  Face face{{-1, -1, -1, -1}, static_cast<int>(corners.size()), surface};
  std::copy(corners.begin(), corners.end(), face.corner);
  faces_.push_back(face);
}

geometry::Mesh MeshCollector::finish(const std::string& path) const {
  if (volume_.empty()) {
    throw_file("{}: it holds no volume element (tetrahedron, pyramid, wedge, hexahedron): mesh the volume, not only its surface", path);
  }
  const auto find = [&](std::int64_t number, std::size_t e) {
    const auto found = index_.find(number);
    if (found == index_.end()) throw_file("{}: element {} names node {}, which the file does not define: export nodes and elements together", path, e + 1, number);
    return found->second;
  };
  geometry::Mesh mesh;
  std::vector<int> number(places_.size(), -1);
  for (std::size_t e = 0; e < volume_.size(); ++e) {
    for (std::size_t k = start_[e]; k < start_[e + 1]; ++k) {
      const int node = find(corners_[k], e);
      if (number[node] < 0) {
        number[node] = static_cast<int>(mesh.nodes.size());
        mesh.nodes.push_back(places_[node]);
      }
      mesh.element_nodes.push_back(number[node]);
    }
    const std::span<int> nodes(mesh.element_nodes.data() + start_[e], start_[e + 1] - start_[e]);
    if (orientation(mesh.nodes, nodes) < 0.0) turn(nodes);
    mesh.element_start.push_back(static_cast<int>(mesh.element_nodes.size()));
    mesh.element_volume.push_back(volume_[e]);
  }
  try {
    geometry::check_mesh(mesh, "mesh");
    std::set<Key> open = boundary_keys(mesh);
    for (const Face& face : faces_) {
      std::vector<int> nodes;
      for (int k = 0; k < face.size; ++k) {
        const auto found = index_.find(face.corner[k]);
        if (found != index_.end() && number[found->second] >= 0) nodes.push_back(number[found->second]);
      }
      // Each boundary face takes one id; faces inside or of other parts have none to give.
      if (static_cast<int>(nodes.size()) != face.size || open.erase(key_of(nodes)) == 0) continue;
      mesh.faces.push_back(std::move(nodes));
      mesh.face_surface.push_back(face.surface);
    }
    geometry::check_mesh(mesh, "mesh");
  } catch (const InputError& error) {
    throw_file("{}: {}", path, error.what());
  }
  return mesh;
}

}  // namespace scree::io
