#include "collision/narrow_phase.hpp"

#include <cmath>

namespace scree::collision {

double curved_patch_area(double effective_radius, double gap) {
  return 2.0 * kPi * effective_radius * std::max(-gap, 1e-6 * effective_radius);
}

bool touch(const PieceStore& store, int a, int b, const NarrowOptions& options, NarrowScratch& scratch, Manifold& out) {
  out.count = 0;
  out.surface_a = store.surface(a);
  out.surface_b = store.surface(b);
  const Kind kind_a = store.kind(a), kind_b = store.kind(b);
  // The functions below exist for one order of kinds; the other order is the same pair seen from b.
  if (kind_a > kind_b) {
    if (!touch(store, b, a, options, scratch, out)) return false;
    out.flip();
    return true;
  }
  const double limit = options.limit;
  if (kind_b == Kind::sphere) return touch_spheres(store.ball(a), store.ball(b), limit, out);

  // Bounding balls reject most of the rest.
  const Ball& ball_a = store.ball(a);
  const Ball& ball_b = store.ball(b);
  const double apart = ball_a.radius + ball_b.radius + limit;
  if ((ball_b.center - ball_a.center).squaredNorm() > apart * apart) return false;
  if (kind_b == Kind::ellipsoid) {
    if (kind_a == Kind::sphere) return touch_sphere_ellipsoid(ball_a, store.ellipsoid(b), limit, out);
    return touch_ellipsoids(store.ellipsoid(a), store.ellipsoid(b), limit, out);
  }
  const PolyhedronView polyhedron = store.polyhedron(b);
  switch (kind_a) {
    case Kind::sphere: return touch_sphere_polyhedron(ball_a, polyhedron, limit, out);
    case Kind::ellipsoid: return touch_ellipsoid_polyhedron(store.ellipsoid(a), polyhedron, limit, out);
    default: return touch_polyhedra(store.polyhedron(a), polyhedron, options, scratch, out);
  }
}

bool touch_spheres(const Ball& a, const Ball& b, double limit, Manifold& out) {
  const Vec3 between = b.center - a.center;
  const double apart = a.radius + b.radius + limit;
  const double square = between.squaredNorm();
  if (square > apart * apart) return false;
  const double distance = std::sqrt(square);
  out.normal = distance > 0.0 ? Vec3(between / distance) : Vec3(Vec3::UnitZ());
  const double gap = distance - a.radius - b.radius;
  out.add(a.center + (a.radius + 0.5 * gap) * out.normal, gap,
          curved_patch_area(a.radius * b.radius / (a.radius + b.radius), gap), 0);
  return true;
}

}  // namespace scree::collision
