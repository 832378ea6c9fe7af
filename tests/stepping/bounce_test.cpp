/// The instant of an impact within a step.
#include "stepping/bounce.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace scree::stepping {
namespace {

TEST(Bounce, ClosesWhereTheParabolaDoes) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  int found = 0;
  for (int k = 0; k < 5000; ++k) {
    Approach approach{0.01 * (1.0 + any(random)), any(random), any(random), k % 2 ? 0.01 : 0.0, 0.02};
    const double v = approach.at_start(), a = approach.acceleration();
    const auto gap = [&](double t) { return approach.gap + v * t + 0.5 * a * t * t; };
    const auto bounce = find_bounce(approach);
    if (bounce) {
      ++found;
      EXPECT_GE(bounce->time, 0.0);
      EXPECT_LE(bounce->time, approach.h);
      EXPECT_NEAR(gap(bounce->time), 0.0, 1e-15);
      EXPECT_NEAR(v + a * bounce->time, -bounce->closing, 1e-12);
    }
    // Nothing closes before.
    const double until = bounce ? bounce->time : approach.h;
    for (int i = 0; i < 20; ++i) EXPECT_GT(gap(until * i / 20.0), -1e-15) << k;
  }
  EXPECT_GT(found, 500);
}

TEST(Bounce, ElasticOnesKeepTheParabola) {
  // Without loads the gap after is what the way would be beyond; the velocity reverses.
  const auto bounce = find_bounce({0.3, -2.0, -2.0, 0.05, 0.2});
  ASSERT_TRUE(bounce);
  EXPECT_NEAR(bounce->time, 0.15, 1e-15);
  EXPECT_NEAR(gap_after(*bounce, 1.0, 0.2), 0.1, 1e-15);
  EXPECT_NEAR(gap_after(*bounce, 0.5, 0.2), 0.05, 1e-15);
  EXPECT_EQ(ahead(*bounce, 0.2), 0.0);
  // An overlap that closes does so at once; one that opens, or a gap that loads open in time, does not.
  EXPECT_EQ(find_bounce({-0.1, -1.0, -1.0, 0.0, 0.1})->time, 0.0);
  EXPECT_FALSE(find_bounce({-0.1, 1.0, 1.0, 0.0, 0.1}));
  EXPECT_FALSE(find_bounce({0.1, -1.0, 1.0, 0.0, 0.1}));
}

}  // namespace
}  // namespace scree::stepping
