#include "solvers/equalities.hpp"

#include <gtest/gtest.h>

#include "newton_problems.hpp"
#include "solvers/registry.hpp"

namespace scree::solvers {
namespace {

using testing::random_problem;

/// The problem with some of its equality blocks written down again, `times` each.
ContactProblem with_copies(const ContactProblem& problem, int times) {
  const auto& form = dynamic_cast<const BodyForm&>(*problem.W);
  auto copied = std::make_shared<BodyForm>();
  copied->reset_rigid(form.bodies());
  ContactProblem result;
  for (int a = 0; a < form.blocks(); ++a) {
    const auto i = static_cast<std::size_t>(a);
    for (int copy = 0; copy < (problem.kind[i] == BlockKind::contact ? 1 : times); ++copy) {
      const auto sides = copied->add_block(form.bodies_of(a)[0], form.bodies_of(a)[1]);
      for (int side = 0; side < 2; ++side) std::ranges::copy(form.rows(a, side), sides[static_cast<std::size_t>(side)].begin());
      result.kind.push_back(problem.kind[i]);
      result.mu.push_back(problem.mu[i]);
      result.B.insert(result.B.end(), problem.B.begin() + 3 * a, problem.B.begin() + 3 * a + 3);
    }
  }
  copied->finish();
  result.W = copied;
  return result;
}

/// Scaled velocities that impulses give the bodies.
std::vector<double> motion(const ContactProblem& problem, const std::vector<double>& R) {
  const auto& form = dynamic_cast<const BodyForm&>(*problem.W);
  std::vector<double> y(static_cast<std::size_t>(form.dofs()));
  form.scatter(R, y);
  return y;
}

std::vector<double> solved(const char* solver, const ContactProblem& problem, double tolerance = 1e-9) {
  std::vector<double> R(problem.B.size(), 0.0);
  StopRule stop;
  stop.tolerance = tolerance;
  const SolveReport report = solve(solver, problem, stop, {}, R);
  EXPECT_EQ(report.status, Status::converged) << solver << ' ' << report.residual;
  EXPECT_LE(measure(Yardstick::residual, problem, R), tolerance) << solver;
  return R;
}

TEST(Equalities, NothingToTakeOut) {
  EXPECT_FALSE(Equalities(random_problem({})).any());
  EXPECT_FALSE(Equalities(testing::explicit_copy(random_problem({.joints = true}))).any());
}

TEST(Equalities, WhatIsLeftIsTheSchurComplement) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const ContactProblem problem = random_problem({.bodies = 9, .contacts = 16, .joints = true, .seed = seed});
    const Equalities equalities(problem);
    ASSERT_TRUE(equalities.any());
    EXPECT_LT(equalities.contradiction(), 1e-12);
    const ContactProblem& rest = equalities.rest();
    EXPECT_TRUE(std::ranges::all_of(rest.kind, [](BlockKind kind) { return kind == BlockKind::contact; }));
    // For any impulses of what is left the whole has the same velocities there, and none where equalities hold.
    std::vector<double> part(rest.B.size()), U(part.size()), R(problem.B.size()), U_all(R.size());
    for (std::size_t k = 0; k < part.size(); ++k) part[k] = std::sin(static_cast<double>(7 * k + seed));
    relative_velocity(rest, part, U);
    equalities.complete(part, R);
    relative_velocity(problem, R, U_all);
    EXPECT_EQ(equalities.rest_of(R), part);
    const std::vector<double> U_left = equalities.rest_of(U_all);
    for (std::size_t k = 0; k < U.size(); ++k) EXPECT_NEAR(U[k], U_left[k], 1e-9) << seed;
    for (std::size_t a = 0; a < problem.kind.size(); ++a) {
      if (problem.kind[a] == BlockKind::contact) continue;
      EXPECT_NEAR(U_all[3 * a], 0.0, 1e-9) << seed;
      const bool all_three = problem.kind[a] == BlockKind::bilateral;
      EXPECT_NEAR(all_three ? std::hypot(U_all[3 * a + 1], U_all[3 * a + 2]) : 0.0, 0.0, 1e-9) << seed;
    }
  }
}

TEST(Equalities, CopiesChangeNothing) {
  // Frictionless contacts have one solution in velocities: redundant equalities leave it and cost nothing.
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const ContactProblem once = random_problem({.bodies = 9, .contacts = 14, .mu = 0.0, .joints = true, .seed = seed}), thrice = with_copies(once, 3);
    const std::vector<double> y = motion(once, solved("AUTO", once));
    for (const char* solver : {"AUTO", "GAUSS_SEIDEL", "SEMISMOOTH_NEWTON", "NEWTON", "IPM_DIRECT", "APGD"}) {
      const std::vector<double> again = motion(thrice, solved(solver, thrice));
      for (std::size_t k = 0; k < y.size(); ++k) EXPECT_NEAR(again[k], y[k], 1e-6) << solver << ' ' << seed;
    }
  }
}

TEST(Equalities, ContradictionsAreSaid) {
  // One body asked to move by 1 and by 3 along the same line: it moves by 2, and the report says why that is not enough.
  auto form = std::make_shared<BodyForm>();
  form->reset_rigid(1);
  ContactProblem problem;
  for (const double asked : {1.0, 3.0}) {
    const auto sides = form->add_block(0, -1);
    Eigen::Map<Eigen::Matrix<double, 3, 6, Eigen::RowMajor>> rows(sides[0].data());
    rows.setZero();
    rows.leftCols<3>().setIdentity();
    problem.kind.push_back(BlockKind::direction);
    problem.mu.push_back(0.0);
    problem.B.insert(problem.B.end(), {-asked, 0.5, 0.0});
  }
  form->finish();
  problem.W = form;
  std::vector<double> R(6, 0.0);
  const SolveReport report = solve("AUTO", problem, {}, {}, R);
  EXPECT_NE(report.status, Status::converged);
  EXPECT_NE(report.advice.find("contradict"), std::string::npos);
  EXPECT_NEAR(R[0] + R[3], 2.0, 1e-12);
  EXPECT_GT(report.residual, 0.1);
}

}  // namespace
}  // namespace scree::solvers
