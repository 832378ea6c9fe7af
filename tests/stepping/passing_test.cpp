/// Nothing passes through anything, however fast it flies and turns (theory sec. 3.3). SCREE_CROWDS sets how many crowds of 18 bodies are thrown for each law (80: ten
/// thousand bodies, some seconds).
#include "stepping/passing.hpp"

#include <cstdlib>
#include <memory>
#include <random>

#include "core/threads.hpp"
#include "scene.hpp"

namespace scree::stepping {
namespace {

struct Law {
  Integrator integrator;
  double restitution;
};

const Law kLaws[] = {{Integrator::moreau, 0.0}, {Integrator::moreau, 0.5}, {Integrator::moreau, 1.0}, {Integrator::shake, 0.0},
                     {Integrator::rattle, 0.0}, {Integrator::rattle, 0.5}, {Integrator::rattle, 1.0}};

/// Balls and plates of 4 mm thrown at 1 to 1000 m/s in a box of a metre with walls of 5 mm, cut in two by a plate of 4 mm.
/// Or splinters of 0.1 to 3 mm that also spin.
enum class Kind { balls_and_plates, splinters };

struct Crowd {
  std::unique_ptr<Scene> scene = std::make_unique<Scene>(1e-3, Vec3::Zero(), 1e-8);
  std::vector<int> bodies;

  Crowd(const Law& law, unsigned seed, Kind kind = Kind::balls_and_plates) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    scene->sim.settings().integrator = law.integrator;
    scene->surface(0.3 * (seed % 3), law.restitution);
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-0.005, 1.0}) {
        Vec3 low = Vec3::Constant(-0.005), high = Vec3::Constant(1.005);
        low[axis] = side, high[axis] = side + 0.005;
        scene->obstacle(geometry::make_box(low, high, 0, 0));
      }
    scene->obstacle(geometry::make_box({0, 0, 0.498}, {1, 1, 0.502}, 0, 0));
    for (int k = 0; k < 18; ++k) {
      const Vec3 at((k % 3 + 0.5) / 3.0, (k / 3 % 3 + 0.5) / 3.0, 0.25 + 0.5 * (k / 9));
      const auto direction = [&] { return Vec3{normal(random), normal(random), normal(random)}.normalized(); };
      if (kind == Kind::splinters) {
        bodies.push_back(splinter(at, direction(), std::pow(10.0, -4.0 + 1.5 * uniform(random)), random));
        const double speed = std::pow(1000.0, uniform(random));
        const Vec3 linear = speed * direction(), angular = speed * direction();
        scene->sim.set_velocity(bodies.back(), linear, angular);
        continue;
      }
      const Vec3 half(0.1, 0.075, 0.002);
      const int id = k % 3 == 2 ? scene->box(at - half, at + half) : scene->ball(at, 0.01 + 0.04 * uniform(random), 1.0);
      if (k % 3 == 2) scene->sim.set_placement(id, Eigen::Quaterniond{normal(random), normal(random), normal(random), normal(random)}.normalized().toRotationMatrix(), at);
      const double speed = std::pow(1000.0, uniform(random));
      scene->sim.set_velocity(id, speed * direction(), Vec3::Zero());
      bodies.push_back(id);
    }
  }
  /// A hull of random points in a slab across n, m thick.
  int splinter(const Vec3& at, const Vec3& n, double thick, std::mt19937& random) const {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const Vec3 s = n.unitOrthogonal(), t = n.cross(s);
    std::vector<Vec3> cloud;
    for (int k = 0; k < 8; ++k) {
      const double along = 0.06 * uniform(random), across = 0.03 * uniform(random), up = k < 4 ? 0.0 : thick * uniform(random);
      cloud.push_back(at + along * s + across * t + (k < 2 ? (k - 0.5) * thick : up / 2) * n);
    }
    return scene->rigid(geometry::make_hull(cloud, 0, 0));
  }
  /// Bodies whose centre left its half of the box by more than `into` a wall (or went beyond the middle of the plate).
  [[nodiscard]] int escaped(double into = 0.0) const {
    int count = 0;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const Vec3 x = scene->position(bodies[k]), low(-into, -into, k < 9 ? -into : 0.5), high(1 + into, 1 + into, k < 9 ? 0.5 : 1.0 + into);
      count += (x.array() < low.array()).any() || (x.array() > high.array()).any();
    }
    return count;
  }
};

unsigned crowd_count(unsigned usual) {
  const char* text = std::getenv("SCREE_CROWDS");
  return text ? static_cast<unsigned>(std::atoi(text)) : usual;
}

TEST(Passing, CrowdsOfBallsAndThinPlatesStayWhereTheyAre) {
  for (const Law& law : kLaws)
    for (unsigned seed = 1; seed <= crowd_count(3); ++seed) {
      Crowd crowd(law, seed);
      const double before = crowd.scene->sim.energies().kinetic;
      for (int k = 0; k < 8; ++k) {
        crowd.scene->run(1);
        EXPECT_LE(crowd.scene->sim.energies().kinetic, before * (1 + 1e-7)) << to_string(law.integrator) << " e " << law.restitution << " seed " << seed << " step " << k;
      }
      EXPECT_EQ(crowd.escaped(), 0) << to_string(law.integrator) << " e " << law.restitution << " seed " << seed;
    }
}

// A splinter may lie in a wall by more than half its own width (eq. 3.23): it has passed where its centre is beyond the middle of the wall.
TEST(Passing, CrowdsOfSplintersStayWhereTheyAre) {
  for (const Law& law : kLaws)
    for (unsigned seed = 1; seed <= crowd_count(1); ++seed) {
      Crowd crowd(law, seed, Kind::splinters);
      crowd.scene->run(6);
      EXPECT_EQ(crowd.escaped(0.0025), 0) << to_string(law.integrator) << " e " << law.restitution << " seed " << seed;
    }
}

TEST(Passing, StepsInPartsRestartToTheBitOnAnyNumberOfThreads) {
  for (const Integrator integrator : {Integrator::moreau, Integrator::rattle}) {
    Crowd whole({integrator, 0.5}, 5);
    whole.scene->run(3);
    expect_same_after_restart(*whole.scene, 3);
    set_threads(2);
    Crowd threaded({integrator, 0.5}, 5);
    threaded.scene->run(6);
    set_threads(1);
    EXPECT_EQ(threaded.scene->sim.state_hash(), whole.scene->sim.state_hash());
  }
}

// Contact forces are means over the whole step, whatever parts it was made of: they change the momentum of a plate that a ball strikes at its end.
TEST(Passing, ForcesOfAllPartsAreReported) {
  for (const Law& law : kLaws) {
    Scene scene(1e-3, Vec3::Zero(), 1e-10);
    scene.sim.settings().integrator = law.integrator;
    scene.surface(0.0, law.restitution);
    scene.obstacle(geometry::make_box({-2, -2, -0.01}, {2, 2, 0}, 0, 0));
    const int plate = scene.box({-0.3, -0.05, 0.05}, {0.3, 0.05, 0.054}), ball = scene.ball({0.25, 0, 0.3}, 0.02, 1.0);
    scene.sim.set_velocity(ball, {0, 0, -400}, Vec3::Zero());
    for (int k = 0; k < 6; ++k) {
      const Vec3 before = scene.velocity(plate);
      const double time = scene.sim.time();
      scene.run(1);
      Vec3 impulse = Vec3::Zero();
      for (const assembly::Contact& contact : scene.sim.contacts())
        impulse += ((contact.point.body_b == plate) - (contact.point.body_a == plate)) * (contact.frame().transpose() * contact.R);
      const double mass = scene.sim.model().bodies.mass[scene.at(plate)];
      EXPECT_NEAR((impulse - mass * (scene.velocity(plate) - before)).norm(), 0.0, 1e-9 * mass * 400) << to_string(law.integrator) << " step " << k;
      EXPECT_NEAR(scene.sim.time() - time, 1e-3, 1e-15);
    }
    EXPECT_GT(scene.position(plate).z(), 0.0);
    EXPECT_GT(scene.position(ball).z(), 0.0);
  }
}

// A flat ellipsoid that tumbles on a floor comes deeper by the square of its turn in every step: what a turn has made the next one takes back (eq. 3.25), at
// steps in which it turns by a tenth of a radian as well.
TEST(Passing, EllipsoidsThatTumbleDoNotSink) {
  for (const Integrator integrator : {Integrator::moreau, Integrator::shake, Integrator::rattle})
    for (const double friction : {0.0, 0.5})
      for (const double h : {1e-2, 5e-3}) {
        Scene scene(h, {0, 0, -9.81}, 1e-8);
        scene.sim.settings().integrator = integrator;
        scene.surface(friction);
        scene.floor();
        const int id = scene.rigid(geometry::make_ellipsoid({0, 0, 0}, {0.2, 0.2, 0.05}, 0, 0, Mat3::Identity()));
        scene.sim.set_placement(id, exp_rotation(Vec3(0, kPi / 2, 0)), {0, 0, 0.2});
        scene.sim.set_velocity(id, Vec3::Zero(), {0, 8, 1});
        double deepest = 0.0;
        for (double t = 0.0; t < 1.0; t += h) {
          scene.run(1);
          deepest = std::max(deepest, scene.sim.report().penetration_max);
        }
        EXPECT_LT(deepest, h > 6e-3 ? 0.3 * 0.05 : 0.1 * 0.05) << to_string(integrator) << " mu " << friction << " h " << h;
      }
}

// Plates and ellipsoids that turn by up to most of a radian a step on what they touch overlap it by little, whatever the integrator: such steps are made of parts.
TEST(Passing, WhatTurnsFarInAStepDoesNotSink) {
  for (const Integrator integrator : {Integrator::moreau, Integrator::shake, Integrator::rattle})
    for (const double angle : {0.05, 0.2, 0.4, 0.8})
      for (unsigned seed = 1; seed <= 8; ++seed) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        const auto direction = [&] { const double x = normal(random), y = normal(random), z = normal(random); return Vec3(x, y, z).normalized(); };
        const double h = 1e-2;
        Scene scene(h, {0, 0, -9.81}, 1e-6);
        scene.sim.settings().integrator = integrator;
        scene.surface(seed % 2 ? 0.5 : 0.0);
        scene.floor();
        const Vec3 half(0.2, 0.2, 0.05);
        const int id = seed % 3 ? scene.rigid(geometry::make_ellipsoid({0, 0, 0}, half, 0, 0, Mat3::Identity())) : scene.box(-half, half);
        scene.sim.set_placement(id, exp_rotation(3.0 * direction()), {0, 0, 0.35});
        scene.sim.set_velocity(id, Vec3::Zero(), (angle / h) * direction());
        const double before = scene.sim.energies().kinetic + scene.sim.energies().potential;
        double deepest = 0.0;
        for (int k = 0; k < 100; ++k) {
          scene.run(1);
          deepest = std::max(deepest, scene.sim.report().penetration_max);
          EXPECT_LT(scene.sim.energies().kinetic + scene.sim.energies().potential, before + 0.01 * std::abs(before)) << to_string(integrator) << ' ' << angle << " seed " << seed << " step " << k;
        }
        // 2 slack r a step; what RATTLE looks ahead with is a step old, so that some steps add up.
        const double allowed = 2.0 * scene.sim.settings().slack * scene.sim.model().bodies.radius[scene.at(id)];
        EXPECT_LT(deepest, (integrator == Integrator::rattle ? 3.0 : 2.0) * allowed) << to_string(integrator) << ' ' << angle << " seed " << seed;
      }
}

// Turned ellipsoids on each other follow their smooth motion: what is deep after a second falls with the square of the step.
TEST(Passing, WhatTurningOverlapsIsOfSecondOrder) {
  const auto depth = [](double h) {
    Scene scene(h, {0, 0, -9.81}, 1e-10);
    scene.surface(0.5);
    scene.obstacle(geometry::make_ellipsoid({0, 0, 0}, {1, 1, 0.3}, 0, 0, Mat3::Identity()));
    const int id = scene.rigid(geometry::make_ellipsoid({0, 0, 0.5}, {0.4, 0.3, 0.2}, 0, 0, Mat3::Identity()));
    scene.sim.set_velocity(id, Vec3::Zero(), {3, 4, 0});
    double deepest = 0.0;
    for (double t = 0.0; t < 0.5; t += h) {
      scene.run(1);
      deepest = std::max(deepest, scene.sim.report().penetration_max);
    }
    return deepest;
  };
  EXPECT_LT(depth(5e-3), 0.35 * depth(1e-2));
}

// What is thrown by hand between two midpoint steps is looked at from where it is.
TEST(Passing, FirstHalfStepsPassNothing) {
  for (const double speed : {50.0, 300.0, 1000.0}) {
    Scene scene(1e-3);
    scene.surface(0.0);
    scene.obstacle(geometry::make_box({0.1, -1, -1}, {0.103, 1, 1}, 0, 0));
    const int id = scene.ball({0, 0, 0}, 0.01, 1.0);
    scene.sim.set_velocity(id, {speed, 0, 0}, Vec3::Zero());
    scene.run(3);
    EXPECT_LT(scene.position(id).x(), 0.1) << speed;
    scene.sim.set_placement(id, Mat3::Identity(), {0.05, 0.02, 0});
    scene.sim.set_velocity(id, {speed, 0, 0}, Vec3::Zero());
    scene.run(3);
    EXPECT_LT(scene.position(id).x(), 0.1) << speed;
  }
}

// A ball thrown at a floor just in front of it meets it within the first half-step: it is stopped there, and is not said to overlap from the start.
TEST(Passing, FirstHalfStepsOverlapNothing) {
  for (const double e : {0.0, 1.0})
    for (const double gap : {0.0, 2e-3, 6e-3}) {
      Scene scene(1e-2, {0, 0, -9.81});
      scene.surface(0.0, e);
      scene.floor();
      const int id = scene.ball({0, 0, 0.05 + gap}, 0.05, 1.0);
      scene.sim.set_velocity(id, {0, 0, -2}, Vec3::Zero());
      for (int k = 0; k < 5; ++k) {
        scene.run(1);
        EXPECT_GT(scene.position(id).z(), 0.05 * (1.0 - 1.5 * scene.sim.settings().slack)) << "e " << e << " gap " << gap << " step " << k;
      }
      EXPECT_TRUE(scene.sim.take_warnings().empty());
      if (e > 0.0) {
        EXPECT_NEAR(scene.velocity(id).z(), 2.0, 0.6);
      }
    }
  Scene scene(1e-2);
  scene.surface(0.0);
  scene.floor();
  scene.ball({0, 0, 0.04}, 0.05, 1.0);
  scene.run(1);
  ASSERT_EQ(scene.sim.take_warnings().size(), 1u);
}

// Thin plates that come to lie on edges of fixed hulls stay on them, at any step: an edge over a face carries at both its ends.
TEST(Passing, PlatesLieOnHulls) {
  for (const double h : {2e-2, 1e-2, 5e-3})
    for (unsigned seed = 1; seed <= 25; ++seed) {
      std::mt19937 random(seed);
      std::normal_distribution<double> normal;
      const auto direction = [&] { return Vec3{normal(random), normal(random), normal(random)}.normalized(); };
      Scene scene(h, {0, 0, -9.81}, 1e-3);
      scene.surface(0.5);
      for (const Vec3& at : {Vec3(-0.08, 0, 0), Vec3(0.08, 0.03, 0), Vec3(0, -0.1, 0), Vec3(0, 0.12, 0)}) {
        std::vector<Vec3> cloud;
        for (int k = 0; k < 12; ++k) cloud.push_back(at + 0.1 * direction());
        scene.obstacle(geometry::make_hull(cloud, 0, 0));
      }
      const Vec3 half(0.075, 0.05, 0.01);
      const int plate = scene.box(-half, half, 2000.0);
      scene.sim.set_placement(plate, exp_rotation(3.0 * direction()), {0, 0, 0.22});
      double deepest = 0.0, last = 0.0;
      for (double t = 0.0; t < 1.2; t += h) {
        scene.run(1);
        last = 0.0;
        for (const assembly::Contact& contact : scene.sim.contacts()) last = std::max(last, -contact.point.gap);
        deepest = std::max(deepest, last);
      }
      EXPECT_LT(deepest, 0.006) << "h " << h << " seed " << seed;
    }
}

// Ordinary motion is not cut: what is shown to be safe costs no second solve.
TEST(Passing, OrdinaryStepsAreWhole) {
  Scene scene(1e-3, {0, 0, -9.81});
  scene.surface(0.3);
  scene.floor();
  for (int k = 0; k < 20; ++k) scene.box({0.3 * (k % 5), 0.3 * (k / 5), 0.1 + 0.05 * k}, {0.3 * (k % 5) + 0.2, 0.3 * (k / 5) + 0.05, 0.3 + 0.05 * k});
  for (int k = 0; k < 300; ++k) {
    scene.run(1);
    EXPECT_EQ(scene.sim.state().clock.parts, 1);
  }
}

// A splinter on a thick floor that turns within what is left alone anyway is in no danger, however thin it is; between two sheets as thin as itself it is.
TEST(Passing, SplintersOnThickBodiesAreNotCut) {
  for (const double thin : {1.0, 0.3, 0.1, 0.03})
    for (const bool sheet : {false, true}) {
      Scene scene(1e-3);
      scene.surface(0.0);
      scene.sim.settings().contact.one_point_per_overlap = true;  // which lets it turn about its one point
      const double radius = 0.03, slack = scene.sim.settings().slack * radius, width = thin * slack;
      scene.obstacle(geometry::make_box({-1, -1, sheet ? -width : -1.0}, {1, 1, 0}, 0, 0));
      const int id = scene.box({-radius, -0.3 * radius, 0.0}, {radius, 0.3 * radius, width});
      const double depth = sheet ? 0.2 * width : 0.9 * slack;
      scene.sim.set_placement(id, Mat3::Identity(), {0, 0, 0.5 * width - depth});
      scene.sim.set_velocity(id, Vec3::Zero(), {0, 5.0, 0});
      (void)scene.sim.take_warnings();
      scene.run(1);
      bool cut = false;
      for (const auto& warning : scene.sim.take_warnings()) cut = cut || warning.find("parts") != std::string::npos;
      EXPECT_EQ(cut, sheet) << thin;
    }
}

}  // namespace
}  // namespace scree::stepping
