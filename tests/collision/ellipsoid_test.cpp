#include "collision/ellipsoid.hpp"

#include "collision/narrow_phase.hpp"
#include "shapes.hpp"

namespace scree::collision {
namespace {

using namespace testing;

EllipsoidView random_ellipsoid(Random& random, double aspect) {
  EllipsoidView e;
  e.center = random.vector(-1, 1);
  e.axes = random.rotation();
  for (int i = 0; i < 3; ++i) e.radii[i] = std::pow(aspect, random.uniform(-1, 0));
  e.radii[random.integer(3)] = 1.0;
  return e;
}

TEST(nearest_on_ellipsoid, is_on_the_surface_and_perpendicular) {
  Random random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    Vec3 radii;
    for (int i = 0; i < 3; ++i) radii[i] = std::pow(100.0, random.uniform(-1, 0));
    Vec3 y = random.vector(-1.5, 1.5);
    if (trial % 5 == 1) y = y.cwiseProduct(radii) * 0.4;   // inside
    if (trial % 5 == 2) y[random.integer(3)] = 0.0;        // on a symmetry plane
    if (trial % 5 == 3) y *= 1e-12;                        // at the centre
    const auto foot = nearest_on_ellipsoid<3>(radii, y);
    EXPECT_NEAR(foot.point.cwiseQuotient(radii).norm(), 1.0, 1e-13);
    EXPECT_NEAR(foot.normal.norm(), 1.0, 1e-13);
    EXPECT_LT((foot.point + foot.distance * foot.normal - y).norm(), 2e-13) << trial;
    EXPECT_EQ(foot.distance < 0.0, y.cwiseQuotient(radii).norm() < 1.0);
    // No sampled surface point is nearer.
    for (int k = 0; k < 200; ++k) {
      const Vec3 x = radii.cwiseProduct(random.direction());
      EXPECT_GT((x - y).norm(), std::abs(foot.distance) - 1e-12);
    }
  }
}

TEST(nearest_on_ellipsoid, centre_of_a_sphere_and_of_a_disc) {
  EXPECT_NEAR(nearest_on_ellipsoid<3>(Vec3(2, 2, 2), Vec3::Zero()).distance, -2.0, 1e-15);
  const auto disc = nearest_on_ellipsoid<3>(Vec3(1, 0.1, 1), Vec3::Zero());
  EXPECT_NEAR(disc.distance, -0.1, 1e-15);
  EXPECT_NEAR(std::abs(disc.normal.y()), 1.0, 1e-15);
  EXPECT_NEAR(nearest_on_ellipsoid<2>(Vec2(3, 1), Vec2(5, 0)).distance, 2.0, 1e-15);
}

// Two ellipsoids that have the normal n in common at their surface points, a distance g apart: for g >= 0 that
// is their distance, whatever their shape.
TEST(ellipsoids, near_touching_gap_and_normal_are_exact) {
  Random random(2);
  for (int trial = 0; trial < 3000; ++trial) {
    const double aspect = trial % 3 == 0 ? 2.0 : trial % 3 == 1 ? 10.0 : 100.0;
    const EllipsoidView a = random_ellipsoid(random, aspect);
    EllipsoidView b = random_ellipsoid(random, aspect);
    const Vec3 n = random.direction();
    const double gap = trial % 4 == 0 ? 0.0 : std::pow(10.0, random.uniform(-12, -2));
    b.center += a.support(n) + gap * n - b.support(-n);
    Manifold out;
    ASSERT_TRUE(touch_ellipsoids(a, b, 0.02, out)) << trial;
    EXPECT_NEAR(out.points[0].gap, gap, 1e-14) << trial;
    // The normal is as good as the curvature allows: it turns by an offset over the largest radius.
    EXPECT_LT((out.normal - n).norm(), 1e-10) << trial << " aspect " << aspect;
    EXPECT_LT((out.points[0].point - 0.5 * (a.support(n) + b.support(-n))).norm(), 1e-8) << trial;
  }
}

TEST(ellipsoids, shallow_overlap_of_needles) {
  // Overlap far below the least radius of curvature: the common normal is still the least way out.
  Random random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const EllipsoidView a = random_ellipsoid(random, 100.0);
    EllipsoidView b = random_ellipsoid(random, 100.0);
    const Vec3 n = random.direction();
    const double gap = -1e-7 * std::pow(10.0, random.uniform(-3, 0));
    b.center += a.support(n) + gap * n - b.support(-n);
    Manifold out;
    ASSERT_TRUE(touch_ellipsoids(a, b, 0.0, out));
    EXPECT_GT(out.points[0].gap, gap - 1e-14) << trial;
    EXPECT_LT(out.points[0].gap, 1e-14) << trial;
  }
}

TEST(ellipsoids, crossed_and_parallel_needles_overlapping_deeply) {
  const EllipsoidView a{Vec3::Zero(), Mat3::Identity(), Vec3(1, 0.01, 0.01)};
  EllipsoidView b = a;
  b.axes = exp_rotation(Vec3(0, 0, kPi / 2));
  b.center = {0.2, 0.3, 0.005};
  Manifold out;
  ASSERT_TRUE(touch_ellipsoids(a, b, 0.0, out));
  EXPECT_GT(out.normal.z(), 0.9);
  Random random(4);
  for (int trial = 0; trial < 300; ++trial) {
    // Deep overlap of any orientation: no sampled direction does better.
    b.axes = random.rotation();
    b.center = random.vector(-0.3, 0.3).cwiseProduct(Vec3(1, 0.05, 0.05));
    Manifold found;
    if (!touch_ellipsoids(a, b, 0.0, found)) continue;
    const auto h = [&](const Vec3& n) { return n.dot(b.center) - a.extent(n) - b.extent(n); };
    const double gap = found.points[0].gap;
    EXPECT_NEAR(h(found.normal), gap, 1e-13);
    for (int k = 0; k < 20000; ++k) ASSERT_LT(h(random.direction()), gap + 1e-9) << trial;
  }
}

TEST(ellipsoids, coincident_centres) {
  const EllipsoidView a{Vec3(1, 2, 3), Mat3::Identity(), Vec3(3, 2, 1)};
  Manifold out;
  ASSERT_TRUE(touch_ellipsoids(a, a, 0.0, out));
  EXPECT_NEAR(out.points[0].gap, -2.0, 1e-13);
  EXPECT_NEAR(std::abs(out.normal.z()), 1.0, 1e-9);
  const EllipsoidView ball{Vec3::Zero(), Mat3::Identity(), Vec3(1, 1, 1)};
  ASSERT_TRUE((out.count = 0, touch_ellipsoids(ball, ball, 0.0, out)));
  EXPECT_NEAR(out.points[0].gap, -2.0, 1e-13);
  EXPECT_NEAR(out.normal.norm(), 1.0, 1e-14);
}

TEST(ellipsoids, spheres_and_ellipsoids_agree) {
  Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const EllipsoidView e = random_ellipsoid(random, 10.0);
    const Ball ball{random.vector(-1, 1), random.uniform(0.1, 1.0)};
    const EllipsoidView as_ellipsoid{ball.center, random.rotation(), Vec3::Constant(ball.radius)};
    Manifold p, q;
    const bool hit = touch_sphere_ellipsoid(ball, e, 0.3, p);
    ASSERT_EQ(touch_ellipsoids(as_ellipsoid, e, 0.3, q), hit);
    if (!hit) continue;
    EXPECT_NEAR(p.points[0].gap, q.points[0].gap, 1e-13);
    EXPECT_NEAR(p.normal.dot(q.normal), 1.0, 1e-9);
  }
}

TEST(spheres, contact_is_the_closed_form) {
  Manifold out;
  ASSERT_TRUE(touch_spheres({Vec3(0, 0, 0), 1.0}, {Vec3(0, 3, 4), 3.5}, 0.6, out));
  EXPECT_DOUBLE_EQ(out.points[0].gap, 0.5);
  EXPECT_LT((out.normal - Vec3(0, 0.6, 0.8)).norm(), 1e-15);
  EXPECT_LT((out.points[0].point - 1.25 * Vec3(0, 0.6, 0.8)).norm(), 1e-15);
  EXPECT_FALSE(touch_spheres({Vec3(0, 0, 0), 1.0}, {Vec3(0, 3, 4), 3.5}, 0.49, out));
  out.count = 0;
  ASSERT_TRUE(touch_spheres({Vec3(1, 1, 1), 1.0}, {Vec3(1, 1, 1), 2.0}, 0.0, out));
  EXPECT_DOUBLE_EQ(out.points[0].gap, -3.0);
  EXPECT_DOUBLE_EQ(out.normal.norm(), 1.0);
}

/// Sphere or ellipsoid against a unit cube, through the world.
std::vector<ContactPoint> on_cube(const Shape& shape, const Vec3& position, double margin) {
  Duo duo{shape_of(box({1, 1, 1})), shape};
  duo.xb = position;
  return duo.detect(margin);
}

TEST(sphere_polyhedron, face_edge_vertex_and_inside) {
  struct Case {
    Vec3 position;
    double gap;
    Vec3 normal;
  };
  const Case cases[] = {
      {{0.3, -0.2, 1.6}, 0.1, Vec3::UnitZ()},
      {{0.3, -0.2, 1.4}, -0.1, Vec3::UnitZ()},
      {{1.3, 0.1, 1.4}, 0.0, {0.6, 0, 0.8}},
      {{1.24, 0.1, 1.32}, -0.1, {0.6, 0, 0.8}},
      {{1.0 + 0.2, 1.0 + 0.2, 1.0 + 0.1}, -0.2, Vec3(2, 2, 1) / 3.0},
      {{0.2, 0.3, 0.9}, -0.6, Vec3::UnitZ()},
      {{-0.95, 0.3, 0.9}, -0.55, -Vec3::UnitX()},
      {{0.0, 0.0, 1.0}, -0.5, Vec3::UnitZ()},
  };
  for (const Case& c : cases) {
    const auto contacts = on_cube(sphere(0.5), c.position, 0.2);
    ASSERT_EQ(contacts.size(), 1u);
    EXPECT_NEAR(contacts[0].gap, c.gap, 1e-14);
    EXPECT_LT((contacts[0].normal - c.normal).norm(), 1e-12);
    const Vec3 foot = c.position - (0.5 + c.gap) * c.normal;
    EXPECT_LT((contacts[0].point - (foot + 0.5 * c.gap * c.normal)).norm(), 1e-12);
  }
  EXPECT_EQ(on_cube(sphere(0.5), {0, 0, 0}, 0.0).size(), 1u);
  EXPECT_TRUE(on_cube(sphere(0.5), {1.5, 1.5, 1.5}, 0.1).empty());
}

TEST(ellipsoid_polyhedron, face_edge_and_vertex_are_exact) {
  Random random(6);
  for (int trial = 0; trial < 500; ++trial) {
    const EllipsoidView e = random_ellipsoid(random, trial % 2 ? 100.0 : 3.0);
    // A corner of the cube, the middle of an edge or of a face, and a normal from its cone.
    const int kind = trial % 3;
    const Vec3 corner(1, kind >= 1 ? 0.1 : 1, kind == 2 ? 0.2 : 1);
    Vec3 m = random.vector(0.2, 1);
    if (kind >= 1) m[1] = 0.0;
    if (kind == 2) m[2] = 0.0;
    m.normalize();
    const double gap = random.uniform(0, 1) < 0.3 ? 0.0 : std::pow(10.0, random.uniform(-12, -2));
    Shape shape = shape_of(geometry::Ellipsoid{Vec3::Zero(), e.radii, e.axes});
    const Vec3 position = corner + gap * m - (e.support(-m) - e.center);
    const auto contacts = on_cube(shape, position, 0.02);
    ASSERT_EQ(contacts.size(), 1u);
    EXPECT_NEAR(contacts[0].gap, gap, 1e-12) << trial;
    EXPECT_LT((contacts[0].normal - m).norm(), 1e-7) << trial << " kind " << kind << " gap " << gap;
    EXPECT_LT((contacts[0].point - (corner + 0.5 * gap * m)).norm(), 1e-6) << trial;
  }
}

}  // namespace
}  // namespace scree::collision
