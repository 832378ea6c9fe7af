#include "elastic/corotation.hpp"

#include <gtest/gtest.h>

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
