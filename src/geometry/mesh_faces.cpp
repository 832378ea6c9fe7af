#include "geometry/mesh_faces.hpp"

#include <algorithm>
#include <array>

#include "core/abandon.hpp"
#include "core/error.hpp"
#include "geometry/checks.hpp"
#include "geometry/element.hpp"

namespace scree::geometry {

namespace {

/// Sorted nodes of a face, -1 first when it is a triangle: equal keys are the same face.
using Key = std::array<int, 4>;

Key key_of(std::span<const int> nodes) {
  Key key{-1, -1, -1, -1};
  std::copy(nodes.begin(), nodes.end(), key.begin());
  std::sort(key.begin(), key.end());
  return key;
}

struct KeyedFace {
  Key key;
  std::size_t index;  ///< in the list of all faces
};

/// Global node numbers of a face.
std::array<int, 4> face_nodes(const Mesh& mesh, const MeshFace& face, int& size) {
  const auto nodes = element(mesh, face.element);
  const ElementFace& local = element_faces(static_cast<int>(nodes.size()))[face.face];
  std::array<int, 4> global{-1, -1, -1, -1};
  size = local.size;
  for (int k = 0; k < size; ++k) global[k] = nodes[local.node[k]];
  return global;
}

/// True when b runs through the nodes of a in the opposite cyclic order.
bool reversed(const std::array<int, 4>& a, const std::array<int, 4>& b, int size) {
  const int shift = static_cast<int>(std::find(b.begin(), b.begin() + size, a[0]) - b.begin());
  for (int k = 0; k < size; ++k) {
    if (b[(shift - k + size) % size] != a[k]) return false;
  }
  return true;
}

std::vector<KeyedFace> sorted_keys(const Mesh& mesh, const std::vector<MeshFace>& faces) {
  std::vector<KeyedFace> keyed(faces.size());
  for (std::size_t i = 0; i < faces.size(); ++i) {
    throw_if_stopped();
    int size = 0;
    const auto nodes = face_nodes(mesh, faces[i], size);
    keyed[i] = {key_of({nodes.data(), static_cast<std::size_t>(size)}), i};
  }
  std::sort(keyed.begin(), keyed.end(), [](const KeyedFace& a, const KeyedFace& b) { return a.key != b.key ? a.key < b.key : a.index < b.index; });
  return keyed;
}

void pair_faces(const Mesh& mesh, std::vector<MeshFace>& faces, const std::vector<KeyedFace>& keyed, std::string_view what) {
  for (std::size_t first = 0; first < keyed.size();) {
    throw_if_stopped();
    std::size_t last = first + 1;
    while (last < keyed.size() && keyed[last].key == keyed[first].key) ++last;
    MeshFace& a = faces[keyed[first].index];
    int size = 0;
    const auto nodes = face_nodes(mesh, a, size);
    const auto name = [&] { return text(std::span<const int>(nodes.data(), size)); };
    if (last - first > 2) {
      throw_input("{}: the face with nodes {} is shared by {} elements ({}, {}, {}{}): two may share a face", what, name(), last - first,
                  a.element, faces[keyed[first + 1].index].element, faces[keyed[first + 2].index].element, last - first > 3 ? ", ..." : "");
    }
    if (last - first == 2) {
      MeshFace& b = faces[keyed[first + 1].index];
      if (!reversed(nodes, face_nodes(mesh, b, size), size)) {
        throw_input("{}: elements {} and {} share the face with nodes {} but do not lie on either side of it: they overlap", what,
                    a.element, b.element, name());
      }
      a.neighbour = b.element;
      b.neighbour = a.element;
    }
    first = last;
  }
}

void apply_surfaces(const Mesh& mesh, std::vector<MeshFace>& faces, const std::vector<KeyedFace>& keyed, std::string_view what) {
  std::vector<int> listed_by(faces.size(), -1);
  for (std::size_t s = 0; s < mesh.faces.size(); ++s) {
    const auto& nodes = mesh.faces[s];
    if (nodes.size() != 3 && nodes.size() != 4) {
      throw_input("{}: surface face {} has {} nodes: element faces have 3 or 4", what, s, nodes.size());
    }
    const Key key = key_of(nodes);
    const auto found = std::lower_bound(keyed.begin(), keyed.end(), key, [](const KeyedFace& a, const Key& k) { return a.key < k; });
    if (found == keyed.end() || found->key != key) {
      throw_input("{}: surface face {} (nodes {}) is not a face of any element", what, s, text(nodes));
    }
    MeshFace& face = faces[found->index];
    if (face.neighbour >= 0) {
      throw_input("{}: surface face {} (nodes {}) lies between elements {} and {}, not on the boundary", what, s, text(nodes),
                  face.element, face.neighbour);
    }
    if (listed_by[found->index] >= 0) {
      throw_input("{}: surface faces {} and {} (nodes {}) are the same face: list it once", what, listed_by[found->index], s, text(nodes));
    }
    listed_by[found->index] = static_cast<int>(s);
    face.surface = mesh.face_surface[s];
  }
}

}  // namespace

std::vector<MeshFace> mesh_faces(const Mesh& mesh, std::string_view what) {
  std::vector<MeshFace> faces;
  for (int e = 0; e < mesh.elements(); ++e) {
    const int count = static_cast<int>(element_faces(static_cast<int>(element(mesh, e).size())).size());
    for (int f = 0; f < count; ++f) faces.push_back({e, f, -1, mesh.surface_id});
  }
  const std::vector<KeyedFace> keyed = sorted_keys(mesh, faces);
  pair_faces(mesh, faces, keyed, what);
  apply_surfaces(mesh, faces, keyed, what);
  return faces;
}

}  // namespace scree::geometry
