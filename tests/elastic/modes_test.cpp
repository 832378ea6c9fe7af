/// Natural modes and the motion they make (theory eq. 5.24-5.25).
#include "elastic/modes.hpp"

#include <gtest/gtest.h>

#include "core/dense.hpp"
#include "core/error.hpp"
#include "meshes.hpp"

namespace scree::elastic::testing {
namespace {

/// Roots of cosh x cos x = -1.
constexpr double kClamped[] = {1.875104068711961, 4.694091132974175, 7.854757438237613};

TEST(Modes, CantileverBeamFrequencies) {
  // Length 1, section 0.05 (y) x 0.04 (z), nu 0. First five: bending along z and y, first and second of each, then the third along z.
  const double L = 1, b = 0.05, t = 0.04, E = 2e11, rho = 7800, c = std::sqrt(E / rho);
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(L, b, t), 16, 1, 1, Cells::hexahedra), 2, E, 0.0, rho);
  std::vector<char> fixed(body.dofs(), 0);
  for (int n = 0; n < body.nodes(); ++n) {
    if (body.mesh().nodes[n].x() < 1e-9) fixed[3 * n] = fixed[3 * n + 1] = fixed[3 * n + 2] = 1;
  }
  const Modes modes = natural_modes(body, 5, fixed);
  std::vector<double> expected;
  for (double depth : {b, t}) {
    const double r2 = depth * depth / 12;  // radius of gyration, squared
    for (double k : kClamped) {
      // Rayleigh's estimate of rotary inertia and shear (E/(kappa G) = 2.4 at nu 0) on top of Euler-Bernoulli; next order below 1 %.
      const double wave = k / L;
      expected.push_back(wave * wave * std::sqrt(r2) * c / std::sqrt(1 + r2 * wave * wave * (1 + 2.4)));
    }
  }
  std::sort(expected.begin(), expected.end());
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(modes.frequency[k], expected[k], 0.012 * expected[k]) << k;
}

TEST(Modes, FreeBodyHasNoRigidPartAndSatisfiesTheEquation) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3::Ones(), 3, 3, 3, Cells::hexahedra), 1, 5.0, 0.25, 2.0);
  const Modes modes = natural_modes(body, 12);
  BlockMatrix K = body.make_matrix();
  body.tangent(body.mesh().positions(), K);
  MatX M_shapes(body.dofs(), 12), K_shapes(body.dofs(), 12);
  for (int k = 0; k < 12; ++k) {
    const std::span<const double> x{modes.shapes.col(k).data(), static_cast<std::size_t>(body.dofs())};
    body.mass().multiply(x, {M_shapes.col(k).data(), x.size()});
    K.multiply(x, {K_shapes.col(k).data(), x.size()});
    const double square = modes.frequency[k] * modes.frequency[k];
    EXPECT_LT((K_shapes.col(k) - square * M_shapes.col(k)).norm(), 1e-5 * K_shapes.col(k).norm()) << k;
  }
  EXPECT_LT((modes.shapes.transpose() * M_shapes - MatX::Identity(12, 12)).norm(), 1e-10);
  EXPECT_LT((rigid_motions(body).transpose() * M_shapes).norm(), 1e-10);
  // All of them against the dense solver.
  MatX Kd(body.dofs(), body.dofs()), Md(body.dofs(), body.dofs());
  std::vector<double> e(body.dofs(), 0.0);
  for (int j = 0; j < body.dofs(); ++j) {
    e[j] = 1.0;
    K.multiply(e, {Kd.col(j).data(), e.size()});
    body.mass().multiply(e, {Md.col(j).data(), e.size()});
    e[j] = 0.0;
  }
  const SymmetricEigen mass = symmetric_eigen(Md);
  const MatX scaled = mass.vectors * mass.values.cwiseSqrt().cwiseInverse().asDiagonal();
  const VecX squares = symmetric_eigenvalues(scaled.transpose() * Kd * scaled);
  for (int k = 0; k < 12; ++k) EXPECT_NEAR(modes.frequency[k], std::sqrt(squares[6 + k]), 1e-8 * modes.frequency[k]) << k;
}

TEST(Modes, GivenShapesAreMadeOrthonormal) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(2, 1, 1), 3, 2, 2, Cells::hexahedra), 1);
  const Modes modes = natural_modes(body, 4);
  // Mixed and shifted rigidly they span the same space.
  MatX mixed = modes.shapes * (MatX(4, 4) << 1, 2, 0, 1, 0, 1, 3, 0, 1, 0, 1, 1, 2, 1, 0, 1).finished();
  for (int n = 0; n < body.nodes(); ++n) mixed(3 * n, 1) += 0.7;
  const Modes again = modes_from(body, mixed);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(again.frequency[k], modes.frequency[k], 1e-8 * modes.frequency[k]);
  EXPECT_THROW((void)modes_from(body, MatX::Ones(5, 2)), InputError);
  EXPECT_THROW((void)modes_from(body, MatX::Ones(body.dofs(), 1)), InputError);
  EXPECT_THROW((void)natural_modes(body, 0), InputError);
  EXPECT_THROW((void)natural_modes(body, body.dofs()), InputError);
}

TEST(Modes, SmallBodiesGiveAllTheirModes) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3::Ones(), 1, 1, 1, Cells::hexahedra), 1);
  const Modes modes = natural_modes(body, body.dofs() - 6);
  EXPECT_EQ(modes.count(), 18);
  EXPECT_GT(modes.frequency[0], 0.0);
}

}  // namespace
}  // namespace scree::elastic::testing
