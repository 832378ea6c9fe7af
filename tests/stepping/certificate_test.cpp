// What "converged" promises of a step, for any friction, speed, step and mass (theory sec. 3.4).
#include <random>

#include "scene.hpp"

namespace scree::stepping {
namespace {

constexpr double kG = 9.81;
constexpr const char* kSolvers[] = {"AUTO", "GAUSS_SEIDEL", "SEMISMOOTH_NEWTON", "NEWTON", "IPM_DIRECT"};

double normal_force(const Scene& scene) {
  double sum = 0.0;
  for (const assembly::Contact& contact : scene.sim.contacts()) sum += contact.R.x();
  return sum / scene.sim.settings().step;
}

double mass_of(const Scene& scene, int id) { return scene.sim.model().bodies.mass[scene.at(id)]; }

TEST(Certificate, RoughFloorsHoldAndStop) {
  // Where all friction holds, impulses at points that just lift off are the hard part: a solver may miss its tolerance there, but says so, and nothing falls.
  for (const double mu : {1e3, 1e8, kInfinity})
    for (const char* solver : kSolvers) {
      Scene scene(2e-3, {0.0, 0.0, -kG}, 1e-8);
      scene.sim.solver().name = solver;
      scene.sim.solver().stop.max_iterations = 1000;
      scene.surface(mu);
      scene.floor();
      const int box = scene.box({-0.4, -0.3, 0.0}, {0.4, 0.3, 0.1});
      scene.sim.set_velocity(box, {0.7, 0.2, 0.0}, Vec3::Zero());
      int converged = 0;
      for (int k = 0; k < 12; ++k) {
        scene.sim.step();
        converged += scene.sim.solve_report().status == solvers::Status::converged ? 1 : 0;
      }
      EXPECT_GE(converged, 6) << solver << ' ' << mu;
      EXPECT_GT(scene.position(box).z(), 0.0499) << solver << ' ' << mu;
    }
}

// Piles whose contacts never slip: what is wedged between two of them, or dragged along without pressure, is solved as well.
TEST(Certificate, StickingPilesAreSolved) {
  int steps = 0, missed = 0;
  for (unsigned seed = 1; seed <= 16; ++seed) {
    std::mt19937 random(seed);
    const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
    const auto direction = [&] { return Vec3{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}.normalized(); };
    Scene scene(1e-3, {0.0, 0.0, -kG}, 1e-3);
    scene.sim.solver().goal = 1e-8;
    scene.surface(kInfinity);
    scene.floor();
    for (const double side : {-1.0, 1.0})
      for (int axis = 0; axis < 2; ++axis) {
        Vec3 low(-1, -1, 0), high(1, 1, 1);
        (side < 0.0 ? high : low)[axis] = side * 0.12;
        scene.obstacle(geometry::make_box(low, high, 0, 0));
      }
    for (int k = 0; k < 12; ++k) {
      const Vec3 half{uniform(0.01, 0.04), uniform(0.01, 0.04), uniform(0.01, 0.04)};
      const int id = k % 2 ? scene.box(-half, half) : scene.rigid(geometry::make_ellipsoid({0, 0, 0}, half, 0, 0, Mat3::Identity()));
      const Vec3 turn = 3.0 * direction(), way = direction(), spin = direction();
      const double speed = uniform(0.0, 1.0), rate = uniform(0.0, 10.0);
      scene.sim.set_placement(id, exp_rotation(turn), {k & 1 ? -0.06 : 0.06, k & 2 ? -0.06 : 0.06, 0.07 + 0.12 * (k / 4)});
      scene.sim.set_velocity(id, speed * way, rate * spin);
    }
    for (int k = 0; k < 300; ++k, ++steps) {
      scene.run(1);
      missed += scene.sim.solve_report().status != solvers::Status::converged;
    }
  }
  // What is left are islands of a few blocks on which AUTO may happen to stall: 62 of 18,000 steps with 60 seeds. (37 of 100 if such friction were a law of its own.)
  EXPECT_LE(100 * missed, steps) << missed << " of " << steps;
}

TEST(Certificate, FastSlidersCarryTheirWeight) {
  for (const double h : {1e-3, 1e-5})
    for (const double speed : {1.0, 40.0}) {
      constexpr double kTolerance = 1e-6;
      Scene scene(h, {0.0, 0.0, -kG}, kTolerance);
      scene.surface(0.25);
      scene.floor(1000.0);
      const int box = scene.box({-0.2, -0.2, 0.0}, {0.2, 0.2, 0.15});
      scene.sim.set_velocity(box, {speed, 0.1 * speed, 0.0}, {0.0, 0.0, 2.0});
      for (int k = 0; k < 40; ++k) {
        scene.sim.step();
        // Four contacts: the mean error is below the tolerance, that of one at most twice it.
        EXPECT_NEAR(normal_force(scene), mass_of(scene, box) * kG, 20.0 * kTolerance * mass_of(scene, box) * kG) << h << ' ' << speed;
      }
    }
}

TEST(Certificate, LightBesideHeavyIsHeldAsWell) {
  // Errors of a light body do not vanish beside what a heavy one weighs.
  Scene scene(1e-3, {0.0, 0.0, -kG}, 1e-6);
  scene.surface(0.4);
  scene.floor();
  scene.box({-2.0, -0.5, 0.0}, {-1.0, 0.5, 1.0}, 1e12);
  const int light = scene.box({0.0, 0.0, 0.0}, {0.01, 0.01, 0.01}, 10.0);
  for (int k = 0; k < 50; ++k) {
    scene.sim.step();
    EXPECT_EQ(scene.sim.solve_report().status, solvers::Status::converged);
    EXPECT_LT(scene.velocity(light).norm(), 1e-5 * kG * 1e-3);
  }
}

/// Boxes on each other for ten steps: all converge, and each stays where it is to `allowed` (m).
void expect_to_stand(const std::vector<double>& densities, double allowed) {
  Scene scene(1e-3, {0.0, 0.0, -kG}, 1e-8);
  scene.surface(0.5);
  scene.floor();
  std::vector<int> tower;
  for (std::size_t k = 0; k < densities.size(); ++k) {
    const double low = 0.2 * static_cast<double>(k);
    tower.push_back(scene.box({-0.1, -0.1, low}, {0.1, 0.1, low + 0.2}, densities[k]));
  }
  for (int k = 0; k < 10; ++k) {
    scene.sim.step();
    EXPECT_EQ(scene.sim.solve_report().status, solvers::Status::converged) << densities[0] << ' ' << densities[1] << ' ' << k;
  }
  for (std::size_t k = 0; k < tower.size(); ++k)
    EXPECT_NEAR(scene.position(tower[k]).z(), 0.1 + 0.2 * static_cast<double>(k), allowed) << densities[0] << ' ' << densities[1];
}

TEST(Certificate, MassRatiosStand) {
  for (const double ratio : {1e4, 1e7}) {
    expect_to_stand({500.0, 500.0 * ratio, 500.0}, 1e-9);
    expect_to_stand({500.0 * ratio, 500.0, 500.0 * ratio}, 1e-9);
  }
  // Rounding of the impulses leaves each block 4e-15 of the ratio times g h, and that for ten steps.
  for (const double ratio : {3e9, 1e12}) {
    expect_to_stand({500.0, 500.0 * ratio}, 2e-14 * ratio * kG * 1e-5 + 1e-9);
    expect_to_stand({500.0 * ratio, 500.0}, 1e-9);
  }
}

TEST(Certificate, StepsMeetTheUsualToleranceAndReachTheGoalAtRest) {
  const SolverSettings usual;
  EXPECT_GT(usual.stop.tolerance, usual.goal);
  EXPECT_EQ(usual.aim(), usual.goal);
  SolverSettings asked;
  asked.stop.tolerance = 1e-10;
  EXPECT_EQ(asked.aim(), 1e-10);   // never less than asked for
  // A heap that falls together, then a wall that stands.
  for (const bool wall : {false, true}) {
    Scene scene(2e-3, {0.0, 0.0, -kG});
    scene.sim.solver() = usual;
    scene.surface(0.5);
    scene.floor();
    for (int k = 0; k < 24; ++k) {
      const int row = k / 4;
      const double x = 0.2 * (k % 4) + (row % 2 ? 0.08 : 0.0);
      if (wall) scene.box({x, 0.0, 0.1 * row}, {x + 0.199, 0.1, 0.1 * row + 0.1});
      else scene.ball({0.103 * (k % 3) + 0.01 * row, 0.104 * (k / 3 % 2), 0.06 + 0.101 * (k / 6)}, 0.05, 1.0);
    }
    for (int k = 0; k < 60; ++k) {
      scene.sim.step();
      EXPECT_EQ(scene.sim.solve_report().status, solvers::Status::converged);
      EXPECT_LE(scene.sim.solve_report().residual, wall ? usual.goal : usual.stop.tolerance) << k;
    }
    if (wall) expect_same_after_restart(scene, 5);
  }
}

TEST(Certificate, GuessesFollowTheirTrendWhereThatIsNearer) {
  // Towers that tip as a whole: impulses change steadily.
  int nearer = 0;
  for (const double pull : {0.13, 0.2}) {
    Scene scene(1e-3, {0.0, pull * kG, -kG}, 1e-8);
    scene.surface(0.8);
    scene.floor();
    for (int k = 0; k < 8; ++k) scene.box({-0.5, -0.0625, 0.125 * k}, {0.5, 0.0625, 0.125 * (k + 1)});
    for (int step = 0; step < 60; ++step) {
      scene.sim.step();
      const ContactStage& stage = scene.sim.stage();
      if (stage.guess.size() != 3 * stage.contacts.size()) continue;
      std::vector<double> last;
      for (const assembly::Contact& contact : stage.contacts) last.insert(last.end(), {contact.R_last.x(), contact.R_last.y(), contact.R_last.z()});
      const double with = solvers::measure(solvers::Yardstick::residual, stage.problem, stage.guess);
      const double without = solvers::measure(solvers::Yardstick::residual, stage.problem, last);
      EXPECT_LE(with, without) << step;
      nearer += with < 0.5 * without ? 1 : 0;
    }
  }
  EXPECT_GT(nearer, 20);   // of 120 steps
}

}  // namespace
}  // namespace scree::stepping
