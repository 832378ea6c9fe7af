/// Quasi-Newton on the smoothed law (theory eq. 4.4) and its system.
#include "solvers/newton.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "newton_problems.hpp"
#include "solvers/registry.hpp"
#include "solvers/smoothed_law.hpp"

namespace scree::solvers {
namespace {

using testing::RandomOptions;
using testing::random_problem;

TEST(SmoothedLaw, DerivativesAgreeWithFiniteDifferences) {
  const double smoothing = 0.05, h = 1e-6;
  const std::vector<std::pair<Vec3, Vec3>> points{
      {{0.3, 0.2, -0.1}, {0.5, 0.1, 0.2}}, {{-0.4, 0.5, 0.1}, {0.2, 0.0, 0.0}}, {{0.0, 0.01, 0.0}, {1.0, 0.3, -0.6}}, {{2.0, 0.0, 0.1}, {0.0, 0.0, 0.0}}};
  for (const BlockKind kind : {BlockKind::contact, BlockKind::bilateral, BlockKind::direction})
    for (const double mu : {0.0, 0.3, 1.2})
      for (const auto& [U, R] : points) {
        const SmoothedLaw law = smoothed_law(U, R, kind, mu, smoothing);
        for (int k = 0; k < 3; ++k) {
          const Vec3 e = h * Vec3::Unit(k);
          const Vec3 dU = (smoothed_law(U + e, R, kind, mu, smoothing).C - smoothed_law(U - e, R, kind, mu, smoothing).C) / (2 * h);
          const Vec3 dR = (smoothed_law(U, R + e, kind, mu, smoothing).C - smoothed_law(U, R - e, kind, mu, smoothing).C) / (2 * h);
          // Central differences: h^2 / smoothing^2 truncation, 1e-16 / h rounding.
          EXPECT_LT((law.X.col(k) - dU).norm(), 1e-8) << "mu " << mu << " column " << k;
          EXPECT_LT((law.Y.col(k) - dR).norm(), 1e-8) << "mu " << mu << " column " << k;
        }
      }
}

TEST(SmoothedLaw, VanishesWithTheSmoothingOnExactPairs) {
  const double mu = 0.5, tiny = 1e-9;
  const std::vector<std::pair<Vec3, Vec3>> pairs{
      {{1.0, 0.3, 0.2}, {0.0, 0.0, 0.0}}, {{0.0, 0.0, 0.0}, {1.0, 0.2, 0.1}}, {{0.0, 0.3, -0.4}, {1.0, -0.3, 0.4}}};
  for (const auto& [U, R] : pairs) EXPECT_LT(smoothed_law(U, R, BlockKind::contact, mu, tiny).C.norm(), 1e-8);
}

TEST(Newton, SolvesRandomProblemsInBothForms) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const ContactProblem body = random_problem({.bodies = 8, .contacts = 14, .joints = seed % 2 == 0, .seed = seed});
    for (const ContactProblem& problem : {body, testing::explicit_copy(body)}) {
      NewtonOptions options;
      options.tolerance = 1e-8;
      std::vector<double> R(problem.B.size(), 0.0);
      const SolveReport report = solve_newton(problem, options, R);
      EXPECT_EQ(report.status, Status::converged) << "seed " << seed;
      EXPECT_LE(measure(Yardstick::residual, problem, R), 1e-8);
      EXPECT_GT(report.products, report.iterations);
    }
  }
}

TEST(Newton, DiagonalVariantConvergesOnWeaklyCoupledBlocks) {
  const ContactProblem problem = random_problem({.bodies = 12, .contacts = 12});
  NewtonOptions options;
  options.tolerance = 1e-6;
  options.linear_solver = LinearSolver::diagonal;
  options.fallback = false;
  std::vector<double> R(problem.B.size(), 0.0);
  EXPECT_EQ(solve_newton(problem, options, R).status, Status::converged);
  EXPECT_LE(measure(Yardstick::residual, problem, R), 1e-6);
}

TEST(Newton, SweepsBetweenStepsSaveSteps) {
  // Hyperstatic blocks: many points between few bodies, where rough steps alone wander.
  long with = 0, without = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const ContactProblem problem = random_problem({.bodies = 6, .contacts = 30, .seed = seed});
    NewtonOptions options;
    options.tolerance = 1e-6;
    options.max_iterations = 2000;
    for (int sweeps : {-1, 0}) {
      options.sweeps = sweeps;
      std::vector<double> R(problem.B.size(), 0.0);
      const SolveReport report = solve_newton(problem, options, R);
      const bool solved = report.status == Status::converged && measure(Yardstick::residual, problem, R) <= 1e-6;
      EXPECT_TRUE(solved || sweeps == 0) << "seed " << seed;
      (sweeps ? with : without) += report.iterations;
    }
  }
  EXPECT_LT(3 * with, without);
}

TEST(Newton, SameBitsForAnyThreadCount) {
  const ContactProblem problem = random_problem({.bodies = 40, .contacts = 400, .seed = 5});
  std::vector<double> R(problem.B.size(), 0.0), S = R;
  const int before = threads();
  set_threads(1);
  solve_newton(problem, {}, R);
  set_threads(2);
  solve_newton(problem, {}, S);
  set_threads(before);
  EXPECT_EQ(R, S);
}

TEST(Newton, FallsBackToSweepsAndCountsIt) {
  const ContactProblem problem = random_problem({.bodies = 5, .contacts = 12});
  NewtonOptions options;
  options.tolerance = 1e-8;
  options.newton_iterations = 1;
  options.sweeps = 0;
  std::vector<double> R(problem.B.size(), 0.0);
  const SolveReport report = solve_newton(problem, options, R);
  EXPECT_EQ(report.fallbacks, 1);
  EXPECT_EQ(report.status, Status::converged);
  options.fallback = false;
  std::fill(R.begin(), R.end(), 0.0);
  const SolveReport alone = solve_newton(problem, options, R);
  EXPECT_EQ(alone.fallbacks, 0);
  EXPECT_EQ(alone.status, Status::max_iterations);
  EXPECT_EQ(alone.iterations, 1);
  EXPECT_FALSE(alone.advice.empty());
}

TEST(Newton, UnitsDoNotMatter) {
  const RandomOptions base{.bodies = 6, .contacts = 12, .seed = 4};
  RandomOptions scaled = base;
  scaled.unit_mass = 1024.0 * 1024.0;
  scaled.unit_velocity = 1.0 / 1024.0;
  std::vector<double> R(36, 0.0), S(36, 0.0);
  NewtonOptions options;
  const SolveReport first = solve_newton(random_problem(base), options, R);
  const SolveReport second = solve_newton(random_problem(scaled), options, S);
  EXPECT_EQ(first.iterations, second.iterations);
  for (std::size_t k = 0; k < R.size(); ++k) EXPECT_NEAR(S[k] / 1024.0, R[k], 1e-9);
}

TEST(Newton, CertifiedStartReturnsAtOnce) {
  const ContactProblem problem = random_problem({.bodies = 6, .contacts = 10});
  NewtonOptions options;
  std::vector<double> R(problem.B.size(), 0.0);
  ASSERT_EQ(solve_newton(problem, options, R).status, Status::converged);
  const std::vector<double> kept = R;
  const SolveReport again = solve_newton(problem, options, R);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(again.status, Status::converged);
  EXPECT_EQ(R, kept);
}

TEST(Newton, RefusesBadOptionsWithAdvice) {
  const ContactProblem problem = random_problem({.bodies = 3, .contacts = 4});
  std::vector<double> R(12, 0.0);
  const auto message = [&](const OptionValues& values) {
    try {
      solve("NEWTON", problem, StopRule{}, values, R);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({{"linver", std::string("LU")}}), "NEWTON: linver = 'LU' is unknown; choose one of GMRES, DIAG");
  EXPECT_EQ(message({{"sweeps", -2}}), "NEWTON: sweeps = -2; -1 means as many as take the time of the linear solve, 0 none");
  EXPECT_EQ(message({{"epsilon", 2.0}}), "NEWTON: epsilon = 2 is outside (0, 1)");
}

}  // namespace
}  // namespace scree::solvers
