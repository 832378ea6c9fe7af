#include "collision/gjk.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace scree::collision {

namespace {

constexpr int kSearchSteps = 100;  // a search over polyhedra of a hundred vertices takes about ten

struct Corner {
  Vec3 w;  // a - b
  int a = 0, b = 0;
};

struct Simplex {
  std::array<Corner, 4> corner;
  std::array<double, 4> weight{};
  int count = 0;
};

/// Coefficients with  r + c0 e0 + c1 e1  perpendicular to the edges e0 and e1 of a triangle; false for a flat one.
bool project(const Vec3& e0, const Vec3& e1, const Vec3& r, double& c0, double& c1) {
  const Vec3 n = e0.cross(e1);
  const double square = n.squaredNorm();
  if (square <= 1e-28 * e0.squaredNorm() * e1.squaredNorm()) return false;
  c0 = -n.dot(r.cross(e1)) / square;
  c1 = n.dot(r.cross(e0)) / square;
  return true;
}

/// Weights of the edges from corner 0 at the point of the plane through `count` corners that is nearest to the origin;
/// false when the corners are dependent. Segments and triangles are solved twice, the second time for what
/// rounding left of the first: needles come out as well as others.
bool edge_weights(const Vec3& w0, const Vec3* edge, int count, double* weight) {
  if (count == 2) {
    const double square = edge[0].squaredNorm();
    if (square == 0.0) return false;
    weight[0] = -w0.dot(edge[0]) / square;
    weight[0] -= (w0 + weight[0] * edge[0]).dot(edge[0]) / square;
    return true;
  }
  if (count == 3) {
    double c0 = 0.0, c1 = 0.0;
    if (!project(edge[0], edge[1], w0, weight[0], weight[1])) return false;
    project(edge[0], edge[1], w0 + weight[0] * edge[0] + weight[1] * edge[1], c0, c1);
    weight[0] += c0;
    weight[1] += c1;
    return true;
  }
  const Vec3 normal = edge[1].cross(edge[2]);
  const double volume = edge[0].dot(normal);
  if (std::abs(volume) <= 1e-14 * edge[0].norm() * edge[1].norm() * edge[2].norm()) return false;
  weight[0] = -w0.dot(normal) / volume;
  weight[1] = -w0.dot(edge[2].cross(edge[0])) / volume;
  weight[2] = -w0.dot(edge[0].cross(edge[1])) / volume;
  return true;
}

/// Barycentric weights of the point of the plane through some corners that is nearest to the
/// origin; false when a weight is not positive or the corners are dependent.
bool affine_weights(const Simplex& s, const int* pick, int count, double* weight) {
  const Vec3& w0 = s.corner[pick[0]].w;
  Vec3 edge[3];
  for (int i = 1; i < count; ++i) edge[i - 1] = s.corner[pick[i]].w - w0;
  if (count > 1 && !edge_weights(w0, edge, count, weight + 1)) return false;
  weight[0] = 1.0;
  for (int i = 1; i < count; ++i) weight[0] -= weight[i];
  for (int i = 0; i < count; ++i)
    if (!(weight[i] > 0.0)) return false;
  return true;
}

/// Does no corner but those picked, which carry v, lie nearer to the origin along v? Then v is the simplex's nearest point.
bool is_nearest(const Simplex& s, const int* pick, int count, const Vec3& v, double square) {
  for (int i = 0; i < s.count; ++i)
    if (std::find(pick, pick + count, i) == pick + count && v.dot(s.corner[i].w) < square) return false;
  return true;
}

/// Reduce the simplex to the corners that carry its point nearest to the origin, the newest among them; return
/// that point.
Vec3 reduce(Simplex& s) {
  Simplex best;
  Vec3 nearest = Vec3::Zero();
  double least = kInfinity;
  const int older = s.count - 1;
  for (int mask = 0; mask < 1 << older; ++mask) {
    int pick[4] = {older}, count = 1;
    for (int i = 0; i < older; ++i)
      if (mask >> i & 1) pick[count++] = i;
    double weight[4] = {};
    if (!affine_weights(s, pick, count, weight)) continue;
    Vec3 v = Vec3::Zero();
    for (int i = 0; i < count; ++i) v += weight[i] * s.corner[pick[i]].w;
    if (count == 4) v.setZero();
    const double square = v.squaredNorm();
    if (square >= least) continue;
    least = square;
    nearest = v;
    best.count = count;
    for (int i = 0; i < count; ++i) best.corner[i] = s.corner[pick[i]], best.weight[i] = weight[i];
    if (is_nearest(s, pick, count, v, square)) break;
  }
  s = best;
  return nearest;
}

/// Has the simplex this corner already?
bool holds(const Simplex& s, const Corner& corner) {
  for (int i = 0; i < s.count; ++i)
    if (s.corner[i].a == corner.a && s.corner[i].b == corner.b) return true;
  return false;
}

}  // namespace

Nearest nearest_points(const PolyhedronView& a, const PolyhedronView& b, double tolerance, double limit) {
  const Vec3 between = b.center - a.center;
  return nearest_points(a, b, Vec3::Zero(), between.squaredNorm() > 0.0 ? between : Vec3(-Vec3::UnitX()), tolerance, limit);
}

Nearest nearest_points(const PolyhedronView& a, const PolyhedronView& b, const Vec3& shift, const Vec3& ahead, double tolerance, double limit) {
  int i = 0, j = 0;
  const auto support = [&](const Vec3& direction) {
    i = a.support_from(direction, i);
    j = b.support_from(-direction, j);
    return Corner{a.vertices[i] - (b.vertices[j] + shift), i, j};
  };
  Nearest result;
  Vec3 v = -ahead;
  Simplex simplex;
  for (int step = 0; step < kSearchSteps; ++step) {
    const double square = v.squaredNorm();
    if (step > 0 && (square <= tolerance * tolerance || simplex.count == 4)) break;
    const Corner next = support(-v);
    const double reached = v.dot(next.w);
    if (reached > result.bound * std::sqrt(square)) result.bound = reached / std::sqrt(square);
    if (result.bound > limit) break;
    // No corner lies nearer along v: v is the nearest point.
    if (step > 0 && (square - reached <= 1e-15 * square || holds(simplex, next))) break;
    Simplex trial = simplex;
    trial.corner[trial.count++] = next;
    const Vec3 reduced = reduce(trial);
    if (step > 0 && reduced.squaredNorm() >= square) break;
    simplex = trial;
    v = reduced;
  }

  for (int k = 0; k < simplex.count; ++k) {
    result.on_a += simplex.weight[k] * a.vertices[simplex.corner[k].a];
    result.on_b += simplex.weight[k] * (b.vertices[simplex.corner[k].b] + shift);
  }
  const double distance = v.norm();
  if (distance > 0.0) result.normal = -v / distance;
  result.distance = distance <= tolerance || simplex.count == 4 ? 0.0 : std::max(distance, result.bound);
  return result;
}

}  // namespace scree::collision
