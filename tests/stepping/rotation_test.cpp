/// Rigid rotation: free bodies of any inertia, spin and step, and rolling on what turns.
#include <gtest/gtest.h>

#include <random>

#include "scene.hpp"

namespace scree::stepping {
namespace {

using model::Scheme;

constexpr Integrator kIntegrators[] = {Integrator::moreau, Integrator::shake, Integrator::rattle};

Vec3 momentum(const Scene& scene) { return scene.sim.motion().rotation[0] * (scene.sim.model().bodies.inertia[0] * scene.sim.motion().angular[0]); }

double kinetic(const Scene& scene) { return model::kinetic_energy(scene.sim.model().bodies, scene.sim.motion(), 0); }

/// Worst relative change of energy and of momentum over some steps of a free body.
struct Drift {
  double energy = 0.0, momentum = 0.0;
};

/// A leapfrog stores rotations and velocities of two instants: its momentum is not looked at.
Drift drift_of(Scene& scene, int steps) {
  scene.run(1);
  const Vec3 start = momentum(scene);
  const double energy = kinetic(scene);
  Drift worst;
  for (int k = 0; k < steps; ++k) {
    scene.sim.step();
    worst.energy = std::max(worst.energy, std::abs(kinetic(scene) / energy - 1.0));
    if (scene.sim.settings().integrator == Integrator::moreau) worst.momentum = std::max(worst.momentum, (momentum(scene) - start).norm() / start.norm());
  }
  return worst;
}

TEST(Rotation, FreeBodiesKeepEnergyAndMomentumForAnyInertiaSpinAndStep) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> exponent(0.0, 1.0);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 120; ++k) {
    const double h = std::pow(10.0, -5.0 + 3.0 * exponent(random)), spin = std::pow(10.0, 5.0 * exponent(random));
    Scene scene(h);
    const Vec3 size{1.0, std::pow(10.0, -3.0 * exponent(random)), std::pow(10.0, -3.0 * exponent(random))};
    scene.box(-0.5 * size, 0.5 * size);
    scene.sim.settings().integrator = kIntegrators[k % 3];
    scene.sim.set_velocity(0, Vec3::Zero(), spin * Vec3{normal(random), normal(random), normal(random)}.normalized());
    const Drift drift = drift_of(scene, 200);
    EXPECT_LT(drift.energy, 1e-12) << "case " << k << " h " << h << " spin " << spin;
    EXPECT_LT(drift.momentum, 1e-12) << "case " << k << " h " << h << " spin " << spin;
  }
}

TEST(Rotation, SlenderRodOverAMillionSteps) {
  // The rod turns by 0.05 rad a step, and a step as coarse as this made explicit schemes gain energy without bound.
  Scene scene(1e-3);
  scene.box({-1, -0.01, -0.01}, {1, 0.01, 0.01});
  scene.sim.set_velocity(0, Vec3::Zero(), {1e-3, 1e-3, 50});
  const Drift drift = drift_of(scene, 1000000);
  EXPECT_LT(drift.energy, 1e-9);
  EXPECT_LT(drift.momentum, 1e-9);
}

TEST(Rotation, ImplicitSchemeTakesAnySpin) {
  for (const double spin : {1.0, 50.0, 1e3, 1e5}) {
    Scene scene(1e-3);
    scene.box({-1, -0.01, -0.01}, {1, 0.01, 0.01});
    scene.sim.model().bodies.scheme[0] = Scheme::rig_imp;
    scene.sim.set_velocity(0, Vec3::Zero(), spin * Vec3(0.02, 0.01, 1.0));
    const Drift drift = drift_of(scene, 2000);
    EXPECT_LT(drift.energy, 0.1) << spin;
    EXPECT_LT(drift.momentum, 1e-11) << spin;
  }
}

/// Sign changes of the middle axis of a 0.3 x 0.2 x 0.05 m box that starts about it, in 100 s.
int flips(Integrator integrator) {
  Scene scene(1e-3);
  scene.sim.settings().integrator = integrator;
  const int id = scene.box({-0.15, -0.1, -0.025}, {0.15, 0.1, 0.025});
  scene.sim.set_velocity(id, Vec3::Zero(), {1e-3, 10, 1e-3});
  int count = 0;
  double last = 1.0;
  for (int k = 0; k < 100000; ++k) {
    scene.sim.step();
    const double now = scene.rotation(id)(1, 1);
    if (k % 100 == 99) {
      if (now * last < 0.0) ++count;
      last = now;
    }
  }
  return count;
}

TEST(Rotation, MiddleAxisFlipsAsOftenAsItShould) {
  // An integration to 1e-11 has 28.
  for (const Integrator integrator : kIntegrators) EXPECT_EQ(flips(integrator), 28);
}

/// Ball rolling on a disk that turns at 2 rad/s: it runs in a circle at 4/7 rad/s. Distance from there after 2 s.
double rolling_error(Integrator integrator, double h, const Vec3& pivot) {
  Scene scene(h, {0, 0, -9.81}, 1e-12);
  scene.sim.settings().integrator = integrator;
  scene.surface(1.0);
  const int disk = scene.floor();
  model::ObstacleMotion motion;
  motion.angular[2] = 2.0;
  scene.sim.set_motion(disk, motion, pivot);
  const int ball = scene.ball({1.0 + pivot.x(), pivot.y(), 0.1}, 0.1, 1.0);
  scene.sim.set_velocity(ball, {0, 0.5, 0}, {15, 0, 0});
  scene.run(static_cast<int>(std::lround(2.0 / h)));
  const double rate = 4.0 / 7.0, radius = 0.5 / rate;
  const Vec3 exact(1.0 - radius + radius * std::cos(rate * 2.0), radius * std::sin(rate * 2.0), 0.1);
  return (scene.position(ball) - pivot - exact).norm();
}

TEST(Rotation, RollingOnATurntableIsSecondOrder) {
  for (const Integrator integrator : kIntegrators)
    for (const Vec3& pivot : {Vec3(0, 0, 0), Vec3(2, 1, 0)}) {
      const double coarse = rolling_error(integrator, 4e-3, pivot), fine = rolling_error(integrator, 2e-3, pivot);
      EXPECT_LT(coarse, 1e-4);
      EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.2) << static_cast<int>(integrator);
    }
}

TEST(Rotation, LedgerOfASpinningRodOnAFloorHasNoDrift) {
  // Impulses act on the momentum at mid-step, where their work is measured: nothing is left over.
  Scene scene(1e-3, {0, 0, -9.81}, 1e-10);
  scene.surface(0.3);
  scene.floor();
  geometry::Shape rod = geometry::make_box({-0.5, -0.02, -0.02}, {0.5, 0.02, 0.02}, 0, 0);
  geometry::rotate(rod, {0, 0, 0}, {0, 1, 0}, 0.5);
  geometry::translate(rod, {0, 0, 0.4});
  const int id = scene.rigid(rod);
  scene.sim.set_velocity(id, {0, 0, 0}, {3, 20, 1});
  const double energy = scene.sim.energies().kinetic;
  scene.run(1000);
  EXPECT_LT(std::abs(scene.sim.energies().drift), 1e-9 * energy);
}

TEST(Rotation, ASpinTooFastForTheStepIsNamedOnce) {
  Scene scene(1e-3);
  scene.ball({0, 0, 0}, 0.1, 1.0);
  scene.box({1, 0, 0}, {2, 0.1, 0.1});
  for (const int id : {0, 1}) scene.sim.set_velocity(id, Vec3::Zero(), {0, 0, 5000});
  scene.run(3);
  const std::vector<std::string> warnings = scene.sim.take_warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings.front().find("body 1 turns at 5e+03 rad/s"), std::string::npos) << warnings.front();
  EXPECT_NE(warnings.front().find("a step of 2e-05 s would do"), std::string::npos) << warnings.front();
}

}  // namespace
}  // namespace scree::stepping
