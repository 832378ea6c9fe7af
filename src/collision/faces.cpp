#include "collision/faces.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace scree::collision {

namespace {

constexpr double kCoplanar = 1e-9;  // sine of the angle below which two faces are one

using Edge = std::pair<int, int>;

/// Boundary of a set of faces as one loop of corners; empty when it is not a single simple loop.
std::vector<int> outline(const geometry::Polyhedron& p, const std::vector<int>& faces) {
  std::map<int, int> next;
  std::map<Edge, int> directed;
  for (const int f : faces)
    for (int k = 0; k < p.face_size(f); ++k) ++directed[{p.face_vertex(f, k), p.face_vertex(f, (k + 1) % p.face_size(f))}];
  for (const auto& [edge, count] : directed) {
    if (directed.count({edge.second, edge.first})) continue;
    if (!next.emplace(edge.first, edge.second).second) return {};
  }
  std::vector<int> loop;
  if (next.empty()) return {};
  int at = next.begin()->first;
  do {
    loop.push_back(at);
    const auto found = next.find(at);
    if (found == next.end()) return {};
    at = found->second;
  } while (at != loop.front() && loop.size() <= next.size());
  return loop.size() == next.size() ? loop : std::vector<int>{};
}

ContactFace single_face(const geometry::Polyhedron& p, int f, bool interior) {
  ContactFace face;
  for (int k = 0; k < p.face_size(f); ++k) face.corners.push_back(p.face_vertex(f, k));
  face.surface = p.face_surface[f];
  face.interior = interior;
  return face;
}

}  // namespace

Vec3 polygon_normal(const Vec3* vertices, const int* corners, int count) {
  const Vec3& origin = vertices[corners[0]];
  Vec3 sum = Vec3::Zero();
  for (int k = 1; k + 1 < count; ++k) sum += (vertices[corners[k]] - origin).cross(vertices[corners[k + 1]] - origin);
  const double length = sum.norm();
  return length > 0.0 ? Vec3(sum / length) : Vec3::Zero();
}

std::vector<ContactFace> contact_faces(const geometry::Polyhedron& p) {
  const int count = p.faces();
  const auto interior = [&](int f) { return f < static_cast<int>(p.face_neighbour.size()) && p.face_neighbour[f] >= 0; };

  // Join neighbours across flat edges.
  std::vector<int> root(count);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int f) {
    while (root[f] != f) f = root[f];
    return f;
  };
  std::vector<Vec3> normal;
  std::map<Edge, int> owner;
  for (int f = 0; f < count; ++f) {
    normal.push_back(polygon_normal(p.vertices.data(), p.face_vertices.data() + p.face_start[f], p.face_size(f)));
    for (int k = 0; k < p.face_size(f); ++k)
      owner[{p.face_vertex(f, k), p.face_vertex(f, (k + 1) % p.face_size(f))}] = f;
  }
  for (const auto& [edge, f] : owner) {
    const auto across = owner.find({edge.second, edge.first});
    if (across == owner.end() || interior(f) || interior(across->second)) continue;
    const int g = across->second;
    if (p.face_surface[f] != p.face_surface[g] || normal[f].cross(normal[g]).norm() > kCoplanar) continue;
    if (normal[f].dot(normal[g]) > 0.0) root[std::max(find(f), find(g))] = std::min(find(f), find(g));
  }

  std::vector<ContactFace> faces;
  for (int f = 0; f < count; ++f) {
    if (find(f) != f) continue;
    std::vector<int> members;
    for (int g = f; g < count; ++g)
      if (find(g) == f) members.push_back(g);
    ContactFace face = single_face(p, f, interior(f));
    if (members.size() > 1) {
      std::vector<int> loop = outline(p, members);
      if (loop.empty()) {
        for (const int g : members) faces.push_back(single_face(p, g, interior(g)));
        continue;
      }
      face.corners = std::move(loop);
    }
    faces.push_back(std::move(face));
  }
  return faces;
}

}  // namespace scree::collision
