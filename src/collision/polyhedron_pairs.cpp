/// Polyhedra against polyhedra: separating axes over faces and pairs of edges, nearest points when they are
/// apart, and contact polygons.
#include <algorithm>
#include <cmath>

#include "collision/gjk.hpp"
#include "collision/manifold.hpp"
#include "collision/narrow_phase.hpp"

namespace scree::collision {

namespace {

constexpr double kTouch = 1e-10;        // of the size: closer counts as touching
constexpr double kBias = 0.02;          // an edge axis must beat a face axis by this part of the depth
constexpr double kBiasSize = 1e-6;      // and by this part of the size
constexpr double kParallel = 0.9995;    // cosine (1.8 degrees): below this angle faces lie on each other
constexpr double kEdgeParallel = 0.02;  // sine: edges this parallel may touch along a line

struct FaceAxis {
  int face = -1;
  double separation = -kInfinity;
};
struct EdgeAxis {
  int edge_a = -1, edge_b = -1;
  double separation = -kInfinity;
  Vec3 normal = Vec3::UnitZ();  // from a to b
};

/// Face of p that q is farthest in front of; false when some face parts them by more than the limit,
/// or an interior face parts them at all (the piece behind it takes over).
bool query_faces(const PolyhedronView& p, const PolyhedronView& q, double limit, FaceAxis& best) {
  for (int f = 0; f < p.face_count; ++f) {
    const Vec3& n = p.normals[f];
    double least = n.dot(q.vertices[0]);
    for (int v = 1; v < q.vertex_count; ++v) least = std::min(least, n.dot(q.vertices[v]));
    const double s = least - p.offsets[f];
    if (s > limit || (p.face_interior[f] && s > 0.0)) return false;
    if (!p.face_interior[f] && s > best.separation) best = {f, s};
  }
  return true;
}

bool hidden_edge(const PolyhedronView& p, int e) {
  return p.face_interior[p.edge_faces[e][0]] && p.face_interior[p.edge_faces[e][1]];
}

/// slopes[e * faces + f] = edge e of p . normal of face f of q.
void edge_slopes(const PolyhedronView& p, const PolyhedronView& q, std::vector<double>& slopes) {
  slopes.resize(static_cast<std::size_t>(p.edge_count) * q.face_count);
  double* at = slopes.data();
  for (int e = 0; e < p.edge_count; ++e) {
    const Vec3 along = p.vertices[p.edges[e][1]] - p.vertices[p.edges[e][0]];
    for (int f = 0; f < q.face_count; ++f) *at++ = along.dot(q.normals[f]);
  }
}

/// Pair of edges with the largest separation; false when it exceeds the limit. Two edges count when they
/// make a face of the Minkowski difference: the arc between the normals beside the one crosses,
/// on the unit sphere, the arc between the reversed normals beside the other. An edge is
/// perpendicular to its arc, so the signs of edge . normal decide.
bool query_edges(const PolyhedronView& p, const PolyhedronView& q, double limit, NarrowScratch& scratch, EdgeAxis& best) {
  edge_slopes(p, q, scratch.slopes_a);
  edge_slopes(q, p, scratch.slopes_b);
  for (int i = 0; i < p.edge_count; ++i) {
    if (hidden_edge(p, i)) continue;
    const auto& faces_p = p.edge_faces[i];
    const double* row = scratch.slopes_a.data() + static_cast<std::size_t>(i) * q.face_count;
    for (int j = 0; j < q.edge_count; ++j) {
      const auto& faces_q = q.edge_faces[j];
      const double c = row[faces_q[0]], d = row[faces_q[1]];
      const double* other_row = scratch.slopes_b.data() + static_cast<std::size_t>(j) * p.face_count;
      const double a = other_row[faces_p[0]], b = other_row[faces_p[1]];
      const bool crossing = (c * d < 0.0) & (a * b < 0.0) & (c * b < 0.0);
      if (!crossing || hidden_edge(q, j)) continue;

      const Vec3 &u = p.vertices[p.edges[i][0]], &v = q.vertices[q.edges[j][0]];
      const Vec3 along = p.vertices[p.edges[i][1]] - u, other = q.vertices[q.edges[j][1]] - v;
      Vec3 n = along.cross(other);
      const double length = n.norm();
      if (length <= 1e-6 * along.norm() * other.norm()) continue;
      n /= n.dot(p.normals[faces_p[0]] + p.normals[faces_p[1]]) >= 0.0 ? length : -length;
      const double s = n.dot(v - u);
      if (s > limit) return false;
      if (s > best.separation) best = {i, j, s, n};
    }
  }
  return true;
}

/// Face of q that looks most against n, a boundary face where there is one.
int incident_face(const PolyhedronView& q, const Vec3& n) {
  int best = -1;
  double least = kInfinity;
  for (int f = 0; f < q.face_count; ++f) {
    const double cosine = n.dot(q.normals[f]);
    if (!q.face_interior[f] && cosine < least) least = cosine, best = f;
  }
  return best;
}

/// A pair with its options, and the points found so far.
struct Pair {
  const PolyhedronView& a;
  const PolyhedronView& b;
  const NarrowOptions& options;
  NarrowScratch& scratch;
  Manifold& out;
  double size;

  void set_normal(const Vec3& n) {
    out.normal = n;
    out.surface_a = a.face_surface[incident_face(a, -n)];
    out.surface_b = b.face_surface[incident_face(b, n)];
  }

  /// Manifold over a face of one of the two.
  bool face_contact(int face, bool of_a) {
    const PolyhedronView& p = of_a ? a : b;
    const PolyhedronView& q = of_a ? b : a;
    const Vec3 n = p.normals[face];
    const int incident = incident_face(q, n);
    if (incident < 0 || !clip_faces(p, face, q, incident, of_a, scratch)) return false;
    if (!emit_polygon(n, size, options, scratch, out)) return false;
    out.normal = of_a ? n : Vec3(-n);
    out.surface_a = a.face_surface[of_a ? face : incident];
    out.surface_b = b.face_surface[of_a ? incident : face];
    return true;
  }

  /// The normal n is nearly that of a face: faces that lie on each other get their whole manifold.
  bool face_contact_along(const Vec3& n) {
    const int face_a = incident_face(a, -n), face_b = incident_face(b, n);
    const double cosine_a = a.normals[face_a].dot(n), cosine_b = -b.normals[face_b].dot(n);
    const bool of_a = cosine_a >= cosine_b;
    if (std::min(cosine_a, cosine_b) < kParallel) return false;
    return face_contact(of_a ? face_a : face_b, of_a);
  }

  void single_point(const Vec3& n, const Vec3& on_a, const Vec3& on_b, double gap, std::uint64_t feature) {
    set_normal(n);
    const double width = std::max(-gap, 1e-6 * size);
    out.add(0.5 * (on_a + on_b), gap, width * width, feature);
  }

  void edge_contact(const Vec3& n, int edge_a, int edge_b);
  void apart_contact(const Nearest& nearest);
};

/// Points of two edges whose common normal is n: where they cross, or, for nearly parallel ones, the ends
/// of the stretch in which they pass each other by less than the gap.
void Pair::edge_contact(const Vec3& n, int edge_a, int edge_b) {
  const Vec3 &u = a.vertices[a.edges[edge_a][0]], &v = b.vertices[b.edges[edge_b][0]];
  const Vec3 d = a.vertices[a.edges[edge_a][1]] - u, e = b.vertices[b.edges[edge_b][1]] - v;
  const std::uint64_t code = FeatureCode::crossing(edge_a, edge_b);
  const double dd = d.squaredNorm(), ee = e.squaredNorm(), de = d.dot(e);
  const double length = std::sqrt(dd), sine = d.cross(e).norm() / (length * std::sqrt(ee));

  // Common stretch, in the parameter of a's edge.
  const double t0 = d.dot(v - u) / dd, t1 = d.dot(v + e - u) / dd;
  double low = std::max(0.0, std::min(t0, t1)), high = std::min(1.0, std::max(t0, t1));
  if (low > high) low = high = std::clamp(0.5 * (low + high), 0.0, 1.0);

  if (sine > 1e-9) {
    // Nearest points of the two lines, and how far from there they stay together.
    const Vec3 w = u - v;
    const double denominator = dd * ee * sine * sine;
    const double s = std::clamp((de * e.dot(w) - ee * d.dot(w)) / denominator, 0.0, 1.0);
    const double t = std::clamp((dd * e.dot(w) - de * d.dot(w)) / denominator, 0.0, 1.0);
    const Vec3 on_a = u + s * d, on_b = v + t * e;
    const double gap = n.dot(on_b - on_a);
    const double together = std::max(0.5 * std::abs(gap), 1e-6 * size) / (length * sine);
    low = std::max(low, s - together);
    high = std::min(high, s + together);
    if (sine > kEdgeParallel || options.one_point || (high - low) * length < 1e-3 * size) {
      single_point(n, on_a, on_b, gap, code);
      return;
    }
  }

  set_normal(n);
  const int count = high - low > 1e-9 && !options.one_point ? 2 : 1;
  Touch ends[2];
  for (int k = 0; k < count; ++k) {
    const double s = count == 1 ? 0.5 * (low + high) : (k == 0 ? low : high);
    const double t = t1 != t0 ? std::clamp((s - t0) / (t1 - t0), 0.0, 1.0) : 0.5;
    const Vec3 on_a = u + s * d, on_b = v + t * e;
    ends[k] = {0.5 * (on_a + on_b), n.dot(on_b - on_a), 0.0, code | static_cast<std::uint64_t>(k) << 59};
  }
  const double width = std::max(-std::min(ends[0].gap, ends[count - 1].gap), 1e-6 * size);
  const double area = width * std::max((high - low) * length, width) / count;
  for (int k = 0; k < count; ++k)
    if (ends[k].gap <= options.limit) out.add(ends[k].point, ends[k].gap, area, ends[k].feature);
}

/// Edge of p with both ends within `tolerance` of its farthest plane along n, or -1.
int extreme_edge(const PolyhedronView& p, const Vec3& n, double tolerance) {
  const double top = p.extent(n);
  int best = -1;
  double least = kInfinity;
  for (int e = 0; e < p.edge_count; ++e) {
    const double drop = top - std::min(n.dot(p.vertices[p.edges[e][0]]), n.dot(p.vertices[p.edges[e][1]]));
    if (drop <= tolerance && drop < least) least = drop, best = e;
  }
  return best;
}

/// Points of polyhedra whose nearest features are a vertex and a vertex or an edge, or parallel edges.
void Pair::apart_contact(const Nearest& nearest) {
  const Vec3 n = (nearest.on_b - nearest.on_a) / nearest.distance;
  const double tolerance = 1e-6 * size;
  const int edge_a = extreme_edge(a, n, tolerance), edge_b = extreme_edge(b, -n, tolerance);
  if (edge_a >= 0 && edge_b >= 0) {
    const Vec3 d = a.vertices[a.edges[edge_a][1]] - a.vertices[a.edges[edge_a][0]];
    const Vec3 e = b.vertices[b.edges[edge_b][1]] - b.vertices[b.edges[edge_b][0]];
    if (d.cross(e).norm() <= 1e-6 * d.norm() * e.norm()) {
      edge_contact(n, edge_a, edge_b);
      if (out.count > 0) return;
    }
  }
  const int v = a.support(n);
  const std::uint64_t code = edge_a < 0 ? FeatureCode::vertex_of_a(v) : FeatureCode::vertex_of_b(b.support(-n));
  single_point(n, nearest.on_a, nearest.on_b, nearest.distance, code);
}

}  // namespace

bool touch_polyhedra(const PolyhedronView& a, const PolyhedronView& b, const NarrowOptions& options,
                     NarrowScratch& scratch, Manifold& out) {
  FaceAxis face_a, face_b;
  EdgeAxis edge;
  if (!query_faces(a, b, options.limit, face_a) || !query_faces(b, a, options.limit, face_b)) return false;
  if (!query_edges(a, b, options.limit, scratch, edge)) return false;
  if (face_a.face < 0 || face_b.face < 0) return false;

  const double size = std::min(a.size, b.size);
  Pair pair{a, b, options, scratch, out, size};
  const auto bias = [size](double s) { return kBias * std::abs(s) + kBiasSize * size; };
  const bool of_a = face_b.separation <= face_a.separation + 0.5 * bias(face_a.separation);
  const FaceAxis& face = of_a ? face_a : face_b;
  const bool by_edge = edge.separation > face.separation + bias(face.separation);

  // Apart: a vertex or parallel edges may be nearest, along no axis tried so far.
  const double separation = std::max(edge.separation, face.separation);
  if (separation > kTouch * size) {
    // A corner over the reference face at that height: the face is nearest.
    if (!by_edge && pair.face_contact(face.face, of_a)) {
      double least = kInfinity;
      for (int k = 0; k < out.count; ++k) least = std::min(least, out.points[k].gap);
      if (least <= face.separation + 1e-9 * size) return true;
      out.count = 0;
    }
    const Nearest nearest = nearest_points(a, b, kTouch * size);
    if (nearest.distance > options.limit) return false;
    const bool on_axis = nearest.distance <= separation * (1.0 + 1e-6) + 1e-12 * size;
    if (nearest.distance > 0.0 && !on_axis) {
      if (!pair.face_contact_along((nearest.on_b - nearest.on_a) / nearest.distance)) pair.apart_contact(nearest);
      return out.count > 0;
    }
  }

  if (by_edge) {
    if (!pair.face_contact_along(edge.normal)) pair.edge_contact(edge.normal, edge.edge_a, edge.edge_b);
    return out.count > 0;
  }
  if (pair.face_contact(face.face, of_a)) return true;
  if (edge.edge_a >= 0 && edge.separation > face.separation - 0.1 * std::abs(face.separation) - 1e-3 * size) {
    pair.edge_contact(edge.normal, edge.edge_a, edge.edge_b);
    return out.count > 0;
  }
  // Nothing lies over the reference face: the pieces meet in a corner.
  const Vec3 n = of_a ? a.normals[face.face] : Vec3(-b.normals[face.face]);
  const int v = of_a ? b.support(-n) : a.support(n);
  const Vec3 x = of_a ? b.vertices[v] : a.vertices[v];
  const Vec3 across = (of_a ? -face.separation : face.separation) * n;
  pair.single_point(n, of_a ? Vec3(x + across) : x, of_a ? x : Vec3(x + across), face.separation,
                    of_a ? FeatureCode::vertex_of_b(v) : FeatureCode::vertex_of_a(v));
  return true;
}

}  // namespace scree::collision
