/// Reduced bodies: their manifold, and forces on it (theory eq. 5.32-5.35).
#include "elastic/reduction.hpp"

#include <gtest/gtest.h>

#include "core/dense.hpp"
#include "core/rotation.hpp"
#include "meshes.hpp"

namespace scree::elastic::testing {
namespace {

struct Reduced {
  ElasticBody body;
  Reduction reduction;
  std::mt19937 random;

  Reduced(const geometry::Mesh& mesh, int order, int modes, unsigned seed)
      : body(make_body(mesh, order, 3.0, 0.3, 2.0)), reduction(body, natural_modes(body, modes)), random(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
  Vec3 vector(double size) {
    return Vec3{uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  /// Anywhere on the manifold, turned by up to `angle` and with deformations of up to a tenth of the size.
  std::vector<double> anywhere(double angle) {
    Reduction::Pose pose{vector(2.0), exp_rotation(vector(angle)), VecX(reduction.modes())};
    for (double& x : pose.eta) x = uniform(-0.1, 0.1);
    std::vector<double> q(body.dofs());
    reduction.place(pose, q);
    return q;
  }
};

std::vector<Reduced> cases() {
  std::vector<Reduced> list;
  list.emplace_back(box_mesh(Vec3::Zero(), Vec3(2, 1, 1), 3, 2, 2, Cells::hexahedra, 0.1), 1, 5, 1);
  list.emplace_back(box_mesh(Vec3(1, 2, 3), Vec3(2, 3, 3.5), 2, 2, 1, Cells::tetrahedra), 1, 12, 2);
  list.emplace_back(box_mesh(Vec3::Zero(), Vec3(1, 0.2, 0.2), 4, 1, 1, Cells::wedges), 2, 1, 3);
  return list;
}

TEST(Reduction, PoseAndPlaceAreInverse) {
  for (Reduced& c : cases()) {
    const auto q = c.anywhere(3.0);
    std::vector<double> again(q.size());
    c.reduction.place(c.reduction.pose(q), again);
    EXPECT_LT((vec(q) - vec(again)).norm(), 1e-13 * vec(q).norm());
  }
}

TEST(Reduction, ForceIsTheGradientOnTheManifold) {
  for (Reduced& c : cases()) {
    const auto q = c.anywhere(3.0);
    const Reduction::Pose pose = c.reduction.pose(q);
    VecX velocities(c.reduction.dofs());
    for (double& x : velocities) x = c.uniform(-1.0, 1.0);
    std::vector<double> u(q.size()), f(q.size()), plus(q.size()), minus(q.size());
    c.reduction.motion(pose, velocities, u);
    const auto moved = [&](double t) {
      return Reduction::Pose{pose.center + t * pose.R * velocities.head<3>(), pose.R * exp_rotation(t * velocities.segment<3>(3)), pose.eta + t * velocities.tail(c.reduction.modes())};
    };
    c.reduction.place(moved(1e-6), plus);
    c.reduction.place(moved(-1e-6), minus);
    EXPECT_LT((vec(u) - (vec(plus) - vec(minus)) / 2e-6).norm(), 1e-8 * vec(u).norm());
    c.reduction.internal_force(q, f);
    const double slope = (c.reduction.internal_energy(plus) - c.reduction.internal_energy(minus)) / 2e-6;
    EXPECT_NEAR(vec(f).dot(vec(u)), slope, 1e-6 * vec(f).norm() * vec(u).norm());
    // The system is that of these motions, and work is their dual.
    std::vector<double> Mu(q.size());
    c.body.mass().multiply(u, Mu);
    EXPECT_NEAR(velocities.dot(c.reduction.system(pose.eta, 1.0, 0.0) * velocities), vec(u).dot(vec(Mu)), 1e-12 * vec(u).dot(vec(Mu)));
    EXPECT_NEAR(c.reduction.work(pose, f).dot(velocities), vec(f).dot(vec(u)), 1e-12 * vec(f).norm() * vec(u).norm());
  }
}

TEST(Reduction, ForceOfAStepDoesTheWorkOfTheEnergyAndNoTorque) {
  for (Reduced& c : cases())
    for (const double angle : {0.01, 0.5, 1.7}) {
      const auto q0 = c.anywhere(angle), q1 = c.anywhere(angle);
      std::vector<double> f(q0.size()), g(q0.size());
      c.reduction.step_force(q0, q1, 0.0, f);
      c.reduction.step_force(q0, q1, 0.7, g);
      const double size = vec(f).norm() * (vec(q1) - vec(q0)).norm();
      EXPECT_NEAR(vec(f).dot(vec(q1) - vec(q0)), c.reduction.internal_energy(q1) - c.reduction.internal_energy(q0), 1e-12 * size);
      EXPECT_GT((vec(g) - vec(f)).dot(vec(q1) - vec(q0)), 0.0);
      Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
      for (std::size_t k = 0; k < g.size(); k += 3) {
        force += Vec3::Map(g.data() + k);
        torque += 0.5 * (Vec3::Map(q0.data() + k) + Vec3::Map(q1.data() + k)).cross(Vec3::Map(g.data() + k));
      }
      EXPECT_LT(force.norm() + torque.norm(), 1e-12 * vec(g).norm());
      // Forces without work on the motions of a step do none on the step itself: it is one of them.
      VecX r = vec(shaken(c.body, 1.0, 5));
      const std::span<const double> given{r.data(), q0.size()};
      const VecX work = c.reduction.step_work(q0, q1, given);
      EXPECT_GT(work.norm(), 0.0);
      MatX tests(c.body.dofs(), c.reduction.dofs());
      for (int k = 0; k < c.body.dofs(); ++k) {
        const VecX unit = VecX::Unit(c.body.dofs(), k);
        tests.row(k) = c.reduction.step_work(q0, q1, {unit.data(), q0.size()}).transpose();
      }
      const VecX chord = vec(q1) - vec(q0);
      const VecX shares = solve_positive(tests.transpose() * tests, tests.transpose() * chord);
      EXPECT_LT((tests * shares - chord).norm(), 1e-10 * chord.norm());
    }
}

TEST(Reduction, ViscousForceIsThatOfTheRates) {
  for (Reduced& c : cases()) {
    const auto q = c.anywhere(3.0);
    const Reduction::Pose pose = c.reduction.pose(q);
    VecX velocities(c.reduction.dofs());
    // As amplitudes they are to be small enough for the polar decomposition to find the rotation again.
    for (double& x : velocities) x = c.uniform(-0.1, 0.1);
    std::vector<double> u(q.size()), f(q.size()), stored(q.size());
    c.reduction.motion(pose, velocities, u);
    c.reduction.viscous_force(q, u, f);
    // The force that the rates would have as amplitudes.
    Reduction::Pose as_amplitudes = pose;
    as_amplitudes.eta = velocities.tail(c.reduction.modes());
    std::vector<double> there(q.size());
    c.reduction.place(as_amplitudes, there);
    c.reduction.internal_force(there, stored);
    const VecX expected = c.reduction.work(as_amplitudes, stored), found = c.reduction.work(pose, f);
    EXPECT_LT((expected.tail(c.reduction.modes()) - found.tail(c.reduction.modes())).norm(), 1e-11 * expected.norm());
    EXPECT_LT(found.head(6).norm(), 1e-11 * expected.norm());
    // A rotation has none.
    velocities.tail(c.reduction.modes()).setZero();
    c.reduction.motion(pose, velocities, u);
    c.reduction.viscous_force(q, u, f);
    EXPECT_LT(vec(f).norm(), 1e-12 * vec(stored).norm());
  }
}

}  // namespace
}  // namespace scree::elastic::testing
