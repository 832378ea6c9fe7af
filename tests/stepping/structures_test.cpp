/// Structures that must stand, and some that must fall.
#include <gtest/gtest.h>

#include "scene.hpp"

namespace scree::stepping {
namespace {

/// Semicircular arch of 27 voussoirs between two fixed abutments, centre line of radius 10: kinetic
/// energy after 0.75 s.
double arch_energy(double thickness_ratio) {
  Scene scene(1e-3, {0, 0, -9.81}, 1e-8);
  scene.surface(0.5);
  const int blocks = 27;
  const double inner = 10.0 * (1 - 0.5 * thickness_ratio), outer = 10.0 * (1 + 0.5 * thickness_ratio);
  const auto corner = [](double radius, double angle, double y) { return Vec3(-radius * std::cos(angle), y, radius * std::sin(angle)); };
  for (int k = -1; k <= blocks; ++k) {
    const double from = kPi * k / blocks, to = kPi * (k + 1) / blocks;
    std::vector<Vec3> points;
    for (double angle : {from, to})
      for (double radius : {inner, outer})
        for (double y : {-2.5, 2.5}) points.push_back(corner(radius, angle, y));
    const geometry::Shape block = geometry::make_hull(points, 0, 0);
    if (k < 0 || k == blocks)
      scene.obstacle(block);
    else
      scene.rigid(block, 1.0);
  }
  scene.run(750);
  return scene.sim.energies().kinetic;
}

TEST(Structures, MasonryArchStandsAtOneThicknessAndFallsAtAnother) {
  EXPECT_LT(arch_energy(0.11), 1e-4);
  EXPECT_GT(arch_energy(0.10), 1e-2);
}

TEST(Structures, BrickWallStandsWithoutDrift) {
  Scene scene(1e-3, {0, 0, -9.81}, 1e-8);
  scene.surface(0.3);
  scene.floor();
  std::vector<int> bricks;
  for (int k = 0; k < 10; ++k)
    for (int i = 0; i < 10; ++i) {
      const Vec3 c((i - 4.5) * 0.201 + (k % 2 ? 0.05 : 0.0), 0.0, 0.05 + 0.1 * k);
      bricks.push_back(scene.box(c - Vec3(0.1, 0.05, 0.05), c + Vec3(0.1, 0.05, 0.05), 2500.0));
    }
  std::vector<Vec3> start;
  for (int id : bricks) start.push_back(scene.position(id));
  // Two seconds at a residual of 1e-8: velocities may be off by 1e-8 g h in the mean (theory sec. 3.4), which moves a brick by 2e-10 m, and no single one by more than a few times that.
  scene.run(2000);
  double drift = 0.0;
  for (std::size_t k = 0; k < bricks.size(); ++k) drift = std::max(drift, (scene.position(bricks[k]) - start[k]).norm());
  EXPECT_LT(drift, 1e-9);
  EXPECT_LT(scene.sim.report().penetration_max, 1e-9);
}

TEST(Structures, CardHouseStands) {
  // Two pairs of leaning cards under a flat one, which carries a third pair.
  Scene scene(1e-3, {0, 0, -9.81}, 1e-10);
  scene.surface(0.8);
  scene.floor();
  const double length = 1.0, thickness = 0.02, width = 0.6, lean = 0.35;
  std::vector<int> cards;
  const auto leaning = [&](double x, double z, double sign) {
    // Lower edge on height z; the pair's upper inner edges meet at x.
    geometry::Shape card = geometry::make_box({-thickness / 2, -width / 2, 0}, {thickness / 2, width / 2, length}, 0, 0);
    geometry::rotate(card, {-sign * thickness / 2, 0, 0}, {0, 1, 0}, sign * lean);
    const Box box = card.bounds();
    const double edge = sign > 0 ? box.high.x() : box.low.x();
    geometry::translate(card, {x - edge, 0, z - box.low.z()});
    cards.push_back(scene.rigid(card, 500.0));
    return card.bounds().high.z();
  };
  double top = 0.0;
  for (double x : {0.0, 0.9}) {
    top = leaning(x, 0.0, 1.0);
    leaning(x, 0.0, -1.0);
  }
  cards.push_back(scene.box({-0.2, -width / 2, top}, {1.1, width / 2, top + thickness}, 500.0));
  leaning(0.45, top + thickness, 1.0);
  leaning(0.45, top + thickness, -1.0);
  scene.run(500);  // the house takes up its load
  std::vector<Vec3> start;
  for (int id : cards) start.push_back(scene.position(id));
  scene.run(10000);
  double drift = 0.0;
  for (std::size_t k = 0; k < cards.size(); ++k) drift = std::max(drift, (scene.position(cards[k]) - start[k]).norm());
  EXPECT_LT(drift, 1e-8);
}

TEST(Structures, DominoesFallOneAfterAnother) {
  Scene scene(1e-3, {0, 0, -9.81}, 1e-8);
  scene.surface(0.4);
  scene.floor();
  std::vector<int> dominoes;
  for (int k = 0; k < 8; ++k) dominoes.push_back(scene.box({0.3 * k, -0.25, 0}, {0.3 * k + 0.1, 0.25, 1.0}));
  scene.sim.set_velocity(dominoes[0], {0, 0, 0}, {0, 1.5, 0});
  std::vector<double> fall(dominoes.size(), -1.0);
  for (int k = 0; k < 3000; ++k) {
    scene.sim.step();
    for (std::size_t d = 0; d < dominoes.size(); ++d)
      if (fall[d] < 0.0 && scene.rotation(dominoes[d])(2, 2) < std::cos(0.35)) fall[d] = scene.sim.time();
  }
  for (std::size_t d = 0; d < dominoes.size(); ++d) {
    ASSERT_GT(fall[d], 0.0) << d;
    if (d > 0) {
      EXPECT_GT(fall[d], fall[d - 1]) << d;
    }
  }
}

TEST(Structures, HeavyOnLightDoesNotPenetrate) {
  // Mass ratio 1e6: ten cubes of one size, the top one a million times denser.
  Scene scene(1e-3, {0, 0, -9.81}, 1e-8);
  scene.surface(0.3);
  scene.floor();
  for (int k = 0; k < 5; ++k) scene.box({-0.5, -0.5, 1.0 * k}, {0.5, 0.5, 1.0 * k + 1.0}, 1.0);
  scene.box({-0.5, -0.5, 5.0}, {0.5, 0.5, 6.0}, 1e6);
  scene.run(1000);
  EXPECT_LT(scene.sim.report().penetration_max, 1e-6);
  EXPECT_LE(scene.sim.report().residual, 1e-8);
}

/// Ten spheres and boxes dropped on a floor, lengths times `scale`, time times sqrt(scale).
std::vector<Vec3> dropped(double scale) {
  Scene scene(2e-3 * std::sqrt(scale), {0, 0, -10.0}, 1e-8);
  scene.surface(0.4);
  scene.obstacle(geometry::make_box(Vec3(-5, -5, -1) * scale, Vec3(5, 5, 0) * scale, 0, 0));
  std::vector<int> ids;
  for (int k = 0; k < 5; ++k) {
    const Vec3 c = Vec3(0.11 * (k % 2), 0.07 * (k % 3), 0.3 + 0.6 * k) * scale;
    ids.push_back(scene.rigid(geometry::make_sphere(c, 0.2 * scale, 0, 0)));
    ids.push_back(scene.rigid(geometry::make_box(c + Vec3(0.5, 0, 0) * scale, c + Vec3(0.8, 0.3, 0.3) * scale, 0, 0)));
  }
  scene.run(250);
  std::vector<Vec3> places;
  for (int id : ids) places.push_back(scene.position(id) / scale);
  return places;
}

TEST(Structures, ScaledScenesGiveScaledAnswers) {
  const auto unit = dropped(1.0);
  for (const double scale : {1e-3, 1e3}) {
    const auto other = dropped(scale);
    for (std::size_t k = 0; k < unit.size(); ++k) EXPECT_LT((other[k] - unit[k]).norm(), 1e-4) << scale << " body " << k;
  }
}

}  // namespace
}  // namespace scree::stepping
