#include "elastic/critical_step.hpp"

#include <gtest/gtest.h>

#include "core/dense.hpp"
#include "meshes.hpp"

namespace scree::elastic::testing {
namespace {

double exact_frequency(const ElasticBody& body, const BlockMatrix& K) {
  MatX D(K.dofs(), K.dofs());
  std::vector<double> x(K.dofs(), 0.0), y(K.dofs());
  for (int j = 0; j < K.dofs(); ++j) {
    x[j] = 1.0;
    K.multiply(x, y);
    for (int i = 0; i < K.dofs(); ++i) D(i, j) = y[i] / std::sqrt(body.lumped_mass()[i / 3] * body.lumped_mass()[j / 3]);
    x[j] = 0.0;
  }
  return std::sqrt(symmetric_eigenvalues(D).maxCoeff());
}

TEST(CriticalStep, IsTightAndSafe) {
  for (Cells cells : {Cells::hexahedra, Cells::tetrahedra, Cells::mixed}) {
    for (int order : {1, 2}) {
      const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(1, 1, 2), 2, 2, 3, cells, 0.1), order, 1e3, 0.3, 7.0);
      BlockMatrix K = body.make_matrix();
      body.tangent(body.mesh().positions(), K);
      const double exact = exact_frequency(body, K), found = largest_frequency(body, K);
      EXPECT_GE(found, exact * (1 - 1e-10));
      EXPECT_LE(found, exact * (1 + 1e-3));
      EXPECT_GE(element_frequency_bound(body), exact * (1 - 1e-12));
      EXPECT_LE(element_frequency_bound(body), 4 * exact);
      EXPECT_DOUBLE_EQ(critical_step(body, body.mesh().positions()), 2.0 / found);
      EXPECT_LT(critical_step(body, body.mesh().positions(), 1e-2), 2.0 / found);
    }
  }
}

TEST(CriticalStep, IsABoundForAnyMesh) {
  // Fast modes of slivers lie close together: what settles first need not be the fastest.
  std::mt19937 random(2);
  for (int k = 0; k < 40; ++k) {
    geometry::Mesh mesh = box_mesh(Vec3::Zero(), Vec3(1, 1, 1), 2, 2, 2, k % 2 ? Cells::hexahedra : Cells::tetrahedra);
    std::uniform_real_distribution<double> move(-0.12, 0.12);
    for (Vec3& x : mesh.nodes) x += Vec3{move(random), move(random), move(random)};
    const ElasticBody body = make_body(mesh, 1, 1e3, 0.3, 7.0);
    BlockMatrix K = body.make_matrix();
    body.tangent(body.mesh().positions(), K);
    const double exact = exact_frequency(body, K), found = largest_frequency(body, K);
    EXPECT_GE(found, exact * (1 - 1e-10)) << k;
    EXPECT_LE(found, exact * (1 + 1e-3)) << k;
  }
}

TEST(CriticalStep, OneDimensionalBarHasTheCourantStep) {
  // A row of cubes with nu = 0 held in the two other directions would have h = edge / c; free, shear modes are slower.
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(10, 1, 1), 10, 1, 1, Cells::hexahedra), 1, 4.0, 0.0, 1.0);
  EXPECT_NEAR(critical_step(body, body.mesh().positions()), 1.0 / 2.0, 0.1);
}

TEST(CriticalStep, ExplicitMotionIsStableBelowAndExplodesAbove) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(1, 1, 1), 2, 2, 2, Cells::mixed, 0.1), 1, 1e3, 0.3, 1.0);
  const double limit = critical_step(body, body.mesh().positions());
  const auto growth = [&](double h) {
    auto q = shaken(body, 1e-7);
    std::vector<double> u(q.size(), 0.0), f(q.size());
    double most = 0.0;
    for (int step = 0; step < 3000; ++step) {
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += 0.5 * h * u[i];
      body.internal_force(q, f);
      for (std::size_t i = 0; i < q.size(); ++i) u[i] -= h * f[i] / body.lumped_mass()[i / 3], q[i] += 0.5 * h * u[i];
      double kinetic = 0.0;
      for (std::size_t i = 0; i < q.size(); ++i) kinetic += 0.5 * body.lumped_mass()[i / 3] * u[i] * u[i];
      most = std::max(most, kinetic);
      if (!(most < 1.0)) break;
    }
    return most;
  };
  const double start = body.internal_energy(shaken(body, 1e-7));
  EXPECT_LT(growth(0.98 * limit), 100 * start);
  EXPECT_GT(growth(1.01 * limit), 1e6 * start);
}

}  // namespace
}  // namespace scree::elastic::testing
