#include "helpers.hpp"

namespace scree::geometry::testing {

TEST(Piece, BoundsOfRotatedEllipsoidAreReached) {
  const Mat3 axes = random_rotation(3);
  const Piece piece = make_ellipsoid({1, 2, 3}, {0.5, 1.0, 2.0}, 0, 0, axes).pieces[0];
  const Box box = piece.bounds();
  // The farthest point along e is center + M M^T e / |M^T e| with M = axes diag(radii).
  const Mat3 M = axes * Vec3(0.5, 1.0, 2.0).asDiagonal();
  for (int a = 0; a < 3; ++a) {
    const Vec3 top = Vec3(1, 2, 3) + M * (M.transpose() * Vec3::Unit(a)).normalized();
    EXPECT_NEAR(box.high[a], top[a], 1e-14);
    EXPECT_NEAR(box.low[a], 2.0 * Vec3(1, 2, 3)[a] - top[a], 1e-14);
  }
}

TEST(Piece, ContainsAgreesWithTheDefinition) {
  const Piece sphere = make_sphere({1, 0, 0}, 2.0, 0, 0).pieces[0];
  EXPECT_TRUE(sphere.contains({3, 0, 0}));
  EXPECT_FALSE(sphere.contains({3.0 + 1e-12, 0, 0}));
  const Mat3 axes = random_rotation(4);
  const Piece ellipsoid = make_ellipsoid(Vec3::Zero(), {1, 2, 3}, 0, 0, axes).pieces[0];
  const Vec3 on = axes * Vec3(1, 2, 3).cwiseProduct(Vec3(1, 1, 1).normalized());
  EXPECT_TRUE(ellipsoid.contains(0.999999 * on));
  EXPECT_FALSE(ellipsoid.contains(1.000001 * on));
  const Piece box = make_box(Vec3::Zero(), Vec3::Ones(), 0, 0).pieces[0];
  EXPECT_TRUE(box.contains({1, 1, 1}));
  EXPECT_TRUE(box.contains({0.5, 0, 0.5}));
  EXPECT_FALSE(box.contains({0.5, -1e-12, 0.5}));
}

TEST(Piece, VolumeAgreesWithCountingPoints) {
  // 2e5 samples of a body that fills about half of its box: standard error about 0.2 %; 5 deviations allowed.
  const std::vector<Vec3> cloud = random_points(20, 11);
  const std::array<Piece, 2> pieces{make_hull(cloud, 0, 0).pieces[0], make_ellipsoid({1, 1, 1}, {1, 2, 3}, 0, 0, random_rotation(5)).pieces[0]};
  for (const Piece& piece : pieces) {
    const Box box = piece.bounds();
    int inside = 0;
    const std::vector<Vec3> samples = random_points(200000, 12);
    for (const Vec3& s : samples) inside += piece.contains(box.center() + 0.5 * box.extent().cwiseProduct(s));
    EXPECT_NEAR(inside / 200000.0 * box.extent().prod() / piece.volume(), 1.0, 0.01);
  }
}

TEST(Shape, SizeIsTheDiagonalOfTheBounds) {
  EXPECT_EQ(Shape{}.size(), 0.0);
  EXPECT_TRUE(Shape{}.bounds().empty());
  EXPECT_DOUBLE_EQ(make_box({0, 0, 0}, {1, 2, 2}, 0, 0).size(), 3.0);
  EXPECT_DOUBLE_EQ(make_sphere({5, 5, 5}, 1, 0, 0).size(), std::sqrt(12.0));
}

}  // namespace scree::geometry::testing
