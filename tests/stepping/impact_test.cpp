/// Restitution, rest and recovery: no impact adds energy, what rests is quiet, what slides slides.
#include "stepping/impact.hpp"

#include <gtest/gtest.h>

#include <random>

#include "scene.hpp"

namespace scree::stepping {
namespace {

Mat3 random_rotation(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Eigen::Quaterniond{normal(random), normal(random), normal(random), normal(random)}.normalized().toRotationMatrix();
}

TEST(Impact, GroupsAreConnectedThroughMovingBodies) {
  const std::vector<std::array<int, 2>> sides{{0, -1}, {1, 2}, {-1, 2}, {3, 0}, {-1, -1}, {4, 4}};
  EXPECT_EQ(impact_groups(sides, 5), (std::vector<int>{0, 1, 1, 0, 2, 3}));
}

TEST(Impact, SharesNeverAddWork) {
  // Random operators W = G G^T and impulses: U = U_free + W R for both, the plastic one made dissipative by choosing U_free.
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  const std::vector<int> group{0, 0};
  int projected = 0;
  for (int k = 0; k < 2000; ++k) {
    const MatX G = MatX::NullaryExpr(6, 6, [&] { return normal(random); });
    const MatX W = G * G.transpose();
    const VecX plastic = VecX::NullaryExpr(6, [&] { return normal(random); }), bouncing = VecX::NullaryExpr(6, [&] { return 2.0 * normal(random); });
    const VecX U_free = -W * plastic, U_plastic = VecX::Zero(6), U = U_free + W * bouncing;
    const auto view = [](const VecX& x) { return std::span<const double>(x.data(), static_cast<std::size_t>(x.size())); };
    const double s = impact_shares(group, view(U_free), {view(plastic), view(U_plastic)}, {view(bouncing), view(U)}, std::vector{0.0}, 1e-12).front();
    const VecX R = plastic + s * (bouncing - plastic), V = U_plastic + s * (U - U_plastic);
    EXPECT_GE(s, 0.0);
    EXPECT_LE(0.5 * R.dot(U_free + V), 1e-9 * U_free.norm() * R.norm());
    if (s < 1.0) {
      ++projected;
      EXPECT_NEAR(0.5 * R.dot(U_free + V), 0.0, 1e-9 * U_free.norm() * R.norm());
    }
  }
  EXPECT_GT(projected, 100);
}

/// A bar falls on a floor with a random place, velocity and spin: kinetic energy after over before.
double bar_impact(Integrator integrator, double e, double mu, RestitutionLaw law, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Scene scene(1e-5);
  scene.sim.settings().restitution = law;
  scene.sim.settings().integrator = integrator;
  scene.surface(mu, e);
  scene.floor();
  const int id = scene.box({-0.3, -0.025, -0.025}, {0.3, 0.025, 0.025});
  const Mat3 turn = random_rotation(random);
  double low = 0.0;
  for (int k = 0; k < 8; ++k) low = std::min(low, (turn * Vec3(k & 1 ? 0.3 : -0.3, k & 2 ? 0.025 : -0.025, k & 4 ? 0.025 : -0.025)).z());
  scene.sim.set_placement(id, turn, {0, 0, 1e-5 - low});
  const Vec3 velocity{normal(random), normal(random), normal(random) - 1.5}, spin{normal(random), normal(random), normal(random)};
  scene.sim.set_velocity(id, velocity, 5.0 * spin);
  const double before = scene.sim.energies().kinetic;
  scene.run(12);
  return scene.sim.energies().kinetic / before;
}

TEST(Impact, CornersHitAtAnyAngleAddNoEnergy) {
  std::mt19937 random(3);
  const Integrator integrator = Integrator::moreau;
    for (const double e : {0.5, 0.9, 1.0})
      for (const double mu : {0.0, 0.3, 1.0, 5.0})
        for (int k = 0; k < 20; ++k)
          EXPECT_LT(bar_impact(integrator, e, mu, RestitutionLaw::consistent, random), 1.0 + 1e-7) << "e " << e << " mu " << mu << " case " << k;
  // Newton's law, by name, does add some.
  double most = 0.0;
  for (int k = 0; k < 60; ++k) most = std::max(most, bar_impact(Integrator::moreau, 0.9, 1.0, RestitutionLaw::newton, random));
  EXPECT_GT(most, 1.01);
}

// Under gravity kinetic and potential energy together are what counts: what a step's load has not given yet cannot be spent by an impact, for any e, mu and h.
TEST(Impact, BouncesUnderGravityAddNoEnergy) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int impacts = 0;
  for (const double h : {1e-3, 1e-2})
    for (const double e : {0.5, 1.0})
      for (const double mu : {0.0, 0.3, 1.0, 1e3})
        for (int trial = 0; trial < 6; ++trial) {
          const bool round = trial % 2;
          Scene scene(h, {0, 0, -9.81}, 1e-9);
          scene.surface(mu, e);
          scene.floor();
          const int id = round ? scene.rigid(geometry::make_ellipsoid({0, 0, 0}, {0.3, 0.1, 0.06}, 0, 0)) : scene.box({-0.3, -0.04, -0.025}, {0.3, 0.04, 0.025});
          scene.sim.set_placement(id, random_rotation(random), {0, 0, 0.6});
          scene.sim.set_velocity(id, {1, 0, 0}, 3.0 * Vec3{normal(random), normal(random), normal(random)});
          const auto energy = [&] { return scene.sim.energies().kinetic + scene.sim.energies().potential; };
          double before = energy();
          const double scale = before;
          for (double t = 0.0; t < 1.0; t += h) {
            scene.run(1);
            const double now = energy();
            // What rolls and rests is not an impact; the midpoint scheme leaves its energy to O(h^2).
            const bool impact = std::ranges::any_of(scene.sim.contacts(), [&](const assembly::Contact& c) { return c.R.x() > 0.0 && c.U_old.x() < -2.0 * 9.81 * h; });
            impacts += impact;
            if (impact) {
              EXPECT_LT(now - before, 1e-6 * scale) << "h " << h << " e " << e << " mu " << mu << " trial " << trial << " t " << t;
            }
            before = now;
          }
        }
  EXPECT_GT(impacts, 200);
}

TEST(Impact, StacksRestForAnyRestitution) {
  for (const double e : {0.5, 0.9, 1.0}) {
    Scene scene(1e-3, {0, 0, -9.81}, 1e-8);
    scene.surface(0.5, e);
    scene.floor();
    for (int k = 0; k < 5; ++k) scene.box({-0.5, -0.5, 1.0 * k}, {0.5, 0.5, 1.0 * k + 1.0});
    double most = 0.0;
    for (int k = 0; k < 1000; ++k) most = std::max(most, (scene.sim.step(), scene.sim.energies().kinetic));
    EXPECT_LT(most, 1e-6) << e;
    EXPECT_LT(scene.position(5).head<2>().norm(), 1e-6) << e;
  }
}

void expect_lossless_gas(Integrator integrator) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Scene scene(1e-3, Vec3::Zero(), 1e-12);
  scene.sim.settings().integrator = integrator;
  scene.surface(0.0, 1.0);
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-0.25, 1.25}) {
      Vec3 low = Vec3::Constant(-0.5), high = Vec3::Constant(1.5);
      low[axis] = side - 0.25;
      high[axis] = side + 0.25;
      scene.obstacle(geometry::make_box(low, high, 0, 0));
    }
  for (int k = 0; k < 27; ++k) {
    const int id = scene.ball(Vec3(k % 3 + 0.5, k / 3 % 3 + 0.5, k / 9 + 0.5) / 3.0, 0.1, 1.0);
    scene.sim.set_velocity(id, Vec3{normal(random), normal(random), normal(random)}, Vec3::Zero());
  }
  const double before = scene.sim.energies().kinetic;
  for (int k = 0; k < 2000; ++k) EXPECT_LT((scene.sim.step(), scene.sim.energies().kinetic), (1.0 + 1e-8) * before);
  EXPECT_GT(scene.sim.energies().kinetic, 0.99 * before);
}

TEST(Impact, FrictionlessElasticGasKeepsItsEnergy) {
  expect_lossless_gas(Integrator::moreau);
  expect_lossless_gas(Integrator::rattle);
}

TEST(Impact, RowsPassAnImpactOnWithinAStep) {
  // Balls with gaps that the struck one crosses many times within a step: with e = 1 the last leaves with all of the velocity.
  std::mt19937 random(5);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  for (const double h : {1e-2, 1e-3, 1e-4})
    for (int k = 0; k < 10; ++k) {
      Scene scene(h, Vec3::Zero(), 1e-12);
      scene.surface(0.0, 1.0);
      std::vector<int> balls{scene.ball({0, 0, 0}, 0.03, 1.0)};
      double x = 0.1;
      for (int b = 0; b < 6; ++b, x += 0.06 + 5e-3 * share(random)) balls.push_back(scene.ball({x, 0, 0}, 0.03, 1.0));
      scene.sim.set_velocity(balls.front(), {4, 0, 0}, Vec3::Zero());
      const double before = scene.sim.energies().kinetic;
      scene.run(static_cast<int>(0.1 / h));
      EXPECT_NEAR(scene.sim.energies().kinetic, before, 1e-9 * before) << h;
      EXPECT_NEAR(scene.sim.energies().drift, 0.0, 1e-9 * before) << h;
      EXPECT_NEAR(scene.velocity(balls.back()).x(), 4.0, 1e-9) << h << " case " << k;
      for (std::size_t b = 0; b + 1 < balls.size(); ++b) EXPECT_NEAR(scene.velocity(balls[b]).x(), 0.0, 1e-9) << h << " case " << k;
    }
}

TEST(Impact, ElasticGamesKeepMomentumAndEnergy) {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  for (const double h : {5e-3, 1e-3, 1e-4}) {
    Scene scene(h, Vec3::Zero(), 1e-12);
    scene.surface(0.0, 1.0);
    for (int k = 0; k < 27; ++k) scene.ball(0.0605 * Vec3(k % 3, k / 3 % 3, k / 9) + 1e-4 * Vec3{normal(random), normal(random), normal(random)}, 0.03, 1.0);
    const int cue = scene.ball({-0.5, 0.05, 0.06}, 0.03, 1.0);
    scene.sim.set_velocity(cue, {7, 0, 0}, Vec3::Zero());
    const double before = scene.sim.energies().kinetic;
    for (int k = 0; k < static_cast<int>(0.2 / h); ++k) EXPECT_LT((scene.sim.step(), scene.sim.energies().kinetic), (1.0 + 1e-9) * before);
    EXPECT_GT(scene.sim.energies().kinetic, 0.99 * before) << h;
    EXPECT_NEAR(scene.sim.energies().drift, 0.0, 1e-9 * before) << h;
  }
}

TEST(Impact, BouncesLoseTheirShareAndEnd) {
  // e = 0.8 from 1 m: at rest after sqrt(2/g) (1 + e)/(1 - e) = 4.06 s.
  Scene scene(1e-3, {0, 0, -9.81});
  scene.surface(0.0, 0.8);
  scene.floor();
  const int id = scene.ball({0, 0, 1.1}, 0.1, 1.0);
  double last = 0.0;
  for (int k = 0; k < 6000; ++k) {
    scene.sim.step();
    if (std::abs(scene.velocity(id).z()) > 0.0) last = scene.sim.time();
  }
  EXPECT_NEAR(last, 4.06, 0.1);
  EXPECT_EQ(scene.velocity(id).z(), 0.0);
}

TEST(Impact, FastBallsDoNotPassThinPlates) {
  for (const double speed : {20.0, 100.0, 400.0, 1000.0})
    for (const double e : {0.0, 0.5, 1.0}) {
      Scene scene(1e-3);
      scene.surface(0.0, e);
      scene.obstacle(geometry::make_box({0.5, -1, -1}, {0.505, 1, 1}, 0, 0));
      const int id = scene.ball({-0.137, 0, 0}, 0.01, 1.0);
      scene.sim.set_velocity(id, {speed, 0, 0}, Vec3::Zero());
      scene.run(60);
      EXPECT_LT(scene.position(id).x(), 0.5) << speed << " e " << e;
    }
}

TEST(Impact, WhatACollisionMakesFastDoesNotPassThinPlates) {
  // A ball hits an equal one at rest close before a plate of 5 mm, within one step of either.
  for (const Integrator integrator : {Integrator::moreau, Integrator::shake, Integrator::rattle})
    for (const double e : {0.0, 1.0})
      for (const double speed : {20.0, 100.0, 400.0})
        for (const double gap : {0.003, 0.005, 0.02, 0.04}) {
          if (integrator == Integrator::shake && e > 0.0) continue;
          Scene scene(1e-3);
          scene.sim.settings().integrator = integrator;
          scene.surface(0.0, e);
          const int first = scene.ball({0, 0, 0}, 0.01, 1.0), second = scene.ball({0.5, 0, 0}, 0.01, 1.0);
          scene.obstacle(geometry::make_box({0.51 + gap, -5, -5}, {0.515 + gap, 5, 5}, 0, 0));
          scene.sim.set_velocity(first, {speed, 0, 0}, Vec3::Zero());
          scene.run(static_cast<int>(1.0 / (speed * 1e-3)) + 5);
          EXPECT_LT(scene.position(second).x(), 0.51 + gap) << speed << " gap " << gap << " e " << e;
          EXPECT_LT(scene.position(first).x(), 0.51 + gap) << speed << " gap " << gap << " e " << e;
        }
}

TEST(Impact, CrowdsShotAtRandomStayInTheirBox) {
  std::mt19937 random(13);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(0.0, 2.3);
  for (int k = 0; k < 40; ++k) {
    Scene scene(1e-3);
    scene.surface(0.3 * (k % 3), 0.5 * (k % 2));
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-0.0025, 1.0025}) {
        Vec3 low = Vec3::Constant(-0.01), high = Vec3::Constant(1.01);
        low[axis] = side - 0.0025;
        high[axis] = side + 0.0025;
        scene.obstacle(geometry::make_box(low, high, 0, 0));
      }
    std::vector<int> balls;
    for (int b = 0; b < 27; ++b) {
      balls.push_back(scene.ball(Vec3(b % 3 + 0.5, b / 3 % 3 + 0.5, b / 9 + 0.5) / 3.0, 0.01 + 0.003 * (b % 5), 1.0));
      const double speed = std::pow(10.0, exponent(random));
      scene.sim.set_velocity(balls.back(), speed * Vec3{normal(random), normal(random), normal(random)}.normalized(), Vec3::Zero());
    }
    scene.run(20);
    for (const int id : balls) {
      EXPECT_GT(scene.position(id).minCoeff(), 0.0) << k;
      EXPECT_LT(scene.position(id).maxCoeff(), 1.0) << k;
    }
  }
}

// The same scene in another unit of length: with gravity and steps to scale all goes on alike, overlaps too.
TEST(Recovery, ScenesAreAlikeAtEveryScale) {
  for (const Integrator integrator : {Integrator::moreau, Integrator::shake, Integrator::rattle}) {
    const auto height = [&](double scale) {
      Scene scene(1e-3 * std::sqrt(scale), {0, 0, -9.81});
      scene.sim.settings().integrator = integrator;
      scene.surface(0.4);
      scene.floor(10.0 * scale, scale);
      const int id = scene.rigid(geometry::make_ellipsoid({0, 0, 0.08 * scale}, Vec3(0.2, 0.15, 0.1) * scale, 0, 0, Mat3::Identity()), 1000.0);
      scene.sim.set_velocity(id, Vec3::Zero(), Vec3(1, 2, 0) / std::sqrt(scale));
      scene.run(60);
      return scene.position(id).z() / scale;
    };
    const double one = height(1.0);
    EXPECT_GT(one, 0.0805);
    for (const double scale : {1e-3, 1e2}) EXPECT_NEAR(height(scale), one, 1e-6) << to_string(integrator) << ' ' << scale;
  }
}

TEST(Recovery, SpeedHasACapThatDoesNotDependOnTheStep) {
  for (const Integrator integrator : {Integrator::moreau, Integrator::shake, Integrator::rattle})
    for (const double h : {1e-2, 1e-3, 1e-4}) {
      Scene scene(h);
      scene.sim.settings().integrator = integrator;
      scene.floor();
      const int id = scene.box({-0.5, -0.5, -0.1}, {0.5, 0.5, 0.9});
      double fastest = 0.0;
      for (int k = 0; k < 200; ++k) {
        scene.sim.step();
        fastest = std::max(fastest, scene.velocity(id).z());
      }
      // Without loads, 0.1 of the smaller radius a second.
      EXPECT_LE(fastest, 0.1 * scene.sim.model().bodies.radius[scene.at(id)] * (1.0 + 1e-6)) << h;
      EXPECT_GT(fastest, 0.0);
      const std::vector<std::string> warnings = scene.sim.take_warnings();
      ASSERT_EQ(warnings.size(), 1u);
      EXPECT_NE(warnings.front().find("0 and 1 by 0.1 m"), std::string::npos) << warnings.front();
    }
}

/// Way of a box on a slope of friction 0.5 whose tangent is 0.5 (1 + excess), after 0.5 s, relative to the closed form (or to free sliding).
double slide(double excess, double tolerance) {
  const double t = 0.5 * (1.0 + excess), c = 1.0 / std::hypot(1.0, t);
  Scene scene(1e-3, {9.81 * t * c, 0, -9.81 * c}, tolerance);
  scene.surface(0.5);
  scene.floor();
  const int id = scene.box({-0.1, -0.1, 0}, {0.1, 0.1, 0.1});
  scene.run(500);
  return scene.position(id).x() / (0.5 * 9.81 * c * std::abs(t - 0.5) * 0.25);
}

TEST(Rest, IsProvedAndNotAssumedFromASmallSpeed) {
  for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
    EXPECT_NEAR(slide(2.0 * tolerance, tolerance), 1.0, 0.05) << tolerance;
    EXPECT_LT(std::abs(slide(-20.0 * tolerance, tolerance)), 1e-4) << tolerance;
  }
  for (const double tolerance : {1e-3, 1e-4, 1e-8}) EXPECT_NEAR(slide(0.0022, tolerance), 1.0, 0.05) << tolerance;
}

}  // namespace
}  // namespace scree::stepping
