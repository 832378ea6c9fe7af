#include "solvers/law.hpp"
#include "draws.hpp"

#include <gtest/gtest.h>

#include <random>

namespace scree::solvers {
namespace {

TEST(Cone, ProjectionIsTheNearestPoint) {
  // Optimality on a convex cone: p in K, x - p in the polar cone, (x - p).p = 0.
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 5000; ++trial) {
    const double mu = std::abs(normal(random));
    const Vec3 x = scree::testing::vector_of([&] { return normal(random); });
    const Vec3 p = project_on_cone(x, mu), rest = x - p;
    EXPECT_LE(p.tail<2>().norm(), mu * p.x() + 1e-15);
    EXPECT_NEAR(rest.dot(p), 0.0, 1e-14);
    // Polar of |r_T| <= mu r_N:  r_N <= -mu |r_T|.
    EXPECT_LE(rest.x() + mu * rest.tail<2>().norm(), 1e-14);
  }
}

TEST(Cone, InsideIsUntouchedAndPolarIsExactlyZero) {
  const Vec3 inside(2.0, 0.3, -0.4);
  EXPECT_EQ(project_on_cone(inside, 0.5), inside);
  EXPECT_EQ(project_on_cone(Vec3(-2.0, 0.3, -0.4), 0.5), Vec3(Vec3::Zero()));
}

TEST(Cone, FrictionlessIsTheHalfLine) {
  EXPECT_EQ(project_on_cone(Vec3(2.0, 3.0, 4.0), 0.0), Vec3(2.0, 0.0, 0.0));
  EXPECT_EQ(project_on_cone(Vec3(-2.0, 3.0, 4.0), 0.0), Vec3(Vec3::Zero()));
}

TEST(Cone, OtherKindsOfBlocks) {
  const Vec3 x(-1.0, 2.0, 3.0);
  EXPECT_EQ(project_on_block(x, BlockKind::bilateral, 0.0), x);
  EXPECT_EQ(project_on_block(x, BlockKind::direction, 0.0), Vec3(-1.0, 0.0, 0.0));
}

TEST(Cone, Disk) {
  EXPECT_EQ(project_on_disk(Vec2(0.3, 0.4), 1.0), Vec2(0.3, 0.4));
  EXPECT_NEAR((project_on_disk(Vec2(3.0, 4.0), 1.0) - Vec2(0.6, 0.8)).norm(), 0.0, 1e-15);
  EXPECT_EQ(project_on_disk(Vec2(3.0, 4.0), 0.0), Vec2(0.0, 0.0));
}

}  // namespace
}  // namespace scree::solvers
