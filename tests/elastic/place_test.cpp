/// Referential points in a mesh and the motion there (theory eq. 5.1).
#include "elastic/place.hpp"

#include <gtest/gtest.h>

#include <random>

#include "meshes.hpp"

namespace scree::elastic::testing {
namespace {

TEST(Place, PointsInsideAreFoundToRounding) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> u(0.0, 1.0);
  for (Cells cells : {Cells::hexahedra, Cells::wedges, Cells::pyramids, Cells::tetrahedra, Cells::mixed}) {
    for (int order : {1, 2}) {
      const FiniteMesh mesh = make_finite_mesh(box_mesh(Vec3::Zero(), Vec3(2, 1, 1), 4, 3, 3, cells, 0.15), order);
      const Locator locator(mesh);
      for (int trial = 0; trial < 100; ++trial) {
        const Vec3 X(2 * u(random), u(random), u(random));
        const Place place = locator.locate(mesh, X);
        // Newton converges to rounding except at the very apex of pyramids.
        const bool apexes = cells == Cells::pyramids || cells == Cells::mixed;
        EXPECT_LT((point(mesh, place) - X).norm(), apexes ? 1e-9 : 1e-13);
      }
      for (std::size_t n = 0; n < mesh.nodes.size(); ++n) EXPECT_LT((point(mesh, locator.locate(mesh, mesh.nodes[n])) - mesh.nodes[n]).norm(), 2e-9);
    }
  }
}

TEST(Place, PointsOutsideGoToTheNearestPlace) {
  const FiniteMesh mesh = make_finite_mesh(box_mesh(Vec3::Zero(), Vec3::Ones(), 3, 3, 3, Cells::hexahedra));
  const Locator locator(mesh);
  std::mt19937 random(2);
  std::uniform_real_distribution<double> u(-1.0, 2.0);
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3 X(u(random), u(random), u(random)), nearest = X.cwiseMax(0.0).cwiseMin(1.0);
    EXPECT_LT((point(mesh, locator.locate(mesh, X)) - nearest).norm(), 1e-12);
  }
}

TEST(Place, WeightsInterpolateAndSpreadForces) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3::Ones(), 2, 2, 2, Cells::mixed, 0.1), 2);
  const Locator locator(body.mesh());
  const Vec3 X(0.37, 0.61, 0.24), force(1, -2, 3);
  const Weights w = weights(body.mesh(), locator.locate(body.mesh(), X));
  const auto q = body.mesh().positions();
  EXPECT_LT((w.at(q) - X).norm(), 1e-12);
  std::vector<double> f(q.size(), 0.0);
  w.add_force(force, f);
  Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
  for (int n = 0; n < body.nodes(); ++n) {
    sum += Vec3::Map(f.data() + 3 * n);
    torque += body.mesh().nodes[n].cross(Vec3::Map(f.data() + 3 * n));
  }
  EXPECT_LT((sum - force).norm(), 1e-13);
  EXPECT_LT((torque - X.cross(force)).norm(), 1e-12);
}

}  // namespace
}  // namespace scree::elastic::testing
