#include "collision/deepest_axis.hpp"

#include <algorithm>
#include <cmath>

#include "collision/gjk.hpp"

namespace scree::collision {

namespace {

constexpr double kParallelEdges = 1e-13;  // sine: their common normal is noise
constexpr double kBlur = 1e-12;           // of the size: an edge rises above a plane by less from rounding alone

constexpr double kApart = 1e-3;            // of the size: pieces this far apart have an accurate normal
constexpr int kAscents = 8;               // two or three are usual
constexpr double kPairOfFaces = 40.0;     // products spent on the edges of two faces
constexpr double kDearQuery = 4000.0;     // products: an ascent costs less

struct FaceAxis {
  int face = -1;
  double separation = -kInfinity;
};

/// Depth of x under each face.
void depths_under(const PolyhedronView& p, const Vec3& x, std::vector<double>& depth) {
  depth.resize(p.face_count);
  for (int f = 0; f < p.face_count; ++f) depth[f] = p.offsets[f] - p.normals[f].dot(x);
}

double face_separation(const PolyhedronView& p, int f, const PolyhedronView& q) {
  return -q.extent(-p.normals[f]) - p.offsets[f];
}

/// Least distance of a point from the surface of a piece, from its depths under the faces; a point outside is so by `slack` at most.
double room(const std::vector<double>& depth, double slack) {
  const double least = *std::min_element(depth.begin(), depth.end());
  return least >= 0.0 ? least : -slack;
}

/// Boundary face with the least depth: a good first guess.
int shallowest(const PolyhedronView& p, const std::vector<double>& depth) {
  int best = -1;
  for (int f = 0; f < p.face_count; ++f)
    if (!p.face_interior[f] && (best < 0 || depth[f] < depth[best])) best = f;
  return best;
}

/// Best boundary face of p among those that may part the pieces by the best axis known; false when an interior face parts
/// the pieces. `known` rises with what is found.
bool query_faces(const PolyhedronView& p, const PolyhedronView& q, const std::vector<double>& depth, double room_q, double tie, double& known,
                 FaceAxis& best) {
  for (int f = 0; f < p.face_count; ++f) {
    const bool interior = p.face_interior[f];
    if (-depth[f] - room_q + tie < (interior ? 0.0 : known)) continue;
    const double s = face_separation(p, f, q);
    if (interior && s > 0.0) return false;
    if (interior || s <= best.separation) continue;
    best = {f, s};
    known = std::max(known, s);
  }
  return true;
}

/// Edges that may part the pieces by more than `known`, but for those between two interior faces: by their depth, the
/// lesser one under the faces beside them.
void candidate_edges(const PolyhedronView& p, const std::vector<double>& depth, double slack, double room_q, double known,
                     std::vector<DeepEdge>& edges) {
  edges.clear();
  const double most = -known - room_q;
  for (int f = 0; f < p.face_count; ++f) {
    if (depth[f] > most && depth[f] >= 0.0) continue;
    for (int k = p.face_start[f]; k < p.face_start[f + 1]; ++k) {
      const int e = p.face_edges[k], g = p.edge_faces[e][0] == f ? p.edge_faces[e][1] : p.edge_faces[e][0];
      if ((p.face_interior[f] && p.face_interior[g]) || depth[g] < depth[f] || (depth[g] == depth[f] && g < f)) continue;
      edges.push_back({e, depth[f] >= 0.0 ? depth[f] : -slack});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const DeepEdge& x, const DeepEdge& y) { return x.edge < y.edge; });
}

/// May edge i of a and edge j of b make a face of the Minkowski difference? The arc between the normals beside the
/// one must cross, on the unit sphere, the arc between the reversed normals beside the other. An
/// edge is perpendicular to its arc, so the signs of edge . normal decide; those within rounding count as either.
bool arcs_cross(const PolyhedronView& a, int i, const Vec3& along, const PolyhedronView& b, int j, const Vec3& other) {
  const auto &faces_a = a.edge_faces[i], &faces_b = b.edge_faces[j];
  const double c = along.dot(b.normals[faces_b[0]]), d = along.dot(b.normals[faces_b[1]]);
  const double blur_a = kBlur * a.size, blur_b = kBlur * b.size;
  if (std::min(c, d) > blur_a || std::max(c, d) < -blur_a) return false;
  const double p = other.dot(a.normals[faces_a[0]]), q = other.dot(a.normals[faces_a[1]]);
  if (std::min(p, q) > blur_b || std::max(p, q) < -blur_b) return false;
  return !((c > blur_a && q > blur_b) || (c < -blur_a && q < -blur_b));
}

/// Best pair of the candidate edges that parts the pieces by more than `known`. The edges' depths and their own distance along
/// their normal bound the separation from above; what counts is the separation of the whole pieces, so that edges the
/// pieces do not end in along their normal never win.
void query_edges(const PolyhedronView& a, const PolyhedronView& b, const NarrowScratch& scratch, double tie, double known, Axis& best) {
  for (const auto& [i, depth_a] : scratch.edges_a) {
    const Vec3& u = a.vertices[a.edges[i][0]];
    const Vec3 along = a.vertices[a.edges[i][1]] - u;
    for (const auto& [j, depth_b] : scratch.edges_b) {
      if (-(depth_a + depth_b) + tie < known) continue;
      const Vec3& v = b.vertices[b.edges[j][0]];
      const Vec3 other = b.vertices[b.edges[j][1]] - v;
      if (!arcs_cross(a, i, along, b, j, other)) continue;
      const Vec3 across = along.cross(other);
      const double length = across.norm();
      const bool outward = across.dot(a.normals[a.edge_faces[i][0]] + a.normals[a.edge_faces[i][1]]) >= 0.0;
      if ((outward ? across.dot(v - u) : across.dot(u - v)) <= known * length) continue;
      if (length <= kParallelEdges * along.norm() * other.norm()) continue;
      const Vec3 n = across / (outward ? length : -length);
      const double s = separation_along(a, b, n);
      if (s <= known) continue;
      known = s;
      best = {Axis::Kind::edges, -1, i, j, n, s};
    }
  }
}

/// Improve an axis by the edges near the point whose depths are in the scratch.
void improve(const PolyhedronView& a, const PolyhedronView& b, double slack, double tie, NarrowScratch& scratch, Axis& axis) {
  const double room_a = room(scratch.depth_a, slack), room_b = room(scratch.depth_b, slack);
  candidate_edges(a, scratch.depth_a, slack, room_b, axis.separation - tie, scratch.edges_a);
  candidate_edges(b, scratch.depth_b, slack, room_a, axis.separation - tie, scratch.edges_b);
  query_edges(a, b, scratch, tie, axis.separation + tie, axis);
}

Axis preferred(const PolyhedronView& a, const PolyhedronView& b, const FaceAxis& face_a, const FaceAxis& face_b, double tie) {
  if (face_a.separation >= face_b.separation - tie)
    return {Axis::Kind::face_of_a, face_a.face, -1, -1, a.normals[face_a.face], face_a.separation};
  return {Axis::Kind::face_of_b, face_b.face, -1, -1, -b.normals[face_b.face], face_b.separation};
}

bool within(const std::vector<double>& depth, double slack) {
  return std::all_of(depth.begin(), depth.end(), [slack](double d) { return d >= -slack; });
}

/// Raise the separation s along n, negative in overlap, to a local maximum: b is moved along n until the pieces are a little apart, and the
/// direction between their nearest points parts them at least as far. `middle` is then halfway through the overlap.
void ascend(const PolyhedronView& a, const PolyhedronView& b, double tie, Vec3& n, double& s, Vec3& middle) {
  const double apart = kApart * std::min(a.size, b.size);
  for (int round = 0; round < kAscents; ++round) {
    const Vec3 shift = (apart - s) * n;
    const Nearest nearest = nearest_points(a, b, shift, n, 0.0, kInfinity);
    middle = 0.5 * (nearest.on_a + nearest.on_b - shift);
    const double better = separation_along(a, b, nearest.normal);
    if (better <= s) return;
    const bool settled = better <= s + tie;
    n = nearest.normal;
    s = better;
    if (settled) return;
  }
}

/// Point halfway between face f of p and the vertex of q that is deepest under it.
Vec3 halfway(const PolyhedronView& p, int f, const PolyhedronView& q) {
  const Vec3& x = q.vertices[q.support(-p.normals[f])];
  return x - 0.5 * (p.normals[f].dot(x) - p.offsets[f]) * p.normals[f];
}

/// Depths of a point under all faces of both pieces.
void measure_depths(const PolyhedronView& a, const PolyhedronView& b, const Vec3& x, NarrowScratch& scratch) {
  depths_under(a, x, scratch.depth_a);
  depths_under(b, x, scratch.depth_b);
}

/// Those of x if it is a point of both pieces, else those of a common point.
void measure_depths(const PolyhedronView& a, const PolyhedronView& b, const Vec3& x, const Vec3& common, NarrowScratch& scratch) {
  measure_depths(a, b, x, scratch);
  if (!within(scratch.depth_a, 0.0) || !within(scratch.depth_b, 0.0)) measure_depths(a, b, common, scratch);
}

/// Products that a query by the depths in the scratch takes, roughly.
double query_cost(const PolyhedronView& a, const PolyhedronView& b, double slack, double tie, double known, const NarrowScratch& scratch) {
  const auto faces_left = [&](const std::vector<double>& depth, double room_q) {
    const double most = tie - known - room_q;
    return static_cast<double>(std::count_if(depth.begin(), depth.end(), [most](double d) { return d <= most; }));
  };
  const double left_a = faces_left(scratch.depth_a, room(scratch.depth_b, slack)), left_b = faces_left(scratch.depth_b, room(scratch.depth_a, slack));
  return left_a * b.vertex_count + left_b * a.vertex_count + kPairOfFaces * left_a * left_b;
}

/// Best axis among those whose bound, by the depths in the scratch, is not below `known`.
bool query(const PolyhedronView& a, const PolyhedronView& b, double slack, double tie, double known, NarrowScratch& scratch, Axis& best) {
  FaceAxis face_a, face_b;
  if (!query_faces(a, b, scratch.depth_a, room(scratch.depth_b, slack), tie, known, face_a) ||
      !query_faces(b, a, scratch.depth_b, room(scratch.depth_a, slack), tie, known, face_b))
    return false;
  if (face_a.face >= 0 || face_b.face >= 0) best = preferred(a, b, face_a, face_b, tie);
  else best.separation = known - tie;
  improve(a, b, slack, tie, scratch, best);
  return true;
}

}  // namespace

double separation_along(const PolyhedronView& a, const PolyhedronView& b, const Vec3& n) { return -b.extent(-n) - a.extent(n); }

Axis best_face(const PolyhedronView& a, const PolyhedronView& b, double limit, double tie) {
  FaceAxis best[2];
  for (const bool of_a : {true, false}) {
    const PolyhedronView& p = of_a ? a : b;
    const PolyhedronView& q = of_a ? b : a;
    FaceAxis& face = best[of_a ? 0 : 1];
    for (int f = 0; f < p.face_count; ++f) {
      const double s = face_separation(p, f, q);
      if (s > limit || (p.face_interior[f] && s > 0.0)) return {};
      if (!p.face_interior[f] && s > face.separation) face = {f, s};
    }
    if (face.face < 0) return {};
  }
  return preferred(a, b, best[0], best[1], tie);
}

bool improve_by_edges(const PolyhedronView& a, const PolyhedronView& b, const Vec3& common, double slack, double tie,
                      NarrowScratch& scratch, Axis& axis) {
  measure_depths(a, b, common, scratch);
  if (!within(scratch.depth_a, slack) || !within(scratch.depth_b, slack)) return false;
  improve(a, b, slack, tie, scratch, axis);
  return true;
}

Axis deepest_axis(const PolyhedronView& a, const PolyhedronView& b, const Vec3& common, double slack, double tie, NarrowScratch& scratch) {
  measure_depths(a, b, common, scratch);
  const int first_a = shallowest(a, scratch.depth_a), first_b = shallowest(b, scratch.depth_b);
  if (first_a < 0 || first_b < 0) return {};
  const double known_a = face_separation(a, first_a, b), known_b = face_separation(b, first_b, a), known = std::max(known_a, known_b);
  measure_depths(a, b, known_a >= known_b ? halfway(a, first_a, b) : halfway(b, first_b, a), common, scratch);

  // Many axes are left: climb first. Interior faces are no axes, so that only whole pieces can be led by any direction.
  Axis best;
  if (!a.open && !b.open && query_cost(a, b, slack, tie, known, scratch) > kDearQuery) {
    Vec3 n = known_a >= known_b ? a.normals[first_a] : Vec3(-b.normals[first_b]), middle = common;
    double s = known;
    ascend(a, b, tie, n, s, middle);
    measure_depths(a, b, middle, common, scratch);
    query(a, b, slack, tie, s - 2.0 * tie, scratch, best);
    if (best.kind != Axis::Kind::none) return best;
  }
  query(a, b, slack, tie, known, scratch, best);
  return best;
}

}  // namespace scree::collision
