#include "collision/gjk.hpp"

#include <array>
#include <cmath>

namespace scree::collision {

namespace {

constexpr int kSteps = 100;  // a search over polyhedra of a hundred vertices takes about ten

struct Corner {
  Vec3 w;  // a - b
  int a = 0, b = 0;
};

struct Simplex {
  std::array<Corner, 4> corner;
  std::array<double, 4> weight{};
  int count = 0;
};

/// Barycentric weights of the point of the plane through some corners that is nearest to the
/// origin; false when a weight is not positive or the corners are dependent.
bool affine_weights(const Simplex& s, const int* pick, int count, double* weight) {
  const Vec3& w0 = s.corner[pick[0]].w;
  if (count == 1) {
    weight[0] = 1.0;
    return true;
  }
  Eigen::Matrix<double, 3, 3> D = Mat3::Identity();
  Vec3 lambda = Vec3::Zero();
  for (int i = 1; i < count; ++i) D.col(i - 1) = s.corner[pick[i]].w - w0;
  if (count == 2) {
    const double square = D.col(0).squaredNorm();
    if (square == 0.0) return false;
    lambda[0] = -w0.dot(D.col(0)) / square;
  } else if (count == 3) {
    const Vec3 n = D.col(0).cross(D.col(1));
    const double square = n.squaredNorm();
    if (square <= 1e-28 * D.col(0).squaredNorm() * D.col(1).squaredNorm()) return false;
    lambda[0] = -n.dot(w0.cross(D.col(1))) / square;
    lambda[1] = n.dot(w0.cross(D.col(0))) / square;
  } else {
    const double volume = D.col(0).dot(D.col(1).cross(D.col(2)));
    const double scale = D.col(0).norm() * D.col(1).norm() * D.col(2).norm();
    if (std::abs(volume) <= 1e-14 * scale) return false;
    lambda[0] = -w0.dot(D.col(1).cross(D.col(2))) / volume;
    lambda[1] = -w0.dot(D.col(2).cross(D.col(0))) / volume;
    lambda[2] = -w0.dot(D.col(0).cross(D.col(1))) / volume;
  }
  weight[0] = 1.0;
  for (int i = 1; i < count; ++i) {
    weight[i] = lambda[i - 1];
    weight[0] -= weight[i];
  }
  for (int i = 0; i < count; ++i)
    if (!(weight[i] > 0.0)) return false;
  return true;
}

/// Reduce the simplex to the corners that carry its point nearest to the origin; return that point.
Vec3 reduce(Simplex& s) {
  Simplex best;
  Vec3 nearest = Vec3::Zero();
  double least = kInfinity;
  for (int mask = 1; mask < 1 << s.count; ++mask) {
    int pick[4] = {}, count = 0;
    for (int i = 0; i < s.count; ++i)
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
  }
  s = best;
  return nearest;
}

}  // namespace

Nearest nearest_points(const PolyhedronView& a, const PolyhedronView& b, double tolerance) {
  const auto support = [&](const Vec3& direction) {
    const int i = a.support(direction), j = b.support(-direction);
    return Corner{a.vertices[i] - b.vertices[j], i, j};
  };
  Simplex simplex;
  Vec3 v = a.center - b.center;
  if (v.squaredNorm() == 0.0) v = Vec3::UnitX();
  simplex.corner[0] = support(-v);
  simplex.count = 1;
  simplex.weight[0] = 1.0;
  v = simplex.corner[0].w;

  for (int step = 0; step < kSteps; ++step) {
    const double square = v.squaredNorm();
    if (square <= tolerance * tolerance || simplex.count == 4) break;
    const Corner next = support(-v);
    // No corner lies nearer along v: v is the nearest point.
    if (square - v.dot(next.w) <= 1e-14 * square) break;
    bool known = false;
    for (int i = 0; i < simplex.count; ++i)
      known = known || (simplex.corner[i].a == next.a && simplex.corner[i].b == next.b);
    if (known) break;
    simplex.corner[simplex.count++] = next;
    const Vec3 reduced = reduce(simplex);
    if (reduced.squaredNorm() >= square) break;
    v = reduced;
  }

  Nearest result;
  for (int i = 0; i < simplex.count; ++i) {
    result.on_a += simplex.weight[i] * a.vertices[simplex.corner[i].a];
    result.on_b += simplex.weight[i] * b.vertices[simplex.corner[i].b];
  }
  const double distance = v.norm();
  result.distance = distance <= tolerance || simplex.count == 4 ? 0.0 : distance;
  return result;
}

}  // namespace scree::collision
