/// The co-rotational formulation: energy, forces and inertia in the body frame (theory eq. 5.21-5.23), force of a step (theory eq. 5.31).
#include "elastic/corotation.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "core/rotation.hpp"
#include "elastic/factor.hpp"
#include "meshes.hpp"

namespace scree::elastic::testing {
namespace {

TEST(Corotation, PolarDecomposition) {
  Mat3 A;
  A << 1.1, 0.2, -0.1, 0.05, 0.9, 0.15, -0.2, 0.1, 1.2;
  const Mat3 Q = exp_rotation(Vec3(2.0, -1.0, 0.7));
  const Polar p = polar(Q * A);
  EXPECT_LT((p.R * p.B - Q * A).norm(), 1e-14);
  EXPECT_LT((p.B - p.B.transpose()).norm(), 1e-14);
  EXPECT_NEAR(p.R.determinant(), 1.0, 1e-14);
  EXPECT_NEAR(polar(-A).R.determinant(), 1.0, 1e-14);
}

TEST(Corotation, RigidMotionCausesNoForce) {
  const ElasticBody body = make_body(box_mesh(Vec3(1, 2, 3), Vec3(2, 4, 4), 2, 3, 2, Cells::mixed, 0.1), 1);
  const Corotation corotation(body);
  const Mat3 Q = exp_rotation(Vec3(1.5, -0.8, 2.0));
  const auto q = mapped(body, Q, Vec3(-3, 1, 8));
  std::vector<double> f(q.size()), work(q.size());
  corotation.internal_force(q, f, work);
  EXPECT_LT(vec(f).norm(), 1e-13);
  EXPECT_LT((corotation.rotation(q) - Q).norm(), 1e-14);
  EXPECT_NEAR(corotation.internal_energy(q, work), 0.0, 1e-25);
}

TEST(Corotation, ForceIsTheGradientAndBalanced) {
  for (int order : {1, 2}) {
    const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(1, 2, 1), 2, 2, 2, Cells::hexahedra, 0.1), order);
    const Corotation corotation(body);
    auto q = shaken(body, 0.05);
    rotate(exp_rotation(Vec3(0.5, 1.0, 1.5)), q);
    std::vector<double> f(q.size()), work(q.size()), plus(q), minus(q);
    corotation.internal_force(q, f, work);
    const auto direction = shaken(body, 1.0, 4);
    for (std::size_t i = 0; i < q.size(); ++i) plus[i] += 1e-6 * direction[i], minus[i] -= 1e-6 * direction[i];
    const double slope = (corotation.internal_energy(plus, work) - corotation.internal_energy(minus, work)) / 2e-6;
    EXPECT_NEAR(vec(f).dot(vec(direction)), slope, 1e-7 * std::abs(slope));
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    for (std::size_t k = 0; k < q.size(); k += 3) force += Vec3::Map(f.data() + k), torque += Vec3::Map(q.data() + k).cross(Vec3::Map(f.data() + k));
    EXPECT_LT(force.norm(), 1e-13 * vec(f).norm());
    EXPECT_LT(torque.norm(), 1e-12 * vec(f).norm());
  }
}

/// Sums of forces and of their moments about the mean of two configurations.
std::pair<Vec3, Vec3> balance(const std::vector<double>& f, const std::vector<double>& q0, const std::vector<double>& q1) {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  for (std::size_t k = 0; k < f.size(); k += 3) {
    force += Vec3::Map(f.data() + k);
    torque += 0.5 * (Vec3::Map(q0.data() + k) + Vec3::Map(q1.data() + k)).cross(Vec3::Map(f.data() + k));
  }
  return {force, torque};
}

TEST(Corotation, ForceOfAStepDoesTheWorkOfTheEnergyAndNoTorque) {
  for (int order : {1, 2}) {
    const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(1, 2, 1), 2, 2, 2, Cells::hexahedra, 0.1), order);
    const Corotation corotation(body);
    const auto q0 = shaken(body, 0.05);
    auto q1 = shaken(body, 0.07, 9);
    rotate(exp_rotation(Vec3(0.4, -0.9, 0.6)), q1);
    std::vector<double> f(q0.size()), g(q0.size()), work(q0.size());
    corotation.step_force(q0, q1, 0.0, f, work);
    const double change = corotation.internal_energy(q1, work) - corotation.internal_energy(q0, work);
    EXPECT_NEAR(vec(f).dot(vec(q1) - vec(q0)), change, 1e-12 * vec(f).norm() * (vec(q1) - vec(q0)).norm());
    auto [force, torque] = balance(f, q0, q1);
    EXPECT_LT(force.norm() + torque.norm(), 1e-12 * vec(f).norm());
    // Viscosity takes energy away, without torque.
    corotation.step_force(q0, q1, 0.7, g, work);
    EXPECT_GT((vec(g) - vec(f)).dot(vec(q1) - vec(q0)), 0.0);
    std::tie(force, torque) = balance(g, q0, q1);
    EXPECT_LT(force.norm() + torque.norm(), 1e-12 * vec(g).norm());
    // Both ends the same: the gradient.
    corotation.step_force(q0, q0, 0.0, f, work);
    corotation.internal_force(q0, g, work);
    EXPECT_LT((vec(f) - vec(g)).norm(), 1e-12 * vec(g).norm());
  }
}

TEST(Corotation, ViscousForceIsTheDerivativeOfTheForceAlongTheMotion) {
  // At the undeformed body  f = K D u,  the derivative of the internal force; rotation adds nothing.
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(1, 2, 1), 2, 2, 2, Cells::hexahedra, 0.1), 1);
  const Corotation corotation(body);
  const Mat3 Q = exp_rotation(Vec3(0.4, -0.9, 0.6));
  auto q = mapped(body, Q, Vec3::Zero());
  const auto u = shaken(body, 1.0, 4);
  std::vector<double> f(q.size()), plus(q), minus(q), g(q.size()), work(q.size());
  corotation.viscous_force(q, u, f, work);
  for (std::size_t i = 0; i < q.size(); ++i) plus[i] += 1e-7 * u[i], minus[i] -= 1e-7 * u[i];
  corotation.internal_force(plus, g, work);
  VecX slope = vec(g);
  corotation.internal_force(minus, g, work);
  slope = (slope - vec(g)) / 2e-7;
  EXPECT_LT((vec(f) - slope).norm(), 1e-6 * slope.norm());
  EXPECT_GT(vec(f).dot(vec(u)), 0.0);
  std::vector<double> spin(q.size());
  for (std::size_t k = 0; k < q.size(); k += 3) Vec3::Map(spin.data() + k) = Vec3(1, 2, 3).cross(Vec3::Map(q.data() + k));
  corotation.viscous_force(q, spin, g, work);
  EXPECT_LT(vec(g).norm(), 1e-12 * vec(f).norm());
}

TEST(Corotation, AgreesWithTheFullFormulationAtSmallStrainInAnyPosition) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(1, 2, 1), 2, 3, 2, Cells::hexahedra), 1);
  const Corotation corotation(body);
  auto q = shaken(body, 1e-5);
  rotate(exp_rotation(Vec3(2.5, 0.3, 0.1)), q);
  std::vector<double> f(q.size()), g(q.size()), work(q.size());
  corotation.internal_force(q, f, work);
  body.internal_force(q, g);
  EXPECT_LT((vec(f) - vec(g)).norm(), 1e-3 * vec(g).norm());
}

TEST(Corotation, OneFactorServesEveryPosition) {
  // A(q)^-1 b = R A^-1 R^T b with the factor of the reference configuration.
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(1, 1, 2), 2, 2, 3, Cells::hexahedra), 1);
  const Corotation corotation(body);
  const Mat3 Q = exp_rotation(Vec3(0.2, -2.0, 0.5));
  BlockMatrix A = body.make_matrix(), K = body.make_matrix(), turned = body.make_matrix();
  A.combine(1.0, body.mass(), 0.3, corotation.stiffness());
  body.tangent(mapped(body, Q, Vec3::Zero()), K);
  turned.combine(1.0, body.mass(), 0.3, K);
  Factor reference, direct;
  reference.analyse(body.pattern());
  reference.factorise(A);
  direct.analyse(body.pattern());
  direct.factorise(turned);
  const auto b = shaken(body, 1.0);
  std::vector<double> x(b), y(b);
  rotate(Q.transpose(), x);
  reference.solve(x, x);
  rotate(Q, x);
  direct.solve(y, y);
  EXPECT_LT((vec(x) - vec(y)).norm(), 1e-12 * vec(y).norm());
}

}  // namespace
}  // namespace scree::elastic::testing
