#include "collision/overlaps.hpp"

#include "shapes.hpp"

namespace scree::collision {
namespace {

using namespace testing;

// Spheres and boxes in a row, each pair with a depth of its own: they come back deepest first.
TEST(overlaps, names_pairs_and_depths) {
  World world;
  const double depths[] = {0.01, -0.1, 0.2, 1e-9, 0.05};
  double x = 0.0;
  for (int body = 0; body < 6; ++body) {
    if (body > 0) x += 1.0 - depths[body - 1];
    world.add_body(body, body % 2 ? sphere(0.5) : shape_of(box({0.5, 0.5, 0.5})), true);
    world.place(body, Mat3::Identity(), Vec3::Zero(), {x, 0, 0}, 0.0);
  }
  const auto found = overlaps(detect(world, 0.01), 1e-6);
  ASSERT_EQ(found.size(), 3u);
  const std::pair<int, double> expected[] = {{2, 0.2}, {4, 0.05}, {0, 0.01}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(found[i].body_a, expected[i].first);
    EXPECT_EQ(found[i].body_b, expected[i].first + 1);
    EXPECT_NEAR(found[i].depth, expected[i].second, 1e-12);
  }
  EXPECT_EQ(overlaps(detect(world, 0.01), 0.0).size(), 4u);
  EXPECT_TRUE(overlaps({}, 0.0).empty());
}

}  // namespace
}  // namespace scree::collision
