#include "geometry/polyhedron.hpp"

#include <algorithm>

#include "core/abandon.hpp"
#include "core/error.hpp"
#include "core/rotation.hpp"
#include "geometry/build.hpp"
#include "geometry/checks.hpp"

namespace scree::geometry {

namespace {

/// Tilt the plane of a warped polygon to the least-squares one: regression of the heights above it.
Vec3 tilted(const Vec3& normal, const Vec3& center, std::span<const Vec3> vertices, std::span<const int> polygon) {
  const Mat3 frame = frame_from_normal(normal);
  Mat2 scatter = Mat2::Zero();
  Vec2 moment = Vec2::Zero();
  for (int v : polygon) {
    const Vec3 local = frame * (vertices[v] - center);
    scatter += local.tail<2>() * local.tail<2>().transpose();
    moment += local.x() * local.tail<2>();
  }
  if (scatter.determinant() <= 1e-20 * scatter.trace() * scatter.trace()) return normal;
  const Vec2 slope = scatter.inverse() * moment;
  return (normal - frame.bottomRows<2>().transpose() * slope).normalized();
}

double spread_about(const Vec3& normal, const Vec3& center, std::span<const Vec3> vertices, std::span<const int> polygon) {
  double spread = 0.0;
  for (int v : polygon) spread = std::max(spread, std::abs(normal.dot(vertices[v] - center)));
  return spread;
}

/// A face as it runs through an edge.
struct HalfEdge {
  int low, high, face;
  bool rising;  ///< from low to high
  [[nodiscard]] bool same_edge(const HalfEdge& other) const { return low == other.low && high == other.high; }
};

std::vector<HalfEdge> sorted_half_edges(const Polyhedron& polyhedron) {
  std::vector<HalfEdge> half;
  half.reserve(polyhedron.face_vertices.size());
  for (int f = 0; f < polyhedron.faces(); ++f) {
    const auto polygon = face(polyhedron, f);
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const int a = polygon[k], b = polygon[(k + 1) % polygon.size()];
      half.push_back({std::min(a, b), std::max(a, b), f, a < b});
    }
  }
  std::sort(half.begin(), half.end(), [](const HalfEdge& a, const HalfEdge& b) {
    if (a.low != b.low) return a.low < b.low;
    if (a.high != b.high) return a.high < b.high;
    return a.rising != b.rising ? a.rising : a.face < b.face;
  });
  return half;
}

/// Every vertex of the face must lie left of each of its edges; this also refuses polygons that wind twice.
void check_convex_polygon(const Polyhedron& polyhedron, int f, double size, std::string_view what) {
  const auto polygon = face(polyhedron, f);
  if (polygon.size() == 3) return;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vec3& a = polyhedron.vertices[polygon[k]];
    const Vec3 edge = polyhedron.vertices[polygon[(k + 1) % polygon.size()]] - a;
    const Vec3 inward = polyhedron.face_normal[f].cross(edge).normalized();
    for (int v : polygon) {
      if (inward.dot(polyhedron.vertices[v] - a) >= -kPlanar * size) continue;
      throw_input("{}: face {} (vertices {}) is not convex at vertex {}: list the corners in order, counter-clockwise "
                  "seen from outside, or cut the face into convex ones", what, f, text(polygon), v);
    }
  }
}

/// Heights of all vertices above the plane of face f decide: inside out, flat, or not convex.
void check_below(const Polyhedron& polyhedron, int f, double size, std::string_view what) {
  double highest = -kInfinity, lowest = kInfinity;
  int top = 0;
  for (std::size_t v = 0; v < polyhedron.vertices.size(); ++v) {
    const double height = polyhedron.face_normal[f].dot(polyhedron.vertices[v] - polyhedron.vertices[polyhedron.face_vertex(f, 0)]);
    if (height > highest) {
      highest = height;
      top = static_cast<int>(v);
    }
    lowest = std::min(lowest, height);
  }
  const std::string name = text(face(polyhedron, f));
  if (std::max(highest, -lowest) <= kFlat * size) {
    throw_input("{}: all vertices lie in the plane of face {} (vertices {}): the shape has no volume", what, f, name);
  }
  if (highest > -lowest && lowest >= -kPlanar * size) {
    throw_input("{}: face {} (vertices {}) is inside out: list its vertices counter-clockwise seen from outside", what, f, name);
  }
  if (highest > kPlanar * size) {
    throw_input("{}: not convex: vertex {} at {} lies {:g} m outside face {} (vertices {}): cut the shape into convex parts "
                "or take their convex hull", what, top, text(polyhedron.vertices[top]), highest, f, name);
  }
}

}  // namespace

FacePlane fit_plane(std::span<const Vec3> vertices, std::span<const int> polygon) {
  FacePlane plane;
  const Vec3& base = vertices[polygon[0]];
  const std::size_t count = polygon.size();
  double reach = 0.0;
  Vec3 mean = Vec3::Zero(), area = Vec3::Zero();
  for (std::size_t k = 0; k < count; ++k) {
    const Vec3 a = vertices[polygon[k]] - base, b = vertices[polygon[(k + 1) % count]] - base;
    area += 0.5 * a.cross(b);
    mean += a / static_cast<double>(count);
    reach = std::max(reach, a.cwiseAbs().maxCoeff());
  }
  plane.center = base + mean;
  plane.area = area.norm();
  if (!(plane.area > 0.0)) return plane;
  plane.normal = area / plane.area;
  plane.spread = spread_about(plane.normal, plane.center, vertices, polygon);
  if (count > 3 && plane.spread > 1e-12 * reach) {
    plane.normal = tilted(plane.normal, plane.center, vertices, polygon);
    plane.spread = spread_about(plane.normal, plane.center, vertices, polygon);
  }
  return plane;
}

std::span<const int> face(const Polyhedron& polyhedron, int f) {
  return std::span<const int>(polyhedron.face_vertices).subspan(polyhedron.face_start[f], polyhedron.face_size(f));
}

void add_face(Polyhedron& polyhedron, std::span<const int> polygon, int surface, int neighbour) {
  polyhedron.face_vertices.insert(polyhedron.face_vertices.end(), polygon.begin(), polygon.end());
  polyhedron.face_start.push_back(static_cast<int>(polyhedron.face_vertices.size()));
  polyhedron.face_surface.push_back(surface);
  polyhedron.face_neighbour.push_back(neighbour);
}

void update_planes(Polyhedron& polyhedron, std::string_view what) {
  polyhedron.face_normal.resize(polyhedron.faces());
  polyhedron.face_offset.resize(polyhedron.faces());
  for (int f = 0; f < polyhedron.faces(); ++f) {
    const FacePlane plane = fit_plane(polyhedron.vertices, face(polyhedron, f));
    if (plane.area == 0.0) {
      throw_input("{}: face {} (vertices {}) has no area: its vertices lie on a line", what, f, text(face(polyhedron, f)));
    }
    polyhedron.face_normal[f] = plane.normal;
    polyhedron.face_offset[f] = plane.normal.dot(plane.center);
  }
}

void update_edges(Polyhedron& polyhedron, std::string_view what) {
  const std::vector<HalfEdge> half = sorted_half_edges(polyhedron);
  polyhedron.edges.clear();
  polyhedron.edge_faces.clear();
  polyhedron.edges.reserve(half.size() / 2);
  polyhedron.edge_faces.reserve(half.size() / 2);
  for (std::size_t first = 0; first < half.size();) {
    const HalfEdge& a = half[first];
    std::size_t last = first;
    while (last < half.size() && half[last].same_edge(a)) ++last;
    if (last - first == 1) {
      throw_input("{}: the surface is open at edge {}-{}, which only face {} has: add the missing face", what, a.low, a.high, a.face);
    }
    const HalfEdge& b = half[first + 1];
    if (last - first > 2) {
      throw_input("{}: edge {}-{} belongs to {} faces ({}, {}, {}{}): two must meet in it", what, a.low, a.high, last - first,
                  a.face, b.face, half[first + 2].face, last - first > 3 ? ", ..." : "");
    }
    if (a.rising == b.rising) {
      throw_input("{}: faces {} and {} run through edge {}-{} in the same direction: one of them is inside out", what, a.face,
                  b.face, a.low, a.high);
    }
    polyhedron.edges.push_back({a.low, a.high});
    polyhedron.edge_faces.push_back({a.face, b.face});
    first = last;
  }
}

void check_convex(const Polyhedron& polyhedron, double size, std::string_view what) {
  for (int f = 0; f < polyhedron.faces(); ++f) {
    throw_if_stopped();
    const auto polygon = face(polyhedron, f);
    const FacePlane plane = fit_plane(polyhedron.vertices, polygon);
    double longest = 0.0;
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      longest = std::max(longest, (polyhedron.vertices[polygon[k]] - polyhedron.vertices[polygon[(k + 1) % polygon.size()]]).norm());
    }
    if (2.0 * plane.area <= kCoincident * size * longest) {
      throw_input("{}: face {} (vertices {}) has no area: its vertices lie on a line", what, f, text(polygon));
    }
    if (plane.spread > kPlanar * size) {
      throw_input("{}: face {} (vertices {}) is not planar: a vertex is {:g} m off its plane (allowed {:g} m): "
                  "split the face into triangles", what, f, text(polygon), plane.spread, kPlanar * size);
    }
    check_convex_polygon(polyhedron, f, size, what);
    check_below(polyhedron, f, size, what);
  }
}

void complete(Polyhedron& polyhedron) {
  if (polyhedron.face_neighbour.size() != polyhedron.face_surface.size()) polyhedron.face_neighbour.assign(polyhedron.faces(), -1);
  update_planes(polyhedron, "POLYHEDRON");
  update_edges(polyhedron, "POLYHEDRON");
}

}  // namespace scree::geometry
