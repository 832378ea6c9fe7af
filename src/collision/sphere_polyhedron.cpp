/// Spheres and ellipsoids against polyhedra.
#include <algorithm>
#include <cmath>

#include "collision/ellipsoid.hpp"
#include "collision/narrow_phase.hpp"

namespace scree::collision {

namespace {

constexpr double kDeep = 0.1;  // of the least radius: an ellipsoid sunk in farther may have several ways out

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

/// Is the point, which lies in the plane of face f, within its polygon?
bool in_face(const PolyhedronView& p, int f, const Vec3& x) {
  const int first = p.face_start[f], last = p.face_start[f + 1];
  for (int k = first; k < last; ++k) {
    const Vec3& u = p.vertices[p.face_vertices[k]];
    const Vec3& v = p.vertices[p.face_vertices[k + 1 < last ? k + 1 : first]];
    if (p.normals[f].dot((v - u).cross(x - u)) < 0.0) return false;
  }
  return true;
}

Vec3 nearest_on_segment(const Vec3& u, const Vec3& v, const Vec3& x) {
  const Vec3 along = v - u;
  const double t = std::clamp(along.dot(x - u) / along.squaredNorm(), 0.0, 1.0);
  return u + t * along;
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

/// Largest separation along directions between the normals p and q beside an edge through u, of an ellipsoid that is deep
/// in the polyhedron: there the separation may have several maxima, of which the nearest point of the
/// ellipse yields one. Sampled, then narrowed by golden sections.
double arc_maximum(const EllipsoidView& a, const Vec3& u, const Vec3& p, const Vec3& q, Vec3& direction) {
  constexpr int kSamples = 12, kSections = 40;
  constexpr double kGolden = 0.6180339887498949;
  const Vec3 from = a.center - u;
  const auto at = [&](double t, Vec3& m) {
    m = ((1.0 - t) * p + t * q).normalized();
    return m.dot(from) - a.extent(m);
  };
  Vec3 m;
  int best = 0;
  double most = -kInfinity;
  for (int k = 0; k <= kSamples; ++k) {
    const double s = at(static_cast<double>(k) / kSamples, m);
    if (s > most) most = s, best = k;
  }
  double low = std::max(0, best - 1) / static_cast<double>(kSamples), high = std::min(kSamples, best + 1) / static_cast<double>(kSamples);
  for (int k = 0; k < kSections; ++k) {
    const double t1 = high - kGolden * (high - low), t2 = low + kGolden * (high - low);
    (at(t1, m) > at(t2, m) ? high : low) = at(t1, m) > at(t2, m) ? t2 : t1;
  }
  return at(0.5 * (low + high), direction);
}

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
  // Separation along a direction m that points from the polyhedron to the ellipsoid; every m gives a
  // lower bound of the gap, and one of the candidates below attains it.
  double best = -kInfinity;
  Vec3 direction = Vec3::UnitZ();
  const auto consider = [&](const Vec3& m) {
    const double s = m.dot(a.center) - a.extent(m) - b.extent(m);
    if (s > best) best = s, direction = m;
  };

  // Faces.
  int face = -1;
  for (int f = 0; f < b.face_count; ++f) {
    const double s = b.normals[f].dot(a.center) - a.extent(b.normals[f]) - b.offsets[f];
    if (s > limit || (s > 0.0 && b.face_interior[f])) return false;
    if (!b.face_interior[f] && s > best) best = s, face = f;
  }
  if (face < 0) return false;
  direction = b.normals[face];
  const Vec3 lowest = a.support(-direction);
  if (decided_by_face(b, face, lowest, best)) {
    out.normal = -direction;
    out.surface_b = b.face_surface[face];
    out.add(lowest - 0.5 * best * direction, best, curved_patch_area(a.curvature_radius(direction), best), 0);
    return true;
  }

  // Edges: seen along the edge the ellipsoid is an ellipse and the edge a point. A feature parts the
  // bodies by no more than its distance from the centre less the least radius.
  const Mat3 M = a.axes * a.radii.asDiagonal();
  const double least = a.radii.minCoeff();
  for (int e = 0; e < b.edge_count; ++e) {
    if (seam(b, e)) continue;
    const Vec3& u = b.vertices[b.edges[e][0]];
    const Vec3 along = (b.vertices[b.edges[e][1]] - u).normalized();
    if (along.cross(u - a.center).norm() - least <= best) continue;
    const Vec3 p = b.normals[b.edge_faces[e][0]], q = along.cross(p);
    const Vec3 mp = M.transpose() * p, mq = M.transpose() * q;
    const Symmetric2 eigen(mp.squaredNorm(), mp.dot(mq), mq.squaredNorm());
    const Mat2& turn = eigen.vectors;
    const Vec2 radii(std::sqrt(std::max(eigen.values[0], 1e-24 * eigen.values[1])), std::sqrt(eigen.values[1]));
    const Vec3 from = u - a.center;
    const EllipsoidFoot<2> foot = nearest_on_ellipsoid<2>(radii, turn.transpose() * Vec2(p.dot(from), q.dot(from)));
    if (foot.distance <= best) continue;
    const Vec2 normal = turn * foot.normal;
    consider((-normal[0] * p - normal[1] * q).normalized());
    if (best > limit) return false;
  }

  // Vertices: nearest point on the ellipsoid.
  for (int v = 0; v < b.vertex_count; ++v) {
    if ((b.vertices[v] - a.center).norm() - least <= best) continue;
    const EllipsoidFoot<3> foot = nearest_on_ellipsoid<3>(a.radii, a.axes.transpose() * (b.vertices[v] - a.center));
    if (foot.distance <= best) continue;
    consider(-(a.axes * foot.normal));
    if (best > limit) return false;
  }

  // Deep overlap: other maxima between the normals of neighbouring faces.
  for (int e = 0; e < b.edge_count && best < -kDeep * least; ++e) {
    if (seam(b, e)) continue;
    Vec3 m;
    const double s = arc_maximum(a, b.vertices[b.edges[e][0]], b.normals[b.edge_faces[e][0]], b.normals[b.edge_faces[e][1]], m);
    if (s > best) best = s, direction = m;
  }
  const Vec3 x = a.support(-direction);
  add_polyhedron_point(b, direction, x - best * direction, best, a.curvature_radius(direction), out);
  return true;
}

}  // namespace scree::collision
