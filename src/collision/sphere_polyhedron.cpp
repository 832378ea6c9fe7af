/// Spheres and ellipsoids against polyhedra.
#include <algorithm>
#include <cmath>

#include "collision/ellipsoid.hpp"
#include "collision/manifold.hpp"
#include "collision/narrow_phase.hpp"

namespace scree::collision {

namespace {

/// Boundary face whose normal is closest to n: it names the surface in touch.
int facing(const PolyhedronView& p, const Vec3& n) {
  int best = 0;
  double most = -kInfinity;
  for (int f = 0; f < p.face_count; ++f) {
    const double cosine = p.normals[f].dot(n);
    if (!p.face_interior[f] && cosine > most) most = cosine, best = f;
  }
  return best;
}

bool seam(const PolyhedronView& p, int edge) {
  return p.face_interior[p.edge_faces[edge][0]] && p.face_interior[p.edge_faces[edge][1]];
}

/// Add a point where the outward normal of the polyhedron is m and its surface point is x.
void add_polyhedron_point(const PolyhedronView& p, const Vec3& m, const Vec3& x, double gap, double radius,
                          Manifold& out) {
  out.normal = -m;
  out.surface_b = p.face_surface[facing(p, m)];
  out.add(x + 0.5 * gap * m, gap, curved_patch_area(radius, gap), 0);
}

/// Does the separation s along the normal of face f, where the ellipsoid's nearest point is x, beat every other
/// direction? Apart: when x lies over the face. In overlap: x is a point of both bodies, so that along any
/// other direction they overlap by at least its depth under another face.
bool decided_by_face(const PolyhedronView& p, int f, const Vec3& x, double s) {
  if (s >= 0.0) return in_face(p, f, x - s * p.normals[f]);
  for (int other = 0; other < p.face_count; ++other)
    if (other != f && p.normals[other].dot(x) - p.offsets[other] > s) return false;
  return true;
}

/// The way out of a polyhedron for an ellipsoid: the unit vector m, from the one to the other, along which they are parted farthest.
///
/// Along any m they are parted by the least that any vertex v allows,  s_v(m) = m.(c - v) - |diag(r) axes^T m|, so that the best
/// m is the normal of a face, or one of the directions in which s_v is stationary in the plane across an edge, or in space. The
/// largest of these is the signed distance of the edge or vertex from the ellipsoid: where that is not above the best known,
/// nothing of this feature is. Every m is judged by the whole polyhedron.
class WayOut {
 public:
  WayOut(const EllipsoidView& a, const PolyhedronView& b, double limit)
      : a_(a), b_(b), M_(a.axes * a.radii.asDiagonal()), least_(a.radii.minCoeff()), limit_(limit) {}

  double best = -kInfinity;
  Vec3 direction = Vec3::UnitZ();
  int face = -1;

  /// False when a face parts the two by more than the limit, or an interior face does at all.
  bool try_faces() {
    for (int f = 0; f < b_.face_count; ++f) {
      const double s = b_.normals[f].dot(a_.center) - a_.extent(b_.normals[f]) - b_.offsets[f];
      if (s > limit_ || (s > 0.0 && b_.face_interior[f])) return false;
      if (!b_.face_interior[f] && s > best) best = s, face = f;
    }
    if (face >= 0) direction = b_.normals[face];
    return face >= 0;
  }

  /// Nearest directions alone, or all that are stationary. False when one parts the two by more than the limit.
  bool try_edges_and_vertices(bool all) {
    for (int e = 0; e < b_.edge_count; ++e)
      if (!seam(b_, e)) try_edge(e, all);
    for (int v = 0; v < b_.vertex_count; ++v) try_vertex(v, all);
    return best <= limit_;
  }

 private:
  void consider(const Vec3& m) {
    const double s = m.dot(a_.center) - a_.extent(m) - b_.extent(m);
    if (s > best) best = s, direction = m;
  }

  /// Seen along the edge the ellipsoid is an ellipse and the edge a point.
  void try_edge(int e, bool all) {
    const Vec3& u = b_.vertices[b_.edges[e][0]];
    const Vec3 along = (b_.vertices[b_.edges[e][1]] - u).normalized(), from = u - a_.center;
    if (along.cross(from).norm() - least_ <= best) return;
    const Vec3 p = b_.normals[b_.edge_faces[e][0]], q = along.cross(p);
    const Vec3 mp = M_.transpose() * p, mq = M_.transpose() * q;
    const Symmetric2 eigen(mp.squaredNorm(), mp.dot(mq), mq.squaredNorm());
    const Vec2 radii(std::sqrt(std::max(eigen.values[0], 1e-24 * eigen.values[1])), std::sqrt(eigen.values[1]));
    const Vec2 y = eigen.vectors.transpose() * Vec2(p.dot(from), q.dot(from));
    const EllipsoidFoot<2> foot = nearest_on_ellipsoid<2>(radii, y);
    if (foot.distance <= best) return;
    const auto try_normal = [&](const Vec2& normal) {
      const Vec2 n = eigen.vectors * normal;
      consider((-n[0] * p - n[1] * q).normalized());
    };
    try_normal(foot.normal);
    if (!all || foot.distance <= best) return;
    Vec2 normals[4];
    const int count = stationary_on_ellipsoid<2>(radii, y, normals);
    for (int k = 0; k < count; ++k) try_normal(normals[k]);
  }

  void try_vertex(int v, bool all) {
    const Vec3 from = b_.vertices[v] - a_.center;
    if (from.norm() - least_ <= best) return;
    const Vec3 y = a_.axes.transpose() * from;
    const EllipsoidFoot<3> foot = nearest_on_ellipsoid<3>(a_.radii, y);
    if (foot.distance <= best) return;
    consider(-(a_.axes * foot.normal));
    if (!all || foot.distance <= best) return;
    Vec3 normals[6];
    const int count = stationary_on_ellipsoid<3>(a_.radii, y, normals);
    for (int k = 0; k < count; ++k) consider(-(a_.axes * normals[k]));
  }

  const EllipsoidView& a_;
  const PolyhedronView& b_;
  Mat3 M_;
  double least_, limit_;
};

}  // namespace

bool touch_sphere_polyhedron(const Ball& a, const PolyhedronView& b, double limit, Manifold& out) {
  // Face farthest in front of the centre, and the nearest boundary face when the centre is inside.
  const double reach = a.radius + limit;
  int front = 0, nearest = -1;
  double height = -kInfinity, least = -kInfinity;
  for (int f = 0; f < b.face_count; ++f) {
    const double s = b.normals[f].dot(a.center) - b.offsets[f];
    if (s > reach) return false;
    if (s > height) height = s, front = f;
    if (!b.face_interior[f] && s > least) least = s, nearest = f;
  }
  if (height <= 0.0) {
    if (nearest < 0) return false;
    add_polyhedron_point(b, b.normals[nearest], a.center - least * b.normals[nearest], least - a.radius, a.radius, out);
    return true;
  }

  // Above a face: the nearest point is the foot of the perpendicular.
  const Vec3 foot = a.center - height * b.normals[front];
  if (in_face(b, front, foot)) {
    if (b.face_interior[front]) return false;
    add_polyhedron_point(b, b.normals[front], foot, height - a.radius, a.radius, out);
    return true;
  }

  // Otherwise it is on an edge.
  double square = kInfinity;
  Vec3 x = Vec3::Zero();
  bool hidden = false;
  for (int e = 0; e < b.edge_count; ++e) {
    const Vec3 p = nearest_on_segment(b.vertices[b.edges[e][0]], b.vertices[b.edges[e][1]], a.center);
    const double d = (a.center - p).squaredNorm();
    if (d < square || (hidden && d <= square)) square = d, x = p, hidden = seam(b, e);
  }
  const double distance = std::sqrt(square);
  if (distance > reach || hidden) return false;
  const Vec3 m = distance > 0.0 ? Vec3((a.center - x) / distance) : b.normals[front];
  add_polyhedron_point(b, m, x, distance - a.radius, a.radius, out);
  return true;
}

bool touch_ellipsoid_polyhedron(const EllipsoidView& a, const PolyhedronView& b, double limit, Manifold& out) {
  WayOut way(a, b, limit);
  if (!way.try_faces()) return false;
  const Vec3 lowest = a.support(-way.direction);
  if (decided_by_face(b, way.face, lowest, way.best)) {
    out.normal = -way.direction;
    out.surface_b = b.face_surface[way.face];
    out.add(lowest - 0.5 * way.best * way.direction, way.best, curved_patch_area(a.curvature_radius(way.direction), way.best), 0);
    return true;
  }
  // No deeper than balls that roll inside the ellipsoid, the nearest directions are all there are.
  if (!way.try_edges_and_vertices(false)) return false;
  if (way.best < -a.rolling_radius()) way.try_edges_and_vertices(true);
  const Vec3 x = a.support(-way.direction);
  add_polyhedron_point(b, way.direction, x - way.best * way.direction, way.best, a.curvature_radius(way.direction), out);
  return true;
}

}  // namespace scree::collision
