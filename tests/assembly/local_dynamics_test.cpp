/// W = H A^-1 H^T of rigid bodies against the velocities that impulses really make.
#include "assembly/local_dynamics.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/rotation.hpp"
#include "geometry/build.hpp"

namespace scree::assembly {
namespace {

/// Boxes turned at random, an obstacle first, and blocks between random points of random pairs.
struct Heap {
  std::mt19937 random{11};
  std::normal_distribution<> normal;
  model::Model model;
  model::Motion motion;
  Inertias inertias;
  Grips grips;
  BodyScaling scaling;
  solvers::BodyForm form;
  std::vector<DeformableBlock> deformable;
  std::vector<std::array<Side, 2>> sides;
  std::vector<Mat3> frames;

  Vec3 any() { return {normal(random), normal(random), normal(random)}; }

  Heap() {
    for (int k = 0; k < 6; ++k) {
      const auto box = geometry::make_box(Vec3(k, 0, 0), Vec3(k + 0.5, 0.3 + 0.1 * k, 0.2), 0, 0);
      model::BodySpec spec;
      spec.kind = k == 0 ? model::BodyKind::obstacle : model::BodyKind::rigid;
      spec.shape = std::make_shared<geometry::Shape>(box);
      spec.mass = geometry::mass_properties(box, 500.0 + 300.0 * k);
      model.bodies.add(spec);
      motion.add(model.bodies);
      motion.rotation.back() = exp_rotation(any());
      model.bodies.damping.back() = k == 3 ? 40.0 : 0.0;
    }
    const std::vector<double> kick(6, 1e-2);
    scaling.update(model.bodies, motion, kick, inertias);
    scaling.reset(form);
    const Assembler with{model.bodies, motion, scaling, inertias, grips};
    for (int k = 0; k < 12; ++k) {
      const int a = static_cast<int>(random() % 6), b = (a + 1 + static_cast<int>(random() % 5)) % 6;
      const Vec3 point = motion.position[static_cast<std::size_t>(b)] + 0.3 * any();
      sides.push_back({Side{a, -1, point}, Side{b, -1, point}});
      frames.push_back(frame_from_normal(any().normalized()));
      add_block(with, sides.back()[0], sides.back()[1], frames.back(), form, deformable);
    }
    finish_blocks(with, form);
  }

  /// Change of a body's velocities by impulses, from its mass and inertia alone.
  Velocities change(const std::vector<double>& R) const {
    Velocities velocities;
    velocities.linear.assign(6, Vec3::Zero());
    velocities.angular.assign(6, Vec3::Zero());
    for (std::size_t k = 0; k < sides.size(); ++k)
      for (std::size_t side = 0; side < 2; ++side) {
        const auto i = static_cast<std::size_t>(sides[k][side].body);
        if (i == 0) continue;
        const Vec3 impulse = (side ? 1.0 : -1.0) * frames[k].transpose() * Vec3(R[3 * k], R[3 * k + 1], R[3 * k + 2]);
        // Damping c enters as A = (1 + c kick / 2) M.
        const double share = 1.0 / (1.0 + model.bodies.damping[i] * 1e-2 / 2.0);
        const Mat3 spatial = motion.rotation[i] * model.bodies.inertia[i] * motion.rotation[i].transpose();
        velocities.linear[i] += share * impulse / model.bodies.mass[i];
        velocities.angular[i] += share * spatial.inverse() * (sides[k][side].point - motion.position[i]).cross(impulse);
      }
    return velocities;
  }
};

TEST(LocalDynamics, OperatorIsTheAnswerOfTheBodies) {
  Heap heap;
  const std::size_t n = 3 * heap.sides.size();
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> R(n), U(n);
    for (double& r : R) r = heap.normal(heap.random);
    heap.form.apply(R, U);
    const Velocities velocities = heap.change(R);
    for (std::size_t k = 0; k < heap.sides.size(); ++k) {
      const Vec3 expected = relative_velocity(heap.model.bodies, heap.motion, velocities, heap.grips, heap.sides[k][0], heap.sides[k][1], heap.frames[k]);
      const Vec3 found(U[3 * k], U[3 * k + 1], U[3 * k + 2]);
      EXPECT_LT((found - expected).norm(), 1e-12 * (1.0 + expected.norm())) << k;
    }
  }
}

TEST(LocalDynamics, ImpulsesChangeVelocitiesAsNewtonSays) {
  Heap heap;
  const Assembler with{heap.model.bodies, heap.motion, heap.scaling, heap.inertias, heap.grips};
  std::vector<double> R(3 * heap.sides.size()), scratch, push;
  for (double& r : R) r = heap.normal(heap.random);
  Velocities velocities;
  velocities.linear.assign(6, Vec3::Zero());
  velocities.angular.assign(6, Vec3::Zero());
  apply_impulses(with, heap.form, heap.deformable, R, scratch, push, velocities);
  const Velocities expected = heap.change(R);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LT((velocities.linear[i] - expected.linear[i]).norm(), 1e-12);
    EXPECT_LT((velocities.angular[i] - expected.angular[i]).norm(), 1e-12 * (1.0 + expected.angular[i].norm()));
  }
}

TEST(LocalDynamics, SurfaceSpeedBoundsEveryPoint) {
  Heap heap;
  Velocities velocities;
  velocities.resize(6);
  for (std::size_t i = 0; i < 6; ++i) velocities.linear[i] = heap.any(), velocities.angular[i] = heap.any();
  for (int b = 0; b < 6; ++b)
    for (const auto& piece : heap.model.bodies.shape[static_cast<std::size_t>(b)]->pieces)
      for (const Vec3& X : std::get<geometry::Polyhedron>(piece.form).vertices) {
        const Side side{b, -1, model::point(heap.model.bodies, heap.motion, b, X)};
        EXPECT_LE(side_velocity(heap.model.bodies, heap.motion, velocities, heap.grips, side).norm(), surface_speed(heap.model.bodies, velocities, b) * (1 + 1e-12));
      }
}

}  // namespace
}  // namespace scree::assembly
