/// Polyhedra against polyhedra: the exact normal first, from nearest points when they are apart and from separating axes
/// when they overlap; then the contact points along it.
///
/// Along the exact normal n, with separation s, the surfaces are nowhere nearer than s, and there is a place (the
/// witness) where they are exactly that near. Contact polygons are therefore cut along n from faces that
/// hold the witness, and a manifold that does not reach down to s is given the witness as a point.
#include <algorithm>
#include <cmath>

#include "collision/deepest_axis.hpp"
#include "collision/gjk.hpp"
#include "collision/manifold.hpp"
#include "collision/narrow_phase.hpp"

namespace scree::collision {

namespace {

constexpr double kTouch = 1e-10;        // of the size: closer counts as touching
constexpr double kEqual = 1e-10;        // of the size: separations this near are equal
constexpr double kMerged = 2e-9;        // of the size: faces bent by less are flat
constexpr double kOver = 0.9;            // cosine (26 degrees): below this angle what lies over a face is cut along the normal of edges
constexpr double kEdgeParallel = 0.02;  // sine: edges this parallel may touch along a line
constexpr int kFewProducts = 256;       // to try all faces against all vertices
constexpr double kNear = 1e-5;          // of the size: closer points give no accurate normal
constexpr double kFarLess = 0.1;         // share of an overlap: what is less belongs elsewhere

/// Nearest points along the normal.
struct Witness {
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
};

/// How many corners of face f are at least this high?
int corners_above(const PolyhedronView& p, int f, const std::vector<double>& heights, double level) {
  int count = 0;
  for (int k = p.face_start[f]; k < p.face_start[f + 1]; ++k) count += heights[p.face_vertices[k]] >= level;
  return count;
}

/// Boundary face in which p ends along n: one that holds as many as possible of the farthest corners, and of these the
/// one that looks most along n. Where interior faces hold them all, the boundary face that looks most along n.
int end_face(const PolyhedronView& p, const Vec3& n, double tolerance, std::vector<double>& heights) {
  heights.resize(p.vertex_count);
  double top = -kInfinity;
  for (int v = 0; v < p.vertex_count; ++v) top = std::max(top, heights[v] = n.dot(p.vertices[v]));
  int best = -1, most = 0;
  double most_cosine = -kInfinity;
  const auto consider = [&](int f, int held) {
    const double cosine = n.dot(p.normals[f]);
    if (held > most || (held == most && (cosine > most_cosine || (cosine == most_cosine && f < best))))
      most = held, most_cosine = cosine, best = f;
  };
  for (int v = 0; v < p.vertex_count; ++v) {
    if (heights[v] < top - tolerance) continue;
    for (int k = p.vertex_start[v]; k < p.vertex_start[v + 1]; ++k) {
      const int f = p.vertex_faces[k];
      if (!p.face_interior[f]) consider(f, corners_above(p, f, heights, top - tolerance));
    }
  }
  if (best >= 0) return best;
  for (int f = 0; f < p.face_count; ++f)
    if (!p.face_interior[f]) consider(f, 0);
  return best;
}

/// Edge of p with both ends within `tolerance` of its farthest plane along n, or -1.
int end_edge(const PolyhedronView& p, const Vec3& n, double tolerance) {
  const double top = p.extent(n);
  int best = -1;
  double least = kInfinity;
  for (int e = 0; e < p.edge_count; ++e) {
    const double drop = top - std::min(n.dot(p.vertices[p.edges[e][0]]), n.dot(p.vertices[p.edges[e][1]]));
    if (drop <= tolerance && drop < least) least = drop, best = e;
  }
  return best;
}

Vec3 edge_vector(const PolyhedronView& p, int e) { return p.vertices[p.edges[e][1]] - p.vertices[p.edges[e][0]]; }

/// Nearest points of the lines of two edges that are not parallel, kept within the edges.
Witness crossing(const PolyhedronView& a, int edge_a, const PolyhedronView& b, int edge_b) {
  const Vec3 &u = a.vertices[a.edges[edge_a][0]], &v = b.vertices[b.edges[edge_b][0]];
  const Vec3 d = edge_vector(a, edge_a), e = edge_vector(b, edge_b), w = u - v;
  const double dd = d.squaredNorm(), ee = e.squaredNorm(), de = d.dot(e), denominator = d.cross(e).squaredNorm();
  const double s = std::clamp((de * e.dot(w) - ee * d.dot(w)) / denominator, 0.0, 1.0);
  const double t = std::clamp((dd * e.dot(w) - de * d.dot(w)) / denominator, 0.0, 1.0);
  return {u + s * d, v + t * e};
}

/// What corners lie off the planes of their faces, unless that is no more than hulls leave where they merge facets.
double bend(const PolyhedronView& p) { return p.warp > kMerged * p.size ? p.warp : 0.0; }

/// A pair with its options, and the points found so far.
class Pair {
 public:
  Pair(const PolyhedronView& a, const PolyhedronView& b, const NarrowOptions& options, NarrowScratch& scratch, Manifold& out)
      : a_(a), b_(b), options_(options), scratch_(scratch), out_(out), size_(std::min(a.size, b.size)),
        slack_(kEqual * size_ + 2.0 * (a.warp + b.warp)), equal_(kEqual * size_ + 2.0 * (bend(a) + bend(b))) {}

  bool touch();
  [[nodiscard]] bool belongs_to_neighbour() const;

 private:
  [[nodiscard]] bool parted_by_interior_face() const;
  [[nodiscard]] bool is_nearest_face(const PolyhedronView& p, int f, const Vec3& x, const Vec3& n, double distance) const;
  [[nodiscard]] Axis nearest_face(const Nearest& nearest, const Vec3& n) const;
  [[nodiscard]] Vec3 upright_normal(const Vec3& n, double tolerance) const;
  void touch_apart(const Nearest& nearest);
  void touch_close(const Nearest& nearest);
  [[nodiscard]] bool reaches_face(const Axis& axis) const;
  bool decided_by_faces();
  void cut_polygon(const Vec3& n, int face_a, int face_b, bool of_a);
  void cut_face(const Axis& axis);
  void emit(bool of_a);
  void face_contact(const Axis& axis);
  void axis_contact(const Axis& axis);
  void point_contact(const Vec3& n, double s, const Witness& witness, int edge_a, int edge_b);
  void line_contact(const Vec3& n, const Witness& witness, int edge_a, int edge_b);
  void complete(const Vec3& n, double s, const Witness& witness, std::uint64_t feature);
  [[nodiscard]] double edge_angle(int edge_a, int edge_b) const {
    const Vec3 d = edge_vector(a_, edge_a), e = edge_vector(b_, edge_b);
    return d.cross(e).norm() / std::sqrt(d.squaredNorm() * e.squaredNorm());
  }

  const PolyhedronView& a_;
  const PolyhedronView& b_;
  const NarrowOptions& options_;
  NarrowScratch& scratch_;
  Manifold& out_;
  double size_;
  double slack_;               // m, of points that count as those of a face
  double equal_;               // m, of separations that count as one
  double reached_ = kInfinity;  // least gap of the polygon or line found, m
};

/// The piece behind an interior face takes over what lies beyond it.
bool Pair::parted_by_interior_face() const {
  const auto parted = [](const PolyhedronView& p, const PolyhedronView& q) {
    for (int f = 0; p.open && f < p.face_count; ++f)
      if (p.face_interior[f] && -q.extent(-p.normals[f]) > p.offsets[f]) return true;
    return false;
  };
  return parted(a_, b_) || parted(b_, a_);
}

/// Is the overlap along an interior face far less than along the normal found? Then the other piece is behind that face, and what is there
/// belongs to the neighbour: elements that reach the surface in an edge or a vertex have no face to measure by.
bool Pair::belongs_to_neighbour() const {
  double deepest = 0.0;
  for (int k = 0; k < out_.count; ++k) deepest = std::min(deepest, out_.points[k].gap);
  if (deepest >= -equal_) return false;
  const auto behind = [&](const PolyhedronView& p, const PolyhedronView& q) {
    for (int f = 0; p.open && f < p.face_count; ++f)
      if (p.face_interior[f] && -q.extent(-p.normals[f]) - p.offsets[f] > kFarLess * deepest) return true;
    return false;
  };
  return behind(a_, b_) || behind(b_, a_);
}

/// Can face f of p, whose nearest point is x, be what is nearest? n leads from p to the other piece.
bool Pair::is_nearest_face(const PolyhedronView& p, int f, const Vec3& x, const Vec3& n, double distance) const {
  return !p.face_interior[f] && distance * (1.0 - p.normals[f].dot(n)) <= equal_ && p.offsets[f] - p.normals[f].dot(x) <= equal_;
}

/// A face that parts the pieces by their whole distance, a's before b's.
Axis Pair::nearest_face(const Nearest& nearest, const Vec3& n) const {
  Axis best;
  for (int f = 0; f < a_.face_count; ++f) {
    if (!is_nearest_face(a_, f, nearest.on_a, n, nearest.distance)) continue;
    const double s = -b_.extent(-a_.normals[f]) - a_.offsets[f];
    if (s > best.separation) best = {Axis::Kind::face_of_a, f, -1, -1, a_.normals[f], s};
  }
  if (best.separation >= nearest.distance - equal_) return best;
  best = {};
  for (int f = 0; f < b_.face_count; ++f) {
    if (!is_nearest_face(b_, f, nearest.on_b, -n, nearest.distance)) continue;
    const double s = -a_.extent(-b_.normals[f]) - b_.offsets[f];
    if (s > best.separation) best = {Axis::Kind::face_of_b, f, -1, -1, -b_.normals[f], s};
  }
  return best.separation >= nearest.distance - equal_ ? best : Axis{};
}

/// The normal n of points that are so close that rounding turns it, set upright on the edge that meets a vertex: of all
/// edges within `tolerance` of where the pieces end, the one that parts them farthest.
Vec3 Pair::upright_normal(const Vec3& n, double tolerance) const {
  Vec3 best = n;
  double most = separation_along(a_, b_, n);
  const auto consider = [&](const PolyhedronView& p, const Vec3& outward) {
    const double level = p.extent(outward) - tolerance;
    for (int e = 0; e < p.edge_count; ++e) {
      if (outward.dot(p.vertices[p.edges[e][0]]) < level || outward.dot(p.vertices[p.edges[e][1]]) < level) continue;
      const Vec3 along = edge_vector(p, e).normalized();
      const Vec3 m = (n - along * along.dot(n)).normalized();
      const double s = separation_along(a_, b_, m);
      if (s > most) most = s, best = m;
    }
  };
  consider(a_, n);
  consider(b_, -n);
  return best;
}

/// Cut the contact polygon of two faces along n, over that of a or of b.
void Pair::cut_polygon(const Vec3& n, int face_a, int face_b, bool of_a) {
  out_.normal = n;
  out_.surface_a = a_.face_surface[face_a];
  out_.surface_b = b_.face_surface[face_b];
  const PolyhedronView& p = of_a ? a_ : b_;
  const PolyhedronView& q = of_a ? b_ : a_;
  clip_faces(p, of_a ? face_a : face_b, q, of_a ? face_b : face_a, of_a ? n : Vec3(-n), of_a, scratch_);
  reached_ = kInfinity;
  for (const PolygonCorner& corner : scratch_.polygon) reached_ = std::min(reached_, corner.gap);
}

/// Turn the polygon into points.
void Pair::emit(bool of_a) {
  if (reached_ <= options_.limit) emit_polygon(of_a ? out_.normal : Vec3(-out_.normal), size_, options_, scratch_, out_);
}

/// Add the witness when nothing found reaches down to the separation. (Where interior faces take part, the normal of an
/// overlap is the best of those left, and the witness may belong to a neighbouring piece.)
void Pair::complete(const Vec3& n, double s, const Witness& witness, std::uint64_t feature) {
  if (out_.weighted) return;
  if (out_.count > 0 && (reached_ <= s + equal_ || (s < 0.0 && (a_.open || b_.open)))) return;
  int highest = 0;
  for (int k = 0; k < out_.count; ++k)
    if (out_.points[k].gap > out_.points[highest].gap) highest = k;
  const int keep = options_.one_point ? 1 : std::clamp(options_.manifold_points, 1, kMaxManifold);
  if (out_.count == keep) out_.points[highest] = out_.points[--out_.count];
  const double width = std::max(-s, 1e-6 * size_);
  out_.add(0.5 * (witness.on_a + witness.on_b), s, width * width, feature);
  out_.normal = n;
}

/// Cut the polygon over a face; the other piece ends over it in a vertex, an edge or a face.
void Pair::cut_face(const Axis& axis) {
  const bool of_a = axis.kind == Axis::Kind::face_of_a;
  const PolyhedronView& q = of_a ? b_ : a_;
  const Vec3 towards = of_a ? Vec3(-axis.normal) : axis.normal;
  const int end = end_face(q, towards, slack_, scratch_.heights);
  cut_polygon(axis.normal, of_a ? axis.face : end, of_a ? end : axis.face, of_a);
  if (towards.dot(q.normals[end]) <= 0.0) reached_ = kInfinity;
}

/// Points over the face whose polygon has been cut.
void Pair::face_contact(const Axis& axis) {
  const bool of_a = axis.kind == Axis::Kind::face_of_a;
  emit(of_a);
  const PolyhedronView& q = of_a ? b_ : a_;
  const Vec3 towards = of_a ? Vec3(-axis.normal) : axis.normal;
  const int v = q.support(towards);
  const Vec3& x = q.vertices[v];
  const Vec3 foot = x + axis.separation * towards;
  complete(axis.normal, axis.separation, of_a ? Witness{foot, x} : Witness{x, foot},
           of_a ? FeatureCode::vertex_of_b(v) : FeatureCode::vertex_of_a(v));
}

void Pair::axis_contact(const Axis& axis) {
  if (axis.kind == Axis::Kind::edges) {
    point_contact(axis.normal, axis.separation, crossing(a_, axis.edge_a, b_, axis.edge_b), axis.edge_a, axis.edge_b);
    return;
  }
  cut_face(axis);
  face_contact(axis);
}

/// The normal is that of edges or vertices. Where a face beside them is nearly upright on it, what lies over this face makes
/// a polygon, whose corners have each their own gap: an edge over it two points. Other edges along each other make a line, all else a point.
void Pair::point_contact(const Vec3& n, double s, const Witness& witness, int edge_a, int edge_b) {
  const int face_a = end_face(a_, n, slack_, scratch_.heights), face_b = end_face(b_, -n, slack_, scratch_.heights);
  const double cosine_a = a_.normals[face_a].dot(n), cosine_b = -b_.normals[face_b].dot(n);
  if (std::max(cosine_a, cosine_b) >= kOver && std::min(cosine_a, cosine_b) > 0.0) {
    cut_polygon(n, face_a, face_b, cosine_a >= cosine_b);
    emit(cosine_a >= cosine_b);
  } else {
    out_.normal = n;
    out_.surface_a = a_.face_surface[face_a];
    out_.surface_b = b_.face_surface[face_b];
    if (edge_a >= 0 && edge_b >= 0 && !options_.one_point) line_contact(n, witness, edge_a, edge_b);
  }
  const std::uint64_t code = edge_a >= 0 && edge_b >= 0 ? FeatureCode::crossing(edge_a, edge_b)
                             : edge_a < 0               ? FeatureCode::vertex_of_a(a_.support(n))
                                                        : FeatureCode::vertex_of_b(b_.support(-n));
  complete(n, s, witness, code);
}

/// Two edges that are nearly parallel: the ends of the stretch in which they pass each other by less than half the gap,
/// if it is long enough.
void Pair::line_contact(const Vec3& n, const Witness& witness, int edge_a, int edge_b) {
  const double sine = edge_angle(edge_a, edge_b);
  if (sine > kEdgeParallel) return;
  const Vec3 &u = a_.vertices[a_.edges[edge_a][0]], &v = b_.vertices[b_.edges[edge_b][0]];
  const Vec3 d = edge_vector(a_, edge_a), e = edge_vector(b_, edge_b);
  const double dd = d.squaredNorm(), length = std::sqrt(dd);

  // Common stretch, in the parameter of a's edge.
  const double t0 = d.dot(v - u) / dd, t1 = d.dot(v + e - u) / dd;
  double low = std::max(0.0, std::min(t0, t1)), high = std::min(1.0, std::max(t0, t1));
  const double gap = n.dot(witness.on_b - witness.on_a);
  if (sine > 1e-9) {
    const double together = std::max(0.5 * std::abs(gap), 1e-6 * size_) / (length * sine), s = d.dot(witness.on_a - u) / dd;
    low = std::max(low, s - together);
    high = std::min(high, s + together);
  }
  if ((high - low) * length < (sine > 1e-9 ? 1e-3 : 1e-9) * size_) return;

  const double width = std::max(-gap, 1e-6 * size_), area = 0.5 * width * std::max((high - low) * length, width);
  for (int k = 0; k < 2; ++k) {
    const double s = k == 0 ? low : high, t = std::clamp((s - t0) / (t1 - t0), 0.0, 1.0);
    const Vec3 on_a = u + s * d, on_b = v + t * e;
    const double gap_there = n.dot(on_b - on_a);
    reached_ = std::min(reached_, gap_there);
    if (gap_there <= options_.limit)
      out_.add(0.5 * (on_a + on_b), gap_there, area, FeatureCode::crossing(edge_a, edge_b) | static_cast<std::uint64_t>(k) << 59);
  }
}

/// Well apart: the nearest points give the normal, but for that of a face, which is known better.
void Pair::touch_apart(const Nearest& nearest) {
  const Axis face = nearest_face(nearest, nearest.normal);
  if (face.kind != Axis::Kind::none) {
    axis_contact(face);
    return;
  }
  const double tolerance = 1e-6 * size_;
  const int edge_a = end_edge(a_, nearest.normal, tolerance), edge_b = end_edge(b_, -nearest.normal, tolerance);
  point_contact(nearest.normal, nearest.distance, {nearest.on_a, nearest.on_b}, edge_a, edge_b);
}

/// Overlapping or nearly touching: faces and edges give the normal, unless a vertex is apart from a vertex or an edge.
void Pair::touch_close(const Nearest& nearest) {
  const Axis axis = deepest_axis(a_, b_, 0.5 * (nearest.on_a + nearest.on_b), nearest.distance + slack_, equal_, scratch_);
  if (axis.kind == Axis::Kind::none || axis.separation > options_.limit) return;
  if (nearest.distance > 0.0 && axis.separation < nearest.distance - equal_) {
    const double tolerance = (1e-6 + 1e-14 * size_ / nearest.distance) * size_;
    const Vec3 n = upright_normal(nearest.normal, tolerance);
    const double s = separation_along(a_, b_, n);
    if (s > options_.limit) return;
    if (s > axis.separation + equal_) {
      point_contact(n, s, {nearest.on_a, nearest.on_b}, end_edge(a_, n, 1e-6 * size_), end_edge(b_, -n, 1e-6 * size_));
      return;
    }
  }
  axis_contact(axis);
}

/// Is a corner of the polygon cut over a face as near to the face itself as to its plane? Cutting lets pass what is a little beside the face, near
/// its corners by more than across its sides.
bool Pair::reaches_face(const Axis& axis) const {
  const PolyhedronView& p = axis.kind == Axis::Kind::face_of_a ? a_ : b_;
  const Vec3& n = p.normals[axis.face];
  for (const PolygonCorner& corner : scratch_.polygon)
    if (corner.gap <= axis.separation + equal_ &&
        std::hypot(corner.gap, beside_face(p, axis.face, corner.x - corner.gap * n)) <= axis.separation + equal_)
      return true;
  return false;
}

/// Pieces of few faces: try them all. The best one decides when the polygon over it reaches down to its separation and,
/// in overlap, edges do no better; the middle of the overlap under its deepest corner is then a common point.
bool Pair::decided_by_faces() {
  Axis axis = best_face(a_, b_, options_.limit, equal_);
  if (axis.kind == Axis::Kind::none) return true;
  const bool of_a = axis.kind == Axis::Kind::face_of_a;
  cut_face(axis);
  if (reached_ > axis.separation + equal_) return false;
  if (axis.separation > kTouch * size_) {
    if (!reaches_face(axis)) return false;
  } else {
    const auto deepest = std::min_element(scratch_.polygon.begin(), scratch_.polygon.end(),
                                          [](const PolygonCorner& p, const PolygonCorner& q) { return p.gap < q.gap; });
    const Vec3 middle = deepest->x - (of_a ? 0.5 : -0.5) * deepest->gap * axis.normal;
    if (!improve_by_edges(a_, b_, middle, slack_, equal_, scratch_, axis)) return false;
  }
  if (axis.kind == Axis::Kind::edges) axis_contact(axis);
  else face_contact(axis);
  return true;
}

bool Pair::touch() {
  if (a_.face_count * b_.vertex_count + b_.face_count * a_.vertex_count <= kFewProducts) {
    if (decided_by_faces()) return out_.count > 0;
    out_.count = 0;
    out_.weighted = false;
    reached_ = kInfinity;
  }
  const Nearest nearest = nearest_points(a_, b_, kTouch * size_, options_.limit);
  if (nearest.bound > options_.limit || parted_by_interior_face()) return false;
  const bool proven = nearest.distance - nearest.bound <= kEqual * size_;
  if (nearest.distance > kNear * size_ && proven) {
    if (nearest.distance <= options_.limit) touch_apart(nearest);
  } else {
    touch_close(nearest);
  }
  return out_.count > 0;
}

}  // namespace

bool touch_polyhedra(const PolyhedronView& a, const PolyhedronView& b, const NarrowOptions& options,
                     NarrowScratch& scratch, Manifold& out) {
  Pair pair(a, b, options, scratch, out);
  return pair.touch() && !pair.belongs_to_neighbour();
}

}  // namespace scree::collision
