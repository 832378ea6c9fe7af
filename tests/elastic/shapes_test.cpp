#include "elastic/shapes.hpp"

#include <gtest/gtest.h>

#include <random>

namespace scree::elastic {
namespace {

constexpr Kind kKinds[] = {Kind::tet4, Kind::pyramid5, Kind::wedge6, Kind::hex8, Kind::tet10, Kind::pyramid13, Kind::wedge15, Kind::hex20};

Vec3 random_inside(Kind kind, std::mt19937& random) {
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  for (;;) {
    const Vec3 x(u(random), u(random), u(random));
    if (natural_excess(kind, x) < -0.01) return x;
  }
}

TEST(Shapes, OneAtTheirNodeZeroAtOthers) {
  for (Kind kind : kKinds) {
    for (int a = 0; a < node_count(kind); ++a) {
      double N[kMostNodes];
      shape_values(kind, node_natural(kind, a), N);
      // The apex of a pyramid is approached to 1e-9.
      for (int b = 0; b < node_count(kind); ++b) EXPECT_NEAR(N[b], a == b ? 1.0 : 0.0, 1e-8) << name(kind) << a << " " << b;
    }
  }
}

TEST(Shapes, LinearFieldsAreReproducedAndGradientsFit) {
  std::mt19937 random(3);
  for (Kind kind : kKinds) {
    for (int trial = 0; trial < 20; ++trial) {
      const Vec3 x = random_inside(kind, random);
      double N[kMostNodes], plus[kMostNodes], minus[kMostNodes];
      Vec3 dN[kMostNodes], place = Vec3::Zero();
      shape_values(kind, x, N);
      shape_gradients(kind, x, dN);
      double sum = 0.0;
      for (int a = 0; a < node_count(kind); ++a) sum += N[a], place += N[a] * node_natural(kind, a);
      EXPECT_NEAR(sum, 1.0, 1e-14) << name(kind);
      EXPECT_LT((place - x).norm(), 1e-14) << name(kind);
      for (int i = 0; i < 3; ++i) {
        const Vec3 step = 1e-6 * Vec3::Unit(i);
        shape_values(kind, x + step, plus);
        shape_values(kind, x - step, minus);
        for (int a = 0; a < node_count(kind); ++a) EXPECT_NEAR(dN[a][i], (plus[a] - minus[a]) / 2e-6, 1e-7) << name(kind);
      }
    }
  }
}

TEST(Shapes, RulesIntegrateTheVolume) {
  for (Kind kind : kKinds) {
    const double volume = corner_count(kind) == 4 ? 1.0 / 6 : corner_count(kind) == 5 ? 4.0 / 3 : corner_count(kind) == 6 ? 1.0 : 8.0;
    for (const auto& rule : {stiffness_rule(kind), mass_rule(kind)}) {
      double sum = 0.0;
      for (const Point& p : rule) {
        sum += p.weight;
        EXPECT_LE(natural_excess(kind, p.at), 0.0);
      }
      EXPECT_NEAR(sum, volume, 1e-14) << name(kind);
    }
  }
  for (FaceKind kind : {FaceKind::tri3, FaceKind::quad4, FaceKind::tri6, FaceKind::quad8}) {
    double sum = 0.0, N[kMostFaceNodes];
    VecX share = VecX::Zero(node_count(kind));
    for (const FacePoint& p : face_rule(kind)) {
      face_values(kind, p.at, N);
      for (int a = 0; a < node_count(kind); ++a) share[a] += p.weight * N[a];
      sum += p.weight;
    }
    const double area = kind == FaceKind::tri3 || kind == FaceKind::tri6 ? 0.5 : 4.0;
    EXPECT_NEAR(sum, area, 1e-14);
    EXPECT_NEAR(share.sum(), area, 1e-14);
    // Known shares of a constant load: 1/3 on mid nodes; corners 0 on a triangle, -1/12 on a square.
    if (kind == FaceKind::tri6 || kind == FaceKind::quad8) {
      EXPECT_NEAR(share[0], kind == FaceKind::tri6 ? 0.0 : -area / 12, 1e-14);
      EXPECT_NEAR(share[node_count(kind) - 1], area / 3, 1e-14);
    }
  }
}

TEST(Shapes, ClampedPointsAreTheNearestOnes) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> u(-2.0, 2.0);
  for (Kind kind : {Kind::tet4, Kind::wedge6, Kind::hex8}) {
    for (int trial = 0; trial < 200; ++trial) {
      const Vec3 x(u(random), u(random), u(random)), y = clamp_natural(kind, x);
      EXPECT_LE(natural_excess(kind, y), 1e-15);
      // The domain is convex: y is nearest when no point of it lies further towards x.
      for (int a = 0; a < corner_count(kind); ++a) EXPECT_LE((x - y).dot(node_natural(kind, a) - y), 1e-12) << name(kind);
    }
  }
}

}  // namespace
}  // namespace scree::elastic
