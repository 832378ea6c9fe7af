/// AUTO on bodies with many unknowns: condensed W, dense Newton systems, working sets.
#include "solvers/auto_deformable.hpp"

#include <gtest/gtest.h>

#include <random>

#include "solvers/condense.hpp"
#include "solvers/dense_system.hpp"
#include "solvers/registry.hpp"
#include "solvers/yardstick.hpp"

namespace scree::solvers {
namespace {

/// A few bodies of 60 unknowns in a ring and on the ground; every third block is far from closing.
ContactProblem soft_ring(int bodies, int blocks_a_pair) {
  const std::vector<int> dofs(static_cast<std::size_t>(bodies), 60);
  auto form = std::make_shared<BodyForm>();
  form->reset(dofs);
  ContactProblem problem;
  std::mt19937 random(3);
  const auto next = [&] { return static_cast<double>(random()) / 2147483648.0 - 1.0; };
  for (int b = 0; b < bodies; ++b)
    for (int k = 0; k < blocks_a_pair; ++k) {
      const int other = k % 2 == 0 ? -1 : (b + 1) % bodies;
      for (const auto& side : form->add_block(other, b))
        for (double& entry : side) entry = next();
      problem.kind.push_back(BlockKind::contact);
      problem.mu.push_back(0.4);
      const double normal = k % 3 == 2 ? 30.0 : -1.0 - 0.5 * next();
      problem.B.insert(problem.B.end(), {normal, next(), next()});
    }
  form->finish();
  problem.W = form;
  return problem;
}

TEST(AutoDeformable, SolvesOnAWorkingSetAndCertifiesTheWhole) {
  const ContactProblem problem = soft_ring(4, 18);
  for (const Yardstick yardstick : {Yardstick::residual, Yardstick::merit, Yardstick::scaled_merit}) {
    AutoOptions options;
    options.tolerance = 1e-10;
    options.yardstick = yardstick;
    ASSERT_TRUE(suits_working_set(problem, options));
    AutoWorkspace workspace;
    std::vector<double> R(problem.B.size(), 0.0);
    Watch watch(problem, options, R);
    watch.offer(R);
    solve_working_set(problem, options, watch, workspace);
    const SolveReport report = watch.report("");
    EXPECT_EQ(report.status, Status::converged);
    EXPECT_LE(measure(yardstick, problem, R), 1e-10);
    EXPECT_LT(report.iterations, 400);
    // Blocks that stay open were never part of the problem solved.
    EXPECT_LT(workspace.active.size(), problem.kind.size());
  }
}

TEST(AutoDeformable, NeverWorseThanTheGuess) {
  const ContactProblem problem = soft_ring(4, 18);
  AutoWorkspace workspace;
  AutoOptions options;
  options.tolerance = 1e-14;
  // Guesses of all qualities, and too few iterations to get far.
  for (int before = 1; before <= 40; before += 9)
    for (int after = 1; after <= 40; after += 9) {
      std::vector<double> R(problem.B.size(), 0.0);
      options.max_iterations = before;
      solve_auto(problem, options, R, workspace);
      const double guess = measure(Yardstick::residual, problem, R);
      options.max_iterations = after;
      solve_auto(problem, options, R, workspace);
      EXPECT_LE(measure(Yardstick::residual, problem, R), guess) << before << " " << after;
    }
}

TEST(AutoDeformable, RigidBodiesAndOtherYardsticksGoTheOrdinaryWay) {
  AutoOptions options;
  EXPECT_TRUE(suits_working_set(soft_ring(2, 4), options));
  options.yardstick = Yardstick::siconos;
  EXPECT_FALSE(suits_working_set(soft_ring(2, 4), options));
  options.yardstick = Yardstick::residual;
  ContactProblem rows = soft_ring(2, 4);
  rows.W = std::make_shared<ExplicitForm>(make_explicit(static_cast<const BodyForm&>(*rows.W)));
  EXPECT_FALSE(suits_working_set(rows, options));
}

TEST(AutoDeformable, CondensingPaysForLongRowsOnly) {
  const ContactProblem few = soft_ring(4, 6), many = soft_ring(1, 60);
  EXPECT_TRUE(condensing_pays(static_cast<const BodyForm&>(*few.W)));
  EXPECT_FALSE(condensing_pays(static_cast<const BodyForm&>(*many.W)));
  EXPECT_TRUE(condensing_pays(static_cast<const BodyForm&>(*many.W), 4.0));
}

TEST(AutoDeformable, DenseSystemSolvesTheNewtonEquation) {
  ContactProblem problem = soft_ring(2, 8);
  const auto rows = std::make_shared<ExplicitForm>(make_explicit(static_cast<const BodyForm&>(*problem.W)));
  problem.W = rows;
  ScaledProblem scaled(problem);
  const auto system = make_dense_system(scaled, *rows);
  const auto n = static_cast<std::size_t>(problem.blocks());
  std::vector<Mat3> D(n);
  std::vector<char> open(n, 0);
  std::vector<double> f(3 * n), dx(3 * n), Wdx(3 * n);
  for (std::size_t a = 0; a < n; ++a) {
    // Sticking, slipping with a coupling, frictionless and open rows.
    D[a] = Mat3::Identity();
    if (a % 4 == 1) D[a] << 1, 0, 0, 0.3, 0.5, 0.1, -0.2, 0.1, 0.4;
    if (a % 4 == 2) D[a] = Vec3(1, 0, 0).asDiagonal();
    if (a % 4 == 3) D[a].setZero(), open[a] = 1;
    for (std::size_t k = 3 * a; k < 3 * a + 3; ++k) f[k] = std::cos(1.7 * static_cast<double>(k));
  }
  const double alpha = 0.05;
  ASSERT_TRUE(system->solve(alpha, D, open, f, dx));
  scaled.apply(dx, Wdx);
  for (std::size_t k = 0; k < f.size(); ++k) {
    const Vec3 product = D[k / 3] * Eigen::Map<const Vec3>(Wdx.data() + 3 * (k / 3));
    EXPECT_NEAR(alpha * dx[k] + product[static_cast<Eigen::Index>(k % 3)], -alpha * f[k], 1e-11);
  }
}

}  // namespace
}  // namespace scree::solvers
