#include "elastic/embedding.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/rotation.hpp"
#include "elastic/critical_step.hpp"
#include "elastic/loads.hpp"
#include "geometry/mass.hpp"
#include "geometry/transform.hpp"
#include "statics.hpp"

namespace scree::elastic::testing {
namespace {

ElasticBody embedded(const geometry::Shape& shape, const geometry::Mesh& mesh, int order, double young = 1.0, double poisson = 0.3) {
  const auto law = make_law("KIRCHHOFF", young, poisson);
  Embedding e = embed(shape, mesh, order);
  return ElasticBody(std::move(e.mesh), [&](int) { return Material{law, 3.0}; }, e.rule);
}

geometry::Shape some_hull() {
  return geometry::make_hull(std::vector<Vec3>{{0, 0, 0}, {2, 0.1, 0}, {1.8, 1.2, 0.1}, {0.2, 1, -0.1}, {0.5, 0.4, 1.3}, {1.4, 0.7, 1.1}}, 0, 0);
}

void expect_same_mass(const geometry::MassProperties& a, const geometry::MassProperties& b, double tolerance) {
  EXPECT_NEAR(a.mass, b.mass, tolerance * b.mass);
  EXPECT_NEAR(a.volume, b.volume, tolerance * b.volume);
  EXPECT_LT((a.center - b.center).norm(), tolerance);
  EXPECT_LT((a.euler - b.euler).norm(), tolerance * b.euler.norm());
}

TEST(Embedding, MassPropertiesAreThoseOfTheShape) {
  const geometry::Shape shape = some_hull();
  for (int order : {1, 2}) {
    const ElasticBody body = embedded(shape, geometry::make_rough_hex(shape, 4, 3, 3), order);
    // Moments up to the second are integrated exactly: what is left is rounding of the cuts.
    expect_same_mass(body.mass_properties(), geometry::mass_properties(shape, 3.0), 1e-12);
    for (double m : body.lumped_mass()) EXPECT_GT(m, 0.0);
  }
}

TEST(Embedding, WarpedAndMixedMeshesCutAsWell) {
  const geometry::Shape shape = geometry::make_box(Vec3(0.2, 0.3, 0.1), Vec3(0.7, 0.9, 0.8), 0, 0);
  for (Cells cells : {Cells::hexahedra, Cells::mixed, Cells::tetrahedra}) {
    const ElasticBody body = embedded(shape, box_mesh(Vec3::Zero(), Vec3::Ones(), 3, 3, 3, cells, 0.15), 1);
    // Trilinear faces are replaced by four triangles here: nothing is lost between neighbours, whose triangles are the same.
    expect_same_mass(body.mass_properties(), geometry::mass_properties(shape, 3.0), 2e-3);
    EXPECT_NEAR(body.mass_properties().mass, 3.0 * 0.5 * 0.6 * 0.7, 1e-12);
  }
}

TEST(Embedding, RoundShapesKeepTheirVolume) {
  const geometry::Shape shape = geometry::make_ellipsoid(Vec3(1, 2, 3), Vec3(0.5, 0.4, 0.3), 0, 0);
  const ElasticBody body = embedded(shape, geometry::make_rough_hex(shape, 3, 3, 3), 1);
  const auto exact = geometry::mass_properties(shape, 3.0);
  EXPECT_NEAR(body.mass_properties().mass, exact.mass, 1e-10);
  EXPECT_LT((body.mass_properties().euler - exact.euler).norm(), 5e-3 * exact.euler.norm());
}

TEST(Embedding, UniformStretchIsExactWhereverTheMeshIsCut) {
  // A bar cut out of a coarse mesh at an odd place, pulled at its ends: the stress is uniform and the energy is that of the bar.
  const geometry::Shape bar = geometry::make_box(Vec3(0.13, 0.21, 0.17), Vec3(2.91, 0.83, 0.77), 0, 0);
  const ElasticBody body = embedded(bar, box_mesh(Vec3::Zero(), Vec3(3, 1, 1), 5, 2, 2, Cells::hexahedra), 1, 2.0, 0.3);
  Mat3 F = Mat3::Identity();
  F(0, 0) = 1.01, F(0, 1) = 0.02;
  const double expected = body.law(0).energy(F.transpose() * F) * 2.78 * 0.62 * 0.6;
  EXPECT_NEAR(body.internal_energy(mapped(body, F, Vec3::Zero())), expected, 1e-12 * expected);
}

TEST(Embedding, BendsLikeTheMeshedBar) {
  // Cantilever of depth 0.5 in a mesh of second-order cells twice as deep; held at x = 0, gravity-like load.
  const geometry::Shape bar = geometry::make_box(Vec3(0, 0.25, 0.25), Vec3(4, 0.75, 0.75), 0, 0);
  const auto tip = [](const ElasticBody& body) {
    Statics problem{body};
    for (int i = 0; i < 3; ++i) problem.hold([](const Vec3& X) { return X.x() < 1e-9; }, i);
    std::vector<double> gravity(body.dofs(), 0.0);
    for (int n = 0; n < body.nodes(); ++n) gravity[3 * n + 1] = -1e-4;
    body.mass().multiply(gravity, problem.load);
    const auto u = problem.solve();
    const Locator locator(body.mesh());
    return weights(body.mesh(), locator.locate(body.mesh(), Vec3(4, 0.5, 0.5))).at(u).y();
  };
  const ElasticBody meshed = make_body(box_mesh(Vec3(0, 0.25, 0.25), Vec3(4, 0.75, 0.75), 8, 2, 2, Cells::hexahedra), 2, 1.0, 0.3, 3.0);
  const ElasticBody cut = embedded(bar, box_mesh(Vec3::Zero(), Vec3(4, 1, 1), 8, 1, 1, Cells::hexahedra), 2);
  EXPECT_NEAR(tip(cut), tip(meshed), 0.05 * std::abs(tip(meshed)));
}

TEST(Embedding, SliversDoNotSpoilTheExplicitStep) {
  // The shape reaches into its last cells by less and less: the floor of the lumped masses keeps the critical step bounded.
  const auto step = [](double reach) {
    const geometry::Shape shape = geometry::make_box(Vec3(0.0, 0.0, 0.0), Vec3(2.0 + reach, 1.0, 1.0), 0, 0);
    const ElasticBody body = embedded(shape, box_mesh(Vec3::Zero(), Vec3(3, 1, 1), 3, 1, 1, Cells::hexahedra), 1);
    return critical_step(body, body.mesh().positions());
  };
  for (double reach : {1e-2, 1e-3, 1e-5}) EXPECT_GT(step(reach), 0.2 * step(1.0));
}

TEST(Embedding, ShapeOutsideTheMeshIsRefused) {
  const geometry::Shape shape = geometry::make_box(Vec3(0.5, 0.5, 0.5), Vec3(1.5, 0.7, 0.7), 0, 0);
  EXPECT_THROW((void)embed(shape, box_mesh(Vec3::Zero(), Vec3::Ones(), 2, 2, 2, Cells::hexahedra)), InputError);
}

}  // namespace
}  // namespace scree::elastic::testing
