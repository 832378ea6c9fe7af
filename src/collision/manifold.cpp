#include "collision/manifold.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace scree::collision {

namespace {

constexpr double kSnap = 1e-9;    // of the size: corners this near to a clipping plane count as on it
constexpr double kFlat = 2e-2;    // of the size: gaps of a flat contact differ by less
constexpr double kDeeper = 1e-7;  // of the size: a corner deeper than the rest by this is kept

/// Vertex shared by two edges, or -1.
int common_vertex(const PolyhedronView& p, int edge_1, int edge_2) {
  for (const int v : p.edges[edge_1])
    if (v == p.edges[edge_2][0] || v == p.edges[edge_2][1]) return v;
  return -1;
}

/// Code of the corner where a polygon side lying on `side` crosses the plane of reference edge `cut`.
std::uint64_t crossing_code(const PolyhedronView& p, int side, int cut, bool p_first) {
  if (side >= 0) return p_first ? FeatureCode::crossing(cut, side) : FeatureCode::crossing(side, cut);
  // Two reference edges meet in a vertex of the reference face.
  const int v = common_vertex(p, ~side, cut);
  if (v < 0) return p_first ? FeatureCode::crossing(cut, ~side) | 1ull << 59 : FeatureCode::crossing(~side, cut) | 1ull << 59;
  return p_first ? FeatureCode::vertex_of_a(v) : FeatureCode::vertex_of_b(v);
}

/// Keep the part of the polygon where  inward . x >= level, treating |difference| <= snap as on the line.
template <class Code>
void clip(std::vector<PolygonCorner>& polygon, std::vector<PolygonCorner>& clipped, const Vec3& inward, double level,
          double snap, int cut_edge, Code&& code) {
  clipped.clear();
  const std::size_t count = polygon.size();
  for (std::size_t i = 0; i < count; ++i) {
    const PolygonCorner& from = polygon[i];
    const PolygonCorner& to = polygon[i + 1 < count ? i + 1 : 0];
    const double d0 = inward.dot(from.x) - level, d1 = inward.dot(to.x) - level;
    const bool in0 = d0 >= -snap, in1 = d1 >= -snap;
    if (in0) clipped.push_back(from);
    if (in0 == in1) {
      continue;
    }
    if (in0 ? d0 <= snap : d1 <= snap) {
      // The inner end is on the line already: no new corner, but the side along the cut starts there.
      if (in0) clipped.back().edge = ~cut_edge;
      continue;
    }
    const double t = d0 / (d0 - d1);
    PolygonCorner corner;
    corner.x = from.x + t * (to.x - from.x);
    corner.gap = from.gap + t * (to.gap - from.gap);
    corner.feature = code(from.edge);
    corner.edge = in0 ? ~cut_edge : from.edge;
    clipped.push_back(corner);
  }
  polygon.swap(clipped);
}

double triangle_area(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& n) {
  return 0.5 * n.dot((b - a).cross(c - a));
}

/// Ends of the side that starts at slot k of face f.
std::pair<const Vec3&, const Vec3&> side_of_face(const PolyhedronView& p, int f, int k) {
  return {p.vertices[p.face_vertices[k]], p.vertices[p.face_vertices[k + 1 < p.face_start[f + 1] ? k + 1 : p.face_start[f]]]};
}

}  // namespace

Vec3 nearest_on_segment(const Vec3& u, const Vec3& v, const Vec3& x) {
  const Vec3 along = v - u;
  const double t = std::clamp(along.dot(x - u) / along.squaredNorm(), 0.0, 1.0);
  return u + t * along;
}

bool in_face(const PolyhedronView& p, int f, const Vec3& x) {
  for (int k = p.face_start[f]; k < p.face_start[f + 1]; ++k) {
    const auto& [u, v] = side_of_face(p, f, k);
    if (p.normals[f].dot((v - u).cross(x - u)) < 0.0) return false;
  }
  return true;
}

double beside_face(const PolyhedronView& p, int f, const Vec3& x) {
  if (in_face(p, f, x)) return 0.0;
  double square = kInfinity;
  for (int k = p.face_start[f]; k < p.face_start[f + 1]; ++k) {
    const auto& [u, v] = side_of_face(p, f, k);
    square = std::min(square, (nearest_on_segment(u, v, x) - x).squaredNorm());
  }
  return std::sqrt(square);
}

bool clip_faces(const PolyhedronView& p, int reference, const PolyhedronView& q, int incident, const Vec3& n, bool p_first,
                NarrowScratch& scratch) {
  std::vector<PolygonCorner>& polygon = scratch.polygon;
  polygon.clear();
  // The distance of x to the reference plane along n is  slope . x - offset.
  const double cosine = p.normals[reference].dot(n);
  const Vec3 slope = p.normals[reference] / cosine;
  const double offset = p.offsets[reference] / cosine;
  scratch.slope = slope;
  scratch.offset = offset;

  // The incident face, turned round so that it runs counter-clockwise about n.
  const int first = q.face_start[incident], last = q.face_start[incident + 1];
  for (int k = last - 1; k >= first; --k) {
    const int v = q.face_vertices[k];
    PolygonCorner corner;
    corner.x = q.vertices[v];
    corner.gap = slope.dot(corner.x) - offset;
    corner.feature = p_first ? FeatureCode::vertex_of_b(v) : FeatureCode::vertex_of_a(v);
    corner.edge = q.face_edges[k > first ? k - 1 : last - 1];
    polygon.push_back(corner);
  }

  // Cut by the side planes of the reference face.
  const double snap = kSnap * std::min(p.size, q.size);
  const int begin = p.face_start[reference], end = p.face_start[reference + 1];
  for (int k = begin; k < end && !polygon.empty(); ++k) {
    const auto& [u, v] = side_of_face(p, reference, k);
    const Vec3 inward = n.cross(v - u).normalized();
    const int cut = p.face_edges[k];
    clip(polygon, scratch.clipped, inward, inward.dot(u), snap, cut,
         [&](int side) { return crossing_code(p, side, cut, p_first); });
  }
  return !polygon.empty();
}

int choose_corners(const std::vector<PolygonCorner>& polygon, int keep, double tolerance, int* chosen) {
  const int count = static_cast<int>(polygon.size());
  if (count <= keep) {
    for (int i = 0; i < count; ++i) chosen[i] = i;
    return count;
  }
  // A later candidate must be better by this factor: equals do not take turns from rounding.
  constexpr double kBetter = 1.0 + 1e-6;

  // Start at the deepest corner if it stands out, else at the one with the lowest code.
  int deepest = 0, lowest = 0;
  double highest_gap = -kInfinity;
  for (int i = 0; i < count; ++i) {
    if (polygon[i].gap < polygon[deepest].gap) deepest = i;
    if (polygon[i].feature < polygon[lowest].feature) lowest = i;
    highest_gap = std::max(highest_gap, polygon[i].gap);
  }
  int picked = 0;
  chosen[picked++] = highest_gap - polygon[deepest].gap > tolerance ? deepest : lowest;

  // Then always the corner farthest from those chosen: the second by distance, the others by the area
  // of the triangle they add to the polygon of the chosen.
  while (picked < keep) {
    int best = -1;
    double most = -1.0;
    for (int step = 1; step < count; ++step) {
      const int i = (chosen[0] + step) % count;
      if (std::find(chosen, chosen + picked, i) != chosen + picked) continue;
      double value = 0.0;
      if (picked == 1) {
        value = (polygon[i].x - polygon[chosen[0]].x).norm();
      } else {
        // Neighbours among the chosen, going round the polygon.
        int before = -1, after = -1;
        for (int k = 1; k < count && before < 0; ++k) {
          const int j = (i - k + count) % count;
          if (std::find(chosen, chosen + picked, j) != chosen + picked) before = j;
        }
        for (int k = 1; k < count && after < 0; ++k) {
          const int j = (i + k) % count;
          if (std::find(chosen, chosen + picked, j) != chosen + picked) after = j;
        }
        value = (polygon[i].x - polygon[before].x).cross(polygon[after].x - polygon[before].x).norm();
      }
      if (value > most * kBetter) most = value, best = i;
    }
    chosen[picked++] = best;
  }
  std::sort(chosen, chosen + picked);
  return picked;
}

namespace {

/// Area and centroid of a polygon about n.
double polygon_area(const std::vector<PolygonCorner>& polygon, const Vec3& n, Vec3& centroid) {
  double area = 0.0;
  Vec3 moment = Vec3::Zero(), mean = Vec3::Zero();
  for (const PolygonCorner& corner : polygon) mean += corner.x / static_cast<double>(polygon.size());
  for (std::size_t k = 1; k + 1 < polygon.size(); ++k) {
    const double part = triangle_area(polygon[0].x, polygon[k].x, polygon[k + 1].x, n);
    area += part;
    moment += part / 3.0 * (polygon[0].x + polygon[k].x + polygon[k + 1].x);
  }
  centroid = area > 0.0 ? Vec3(moment / area) : mean;
  return std::max(area, 0.0);
}

/// A rule over a triangle: barycentric coordinates and share of its area.
struct TrianglePoint {
  double u, v, w, share;
};
constexpr std::array<TrianglePoint, 3> kDegreeTwo{{{2.0 / 3, 1.0 / 6, 1.0 / 6, 1.0 / 3}, {1.0 / 6, 2.0 / 3, 1.0 / 6, 1.0 / 3}, {1.0 / 6, 1.0 / 6, 2.0 / 3, 1.0 / 3}}};
// Degree four, two orbits of three points (Dunavant 1985): (1 - 2 a, a, a) with a a root of a quadratic, both shares positive.
constexpr double kA1 = 0.44594849091596488632, kS1 = 0.22338158967801146570, kA2 = 0.09157621350977074346, kS2 = 0.10995174365532186764;
constexpr std::array<TrianglePoint, 6> kDegreeFour{{{1 - 2 * kA1, kA1, kA1, kS1}, {kA1, 1 - 2 * kA1, kA1, kS1}, {kA1, kA1, 1 - 2 * kA1, kS1},
                                                    {1 - 2 * kA2, kA2, kA2, kS2}, {kA2, 1 - 2 * kA2, kA2, kS2}, {kA2, kA2, 1 - 2 * kA2, kS2}}};

/// Points of a rule of the given degree over the polygon. False when they are too many.
bool integrate_polygon(const Vec3& n, double size, int degree, const NarrowScratch& scratch, Manifold& out) {
  const std::vector<PolygonCorner>& polygon = scratch.polygon;
  const int count = static_cast<int>(polygon.size());
  const auto add = [&](const Vec3& x, double area) {
    const double gap = scratch.slope.dot(x) - scratch.offset;
    out.add(x - 0.5 * gap * n, gap, area, static_cast<std::uint64_t>(out.count));
  };
  const auto corner = [&](int k) -> const Vec3& { return polygon[k].x; };
  // Gauss's rule of 2 x 2 points on a parallelogram has degree three.
  if (count == 4 && (corner(0) - corner(1) + corner(2) - corner(3)).norm() <= 1e-7 * size) {
    const double share = 0.5 - 0.5 / std::sqrt(3.0), quarter = 0.5 * triangle_area(corner(0), corner(1), corner(2), n);
    for (const double r : {share, 1.0 - share})
      for (const double s : {share, 1.0 - share}) add(corner(0) + r * (corner(1) - corner(0)) + s * (corner(3) - corner(0)), quarter);
    return true;
  }
  const std::span<const TrianglePoint> rule = degree > 2 ? std::span<const TrianglePoint>(kDegreeFour) : std::span<const TrianglePoint>(kDegreeTwo);
  if ((count - 2) * static_cast<int>(rule.size()) > kMostTouches) return false;
  for (int k = 1; k + 1 < count; ++k) {
    const double area = triangle_area(corner(0), corner(k), corner(k + 1), n);
    if (!(area > 0.0)) continue;
    for (const TrianglePoint& p : rule) add(p.u * corner(0) + p.v * corner(k) + p.w * corner(k + 1), p.share * area);
  }
  return out.count > 0;
}

}  // namespace

bool emit_polygon(const Vec3& n, double size, const NarrowOptions& options, NarrowScratch& scratch, Manifold& out) {
  std::vector<PolygonCorner>& polygon = scratch.polygon;
  double deepest = kInfinity;
  for (const PolygonCorner& corner : polygon) deepest = std::min(deepest, corner.gap);
  if (!(deepest <= options.limit)) return false;
  if (options.face_degree > 0 && !options.one_point) {
    double highest = deepest;
    for (const PolygonCorner& corner : polygon) highest = std::max(highest, corner.gap);
    if (highest - deepest <= kFlat * size && polygon.size() > 2 && integrate_polygon(n, size, options.face_degree, scratch, out)) {
      out.weighted = true;
      return true;
    }
  }

  // The patch: where the surfaces are within the limit, or within a thousandth of the size of the deepest corner.
  const double level = std::max(options.limit, deepest + 1e-3 * size);
  scratch.patch = polygon;
  const Vec3& slope = scratch.slope;
  clip(scratch.patch, scratch.clipped, -slope, -(scratch.offset + level), 0.0, 0, [](int) { return 0ull; });
  Vec3 centroid;
  const double area = std::max(polygon_area(scratch.patch, n, centroid), 1e-12 * size * size);

  if (options.one_point) {
    const double gap_there = slope.dot(centroid) - scratch.offset;
    out.add(centroid - (gap_there - 0.5 * deepest) * n, deepest, area, 0);
    return true;
  }
  std::erase_if(polygon, [&](const PolygonCorner& corner) { return corner.gap > options.limit; });
  int chosen[kMaxManifold];
  const int keep = std::clamp(options.manifold_points, 1, kMaxManifold);
  const int count = choose_corners(polygon, keep, kDeeper * size, chosen);
  for (int i = 0; i < count; ++i) {
    const PolygonCorner& corner = polygon[chosen[i]];
    out.add(corner.x - 0.5 * corner.gap * n, corner.gap, area / count, corner.feature);
  }
  return true;
}

}  // namespace scree::collision
