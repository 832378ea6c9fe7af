/// Pseudo-rigid bodies (theory eq. 6.4-6.5) through the time step.
#include <gtest/gtest.h>

#include "core/threads.hpp"
#include "model/pseudo_rigid.hpp"
#include "scene.hpp"

namespace scree::stepping {
namespace {

using model::BodyKind;
using model::Scheme;

/// A bar of soft material.
struct Bar : Scene {
  int id;
  Bar(double h, Scheme scheme, double young = 1e5) : Scene(h) {
    sim.model().bulk[0].young = young;
    sim.model().bulk[0].poisson = 0.3;
    id = add(geometry::make_box({0, 0, 0}, {1.0, 0.2, 0.1}, 0, 0), BodyKind::pseudo_rigid);
    sim.model().bodies.scheme[at(id)] = scheme;
  }
  [[nodiscard]] double total() const { return sim.energies().kinetic + sim.energies().internal; }
  [[nodiscard]] Mat3 F() const { return rotation(id); }
};

TEST(PseudoRigid, FreeFlightIsExact) {
  Scene scene(1e-2, {0, 0, -10});
  const int id = scene.add(geometry::make_box({0, 0, 0}, {1, 1, 1}, 0, 0), BodyKind::pseudo_rigid);
  scene.sim.set_velocity(id, {1, 0, 5}, Vec3::Zero());
  scene.run(100);
  // The midpoint scheme integrates constant acceleration without error.
  EXPECT_NEAR((scene.position(id) - Vec3(1.5, 0.5, 0.5)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((scene.rotation(id) - Mat3::Identity()).norm(), 0.0, 1e-12);
  EXPECT_NEAR(scene.sim.energies().drift, 0.0, 1e-9 * scene.sim.energies().kinetic);
}

TEST(PseudoRigid, StretchOscillatesWithItsFrequency) {
  // Small uniaxial breathing with nu = 0: E_11 q'' + V young q = 0, omega^2 = V E / E_11 = 12 E / (rho L^2).
  Scene scene(2e-5);
  scene.sim.model().bulk[0].young = 1e6;
  scene.sim.model().bulk[0].poisson = 0.0;
  const int id = scene.add(geometry::make_box({0, 0, 0}, {1, 0.5, 0.5}, 0, 0), BodyKind::pseudo_rigid);
  scene.sim.motion().q[0] = 1.0 + 1e-6;
  const double omega = std::sqrt(12.0 * 1e6 / 1000.0), period = 2.0 * kPi / omega;
  const int steps = static_cast<int>(std::lround(0.25 * period / 2e-5));
  scene.run(steps);
  const double expected = 1e-6 * std::cos(omega * steps * 2e-5);
  // Phase error of the scheme (omega h)^2/12 of a quarter turn: 4e-7 of the amplitude; nonlinearity is of relative size 1e-6.
  EXPECT_NEAR(scene.rotation(id)(0, 0) - 1.0, expected, 3e-6 * 1e-6);
}

TEST(PseudoRigid, ImplicitRotationKeepsEnergyAndMomentum) {
  Bar bar(1e-3, Scheme::def_imp);
  bar.sim.set_velocity(bar.id, {0, 0, 1}, {0.3, 1.0, 8.0});
  const double before = bar.total();
  const Vec3 spin = bar.spin(bar.id);
  const auto momentum = [&] {
    const Mat3 E = bar.sim.model().bodies.mass_properties(0).euler;
    const auto& u = bar.sim.motion().u;
    const Mat3 b = Eigen::Map<const Mat3>(u.data()) * E * bar.F().transpose();
    return Vec3(b(2, 1) - b(1, 2), b(0, 2) - b(2, 0), b(1, 0) - b(0, 1));
  };
  const Vec3 start = momentum();
  bar.run(10000);
  EXPECT_NEAR(bar.total(), before, 1e-8 * before);
  // Rounding of Newton's method, 1e-15 of the speed a step, adds up to at most 1e-11.
  EXPECT_NEAR((momentum() - start).norm(), 0.0, 1e-9 * start.norm());
  EXPECT_GT((bar.F().transpose() * bar.F() - Mat3::Identity()).norm(), 1e-3) << "it should stretch by spinning";
  EXPECT_GT((bar.spin(bar.id) - spin).norm(), 1e-3);
}

TEST(PseudoRigid, LinearlyImplicitEnergyStaysBounded) {
  Bar bar(1e-3, Scheme::def_lim);
  bar.sim.set_velocity(bar.id, Vec3::Zero(), {0.3, 1.0, 8.0});
  const double before = bar.total();
  double lowest = before, highest = before;
  for (int k = 0; k < 10000; ++k) {
    bar.sim.step();
    lowest = std::min(lowest, bar.total());
    highest = std::max(highest, bar.total());
  }
  // Second order: the error is of size (h omega)^2 with omega = 35 rad/s of the slowest mode, 1.2e-3.
  EXPECT_LT(highest, 1.005 * before);
  EXPECT_GT(lowest, 0.995 * before);
}

TEST(PseudoRigid, SchemesConvergeToEachOther) {
  const auto end = [](Scheme scheme, double h) {
    Bar bar(h, scheme);
    bar.sim.set_velocity(bar.id, Vec3::Zero(), {1.0, 2.0, 5.0});
    bar.run(static_cast<int>(std::lround(0.2 / h)));
    return bar.F();
  };
  const Mat3 reference = end(Scheme::def_imp, 6.25e-6);
  for (const Scheme scheme : {Scheme::def_exp, Scheme::def_lim, Scheme::def_imp}) {
    const double coarse = (end(scheme, 2e-4) - reference).norm(), fine = (end(scheme, 1e-4) - reference).norm();
    const double order = std::log2(coarse / fine);
    EXPECT_GT(order, 1.8) << static_cast<int>(scheme);
    EXPECT_LT(order, 2.3) << static_cast<int>(scheme);
  }
}

TEST(PseudoRigid, ExplicitSchemeLowersTheStep) {
  Bar bar(1e-2, Scheme::def_exp, 1e7);
  const double critical = bar.sim.model().bodies.deformables[0].mechanics->critical_step();
  ASSERT_LT(critical, 1e-2);
  bar.sim.step();
  EXPECT_DOUBLE_EQ(bar.sim.settings().step, 0.9 * critical);
  EXPECT_DOUBLE_EQ(bar.sim.time(), 0.9 * critical);
  bar.sim.motion().u[0] = 1e-3;
  bar.run(2000);
  EXPECT_LT(std::abs(bar.F()(0, 0) - 1.0), 1e-3) << "stable below the critical step";
}

TEST(PseudoRigid, RestsOnTheFloorUnderItsWeight) {
  Scene scene(1e-3, {0, 0, -10});
  scene.surface(0.5);
  scene.sim.model().bulk[0].young = 1e6;
  scene.sim.model().bulk[0].poisson = 0.0;
  scene.floor();
  const int id = scene.add(geometry::make_box({0, 0, 0}, {1, 1, 1}, 0, 0), BodyKind::pseudo_rigid);
  scene.sim.model().bodies.deformables[0].stiffness_damping = 1e-2;
  scene.run(2000);
  // Mean stress of a column under its weight is rho g L / 2 and the strain that over E; the contact carries m g.
  const double strain = -1000.0 * 10.0 * 0.5 / 1e6;
  EXPECT_NEAR(scene.rotation(id)(2, 2) - 1.0, strain, 0.02 * std::abs(strain));
  double force = 0.0;
  for (const auto& contact : scene.sim.contacts()) force += contact.R.x() / 1e-3;
  EXPECT_NEAR(force, 1e4, 1.0);
  const Mat3 stress = scene.sim.model().bodies.deformables[0].mechanics->stress(scene.sim.motion().q, {0.5, 0.5, 0.5});
  EXPECT_NEAR(stress(2, 2), -5000.0, 50.0);
  EXPECT_NEAR(std::abs(scene.sim.energies().drift), 0.0, 1e-2 * scene.sim.energies().work.external);
}

TEST(PseudoRigid, ImpactClosesTheLedger) {
  for (const Scheme scheme : {Scheme::def_imp, Scheme::def_lim}) {
    Scene scene(1e-4, {0, 0, -10});
    scene.surface(0.3);
    scene.sim.model().bulk[0].young = 1e6;
    scene.floor();
    const int id = scene.add(geometry::make_ellipsoid({0, 0, 0.6}, {0.6, 0.4, 0.5}, 0, 0), BodyKind::pseudo_rigid);
    scene.sim.model().bodies.scheme[scene.at(id)] = scheme;
    scene.sim.set_velocity(id, {1, 0, -4}, {0, 3, 0});
    scene.run(2000);
    const Energies e = scene.sim.energies();
    EXPECT_GT(e.internal, 0.0);
    EXPECT_LT(e.work.friction, 0.0);
    const double input = 0.5 * scene.sim.model().bodies.mass[scene.at(id)] * 17.0;
    // Exact for the implicit scheme up to the corrections' 1e-10; DEF_LIM has its second-order error.
    EXPECT_NEAR(e.drift, 0.0, (scheme == Scheme::def_imp ? 1e-8 : 1e-2) * input);
    EXPECT_GT(scene.velocity(id).z(), 0.0) << "it bounces off elastically";
  }
}

TEST(PseudoRigid, ConstraintsHoldPoints) {
  // A bar hung on one end by a fixed point and linked at the other.
  Bar bar(1e-3, Scheme::def_lim, 1e6);
  bar.sim.model().gravity.value = 10.0;
  model::Constraint fixed{.kind = model::ConstraintKind::fixed_point, .body = {bar.id, -1}, .point = {Vec3(0, 0.1, 0.05), Vec3::Zero()}};
  bar.sim.add_constraint(fixed);
  model::Constraint link{.kind = model::ConstraintKind::link, .body = {bar.id, -1}, .point = {Vec3(1, 0.1, 0.05), Vec3(1, 0.1, 2)}};
  bar.sim.add_constraint(link);
  bar.run(500);
  const auto& bodies = bar.sim.model().bodies;
  // The drift correction aims at the next mid-step, so points are off by what half a step of velocity gives.
  EXPECT_NEAR((model::point(bodies, bar.sim.motion(), 0, {0, 0.1, 0.05}) - Vec3(0, 0.1, 0.05)).norm(), 0.0, 1e-6);
  EXPECT_NEAR((model::point(bodies, bar.sim.motion(), 0, {1, 0.1, 0.05}) - Vec3(1, 0.1, 2)).norm(), 1.95, 1e-6);
}

TEST(PseudoRigid, SpheresKeepTheirShapeUnlessTold) {
  for (const bool round : {true, false}) {
    Scene scene(1e-3);
    scene.surface(0.0);
    scene.floor();
    const int id = scene.add(geometry::make_sphere({0, 0, 1.2}, 1.0, 0, 0), BodyKind::pseudo_rigid);
    scene.sim.set_round_spheres(id, round);
    // Stretched by 30 % along z it touches the floor only as an ellipsoid.
    scene.sim.model().bulk[0].young = 1.0;
    scene.sim.renew_materials();
    scene.sim.motion().q[8] = 1.3;
    model::renew_mean(scene.sim.model().bodies, scene.sim.motion(), scene.sim.model().bodies.deformable_of(1));
    scene.sim.step();
    EXPECT_EQ(scene.sim.contacts().empty(), round);
    if (!round) {
      EXPECT_NEAR(scene.sim.contacts()[0].point.gap, -0.1, 1e-6);
    }
  }
}

TEST(PseudoRigid, ForcesAndTorquesAct) {
  Scene scene(1e-3);
  const int id = scene.add(geometry::make_box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 0, 0), BodyKind::pseudo_rigid);
  scene.sim.model().bulk[0].young = 1e9;
  scene.sim.renew_materials();
  scene.sim.model().forces.push_back({id, model::Direction::spatial, Vec3::Zero(), Vec3::UnitX(), 500.0});
  scene.sim.model().torques.push_back({id, model::Direction::spatial, Vec3::UnitZ(), 100.0});
  scene.run(100);
  EXPECT_NEAR(scene.velocity(id).x(), 500.0 / 1000.0 * 0.1, 1e-9);
  // J = m/6; a stiff body turns like a rigid one.
  EXPECT_NEAR(scene.spin(id).z(), 100.0 / (1000.0 / 6.0) * 0.1, 1e-5);
}

TEST(PseudoRigid, CheckpointGoesOnToTheBit) {
  const auto build = [] {
    auto scene = std::make_unique<Scene>(1e-3, Vec3(0, 0, -10));
    scene->surface(0.4);
    scene->floor();
    for (int k = 0; k < 3; ++k) {
      const int id = scene->add(geometry::make_ellipsoid({0.3 * k, 0.1 * k, 0.6 + 1.1 * k}, {0.5, 0.4, 0.5}, 0, 0), k == 1 ? BodyKind::rigid : BodyKind::pseudo_rigid);
      if (k == 2) scene->sim.model().bodies.scheme[scene->at(id)] = Scheme::def_imp;
    }
    return scene;
  };
  auto whole = build();
  whole->run(300);
  expect_same_after_restart(*whole, 200);
}

TEST(PseudoRigid, FailedStepLeavesTheStateAlone) {
  Scene scene(1e-3, {0, 0, -10});
  scene.surface(0.4);
  scene.floor();
  const int id = scene.add(geometry::make_box({0, 0, 0}, {1, 1, 1}, 0, 0), BodyKind::pseudo_rigid);
  scene.sim.set_velocity(id, {1, 0, -1}, {1, 2, 3});
  scene.run(20);
  const auto hash = scene.sim.state_hash();
  scene.sim.settings().unphysical_penetration = -1.0;  // any contact is refused
  EXPECT_THROW(scene.sim.step(), SolveError);
  EXPECT_EQ(scene.sim.state_hash(), hash);
}

TEST(PseudoRigid, SameBitsForAnyThreadCount) {
  const auto hash = [](int count) {
    set_threads(count);
    Scene scene(1e-3, {0, 0, -10}, 1e-8);
    scene.surface(0.3);
    scene.floor();
    for (int k = 0; k < 27; ++k)
      scene.add(geometry::make_sphere({k % 3 * 1.0, k / 3 % 3 * 1.0, 0.5 + k / 9 * 1.0}, 0.5, 0, 0), BodyKind::pseudo_rigid);
    scene.run(20);
    set_threads(1);
    return scene.sim.state_hash();
  };
  EXPECT_EQ(hash(1), hash(2));
}

TEST(PseudoRigid, LocalDynamicsOfALattice) {
  // 4 x 4 x 4 touching spheres on an obstacle: 3 * 4 * 4 * 3 pairs and 16 on the floor.
  Scene scene(1e-3, {0, 0, -10}, 1e-8);
  scene.surface(0.3);
  scene.floor();
  for (int k = 0; k < 64; ++k)
    scene.add(geometry::make_sphere({k % 4 * 1.0, k / 4 % 4 * 1.0, 0.5 + k / 16 * 1.0}, 0.5, 0, 0), BodyKind::pseudo_rigid);
  scene.sim.step();
  const auto& problem = scene.sim.stage().problem;
  ASSERT_EQ(problem.blocks(), 144 + 16);
  // W against finite differences would need the stepper; its diagonal has the closed form C (1/m + r.E^-1 r-like) C^T for A near M.
  const Mat3& W = problem.W->diagonal()[0];
  EXPECT_GT(W(0, 0), 0.0);
  EXPECT_NEAR((W - W.transpose()).norm(), 0.0, 1e-14 * W.norm());
  // All fall together: contacts between spheres see no free velocity, those with the floor see g h.
  for (int a = 0; a < problem.blocks(); ++a) {
    const auto& contact = scene.sim.contacts()[static_cast<std::size_t>(a)];
    const bool floor = contact.point.body_a == 0;
    EXPECT_NEAR(problem.B[3 * static_cast<std::size_t>(a)], floor ? -1e-2 : 0.0, 1e-12);
  }
}

}  // namespace
}  // namespace scree::stepping
