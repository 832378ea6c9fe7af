#include "elastic/stress.hpp"

#include <gtest/gtest.h>

#include "meshes.hpp"

namespace scree::elastic::testing {
namespace {

TEST(Stress, HomogeneousDeformationHasOneStressEverywhere) {
  Mat3 F;
  F << 1.1, 0.2, -0.1, 0.05, 0.9, 0.15, -0.2, 0.1, 1.2;
  for (Cells cells : {Cells::hexahedra, Cells::wedges, Cells::pyramids, Cells::tetrahedra, Cells::mixed}) {
    for (int order : {1, 2}) {
      const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3::Ones(), 2, 2, 2, cells, 0.1), order, 2.0, 0.3, 1.0, "NEO_HOOKEAN");
      const auto q = mapped(body, F, Vec3(1, 2, 3));
      const Vec6 expected = cauchy(F, body.law(0).stress(F.transpose() * F));
      std::vector<Vec6> nodal;
      StressSmoother(body).evaluate(body, q, nodal);
      for (const Vec6& s : nodal) EXPECT_LT((s - expected).norm(), 1e-12);
      const Locator locator(body.mesh());
      const Place place = locator.locate(body.mesh(), Vec3(0.3, 0.7, 0.2));
      EXPECT_LT((stress_at(body, q, place) - expected).norm(), 1e-12);
      EXPECT_LT((StressSmoother::at(body, nodal, place) - expected).norm(), 1e-12);
    }
  }
}

TEST(Stress, LinearStressIsSmoothedExactlyBySecondOrder) {
  // Bending: sigma_xx = -young * curvature * y is linear; extrapolation reproduces it at every node.
  const double curvature = 1e-6;
  for (Cells cells : {Cells::hexahedra, Cells::wedges, Cells::tetrahedra}) {
    const ElasticBody body = make_body(box_mesh(Vec3(0, -0.5, 0), Vec3(2, 0.5, 1), 2, 2, 2, cells), 2, 3.0, 0.0);
    auto q = body.mesh().positions();
    for (int n = 0; n < body.nodes(); ++n) {
      const Vec3& X = body.mesh().nodes[n];
      Vec3::Map(q.data() + 3 * n) += curvature * Vec3(-X.x() * X.y(), 0.5 * X.x() * X.x(), 0);
    }
    std::vector<Vec6> nodal;
    StressSmoother(body).evaluate(body, q, nodal);
    // Squares of the strain are 1e-12 of young.
    for (int n = 0; n < body.nodes(); ++n) EXPECT_NEAR(nodal[n][0], -3.0 * curvature * body.mesh().nodes[n].y(), 5e-11);
  }
}

}  // namespace
}  // namespace scree::elastic::testing
