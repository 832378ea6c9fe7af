/// Exact gap of two convex polyhedra by exhaustion, written for clarity and independent of the code it judges.
///
/// The gap is the largest separation  s(n) = min_B n.x - max_A n.x  over unit n. It is attained where n is the normal of a
/// face of either, perpendicular to an edge of each, or (apart) points from a vertex to a vertex or an edge. All of
/// these are tried, and each is judged by all vertices: no candidate can report too much.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "shapes.hpp"

namespace scree::collision::testing {

/// Vertices in place, edges and face normals; or a single point.
struct Solid {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 2>> edges;
  std::vector<Vec3> normals;

  explicit Solid(const Vec3& point) : vertices{point} {}
  Solid(const Polyhedron& p, const Mat3& F, const Vec3& position) {
    for (const Vec3& x : p.vertices) vertices.push_back(F * x + position);
    for (int f = 0; f < p.faces(); ++f) {
      const int count = p.face_size(f);
      const Vec3& origin = vertices[p.face_vertex(f, 0)];
      Vec3 normal = Vec3::Zero();
      for (int k = 0; k < count; ++k) {
        const int i = p.face_vertex(f, k), j = p.face_vertex(f, (k + 1) % count);
        if (i < j) edges.push_back({i, j});
        normal += (vertices[i] - origin).cross(vertices[j] - origin);
      }
      normals.push_back(normal.normalized());
    }
  }
  [[nodiscard]] double extent(const Vec3& n) const {
    double top = -kInfinity;
    for (const Vec3& x : vertices) top = std::max(top, n.dot(x));
    return top;
  }
  [[nodiscard]] double size() const {
    Box box;
    for (const Vec3& x : vertices) box.add(x);
    return box.extent().norm();
  }
};

class ExactGap {
 public:
  double gap = -kInfinity;
  Vec3 normal = Vec3::UnitZ();  ///< from a to b

  ExactGap(const Solid& a, const Solid& b) : a_(a), b_(b) {
    for (const Vec3& n : a.normals) judge(n);
    for (const Vec3& n : b.normals) judge(-n);
    for (const auto& i : a.edges)
      for (const auto& j : b.edges) cross_edges(i, j);
    if (gap < 0.0) return;
    for (const Vec3& x : a.vertices)
      for (const auto& j : b.edges) aim(b.vertices[j[0]], b.vertices[j[1]], x, 1.0);
    for (const Vec3& x : b.vertices)
      for (const auto& i : a.edges) aim(a.vertices[i[0]], a.vertices[i[1]], x, -1.0);
  }

 private:
  void judge(const Vec3& n) {
    const double s = -b_.extent(-n) - a_.extent(n);
    if (s > gap) gap = s, normal = n;
  }
  /// Common normals of two edges. Their own distance along n bounds the separation from above.
  void cross_edges(const std::array<int, 2>& i, const std::array<int, 2>& j) {
    const Vec3 &u = a_.vertices[i[0]], &v = b_.vertices[j[0]];
    const Vec3 d = a_.vertices[i[1]] - u, e = b_.vertices[j[1]] - v;
    const Vec3 n = d.cross(e);
    const double length = n.norm(), along = n.dot(v - u);
    if (length <= 1e-14 * d.norm() * e.norm()) return;
    if (along > gap * length) judge(n / length);
    if (-along > gap * length) judge(-n / length);
  }
  /// From the point x of one to its nearest point on an edge u v of the other.
  void aim(const Vec3& u, const Vec3& v, const Vec3& x, double sign) {
    const Vec3 along = v - u;
    const double square = along.squaredNorm(), t = along.dot(x - u) / square;
    Vec3 n = t <= 0.0 ? Vec3(u - x) : t >= 1.0 ? Vec3(v - x) : Vec3(u + t * along - x);
    if (t > 0.0 && t < 1.0) n -= along * (along.dot(n) / square);
    const double length = n.norm();
    if (length > gap && length > 0.0) {
      n *= sign / length;
      if (t > 0.0 && t < 1.0) n -= along * (along.dot(n) / square);
      judge(n.normalized());
    }
  }

  const Solid &a_, &b_;
};

}  // namespace scree::collision::testing
