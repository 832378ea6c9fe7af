#include "collision/deepest_axis.hpp"

#include <algorithm>
#include <cmath>

namespace scree::collision {

namespace {

constexpr double kParallelEdges = 1e-13;  // sine: their common normal is noise
constexpr double kBlur = 1e-12;           // of the size: an edge rises above a plane by less from rounding alone

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

/// Boundary face with the least depth: a good first guess.
int shallowest(const PolyhedronView& p, const std::vector<double>& depth) {
  int best = -1;
  for (int f = 0; f < p.face_count; ++f)
    if (!p.face_interior[f] && (best < 0 || depth[f] < depth[best])) best = f;
  return best;
}

/// Best boundary face of p among those not deeper than the best axis known; false when an interior face parts the
/// pieces. `known` rises with what is found.
bool query_faces(const PolyhedronView& p, const PolyhedronView& q, const std::vector<double>& depth, double slack, double& known,
                 FaceAxis& best) {
  for (int f = 0; f < p.face_count; ++f) {
    const bool interior = p.face_interior[f];
    if (-depth[f] + slack < (interior ? 0.0 : known)) continue;
    const double s = face_separation(p, f, q);
    if (interior && s > 0.0) return false;
    if (interior || s <= best.separation) continue;
    best = {f, s};
    known = std::max(known, s);
  }
  return true;
}

/// Edges beside a face that is not deeper than the best axis known, but for those between two interior faces.
void candidate_edges(const PolyhedronView& p, const std::vector<double>& depth, double slack, double known, std::vector<int>& edges) {
  edges.clear();
  for (int e = 0; e < p.edge_count; ++e) {
    const auto& [f, g] = p.edge_faces[e];
    if (p.face_interior[f] && p.face_interior[g]) continue;
    if (-std::min(depth[f], depth[g]) + slack >= known) edges.push_back(e);
  }
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

/// Best pair of the candidate edges that parts the pieces by more than `known`. The edges' own distance along their
/// normal bounds the separation from above; what counts is the separation of the whole pieces, so that edges the
/// pieces do not end in along their normal never win.
void query_edges(const PolyhedronView& a, const PolyhedronView& b, const NarrowScratch& scratch, double known, Axis& best) {
  for (const int i : scratch.edges_a) {
    const Vec3& u = a.vertices[a.edges[i][0]];
    const Vec3 along = a.vertices[a.edges[i][1]] - u;
    for (const int j : scratch.edges_b) {
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

/// Improve an axis by the edges near the common point whose depths are in the scratch.
void improve(const PolyhedronView& a, const PolyhedronView& b, double slack, double tie, NarrowScratch& scratch, Axis& axis) {
  candidate_edges(a, scratch.depth_a, slack + tie, axis.separation, scratch.edges_a);
  candidate_edges(b, scratch.depth_b, slack + tie, axis.separation, scratch.edges_b);
  query_edges(a, b, scratch, axis.separation + tie, axis);
}

Axis preferred(const PolyhedronView& a, const PolyhedronView& b, const FaceAxis& face_a, const FaceAxis& face_b, double tie) {
  if (face_a.separation >= face_b.separation - tie)
    return {Axis::Kind::face_of_a, face_a.face, -1, -1, a.normals[face_a.face], face_a.separation};
  return {Axis::Kind::face_of_b, face_b.face, -1, -1, -b.normals[face_b.face], face_b.separation};
}

bool within(const std::vector<double>& depth, double slack) {
  return std::all_of(depth.begin(), depth.end(), [slack](double d) { return d >= -slack; });
}

/// A better common point: halfway between face f of p and the vertex of q that is deepest under it, if that is a
/// common point. Of two depths under a face the greater one counts.
void deepen(const PolyhedronView& p, int f, const PolyhedronView& q, NarrowScratch& scratch, std::vector<double>& depth_p,
            std::vector<double>& depth_q) {
  const Vec3& x = q.vertices[q.support(-p.normals[f])];
  const Vec3 halfway = x - 0.5 * (p.normals[f].dot(x) - p.offsets[f]) * p.normals[f];
  depths_under(p, halfway, scratch.trial_a);
  depths_under(q, halfway, scratch.trial_b);
  if (!within(scratch.trial_a, 0.0) || !within(scratch.trial_b, 0.0)) return;
  for (int g = 0; g < p.face_count; ++g) depth_p[g] = std::max(depth_p[g], scratch.trial_a[g]);
  for (int g = 0; g < q.face_count; ++g) depth_q[g] = std::max(depth_q[g], scratch.trial_b[g]);
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
  depths_under(a, common, scratch.depth_a);
  depths_under(b, common, scratch.depth_b);
  if (!within(scratch.depth_a, slack) || !within(scratch.depth_b, slack)) return false;
  improve(a, b, slack, tie, scratch, axis);
  return true;
}

Axis deepest_axis(const PolyhedronView& a, const PolyhedronView& b, const Vec3& common, double slack, double tie, NarrowScratch& scratch) {
  depths_under(a, common, scratch.depth_a);
  depths_under(b, common, scratch.depth_b);
  const int first_a = shallowest(a, scratch.depth_a), first_b = shallowest(b, scratch.depth_b);
  if (first_a < 0 || first_b < 0) return {};
  const double known_a = face_separation(a, first_a, b), known_b = face_separation(b, first_b, a);
  if (known_a >= known_b) deepen(a, first_a, b, scratch, scratch.depth_a, scratch.depth_b);
  else deepen(b, first_b, a, scratch, scratch.depth_b, scratch.depth_a);

  double known = std::max(known_a, known_b);
  FaceAxis face_a, face_b;
  if (!query_faces(a, b, scratch.depth_a, slack + tie, known, face_a) || !query_faces(b, a, scratch.depth_b, slack + tie, known, face_b))
    return {};
  Axis best = preferred(a, b, face_a, face_b, tie);
  improve(a, b, slack, tie, scratch, best);
  return best;
}

}  // namespace scree::collision
