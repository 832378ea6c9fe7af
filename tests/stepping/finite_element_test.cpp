/// Finite element bodies through the time step.
#include <gtest/gtest.h>

#include "core/threads.hpp"
#include "elastic_scene.hpp"

namespace scree::stepping {
namespace {

using model::BodyKind;
using model::Scheme;

geometry::Shape meshed(const Vec3& low, const Vec3& high, int i, int j, int k) { return geometry::make_shape(block(low, high, i, j, k)); }

TEST(FiniteElement, FallsLikeAStone) {
  for (const Scheme scheme : {Scheme::def_exp, Scheme::def_lim, Scheme::def_imp}) {
    Elastic scene(1e-3, {0, 0, -10}, 1e6);
    const int id = scene.add(meshed({0, 0, 0}, {1, 1, 1}, 2, 2, 2), BodyKind::finite_element);
    scene.sim.model().bodies.scheme[scene.at(id)] = scheme;
    scene.sim.set_velocity(id, {1, 0, 5}, Vec3::Zero());
    scene.run(100);
    EXPECT_NEAR((scene.position(id) - Vec3(0.6, 0.5, 0.95)).norm(), 0.0, 1e-11);
    EXPECT_NEAR(scene.sim.energies().internal, 0.0, 1e-9);
    EXPECT_NEAR(scene.sim.model().bodies.mass[0], 1000.0, 1e-9);
  }
}

TEST(FiniteElement, RestsOnTheFloorWithTheStressOfItsWeight) {
  Elastic scene(1e-3, {0, 0, -10}, 1e7);
  scene.surface(0.3);
  scene.floor();
  const int id = scene.add(meshed({0, 0, 0}, {1, 1, 1}, 2, 2, 6), BodyKind::finite_element);
  scene.sim.model().bodies.deformables[0].stiffness_damping = 5e-3;
  scene.run(600);
  double force = 0.0;
  for (const auto& contact : scene.sim.contacts()) force += contact.R.x() / 1e-3;
  EXPECT_NEAR(force, 1e4, 10.0);
  // One-dimensional column: stress -rho g (L - z) at the middle of an element, where linear elements are exact on average.
  const auto& bodies = scene.sim.model().bodies;
  const Mat3 stress = bodies.deformables[0].mechanics->stress(scene.sim.motion().q, {0.5, 0.5, 0.25});
  EXPECT_NEAR(stress(2, 2), -7500.0, 75.0);
  EXPECT_LT(scene.velocity(id).norm(), 1e-5);
}

TEST(FiniteElement, SpinningBlockKeepsItsEnergyImplicitly) {
  Elastic scene(1e-3, Vec3::Zero(), 1e5, 0.3);
  const int id = scene.add(meshed({0, 0, 0}, {1, 0.2, 0.2}, 4, 1, 1), BodyKind::finite_element);
  scene.sim.model().bodies.scheme[scene.at(id)] = Scheme::def_imp;
  scene.sim.set_velocity(id, {0, 0, 1}, {0.3, 1.0, 6.0});
  const double before = scene.total();
  scene.run(1000);
  EXPECT_NEAR(scene.total(), before, 1e-9 * before);
}

TEST(FiniteElement, ImpactWithARigidBallClosesTheLedger) {
  Elastic scene(2e-4, {0, 0, -10}, 1e7, 0.25);
  scene.surface(0.4);
  scene.floor();
  const int id = scene.add(meshed({-0.5, -0.5, 0}, {0.5, 0.5, 0.5}, 3, 3, 2), BodyKind::finite_element);
  const int ball = scene.ball({0.1, 0.05, 0.76}, 0.25, 200.0);
  scene.sim.model().bodies.scheme[scene.at(id)] = Scheme::def_imp;
  scene.sim.set_velocity(ball, {0.5, 0, -3}, Vec3::Zero());
  const double input = scene.sim.energies().kinetic;
  scene.run(200);
  const Energies e = scene.sim.energies();
  EXPECT_GT(e.internal, 0.0);
  // Corrections stop at 1e-10 of the velocities, the ball's rotation scheme loses a little: the bound is 1e-6.
  EXPECT_NEAR(e.drift, 0.0, 1e-6 * input);
}

// A soft block of second-order elements is thrown flat on a floor, and its faces bulge. Mid-edge nodes, which bear most of the mass of a face, are stopped as its corners are: nothing of it gets
// deep into the floor (4 % of its height), and what it stores comes back without a surplus.
TEST(FiniteElement, SoftBlocksOfSecondOrderStayOnTheFloor) {
  for (const auto& [i, j, k] : {std::array{2, 2, 2}, std::array{4, 3, 2}}) {
    Elastic scene(1e-3, {0, 0, -9.81}, 1e6, 0.3);
    scene.surface(0.3);
    scene.floor();
    const Vec3 low(-0.15, -0.1, 0.01), high(0.15, 0.1, 0.11);
    const int id = scene.mesh(block(low, high, i, j, k), model::Scheme::def_lim, 2);
    scene.sim.set_velocity(id, {0, 0, -5}, Vec3::Zero());
    const auto energy = [&] { return scene.total() + scene.sim.energies().potential; };
    double deepest = 0.0, most = 0.0, before = energy();
    const double first = before;
    for (int step = 0; step < 40; ++step) {
      scene.run(1);
      most = std::max(most, energy() - before);
      before = energy();
      for (int p = 0; p <= 2 * i; ++p)
        for (int q = 0; q <= 2 * j; ++q) deepest = std::max(deepest, -scene.point(id, low + Vec3(0.3 * p / (2 * i), 0.2 * q / (2 * j), 0)).z());
    }
    EXPECT_LT(deepest, 4e-3) << i << " " << j << " " << k;
    EXPECT_LT(most, 1e-4 * first) << i << " " << j << " " << k;
  }
}

TEST(FiniteElement, SmallAndLargeMeshesAgree) {
  // The dense and the sparse inertia give the same motion: one body below, one above the limit, judged against refinement.
  const auto bounce = [](int n) {
    Elastic scene(5e-4, {0, 0, -10}, 1e6, 0.2);
    scene.surface(0.3);
    scene.floor();
    const int id = scene.add(meshed({0, 0, 0.01}, {1, 1, 1.01}, n, n, n), BodyKind::finite_element);
    scene.sim.set_velocity(id, {0, 0, -1}, Vec3::Zero());
    scene.run(40);
    return scene.position(id).z();
  };
  const double coarse = bounce(2), fine = bounce(4);
  EXPECT_NEAR(coarse, fine, 2e-3);
}

TEST(FiniteElement, TwoMeshesStackAndSlide) {
  Elastic scene(1e-3, {0, 0, -10}, 1e7, 0.2);
  scene.surface(0.3);
  scene.floor();
  const int lower = scene.add(meshed({0, 0, 0}, {1, 1, 0.5}, 2, 2, 1), BodyKind::finite_element);
  const int upper = scene.add(meshed({0.1, 0.1, 0.5}, {0.9, 0.9, 1.0}, 2, 3, 1), BodyKind::finite_element);
  for (auto& body : scene.sim.model().bodies.deformables) body.stiffness_damping = 2e-3;
  scene.sim.set_velocity(upper, {1, 0, 0}, Vec3::Zero());
  scene.run(300);
  // Coulomb stops the upper block after v / (mu g) = 1/3 s at the earliest; it has not fallen through.
  EXPECT_NEAR(scene.position(upper).z(), 0.75, 5e-3);
  EXPECT_NEAR(scene.velocity(upper).x() - scene.velocity(lower).x(), 1.0 - 3.0 * 0.3, 0.12);
}

TEST(FiniteElement, EmbeddedShapeTouchesWithItsOwnSurface) {
  Elastic scene(1e-3, {0, 0, -10}, 1e7, 0.2);
  scene.surface(0.3);
  scene.floor();
  model::BodySpec spec;
  spec.kind = BodyKind::finite_element;
  const geometry::Shape shape = geometry::make_box({0.1, 0.1, 0.1}, {0.9, 0.9, 0.9}, 0, 0);
  spec.shape = std::make_shared<geometry::Shape>(shape);
  spec.mass = geometry::mass_properties(shape, 1000.0);
  spec.deformation.mesh = std::make_shared<geometry::Mesh>(block({0, 0, 0}, {1, 1, 1}, 2, 2, 2));
  const int id = scene.sim.add_body(spec);
  scene.sim.model().bodies.deformables[0].stiffness_damping = 5e-3;
  scene.run(1000);
  // It fell by 0.1, which the mesh alone would not have allowed.
  EXPECT_NEAR(model::point(scene.sim.model().bodies, scene.sim.motion(), 1, {0.5, 0.5, 0.1}).z(), 0.0, 2e-3);
  EXPECT_NEAR(scene.position(id).z(), 0.4, 5e-3);
}

TEST(FiniteElement, CheckpointAndThreads) {
  const auto build = [] {
    auto scene = std::make_unique<Elastic>(1e-3, Vec3(0, 0, -10), 1e6, 0.2);
    scene->surface(0.4);
    scene->floor();
    scene->add(meshed({0, 0, 0.02}, {1, 1, 1.02}, 4, 3, 3), BodyKind::finite_element);
    scene->add(meshed({0.3, 0.2, 1.05}, {1.3, 1.2, 1.55}, 2, 2, 1), BodyKind::finite_element);
    scene->sim.set_velocity(1, {0.3, 0, -1}, {0.2, 0.1, 0});
    return scene;
  };
  auto whole = build();
  whole->run(20);
  expect_same_after_restart(*whole, 20);
  set_threads(2);
  auto threaded = build();
  threaded->run(40);
  set_threads(1);
  EXPECT_EQ(threaded->sim.state_hash(), whole->sim.state_hash());
}

TEST(FiniteElement, QuasiStaticColumnFindsEquilibriumAtOnce) {
  Elastic scene(1.0, {0, 0, -10}, 1e6);
  scene.sim.settings().quasi_static = true;
  scene.surface(0.3);
  scene.floor();
  scene.add(meshed({0, 0, 0}, {1, 1, 1}, 1, 1, 8), BodyKind::finite_element);
  scene.run(10);
  // Top sinks by rho g L^2 / 2E = 5 mm, to first order in the strain of 1 %.
  EXPECT_NEAR(model::point(scene.sim.model().bodies, scene.sim.motion(), 1, {0.5, 0.5, 1.0}).z() - 1.0, -5e-3, 1e-4);
}

TEST(FiniteElement, MaterialsByVolume) {
  Elastic scene(1e-3, Vec3::Zero(), 1e6);
  scene.sim.model().bulk.push_back({.label = "heavy", .young = 1e8, .density = 3000.0});
  geometry::Mesh mesh = block({0, 0, 0}, {1, 1, 1}, 2, 1, 1);
  mesh.element_volume[1] = 7;
  const int id = scene.add(geometry::make_shape(mesh), BodyKind::finite_element);
  EXPECT_NEAR(scene.sim.model().bodies.mass[0], 1000.0, 1e-9);
  scene.sim.set_material(id, 7, 1);
  EXPECT_NEAR(scene.sim.model().bodies.mass[0], 2000.0, 1e-9);
  EXPECT_NEAR(scene.position(id).x(), (0.25 * 500 + 0.75 * 1500) / 2000, 1e-12);
}

}  // namespace
}  // namespace scree::stepping
