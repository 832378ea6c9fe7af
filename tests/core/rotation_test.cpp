/// Rotations: the exponential map, its inverse and derivative, frames (theory eq. 2.6), over random vectors of any size.
#include "core/rotation.hpp"

#include <gtest/gtest.h>

#include <random>

namespace scree {
namespace {

class Vectors {
 public:
  Vec3 operator()(double length) {
    std::normal_distribution<> normal;
    return length * Vec3{normal(random_), normal(random_), normal(random_)}.normalized();
  }
  double angle(double low, double high) { return std::exp(std::uniform_real_distribution<>(std::log(low), std::log(high))(random_)); }

 private:
  std::mt19937 random_{7};
};

TEST(Rotation, ExponentialIsARotationAboutItsVector) {
  Vectors vectors;
  for (int k = 0; k < 2000; ++k) {
    const Vec3 a = vectors(vectors.angle(1e-12, 50.0)), other = vectors(1.0);
    const Mat3 R = exp_rotation(a);
    EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 1e-14);
    EXPECT_NEAR(R.determinant(), 1.0, 1e-14);
    EXPECT_LT((R * a - a).norm(), 1e-14 * a.norm());
    // Eigen's own rotation is the oracle; rounding of the angle grows with it.
    EXPECT_LT((R - Eigen::AngleAxisd(a.norm(), a.normalized()).toRotationMatrix()).norm(), 1e-14 * (1.0 + a.norm()));
    EXPECT_LT((exp_rotation(-a) * (R * other) - other).norm(), 1e-14);
  }
  EXPECT_EQ(exp_rotation(Vec3::Zero()), Mat3::Identity());
}

TEST(Rotation, TangentMatchesDifferences) {
  Vectors vectors;
  for (int k = 0; k < 200; ++k) {
    const Vec3 a = vectors(vectors.angle(1e-6, 6.0)), da = vectors(1e-6);
    const Mat3 change = exp_rotation(a).transpose() * (exp_rotation(a + da) - exp_rotation(a - da)) / 2.0;
    // Central differences of 1e-6: errors of 1e-12 by their third derivative and of 1e-16 by rounding.
    EXPECT_LT((change - skew(exp_rotation_tangent(a) * da)).norm(), 1e-11 * 1e-3);
  }
}

TEST(Rotation, FramesAreRightHandedAndBeginWithTheirNormal) {
  Vectors vectors;
  for (int k = 0; k < 1000; ++k) {
    Vec3 n = vectors(1.0);
    if (k % 4 == 0) n = Vec3::Unit(k / 4 % 3) * (k % 8 ? 1.0 : -1.0);
    const Mat3 frame = frame_from_normal(n);
    EXPECT_LT((frame.row(0).transpose() - n).norm(), 1e-15);
    EXPECT_LT((frame * frame.transpose() - Mat3::Identity()).norm(), 1e-14);
    EXPECT_NEAR(frame.determinant(), 1.0, 1e-14);
  }
}

TEST(Rotation, OrthonormalisedTakesDriftOut) {
  Vectors vectors;
  for (int k = 0; k < 200; ++k) {
    Mat3 noise;
    noise << vectors(1e-4), vectors(1e-4), vectors(1e-4);
    const Mat3 R = exp_rotation(vectors(2.0)), drifted = R + noise, mended = orthonormalised(drifted);
    // Newton-Schulz converges quadratically.
    EXPECT_LT((mended.transpose() * mended - Mat3::Identity()).norm(), 1e-6 * 1e-1);
    EXPECT_LT((mended - R).norm(), 3e-4);
  }
}

}  // namespace
}  // namespace scree
