/// Cells cover space once and share the weight.
#include "parallel/partition.hpp"

#include <random>

#include <gtest/gtest.h>

namespace scree::parallel {
namespace {

TEST(Bisection, CellsHoldEveryPointOnceAndShareTheWeight) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> in(-1.0, 1.0);
  for (const int parts : {1, 2, 3, 5, 8, 27}) {
    std::vector<Vec3> points(3000);
    std::vector<double> weights(points.size());
    double total = 0.0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      points[k] = {in(random), 3.0 * in(random), 0.2 * in(random)};
      total += weights[k] = 1.5 + in(random);
    }
    const std::vector<Cell> cells = Bisection().cut(points, weights, {}, parts);
    ASSERT_EQ(static_cast<int>(cells.size()), parts);
    std::vector<double> held(cells.size(), 0.0);
    for (std::size_t k = 0; k < points.size(); ++k) {
      int holders = 0;
      for (const Cell& cell : cells) holders += cell.contains(points[k]) ? 1 : 0;
      EXPECT_EQ(holders, 1);
      held[static_cast<std::size_t>(locate(cells, points[k]))] += weights[k];
    }
    // A cut is off by at most one point's weight (2.5), at each of five levels.
    for (const double weight : held) EXPECT_NEAR(weight, total / parts, 5 * 2.5);
    // Far away, and on a cut, somebody owns space, too.
    for (const Vec3& x : {Vec3(1e300, 0, 0), Vec3(-1e300, -1e300, 5), cells.back().low.cwiseMax(-1e9).eval()}) {
      int holders = 0;
      for (const Cell& cell : cells) holders += cell.contains(x) ? 1 : 0;
      EXPECT_EQ(holders, 1);
    }
  }
}

TEST(Bisection, PointsInOnePlaceStayInOneCell) {
  const std::vector<Vec3> points(10, Vec3(1, 2, 3));
  const std::vector<double> weights(10, 1.0);
  const std::vector<Cell> cells = Bisection().cut(points, weights, {}, 4);
  const int home = locate(cells, points.front());
  EXPECT_TRUE(cells[static_cast<std::size_t>(home)].contains(points.front()));
  EXPECT_EQ(Bisection().cut({}, {}, {}, 3).size(), 3u);  // nobody at all
}

}  // namespace
}  // namespace scree::parallel
