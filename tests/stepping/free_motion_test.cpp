/// Free deformable bodies: what they keep, whatever spin, step and formulation (theory sec. 6.3).
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "elastic_scene.hpp"

namespace scree::stepping {
namespace {

using model::BodyKind;
using model::Scheme;

struct Kind {
  const char* name;
  const char* form;  ///< of finite elements; none: pseudo-rigid
  int order;
};
constexpr Kind kKinds[] = {{"pseudo-rigid", nullptr, 1}, {"TL", "TL", 1},       {"TL O2", "TL", 2},      {"BC", "BC", 1},
                           {"BC O2", "BC", 2},           {"BC-IM", "BC-IM", 1}, {"BC-MODAL", "BC-MODAL", 1}};

/// One free body of a kind.
struct Free : Elastic {
  int id;
  Free(double h, const Kind& kind, Scheme scheme, const Vec3& size, int cells, double young, double density = 1000.0)
      : Elastic(h, Vec3::Zero(), young, 0.3, density) {
    model::BodySpec spec;
    spec.kind = kind.form ? BodyKind::finite_element : BodyKind::pseudo_rigid;
    spec.shape = std::make_shared<geometry::Shape>(kind.form ? geometry::make_shape(block({0, 0, 0}, size, cells, cells == 2 ? 2 : 1, cells == 2 ? 2 : 1))
                                                             : geometry::make_box({0, 0, 0}, size, 0, 0));
    spec.mass = geometry::mass_properties(*spec.shape, density);
    if (kind.form) spec.deformation.form = kind.form;
    spec.deformation.order = kind.order;
    spec.deformation.modes = 6;
    id = sim.add_body(spec);
    sim.model().bodies.scheme[at(id)] = scheme;
  }
  /// Angular momentum about the mass centre, with the consistent mass.
  [[nodiscard]] Vec3 angular_momentum() const {
    const auto& bodies = sim.model().bodies;
    const auto& body = bodies.deformables[0];
    std::vector<double> arms(body.size()), momentum(body.size());
    body.mechanics->arms(body.part(sim.motion().q), arms);
    body.mechanics->mass_times(body.part(sim.motion().u), false, momentum);
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < arms.size(); k += 3) sum += Vec3(arms[k], arms[k + 1], arms[k + 2]).cross(Vec3(momentum[k], momentum[k + 1], momentum[k + 2]));
    return sum;
  }
};

Vec3 random_direction(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Vec3{normal(random), normal(random), normal(random)}.normalized();
}

/// What a body keeps over `steps` steps: energy within 1e-3, angular momentum to rounding.
void expect_kept(const Kind& kind, Scheme scheme, const Vec3& size, int cells, double young, const Vec3& spin, double h, int steps) {
  Free scene(h, kind, scheme, size, cells, young);
  scene.sim.set_velocity(scene.id, {0.3, -0.2, 0.5}, spin);
  const double energy = scene.total();
  const Vec3 momentum = scene.angular_momentum();
  const std::string what = fmt::format("{} scheme {} size {} young {:g} spin ({:.3f}, {:.3f}, {:.3f}) h {:g}", kind.name, static_cast<int>(scheme), size.y(), young,
                                       spin.x(), spin.y(), spin.z(), h);
  double worst = 0.0;
  for (int k = 0; k < steps; ++k) {
    scene.sim.step();
    worst = std::max(worst, std::abs(scene.total() - energy));
    if (!(worst < energy)) break;
  }
  EXPECT_LT(worst, 1e-3 * energy) << what;
  // Rounding of a step is 1e-15 of the momentum; it adds up as a random walk or, at worst, in proportion.
  EXPECT_LT((scene.angular_momentum() - momentum).norm(), 1e-14 * (10 + steps) * momentum.norm()) << what;
}

TEST(FreeMotion, KeepsEnergyAndAngularMomentumForAnySpinAndStep) {
  std::mt19937 random(1);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  for (const Kind& kind : kKinds)
    for (const Scheme scheme : {Scheme::def_lim, Scheme::def_imp})
      for (int k = 0; k < 4; ++k) {
        const bool bar = k % 2 == 0;
        const double speed = uniform(2.0, 30.0), turn = std::pow(10.0, uniform(-2.0, -1.0)), young = std::pow(10.0, uniform(8.0, 11.3));
        expect_kept(kind, scheme, bar ? Vec3(1, 0.1, 0.05) : Vec3(0.5, 0.5, 0.45), bar ? 8 : 2, young, speed * random_direction(random), turn / speed, kind.order == 2 ? 60 : 200);
      }
}

TEST(FreeMotion, ViscosityDoesNotBrakeRotation) {
  // A cube that spins at 20 rad/s for half a second with eta = h: damping acts on its breathing alone.
  for (const Kind& kind : kKinds)
    for (const Scheme scheme : {Scheme::def_lim, Scheme::def_imp, Scheme::def_exp}) {
      if (scheme == Scheme::def_exp && std::string_view(kind.name) == "BC-MODAL") continue;
      Free scene(5e-4, kind, scheme, {0.1, 0.1, 0.1}, 2, scheme == Scheme::def_exp ? 1e6 : 1e9);
      scene.sim.model().bodies.deformables[0].stiffness_damping = 5e-4;
      scene.sim.set_velocity(scene.id, Vec3::Zero(), {3.0, 20.0, -5.0});
      const double energy = scene.total();
      const Vec3 momentum = scene.angular_momentum();
      while (scene.sim.time() < 0.05) scene.sim.step();
      EXPECT_LT(std::abs(scene.total() - energy), 1e-3 * energy) << kind.name << static_cast<int>(scheme);
      EXPECT_LE(scene.sim.energies().work.damping, 1e-12 * energy) << kind.name;
      // The lumped masses of the explicit scheme keep a momentum of their own.
      const double bound = scheme == Scheme::def_exp ? 1e-3 : 1e-11;
      EXPECT_LT((scene.angular_momentum() - momentum).norm(), bound * momentum.norm()) << kind.name << static_cast<int>(scheme);
    }
}

TEST(FreeMotion, ViscosityStopsVibrationAndTheLedgerKnows) {
  for (const Kind& kind : {kKinds[0], kKinds[1], kKinds[3]}) {
    Free scene(1e-4, kind, Scheme::def_lim, {0.1, 0.1, 0.1}, 2, 1e7);
    auto& bodies = scene.sim.model().bodies;
    bodies.deformables[0].stiffness_damping = 1e-3;
    // Stretch it by 1 % along x.
    const auto q = bodies.deformables[0].part(scene.sim.motion().q);
    if (kind.form) for (std::size_t k = 0; k < q.size(); k += 3) q[k] *= 1.01;
    else q[0] = 1.01;
    const double before = scene.total();
    ASSERT_GT(before, 0.0);
    scene.run(400);
    EXPECT_LT(scene.total(), 1e-3 * before) << kind.name;
    EXPECT_NEAR(scene.sim.energies().work.damping, scene.total() - before, 1e-5 * before) << kind.name;
  }
}

TEST(FreeMotion, ViscosityShortensTheExplicitStep) {
  // The limit of sec. 5.6 with eta; beyond it the motion would grow without bound.
  Free scene(1e-3, kKinds[1], Scheme::def_exp, {0.1, 0.1, 0.1}, 2, 1e7);
  auto& body = scene.sim.model().bodies.deformables[0];
  const double omega = 2.0 / body.mechanics->critical_step();
  body.stiffness_damping = 4.0 / omega;
  scene.sim.motion().u[4] = 0.1;
  scene.run(2000);
  EXPECT_NEAR(scene.sim.settings().step, 0.9 * (std::sqrt(20.0) - 4.0) / omega, 1e-12);
  EXPECT_LT(scene.total(), 1e-2);
}

TEST(FreeMotion, SpinningBodiesThatTouchGainNothing) {
  // Stiff bars and cubes thrown spinning on a floor, with steps far above their periods: energy falls from step to step.
  std::mt19937 random(3);
  for (const Kind& kind : kKinds)
    for (int k = 0; k < 2; ++k) {
      Free scene(2e-3, kind, Scheme::def_lim, k == 0 ? Vec3(1, 0.1, 0.05) : Vec3(0.5, 0.5, 0.45), k == 0 ? 8 : 2, 1e10);
      scene.surface(0.3);
      scene.obstacle(geometry::make_box({-9, -9, -1.5}, {9, 9, -0.5}, 0, 0));
      scene.sim.set_velocity(scene.id, {0.5, 0.2, -2.0}, 15.0 * random_direction(random));
      double last = scene.total();
      const double first = last;
      for (int step = 0; step < 300; ++step) {
        scene.sim.step();
        const double now = scene.total();
        ASSERT_LT(now, last + 1e-4 * first) << kind.name << ' ' << k << " at step " << step;
        // Nor does any normal impulse by itself, but for what parts bodies that overlap, nor friction in all (theory eq. 6.20).
        double friction = 0.0;
        for (const assembly::Contact& contact : scene.sim.contacts()) {
          const Vec3 mean = 0.5 * (contact.U_old + contact.U);
          friction += contact.R.tail<2>().dot(mean.tail<2>());
          if (contact.point.gap < 0.0) continue;
          ASSERT_LT(contact.R.x() * mean.x(), 1e-6 * first) << kind.name << ' ' << k << " at step " << step;
        }
        ASSERT_LT(friction, 2e-6 * first) << kind.name << ' ' << k << " at step " << step;
        last = now;
      }
      EXPECT_LT(last, 0.9 * first) << kind.name << ": it should have hit the floor";
    }
}

TEST(FreeMotion, CrowdsOfStiffBodiesGainNothingAtTheirContacts) {
  // Damped cubes thrown about in a box, with steps far above their periods: corners swing while they are pressed, and no impulse pushes on one that parts (theory eq. 6.20).
  std::mt19937 random(11);
  Elastic scene(5e-4, {0, 0, -10}, 1e9, 0.25);
  scene.surface(0.1);
  const double inner = 0.215;
  for (int axis = 0; axis < 3; ++axis)
    for (const bool low : {true, false}) {
      Vec3 from = Vec3::Constant(-0.05), to = Vec3::Constant(inner + 0.05);
      (low ? to : from)[axis] = low ? 0.0 : inner;
      scene.obstacle(geometry::make_box(from, to, 0, 0));
    }
  for (int k = 0; k < 8; ++k) {
    const Vec3 corner = Vec3::Constant(0.005) + 0.105 * Vec3(k % 2, k / 2 % 2, k / 4);
    const int id = scene.mesh(block(corner, corner + Vec3::Constant(0.1), 2, 2, 2), Scheme::def_lim);
    scene.sim.set_velocity(id, 0.6 * random_direction(random), Vec3::Zero());
  }
  for (model::Deformable& body : scene.sim.model().bodies.deformables) body.stiffness_damping = 5e-4;
  const double first = scene.total();
  int parting = 0;
  for (int step = 0; step < 100; ++step) {
    scene.sim.step();
    for (const assembly::Contact& contact : scene.sim.contacts()) {
      if (!(contact.U_old.x() > 0.0) || contact.point.gap < 0.0) continue;
      ++parting;
      ASSERT_LT(0.5 * contact.R.x() * (contact.U_old.x() + contact.U.x()), 1e-7 * first) << "at step " << step;
    }
  }
  EXPECT_GT(parting, 100);
}

}  // namespace
}  // namespace scree::stepping
