/// Incompatible modes of first-order hexahedra (theory eq. 5.27-5.28).
#include <gtest/gtest.h>

#include "elastic/corotation.hpp"
#include "elastic/incompatible.hpp"
#include "statics.hpp"

namespace scree::elastic::testing {
namespace {

bool on_ends(const Vec3& X, double length) { return X.x() < 1e-9 || X.x() > length - 1e-9; }

TEST(Incompatible, PassesThePatchTestOnDistortedMeshes) {
  Mat3 G;
  G << 1e-3, 2e-3, -1e-3, 0.5e-3, -1e-3, 1.5e-3, 1e-3, 0.7e-3, 2e-3;
  const Vec3 low(0, 0, 0), high(1, 1.2, 0.8);
  for (const Cells cells : {Cells::hexahedra, Cells::mixed}) {
    const ElasticBody body = make_body(box_mesh(low, high, 3, 3, 3, cells, 0.15), 1);
    Statics problem{.body = body, .incompatible = true};
    const auto border = [&](const Vec3& X) { return ((X - low).cwiseAbs().array() < 1e-9).any() || ((X - high).cwiseAbs().array() < 1e-9).any(); };
    for (int i = 0; i < 3; ++i) problem.hold(border, i, [&](const Vec3& X) { return G.row(i).dot(X); });
    const auto u = problem.solve();
    for (int n = 0; n < body.nodes(); ++n) EXPECT_LT((Vec3::Map(u.data() + 3 * n) - G * body.mesh().nodes[n]).norm(), 1e-15);
  }
}

TEST(Incompatible, StiffnessIsSymmetricSofterAndFreeOfRigidMotions) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(1, 0.5, 0.7), 2, 2, 2, Cells::hexahedra, 0.2), 1);
  BlockMatrix soft = body.make_matrix(), stiff = body.make_matrix();
  incompatible_stiffness(body, soft);
  body.tangent(body.mesh().positions(), stiff);
  std::vector<double> u(body.dofs()), f(body.dofs());
  // Rigid motions cost nothing.
  for (int n = 0; n < body.nodes(); ++n) Vec3::Map(u.data() + 3 * n) = Vec3(0.1, 0.2, 0.3) + Vec3(1, -2, 0.5).cross(body.mesh().nodes[n]);
  soft.multiply(u, f);
  EXPECT_LT(vec(f).norm(), 1e-13 * vec(u).norm());
  // Any other motion costs something, and no more than without.
  for (unsigned seed = 1; seed < 6; ++seed) {
    const auto q = shaken(body, 0.1, seed);
    for (int i = 0; i < body.dofs(); ++i) u[i] = q[i] - body.mesh().positions()[i];
    soft.multiply(u, f);
    const double less = vec(u).dot(vec(f));
    stiff.multiply(u, f);
    EXPECT_GT(less, 0.1 * vec(u).dot(vec(f)));
    EXPECT_LT(less, vec(u).dot(vec(f)));
  }
}

TEST(Incompatible, RectangularElementsBendExactly) {
  // Pure bending, nu = 0.3, in plane stress: one layer of bricks 12 times longer than thick. Ends are held along x at the given rotation.
  const double L = 1.0, t = 0.02, nu = 0.3, k = 1e-3;
  const auto moment = [&](bool incompatible) {
    const ElasticBody body = make_body(box_mesh(Vec3(0, -0.5 * t, 0), Vec3(L, 0.5 * t, t), 4, 1, 1, Cells::hexahedra), 1, 1.0, nu);
    Statics problem{.body = body, .incompatible = incompatible};
    problem.hold([&](const Vec3& X) { return on_ends(X, L); }, 0, [&](const Vec3& X) { return X.x() > 0.5 * L ? -k * L * X.y() : 0.0; });
    problem.hold([](const Vec3& X) { return X.x() < 1e-9 && X.y() < 0.0; }, 1);
    problem.hold([](const Vec3& X) { return X.x() < 1e-9 && X.y() < 0.0 && X.z() < 1e-9; }, 2);
    const auto u = problem.solve();
    double force = 0.0;  // times its lever
    BlockMatrix K = body.make_matrix();
    if (incompatible) incompatible_stiffness(body, K);
    else body.tangent(body.mesh().positions(), K);
    std::vector<double> f(u.size());
    K.multiply(u, f);
    for (int n = 0; n < body.nodes(); ++n)
      if (body.mesh().nodes[n].x() > L - 1e-9) force -= f[3 * n] * body.mesh().nodes[n].y();
    return force;
  };
  const double exact = k * std::pow(t, 4) / 12.0;  // E I kappa
  // Rounding times the condition of thin bricks; without the modes the same bricks are (L_e / t)^2 G / E = 60 times too stiff.
  EXPECT_NEAR(moment(true) / exact, 1.0, 1e-9);
  EXPECT_GT(moment(false) / exact, 40.0);
}

TEST(Incompatible, CantileverConvergesWithoutLocking) {
  // A slender cantilever under an end load against beam theory, 20 times longer than deep: P L^3 / 3 E I and the shear's share.
  const double L = 1.0, t = 0.05, P = 1e-6;
  const auto tip = [&](int cells, bool incompatible) {
    const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(L, t, t), cells, 1, 1, Cells::hexahedra), 1, 1.0, 0.0);
    Statics problem{.body = body, .incompatible = incompatible};
    for (int i = 0; i < 3; ++i) problem.hold([](const Vec3& X) { return X.x() < 1e-9; }, i);
    for (int n = 0; n < body.nodes(); ++n)
      if (body.mesh().nodes[n].x() > L - 1e-9) problem.load[3 * n + 2] = 0.25 * P;
    const auto u = problem.solve();
    return u[3 * (body.nodes() - 1) + 2];
  };
  const double beam = P * L * L * L / (3.0 * std::pow(t, 4) / 12.0) * (1.0 + 0.6 * t * t / (L * L));
  EXPECT_NEAR(tip(10, true), beam, 0.005 * beam);
  EXPECT_NEAR(tip(20, true), beam, 0.002 * beam);
  EXPECT_LT(tip(10, false), 0.5 * beam);
}

TEST(Incompatible, CorotationTurnsWithTheBody) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(1, 0.1, 0.1), 4, 1, 1, Cells::hexahedra), 1, 1.0, 0.3);
  const Corotation soft(body, true), stiff(body);
  std::vector<double> work(body.dofs()), f(body.dofs());
  Eigen::Matrix3d R = Eigen::AngleAxisd(0.8, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const auto turned = mapped(body, R, Vec3(1, 2, 3));
  soft.internal_force(turned, f, work);
  EXPECT_LT(vec(f).norm(), 1e-14);
  // Bent, it stores less than the locking body.
  auto bent = body.mesh().positions();
  for (int n = 0; n < body.nodes(); ++n) {
    const Vec3 X = body.mesh().nodes[n];
    Vec3::Map(bent.data() + 3 * n) += 1e-3 * Vec3(-X.x() * (X.z() - 0.05), 0, 0.5 * X.x() * X.x());
  }
  EXPECT_LT(soft.internal_energy(bent, work), 0.5 * stiff.internal_energy(bent, work));
}

}  // namespace
}  // namespace scree::elastic::testing
