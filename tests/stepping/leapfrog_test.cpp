/// The integrators SHAKE and RATTLE.
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "core/free_rotation.hpp"
#include "scene.hpp"

namespace scree::stepping {
namespace {

constexpr Integrator kBoth[] = {Integrator::shake, Integrator::rattle};

struct Leapfrog : Scene {
  Leapfrog(Integrator integrator, double h, const Vec3& gravity = Vec3::Zero(), double tolerance = 1e-10) : Scene(h, gravity, tolerance) {
    sim.settings().integrator = integrator;
  }
};

/// Largest contact impulse of one step, N s, and the sum over all, of a ball of 2 kg that flies at the floor with 3 m/s and stays there.
std::pair<double, double> impact(Integrator integrator, double h, double height) {
  Leapfrog scene(integrator, h);
  scene.floor();
  const int ball = scene.ball({0, 0, 0.1 + height}, 0.1, 2.0);
  scene.sim.set_velocity(ball, {0, 0, -3}, Vec3::Zero());
  double most = 0.0, sum = 0.0;
  for (int step = 0; step < static_cast<int>(2.0 * height / 3.0 / h) + 4; ++step) {
    scene.sim.step();
    double now = 0.0;
    for (const auto& contact : scene.sim.contacts()) now += contact.R.x();
    most = std::max(most, now);
    sum += now;
    EXPECT_LT(scene.sim.report().penetration_max, 1e-15);
  }
  EXPECT_NEAR(scene.position(ball).z(), 0.1, 1e-12);
  EXPECT_NEAR(scene.velocity(ball).z(), 0.0, 1e-12);
  return {most, sum};
}

TEST(Leapfrog, ImpulseOfAnImpactConvergesWithRattleAndNotWithShake) {
  // Momentum is 6 N s. SHAKE needs two steps, and how it shares depends on where in a step the impact falls, for any h.
  double low = kInfinity, high = 0.0;
  for (const double h : {1e-2, 1e-3, 1e-4})
    for (const double phase : {0.1, 0.35, 0.6, 0.85}) {
      const double height = 3.0 * h * (20.0 + phase);
      const auto [shake, shake_sum] = impact(Integrator::shake, h, height);
      const auto [rattle, rattle_sum] = impact(Integrator::rattle, h, height);
      EXPECT_NEAR(rattle, 6.0, 1e-9);
      EXPECT_NEAR(shake_sum, 6.0, 1e-9);
      EXPECT_NEAR(rattle_sum, 6.0, 1e-9);
      // The step in which it falls leaves the share `phase` of the speed, the next one takes the rest.
      EXPECT_NEAR(shake, 6.0 * std::max(phase, 1.0 - phase), 1e-9);
      low = std::min(low, shake);
      high = std::max(high, shake);
    }
  EXPECT_GT(high - low, 1.0);
}

TEST(Leapfrog, FallIsExact) {
  for (const Integrator integrator : kBoth) {
    Leapfrog scene(integrator, 1e-2, {0, 0, -10});
    const int ball = scene.ball({0, 0, 0}, 0.1, 1.0);
    scene.sim.set_velocity(ball, {1, 0, 5}, Vec3::Zero());
    scene.run(100);
    // Positions are those of the parabola; so are velocities of RATTLE, those of SHAKE half a step before.
    EXPECT_NEAR((scene.position(ball) - Vec3(1, 0, 0)).norm(), 0.0, 1e-12);
    EXPECT_NEAR(scene.velocity(ball).z(), 5.0 - 10.0 * (integrator == Integrator::shake ? 0.995 : 1.0), 1e-12);
    EXPECT_NEAR(scene.sim.energies().drift, 0.0, 1e-9);
  }
}

TEST(Leapfrog, BothGiveTheSamePositions) {
  // Without friction the second problem only moves impulses forward in time.
  const auto drop = [](Integrator integrator) {
    Leapfrog scene(integrator, 1e-3, {0, 0, -10});
    scene.floor();
    const int ball = scene.ball({0, 0, 0.15}, 0.1, 1.0);
    scene.run(300);
    double force = 0.0;
    for (const auto& contact : scene.sim.contacts()) force += contact.R.x() / 1e-3;
    // At rest it carries the weight.
    EXPECT_NEAR(force, 10.0, 1e-9);
    EXPECT_NEAR(scene.velocity(ball).norm(), 0.0, 1e-12);
    return scene.position(ball);
  };
  EXPECT_NEAR((drop(Integrator::shake) - drop(Integrator::rattle)).norm(), 0.0, 1e-12);
}

TEST(Leapfrog, RestitutionGivesTheHeightsOfNewtonsLaw) {
  // From 0.5 m with e = 0.8: the top after the first bounce is at e^2 0.5 m, after the second at e^4 0.5 m.
  const double e = 0.8, H = 0.5;
  for (const double h : {1e-3, 5e-4}) {
    Leapfrog scene(Integrator::rattle, h, {0, 0, -10});
    scene.surface(0.0, e);
    scene.floor();
    const int ball = scene.ball({0, 0, 0.1 + H}, 0.1, 1.0);
    const double fall = std::sqrt(2.0 * H / 10.0);
    double first = 0.0, second = 0.0;
    for (int step = 0; step * h < fall * (1.0 + 2.0 * e + 2.0 * e * e); ++step) {
      scene.sim.step();
      const double t = step * h, z = scene.position(ball).z() - 0.1;
      EXPECT_GT(z, -1e-12);
      if (t > fall && t < fall * (1.0 + 2.0 * e)) first = std::max(first, z);
      if (t > fall * (1.0 + 2.0 * e)) second = std::max(second, z);
    }
    // The step nearest to the top is up to h/2 away from it.
    EXPECT_NEAR(first, e * e * H, 10.0 * h * h / 8.0 + 1e-12);
    EXPECT_NEAR(second, e * e * e * e * H, 10.0 * h * h / 8.0 + 1e-12);
  }
}

TEST(Leapfrog, BouncesFallIntoTheirOwnInstants) {
  // Against the parabolas, for steps that cut them anywhere.
  const double g = 10.0, e = 0.7, H = 0.8;
  for (const double h : {2e-2, 7e-3, 1e-3}) {
    Leapfrog scene(Integrator::rattle, h, {0, 0, -g});
    scene.surface(0.0, e);
    scene.floor();
    const int ball = scene.ball({0, 0, 0.1 + H}, 0.1, 1.0);
    double v = std::sqrt(2.0 * g * H), hit = std::sqrt(2.0 * H / g);
    for (int step = 1; v > 4.0 * g * h; ++step) {
      scene.sim.step();
      const double t = step * h;
      while (t > hit + 2.0 * e * v / g) hit += 2.0 * e * v / g, v *= e;
      const double z = t < hit ? H - 0.5 * g * t * t : e * v * (t - hit) - 0.5 * g * (t - hit) * (t - hit);
      if (t > hit && e * v < 2.0 * g * h) break;
      ASSERT_NEAR(scene.position(ball).z() - 0.1, z, 1e-10) << h << " at " << t;
    }
  }
}

TEST(Leapfrog, SpheresNeverOverlap) {
  // Distances of spheres are convex in their centres: where the linearised gap closes, the true one is at least as large.
  for (const Integrator integrator : kBoth) {
    Leapfrog scene(integrator, 2e-3, {0, 0, -10}, 1e-12);
    scene.surface(0.4);
    scene.floor();
    for (int k = 0; k < 27; ++k)
      scene.ball({0.19 * (k % 3) + 0.01 * (k / 9), 0.19 * (k / 3 % 3) + 0.013 * (k / 9), 0.12 + 0.21 * (k / 9)}, 0.09, 1.0);
    double deepest = 0.0, contacts = 0.0;
    for (int step = 0; step < 400; ++step) {
      scene.sim.step();
      deepest = std::max(deepest, scene.sim.report().penetration_max);
      contacts += scene.sim.report().contacts / 400.0;
    }
    EXPECT_GT(contacts, 9.0);
    EXPECT_LT(deepest, 1e-12);
  }
}

TEST(Leapfrog, TurningBoxesOverlapByTheSquareOfTheStep) {
  const auto deepest = [](Integrator integrator, double h) {
    Leapfrog scene(integrator, h, {0, 0, -10}, 1e-11);
    scene.surface(0.3);
    scene.floor();
    const int box = scene.box({-0.1, -0.15, 0.2}, {0.1, 0.15, 0.3});
    scene.sim.set_velocity(box, {0.3, 0, 0}, {3, 4, 1});
    double most = 0.0;
    for (int step = 0; step * h < 0.5; ++step) {
      scene.sim.step();
      most = std::max(most, scene.sim.report().penetration_max);
    }
    return most;
  };
  for (const Integrator integrator : kBoth) {
    // Vertices turn by omega h: sagitta omega^2 r h^2 / 2 with omega up to 15 rad/s after the first impact.
    EXPECT_LT(deepest(integrator, 2e-3), 0.5 * 225.0 * 0.2 * 4e-6);
    EXPECT_LT(deepest(integrator, 5e-4), 0.5 * 225.0 * 0.2 * 0.25e-6);
  }
}

TEST(Leapfrog, PendulumKeepsEnergyAndLength) {
  for (const Integrator integrator : kBoth) {
    std::vector<double> error;
    for (const double h : {2e-3, 1e-3}) {
      Leapfrog scene(integrator, h, {0, 0, -10});
      const int bob = scene.ball({1, 0, 0}, 0.1, 1.0);
      model::Constraint link{.kind = model::ConstraintKind::link};
      link.body = {bob, -1};
      link.point = {Vec3(1, 0, 0), Vec3::Zero()};
      scene.sim.add_constraint(link);
      double stretch = 0.0, worst = 0.0;
      for (int step = 0; step * h < 10.0; ++step) {
        const Vec3 before = scene.position(bob);
        scene.sim.step();
        stretch = std::max(stretch, std::abs(scene.position(bob).norm() - 1.0));
        // Velocity of the middle of the step, and the height there.
        const double height = 0.5 * (before + scene.position(bob)).z();
        worst = std::max(worst, std::abs(0.5 * (scene.position(bob) - before).squaredNorm() / (h * h) + 10.0 * height));
      }
      // The linearised link leaves the sagitta (v h)^2 / 2, v^2 <= 20.
      EXPECT_LT(stretch, 1.1 * 10.0 * h * h);
      error.push_back(worst);
    }
    // No drift in five swings: of the 10 J, the error of one swing, of second order.
    EXPECT_LT(error[0], 1e-3);
    EXPECT_LT(error[1], 0.3 * error[0]);
  }
}

TEST(Leapfrog, FreeTopKeepsItsMomentum) {
  for (const Integrator integrator : kBoth) {
    Leapfrog scene(integrator, 1e-3);
    const int box = scene.box({-0.1, -0.2, -0.3}, {0.1, 0.2, 0.3});
    scene.sim.set_velocity(box, Vec3::Zero(), {0.2, 7, 0.1});
    const auto& bodies = scene.sim.model().bodies;
    const auto& motion = scene.sim.motion();
    // Momentum of the middle of a step of SHAKE, carried on by half a step to where the rotation is.
    const auto momentum = [&] {
      const Vec3& W = motion.angular[0];
      return Vec3(motion.rotation[0] * free_rotation(bodies.principal_moments[0], bodies.inertia[0] * W, motion.lag[0]).momentum);
    };
    scene.run(1);
    const Vec3 before = momentum();
    scene.run(3000);
    EXPECT_NEAR((momentum() - before).norm(), 0.0, 1e-11 * before.norm());
  }
}

/// Change of linear and angular momentum of two boxes that collide, with restitution e.
std::pair<double, double> momentum_change(double e, double h) {
  Leapfrog scene(Integrator::rattle, h);
  scene.surface(0.3, e);
  const int left = scene.box({-0.5, -0.1, -0.05}, {-0.1, 0.1, 0.05}), right = scene.box({0.1, 0.0, -0.02}, {0.3, 0.3, 0.2});
  scene.sim.set_velocity(left, {3, 0, 0}, {0, 2, 1});
  scene.sim.set_velocity(right, {-2, 0, 0}, {1, 0, 3});
  const auto& bodies = scene.sim.model().bodies;
  const auto& motion = scene.sim.motion();
  const auto momentum = [&] {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    for (std::size_t i = 0; i < 2; ++i) {
      linear += bodies.mass[i] * motion.velocity[i];
      const Vec3& W = motion.angular[i];
      angular += motion.position[i].cross(bodies.mass[i] * motion.velocity[i]) + motion.rotation[i] * bodies.inertia[i] * W;
    }
    return std::pair{linear, angular};
  };
  scene.run(1);
  const auto before = momentum();
  double impulse = 0.0;
  for (int step = 0; step * h < 0.2; ++step) {
    scene.sim.step();
    for (const auto& contact : scene.sim.contacts()) impulse += contact.R.x();
  }
  const auto after = momentum();
  EXPECT_GT(impulse, 1.0);
  return {(after.first - before.first).norm(), (after.second - before.second).norm()};
}

TEST(Leapfrog, RattleKeepsMomentumInImpacts) {
  const auto [linear, angular] = momentum_change(0.0, 1e-3);
  EXPECT_LT(linear, 1e-11);
  EXPECT_LT(angular, 1e-10);
  // A bounce moves bodies within the step along its impulse: of the angular momentum that is h R v, some 100 N m a step length.
  for (const double h : {1e-3, 1e-4}) {
    const auto [along, about] = momentum_change(0.6, h);
    EXPECT_LT(along, 1e-11);
    EXPECT_LT(about, 100.0 * h);
  }
}

/// Boxes and balls thrown on the floor.
std::unique_ptr<Leapfrog> heap(Integrator integrator) {
  auto scene = std::make_unique<Leapfrog>(integrator, 1e-3, Vec3(0, 0, -10), 1e-8);
  scene->surface(0.4);
  scene->floor();
  for (int k = 0; k < 6; ++k) {
    scene->ball({0.12 * k, 0.02 * k, 0.3 + 0.05 * k}, 0.055, 1.0);
    scene->box({0.12 * k - 0.05, -0.05, 0.05 + 0.01 * k}, {0.12 * k + 0.05, 0.06, 0.15 + 0.01 * k}, 800.0);
  }
  return scene;
}

TEST(Leapfrog, RestartsToTheBitOnAnyNumberOfThreads) {
  for (const Integrator integrator : kBoth) {
    auto whole = heap(integrator);
    whole->run(100);
    expect_same_after_restart(*whole, 100);
    set_threads(2);
    auto threaded = heap(integrator);
    threaded->run(200);
    set_threads(1);
    EXPECT_EQ(threaded->sim.state_hash(), whole->sim.state_hash());
    // The ledger holds to what the rotation schemes lose.
    EXPECT_NEAR(whole->sim.energies().drift, 0.0, 1e-3 * whole->sim.energies().work.external);
  }
}

TEST(Leapfrog, MovingObstacleAndPrescribedVelocity) {
  for (const Integrator integrator : kBoth) {
    Leapfrog scene(integrator, 1e-3, {0, 0, -10});
    scene.surface(0.5);
    const int belt = scene.floor();
    scene.sim.set_velocity(belt, {1, 0, 0}, Vec3::Zero());
    const int box = scene.box({-0.1, -0.1, 0}, {0.1, 0.1, 0.1});
    scene.run(600);
    // mu g t until the speeds agree: the box lags by v^2 / (2 mu g) = 0.1 m.
    EXPECT_NEAR(scene.velocity(box).x(), 1.0, 1e-9);
    EXPECT_NEAR(0.6 - scene.position(box).x(), 0.1, 1.1e-3);
    Leapfrog pulled(integrator, 1e-3);
    const int ball = pulled.ball({0, 0, 0}, 0.1, 1.0);
    model::Constraint pull{.kind = model::ConstraintKind::displacement};
    pull.body[0] = ball;
    pull.direction = Vec3::UnitX();
    pull.value = model::TimeSeries(std::vector<double>{0.0, 1.0}, std::vector<double>{0.0, 2.0});
    pulled.sim.add_constraint(pull);
    pulled.run(500);
    EXPECT_NEAR(pulled.position(ball).x(), 1.0, 1e-9);
  }
}

TEST(Leapfrog, RefusesWhatItCannotDo) {
  const auto refused = [](Leapfrog& scene, const std::string& text) {
    const auto before = scene.sim.state_hash();
    try {
      scene.sim.step();
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
    EXPECT_EQ(scene.sim.state_hash(), before);
  };
  Leapfrog bouncing(Integrator::shake, 1e-3);
  bouncing.surface(0.0, 0.5);
  refused(bouncing, "use RATTLE or MOREAU");
  Leapfrog soft(Integrator::rattle, 1e-3);
  soft.add(geometry::make_box({0, 0, 0}, {1, 1, 1}, 0, 0), model::BodyKind::pseudo_rigid);
  refused(soft, "deforms");
  Leapfrog slow(Integrator::shake, 1e-3);
  slow.sim.settings().quasi_static = true;
  refused(slow, "quasi-static");
  Leapfrog springs(Integrator::rattle, 1e-3);
  springs.sim.solver().name = "EXPLICIT";
  refused(springs, "EXPLICIT");
  Leapfrog sticky(Integrator::shake, 1e-3);
  model::SurfaceMaterial glue{.is_default = true, .label = "glue"};
  glue.cohesion = 1.0;
  sticky.sim.model().surfaces.add(glue);
  refused(sticky, "'glue' has cohesion");
}

}  // namespace
}  // namespace scree::stepping
