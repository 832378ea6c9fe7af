/// Ellipsoids against spheres and against each other.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "collision/ellipsoid.hpp"
#include "collision/narrow_phase.hpp"

namespace scree::collision {

namespace {

constexpr int kEllipsoidSteps = 60;    // of Newton's method; quadratic convergence needs about six
constexpr int kCellLevels = 4;  // of cells of directions, a tenth of a radian wide: within one Newton's method finds the least value
constexpr double kTurn = 0.4;  // longest step on the unit sphere, radians

/// Support function of A - B, whose least value over unit vectors is minus the gap:
///   h(n) = n.(c_a - c_b) + |M_a^T n| + |M_b^T n|.
struct Difference {
  Vec3 shift;
  Mat3 Ma, Mb, Sa, Sb;  // S = M M^T

  Difference(const EllipsoidView& a, const EllipsoidView& b)
      : shift(a.center - b.center), Ma(a.axes * a.radii.asDiagonal()), Mb(b.axes * b.radii.asDiagonal()),
        Sa(Ma * Ma.transpose()), Sb(Mb * Mb.transpose()) {}

  /// Value, gradient and Hessian.
  double expand(const Vec3& n, Vec3& gradient, Mat3& hessian) const {
    const Vec3 a = Ma.transpose() * n, b = Mb.transpose() * n;
    const double ha = a.norm(), hb = b.norm();
    const Vec3 xa = Ma * a / ha, xb = Mb * b / hb;
    gradient = shift + xa + xb;
    hessian = (Sa - xa * xa.transpose()) / ha + (Sb - xb * xb.transpose()) / hb;
    return n.dot(shift) + ha + hb;
  }
};

/// Two unit vectors that complete n to a frame.
void tangents(const Vec3& n, Vec3& t1, Vec3& t2) {
  int axis = 0;
  n.cwiseAbs().minCoeff(&axis);
  t1 = n.cross(Vec3::Unit(axis)).normalized();
  t2 = n.cross(t1);
}

/// Newton step on the unit sphere for the tangential gradient g and Hessian K, made a descent
/// direction by taking eigenvalues by modulus.
Vec2 descent_step(const Mat2& K, const Vec2& g) {
  const Symmetric2 eigen(K(0, 0), K(0, 1), K(1, 1));
  const Vec2 along = eigen.vectors.transpose() * g;
  const Vec2 modulus = eigen.values.cwiseAbs();
  const double least = 1e-14 * modulus.maxCoeff();
  Vec2 step = Vec2::Zero();
  for (int i = 0; i < 2; ++i)
    if (modulus[i] > least) step[i] = -along[i] / modulus[i];
  const Vec2 result = eigen.vectors * step;
  const double length = result.norm();
  return length > kTurn ? Vec2(result * (kTurn / length)) : result;
}

/// Local minimum of h on the unit sphere, from n; returns the value there, or the first one met below `enough`.
double minimise(const Difference& difference, Vec3& n, double scale, double enough) {
  Vec3 gradient, t1, t2, trial, trial_gradient;
  Mat3 hessian, trial_hessian;
  double h = difference.expand(n, gradient, hessian);
  for (int iteration = 0; iteration < kEllipsoidSteps && h >= enough; ++iteration) {
    tangents(n, t1, t2);
    const Vec2 g(t1.dot(gradient), t2.dot(gradient));
    const Vec3 k1 = hessian * t1, k2 = hessian * t2;
    Mat2 K;
    K << t1.dot(k1) - h, t1.dot(k2), t2.dot(k1), t2.dot(k2) - h;
    Vec2 step = descent_step(K, g);
    const double predicted = g.dot(step);
    if (step.norm() < 1e-15 || g.norm() < 1e-16 * scale) break;

    // Halve the step until the value falls; below rounding any full step is taken.
    const bool last = std::abs(predicted) < 1e-15 * scale;
    double value = 0.0;
    bool found = false;
    for (int halving = 0; halving < 40 && !found; ++halving, step *= 0.5) {
      trial = (n + step[0] * t1 + step[1] * t2).normalized();
      value = difference.expand(trial, trial_gradient, trial_hessian);
      found = last || value <= h + 1e-4 * g.dot(step);
    }
    if (!found) break;
    n = trial;
    h = value;
    gradient = trial_gradient;
    hessian = trial_hessian;
    if (last) break;
  }
  return h;
}

/// Directions of the unit sphere within a spherical triangle.
struct Cell {
  std::array<Vec3, 3> corners;
  int level = 0;
};

/// h is at least  x . n  for every point x of A - B. With x the one that ends it along the middle of a cell, this is the least that h can be in the cell.
double least_in_cell(const Difference& difference, const Cell& cell, Vec3& middle) {
  middle = (cell.corners[0] + cell.corners[1] + cell.corners[2]).normalized();
  double cosine = 1.0;
  for (const Vec3& corner : cell.corners) cosine = std::min(cosine, middle.dot(corner));
  Vec3 x;
  Mat3 hessian;
  const double h = difference.expand(middle, x, hessian), across = std::sqrt(std::max(0.0, x.squaredNorm() - h * h));
  return h * cosine - across * std::sqrt(std::max(0.0, 1.0 - cosine * cosine));
}

/// Global minimum of h, from a local one: cells that may hold a lesser value are divided, and the smallest of them searched.
double minimise_everywhere(const Difference& difference, Vec3& normal, double scale, double least) {
  std::vector<Cell> cells;
  for (const double x : {1.0, -1.0})
    for (const double y : {1.0, -1.0})
      for (const double z : {1.0, -1.0}) cells.push_back({{x * Vec3::UnitX(), y * Vec3::UnitY(), z * Vec3::UnitZ()}});
  while (!cells.empty()) {
    const Cell cell = cells.back();
    cells.pop_back();
    Vec3 n;
    if (least_in_cell(difference, cell, n) >= least - 1e-12 * scale) continue;
    if (cell.level == kCellLevels) {
      const double value = minimise(difference, n, scale, -kInfinity);
      if (value < least - 1e-12 * scale) least = value, normal = n;
      continue;
    }
    const auto& [u, v, w] = cell.corners;
    const Vec3 uv = (u + v).normalized(), vw = (v + w).normalized(), wu = (w + u).normalized();
    for (const auto& corners : {std::array{u, uv, wu}, std::array{uv, v, vw}, std::array{wu, vw, w}, std::array{uv, vw, wu}})
      cells.push_back({corners, cell.level + 1});
  }
  return least;
}

}  // namespace

bool touch_sphere_ellipsoid(const Ball& a, const EllipsoidView& b, double limit, Manifold& out) {
  const EllipsoidFoot<3> foot = nearest_on_ellipsoid<3>(b.radii, b.axes.transpose() * (a.center - b.center));
  const double gap = foot.distance - a.radius;
  if (gap > limit) return false;
  const Vec3 outward = b.axes * foot.normal;
  out.normal = -outward;
  const double rb = b.curvature_radius(outward);
  out.add(b.center + b.axes * foot.point + 0.5 * gap * outward, gap,
          curved_patch_area(a.radius * rb / (a.radius + rb), gap), 0);
  return true;
}

bool touch_ellipsoids(const EllipsoidView& a, const EllipsoidView& b, double limit, Manifold& out) {
  const Difference difference(a, b);
  const double scale = a.radii.maxCoeff() + b.radii.maxCoeff();

  // Start near the answer; any direction that parts the two by more than the limit ends the search.
  Vec3 normal = (difference.Sa + difference.Sb).inverse() * -difference.shift;
  const double length = normal.norm();
  normal = length > 0.0 && std::isfinite(length) ? Vec3(normal / length) : a.axes.col(0).eval();
  double least = minimise(difference, normal, scale, -limit);
  if (least < -limit) return false;
  // A minimum no deeper than the radius of balls that roll inside A - B is the least of all: the ball that touches
  // there lies in A - B, and the origin is as far from its surface as from the minimum.
  if (least > a.rolling_radius() + b.rolling_radius()) least = minimise_everywhere(difference, normal, scale, least);
  const double gap = -least;
  if (gap > limit) return false;
  out.normal = normal;
  const double ra = a.curvature_radius(normal), rb = b.curvature_radius(normal);
  out.add(0.5 * (a.support(normal) + b.support(-normal)), gap, curved_patch_area(ra * rb / (ra + rb), gap), 0);
  return true;
}

}  // namespace scree::collision
