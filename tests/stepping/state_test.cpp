/// A step is a value: what it changes is one State, and a step that is refused changes nothing.
#include <gtest/gtest.h>

#include <random>

#include "scene.hpp"
#include "solvers/yardstick.hpp"

namespace scree::stepping {
namespace {

const std::vector<Integrator> kSchemes{Integrator::moreau, Integrator::shake, Integrator::rattle};

/// Boxes in a chain of links that slide over a floor.
Scene chain(Integrator integrator) {
  Scene scene(1e-3, {0, 0, -9.81}, 1e-8);
  scene.sim.settings().integrator = integrator;
  scene.surface(0.5);
  scene.floor();
  for (int k = 0; k < 5; ++k) {
    const Vec3 c(0.25 * k, 0, 0.12 + 0.03 * k);
    const int id = scene.box(c - Vec3::Constant(0.1), c + Vec3::Constant(0.1));
    scene.sim.set_velocity(id, {1, 0.3 * k, 0}, Vec3::Zero());
    if (k == 0) continue;
    model::Constraint link;
    link.kind = model::ConstraintKind::link;
    link.body = {id - 1, id};
    link.point = {c - Vec3(0.15, 0, 0.03), c - Vec3(0.1, 0, 0)};
    scene.sim.add_constraint(link);
  }
  return scene;
}

/// Everything a user sees of the last step.
struct Seen {
  std::uint64_t hash;
  std::vector<Vec3> forces;
  std::size_t contacts;
  double time;
  bool operator==(const Seen&) const = default;
};

Seen look(const Simulation& sim) {
  Seen seen{sim.state_hash(), {}, sim.contacts().size(), sim.time()};
  for (const assembly::Reaction& r : sim.state().reactions) seen.forces.push_back(r.impulse * sim.impulse_rate());
  for (const assembly::Contact& c : sim.contacts()) seen.forces.push_back(c.R * sim.impulse_rate());
  return seen;
}

/// Refuse one step by a limit or the `at`-th solve of that step, and go on as if nothing had been.
void expect_undone(Integrator integrator, const std::function<void(Simulation&)>& spoil) {
  Scene whole = chain(integrator), refused = chain(integrator);
  whole.run(200);
  refused.run(120);
  const StepSettings settings = refused.sim.settings();
  const SolverSettings solver = refused.sim.solver();
  const Seen before = look(refused.sim);
  spoil(refused.sim);
  EXPECT_THROW(refused.sim.step(), SolveError);
  EXPECT_EQ(look(refused.sim), before);
  refused.sim.settings() = settings;
  refused.sim.solver() = solver;
  refused.run(80);
  EXPECT_EQ(look(refused.sim), look(whole.sim));
}

TEST(State, RefusedSolveChangesNothing) {
  for (const Integrator integrator : kSchemes)
    for (const int at : {1, 2}) {
      if (at == 2 && integrator != Integrator::rattle) continue;  // only RATTLE solves twice
      expect_undone(integrator, [at](Simulation& sim) {
        sim.solver().stop.tolerance = 1e-15;
        sim.solver().stop.max_iterations = 1;
        sim.solver().failure = FailurePolicy::callback;
        sim.solver().on_failure = [at, calls = 0](const solvers::SolveReport&) mutable { return ++calls < at; };
      });
    }
}

TEST(State, UnphysicalPenetrationChangesNothing) {
  expect_undone(Integrator::moreau, [](Simulation& sim) { sim.settings().unphysical_penetration = 1e-15; });
}

TEST(State, FailedForceFunctionChangesNothing) {
  for (const Integrator integrator : kSchemes) {
    Scene scene = chain(integrator);
    scene.run(50);
    const Seen before = look(scene.sim);
    scene.sim.model().user_forces.push_back({1, [](const model::RigidState&, double, double) {
      return model::UserForceValue{.force = Vec3::Constant(std::nan(""))};
    }});
    EXPECT_THROW(scene.sim.step(), SolveError);
    EXPECT_EQ(look(scene.sim), before);
  }
}

TEST(State, FreeFallIsExactWhateverStepsAndIntegrators) {
  // All three are exact for constant acceleration, so only rounding is left.
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    Scene scene(0.1, {0, 0, -9.81});
    const int ball = scene.ball({0, 0, 100}, 0.1, 1.0), late = scene.ball({5, 0, 100}, 0.1, 1.0);
    scene.sim.set_velocity(ball, {1, 0, 3}, Vec3::Zero());
    double thrown = 0.0;
    for (int part = 0; part < 6; ++part) {
      scene.sim.settings().integrator = kSchemes[random() % 3];
      scene.sim.settings().step = std::uniform_real_distribution<>(0.01, 0.1)(random);
      if (part == 3) {
        thrown = scene.sim.time();
        scene.sim.set_placement(late, Mat3::Identity(), {5, 0, 100});
        scene.sim.set_velocity(late, {0, 2, 0}, Vec3::Zero());
      }
      scene.run(1 + static_cast<int>(random() % 5));
    }
    const double t = scene.sim.time(), s = t - thrown;
    EXPECT_NEAR((scene.position(ball) - Vec3(t, 0, 100 + 3 * t - 0.5 * 9.81 * t * t)).norm(), 0.0, 1e-11) << seed;
    EXPECT_NEAR((scene.position(late) - Vec3(5, 2 * s, 100 - 0.5 * 9.81 * s * s)).norm(), 0.0, 1e-11) << seed;
  }
}

TEST(State, RestAndMomentumOutliveChangesOfIntegrator) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    std::mt19937 random(seed);
    Scene scene(1e-3, {0, 0, -9.81});
    scene.surface(0.4);
    scene.floor();
    const int box = scene.box({-0.1, -0.1, 0}, {0.1, 0.1, 0.2}, 1000.0);
    const double weight = 8.0 * 9.81;
    for (int part = 0; part < 8; ++part) {
      scene.sim.settings().integrator = kSchemes[random() % 3];
      scene.sim.settings().step = std::uniform_real_distribution<>(5e-4, 2e-3)(random);
      scene.run(3);
      double force = 0.0;
      for (const auto& contact : scene.sim.contacts()) force += contact.R.x() * scene.sim.impulse_rate();
      EXPECT_NEAR(force, weight, 1e-6 * weight) << seed << " part " << part;
    }
    EXPECT_NEAR((scene.position(box) - Vec3(0, 0, 0.1)).norm(), 0.0, 1e-8) << seed;
  }
}

TEST(State, ConvergesWithTheSecondOrderThroughChangesOfStepAndIntegrator) {
  // A pendulum of one ball on a link: leapfrog and midpoint in turn, steps that grow and shrink.
  const auto angle = [](double h) {
    Scene scene(h, {0, 0, -9.81}, 1e-13);
    const int ball = scene.ball({1, 0, 0}, 0.1, 1.0);
    model::Constraint link;
    link.kind = model::ConstraintKind::link;
    link.body = {ball, -1};
    link.point = {Vec3(1, 0, 0), Vec3::Zero()};
    scene.sim.add_constraint(link);
    for (int part = 0; part < 4; ++part) {
      scene.sim.settings().integrator = part % 2 == 0 ? Integrator::rattle : Integrator::moreau;
      scene.sim.settings().step = part < 2 ? h : 0.5 * h;
      scene.run(static_cast<int>(std::lround(0.2 / scene.sim.settings().step)));
    }
    const Vec3 x = scene.position(ball);
    return std::atan2(-x.z(), x.x());
  };
  const double exact = angle(1e-4), coarse = std::abs(angle(4e-3) - exact), fine = std::abs(angle(2e-3) - exact);
  EXPECT_GT(coarse / fine, 3.0);
}

TEST(State, SpringsAndConstraintsPushAnImplicitBodyTogether) {
  // The body rests on springs; a constraint, or a ball that lies on it, must not make them disappear.
  const auto settle = [](model::Scheme scheme, bool held, bool ball) {
    Scene scene(1e-3, {0, 0, -9.81});
    scene.sim.model().bulk[0].young = 1e7;
    model::SurfaceMaterial soft{.surface1 = 0, .surface2 = 7, .model = model::SurfaceModel::spring_dashpot, .label = "soft"};
    soft.spring = 1e5, soft.dashpot = 400.0, soft.friction = 0.3;
    scene.sim.model().surfaces.add(soft);
    scene.obstacle(geometry::make_box({-2, -2, -1}, {2, 2, 0}, 0, 7));
    const int block = scene.add(geometry::make_box({-0.1, -0.1, 0}, {0.1, 0.1, 0.2}, 0, 0), model::BodyKind::pseudo_rigid);
    scene.sim.model().bodies.scheme[scene.at(block)] = scheme;
    if (ball) scene.ball({0, 0, 0.25}, 0.05, 0.5);
    if (held) {
      model::Constraint fix{.kind = model::ConstraintKind::fixed_direction, .body = {block, -1}, .point = {Vec3(0, 0, 0.1), Vec3::Zero()}, .direction = Vec3::UnitX()};
      scene.sim.add_constraint(fix);
    }
    scene.run(600);
    double force = 0.0;
    for (const auto& contact : scene.sim.contacts())
      if (contact.point.surface_a == 7 || contact.point.surface_b == 7) force += contact.R.x() * scene.sim.impulse_rate();
    EXPECT_NEAR(force, (8.0 + (ball ? 0.5 : 0.0)) * 9.81, 0.02 * 8.0 * 9.81) << held << ball;
    return scene.position(block).z();
  };
  for (const bool held : {false, true})
    for (const bool ball : {false, true})
      EXPECT_NEAR(settle(model::Scheme::def_imp, held, ball), settle(model::Scheme::def_lim, held, ball), 1e-5) << held << ball;
}

TEST(State, TheResidualColumnHoldsTheResidualWhateverTheYardstick) {
  for (const auto yardstick : {solvers::Yardstick::residual, solvers::Yardstick::merit, solvers::Yardstick::scaled_merit, solvers::Yardstick::siconos}) {
    Scene scene(1e-3, {0, 0, -9.81}, 1e-6);
    scene.sim.solver().stop.yardstick = yardstick;
    scene.surface(0.5);
    scene.floor();
    for (int k = 0; k < 4; ++k) scene.box({0.02 * k - 0.1, -0.1, 0.2 * k}, {0.02 * k + 0.1, 0.1, 0.2 * k + 0.2}, 2000.0);
    int kept = 0;
    for (int k = 0; k < 120; ++k) {
      const model::StepRow& row = scene.sim.step();
      const ContactStage& stage = scene.sim.stage();
      if (stage.problem.blocks() == 0) continue;
      const double measured = solvers::measure(solvers::Yardstick::residual, stage.problem, stage.R);
      EXPECT_NEAR(row.residual, measured, 1e-6 * measured + 1e-15) << to_string(yardstick) << ", step " << row.step << ", " << stage.report.stage;
      kept += stage.report.stage == "warm start";
    }
    EXPECT_GT(kept, 10) << to_string(yardstick);  // AUTO keeps warm starts here: the case in question
  }
}

TEST(State, AClampedStepReportsItsOwnLength) {
  Scene scene(1e-2, {0, 0, -9.81});
  scene.sim.model().bulk[0].young = 1e6;
  scene.surface(0.3);
  scene.floor();
  const int block = scene.add(geometry::make_box({-0.05, -0.05, 0}, {0.05, 0.05, 0.1}, 0, 0), model::BodyKind::pseudo_rigid);
  scene.sim.model().bodies.scheme[scene.at(block)] = model::Scheme::def_exp;
  const model::StepRow& report = scene.sim.step();
  EXPECT_LT(report.h, 5e-3);
  EXPECT_EQ(report.h, report.time);
  double force = 0.0;
  for (const auto& contact : scene.sim.contacts()) force += contact.R.x() * scene.sim.impulse_rate();
  // Impulses over the true step are what changed the momentum.
  EXPECT_GT(force, 1.0);
  EXPECT_NEAR(scene.velocity(block).z(), (force - 9.81) * report.h, 1e-12);
}

}  // namespace
}  // namespace scree::stepping
