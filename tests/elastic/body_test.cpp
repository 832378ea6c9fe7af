#include "elastic/body.hpp"

#include <gtest/gtest.h>

#include "core/rotation.hpp"
#include "core/threads.hpp"
#include "meshes.hpp"

namespace scree::elastic::testing {
namespace {

struct Case {
  Cells cells;
  int order;
};

class EveryMesh : public ::testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] ElasticBody body(const char* law = "KIRCHHOFF", int n = 3) const {
    return make_body(box_mesh(Vec3(0.1, 0.2, -0.3), Vec3(1.3, 1.1, 0.8), n, n, n, GetParam().cells, 0.12), GetParam().order, 2.0, 0.3, 1.7, law);
  }
};
INSTANTIATE_TEST_SUITE_P(Meshes, EveryMesh,
                         ::testing::Values(Case{Cells::hexahedra, 1}, Case{Cells::wedges, 1}, Case{Cells::pyramids, 1}, Case{Cells::tetrahedra, 1},
                                           Case{Cells::mixed, 1}, Case{Cells::hexahedra, 2}, Case{Cells::wedges, 2}, Case{Cells::pyramids, 2},
                                           Case{Cells::tetrahedra, 2}, Case{Cells::mixed, 2}));

std::vector<char> boundary_nodes(const FiniteMesh& mesh) {
  std::vector<char> on(mesh.nodes.size(), 0);
  for (const BoundaryFace& face : mesh.boundary) {
    for (int n : face.nodes()) on[n] = 1;
  }
  return on;
}

TEST_P(EveryMesh, ForcesInsideVanishUnderAnyLinearMap) {
  // The patch test at finite strain: a homogeneous deformation is in equilibrium, for any law.
  for (const char* law : {"KIRCHHOFF", "NEO_HOOKEAN"}) {
    const ElasticBody b = body(law);
    Mat3 F;
    F << 1.1, 0.2, -0.1, 0.05, 0.9, 0.15, -0.2, 0.1, 1.2;
    const auto q = mapped(b, F, Vec3(3, -2, 1));
    std::vector<double> f(q.size());
    b.internal_force(q, f);
    const auto on = boundary_nodes(b.mesh());
    double inside = 0.0, outside = 0.0;
    int free = 0;
    for (int n = 0; n < b.nodes(); ++n) {
      double& largest = on[n] ? outside : inside;
      largest = std::max(largest, Vec3::Map(f.data() + 3 * n).norm());
      free += on[n] ? 0 : 1;
    }
    ASSERT_GT(free, 0);
    EXPECT_GT(outside, 1e-2);
    // Rounding: every element that meets at a node adds entries that are sums of up to 27 products.
    std::vector<int> meeting(b.nodes(), 0);
    for (int e = 0; e < b.mesh().elements(); ++e)
      for (const int n : b.mesh().element(e)) ++meeting[n];
    EXPECT_LT(inside, 2e-14 * outside * *std::max_element(meeting.begin(), meeting.end())) << law;
  }
}

TEST_P(EveryMesh, RigidMotionCausesNoForceAndKeepsEnergy) {
  const ElasticBody b = body("NEO_HOOKEAN");
  const Mat3 Q = exp_rotation(Vec3(1.0, 2.0, -0.5));
  std::vector<double> q = mapped(b, Q, Vec3(5, 6, 7)), f(q.size()), g(q.size());
  b.internal_force(q, f);
  EXPECT_LT(vec(f).norm(), 1e-13);
  EXPECT_NEAR(b.internal_energy(q), 0.0, 1e-15);
  // A strained configuration turned as a whole: forces turn with it.
  const auto strained = shaken(b, 0.01);
  std::vector<double> turned(q.size());
  for (int n = 0; n < b.nodes(); ++n) Vec3::Map(turned.data() + 3 * n) = Q * Vec3::Map(strained.data() + 3 * n);
  b.internal_force(strained, f);
  b.internal_force(turned, g);
  for (int n = 0; n < b.nodes(); ++n) {
    EXPECT_LT((Vec3::Map(g.data() + 3 * n) - Q * Vec3::Map(f.data() + 3 * n)).norm(), 1e-12 * vec(f).norm());
  }
}

TEST_P(EveryMesh, TangentAndForceAreDerivatives) {
  for (const char* law : {"KIRCHHOFF", "NEO_HOOKEAN"}) {
    const ElasticBody b = body(law, 2);
    const auto q = shaken(b, 0.01);
    const auto direction = shaken(b, 1.0, 2);
    std::vector<double> f(q.size()), plus(q), minus(q), f1(q.size()), f0(q.size()), Kd(q.size());
    const double step = 1e-6;
    for (std::size_t i = 0; i < q.size(); ++i) plus[i] += step * direction[i], minus[i] -= step * direction[i];
    b.internal_force(q, f);
    b.internal_force(plus, f1);
    b.internal_force(minus, f0);
    BlockMatrix K = b.make_matrix();
    b.tangent(q, K);
    K.multiply(direction, Kd);
    const double slope = (b.internal_energy(plus) - b.internal_energy(minus)) / (2 * step);
    EXPECT_NEAR(vec(f).dot(vec(direction)), slope, 1e-7 * std::abs(slope) + 1e-9) << law;
    const VecX difference = (vec(f1) - vec(f0)) / (2 * step);
    EXPECT_LT((difference - vec(Kd)).norm(), 1e-7 * vec(Kd).norm()) << law;
    for (int n = 0; n < b.nodes(); ++n) {
      for (int k = K.pattern->row_start[n]; k < K.pattern->row_start[n + 1]; ++k) {
        const int other = K.pattern->find(K.pattern->columns[k], n);
        for (int i = 0; i < 9; ++i) EXPECT_EQ(K.values[9 * k + i], K.values[9 * other + (i % 3) * 3 + i / 3]);
      }
    }
  }
}

TEST_P(EveryMesh, MeanForceDoesTheWorkOfTheEnergyAndHasNoResultant) {
  for (const char* law : {"KIRCHHOFF", "NEO_HOOKEAN"}) {
    const ElasticBody b = body(law, 2);
    const auto q0 = shaken(b, 0.02, 1), q1 = shaken(b, 0.02, 2);
    std::vector<double> f(q0.size());
    b.step_force(q0, q1, 0.0, f);
    const double work = vec(f).dot(vec(q1) - vec(q0)), change = b.internal_energy(q1) - b.internal_energy(q0);
    EXPECT_NEAR(work, change, 1e-13 * (std::abs(b.internal_energy(q0)) + std::abs(b.internal_energy(q1)))) << law;
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    for (int n = 0; n < b.nodes(); ++n) {
      const Vec3 middle = 0.5 * (Vec3::Map(q0.data() + 3 * n) + Vec3::Map(q1.data() + 3 * n));
      force += Vec3::Map(f.data() + 3 * n);
      torque += middle.cross(Vec3::Map(f.data() + 3 * n));
    }
    EXPECT_LT(force.norm(), 1e-13 * vec(f).norm()) << law;
    EXPECT_LT(torque.norm(), 1e-13 * vec(f).norm()) << law;
    // With equal ends it is the internal force.
    std::vector<double> g(q0.size());
    b.step_force(q0, q0, 0.0, f);
    b.internal_force(q0, g);
    EXPECT_LT((vec(f) - vec(g)).norm(), 1e-14 * vec(g).norm());
  }
}

TEST_P(EveryMesh, InertiaIsExact) {
  const ElasticBody b = body();
  // A box of 1.2 x 0.9 x 1.1 with density 1.7; interior nodes are moved, the box is not.
  const double m = 1.7 * 1.2 * 0.9 * 1.1;
  const auto& p = b.mass_properties();
  EXPECT_NEAR(p.mass, m, 1e-13 * m);
  EXPECT_NEAR(p.volume, m / 1.7, 1e-13);
  EXPECT_LT((p.center - Vec3(0.7, 0.65, 0.25)).norm(), 1e-13);
  const Vec3 squares(1.2 * 1.2, 0.9 * 0.9, 1.1 * 1.1);
  EXPECT_LT((p.euler - Mat3((m / 12 * squares).asDiagonal())).norm(), 1e-13);
  double lumped = 0.0;
  for (double each : b.lumped_mass()) {
    EXPECT_GT(each, 0.0);
    lumped += each;
  }
  EXPECT_NEAR(lumped, m, 1e-13 * m);
  // Spin about z: kinetic energy J w^2 / 2.
  std::vector<double> u(3 * b.nodes());
  for (int n = 0; n < b.nodes(); ++n) Vec3::Map(u.data() + 3 * n) = Vec3(0, 0, 3).cross(b.mesh().nodes[n] - p.center);
  EXPECT_NEAR(b.kinetic_energy(u), 0.5 * 9 * p.inertia()(2, 2), 1e-13);
}

TEST_P(EveryMesh, ThreadsDoNotChangeABit) {
  const ElasticBody b = body("NEO_HOOKEAN", 5);
  const auto q = shaken(b, 0.005), q1 = shaken(b, 0.005, 9);
  std::vector<double> f1(q.size()), f2(q.size());
  BlockMatrix K1 = b.make_matrix(), K2 = b.make_matrix();
  const int before = threads();
  set_threads(1);
  b.step_force(q, q1, 0.0, f1);
  b.tangent(q, K1);
  const double e1 = b.internal_energy(q);
  set_threads(3);
  b.step_force(q, q1, 0.0, f2);
  b.tangent(q, K2);
  const double e2 = b.internal_energy(q);
  set_threads(before);
  EXPECT_EQ(f1, f2);
  EXPECT_EQ(K1.values, K2.values);
  EXPECT_EQ(e1, e2);
}

}  // namespace
}  // namespace scree::elastic::testing
