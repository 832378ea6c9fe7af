/// Proximal steps (theory eq. 4.13) by semismooth Newton.
#include "solvers/semismooth_newton.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "core/threads.hpp"
#include "newton_problems.hpp"
#include "solvers/law.hpp"

namespace scree::solvers {
namespace {

using testing::RandomOptions;
using testing::random_problem;

SolveReport solve_to(const ContactProblem& problem, double tolerance, std::vector<double>& R) {
  SemismoothNewtonOptions options;
  options.tolerance = tolerance;
  R.assign(problem.B.size(), 0.0);
  return solve_semismooth_newton(problem, options, R);
}

TEST(CoulombMap, DerivativeAgreesWithFiniteDifferences) {
  const double h = 1e-7;
  for (const BlockKind kind : {BlockKind::contact, BlockKind::bilateral, BlockKind::direction})
    for (const double mu : {0.0, 0.4, 1.5})
      for (const Vec3& y : {Vec3(1.0, 0.1, -0.2), Vec3(0.5, 1.0, 0.7), Vec3(-0.3, 0.2, 0.1), Vec3(2.0, 0.0, 0.0)}) {
        const LawPoint point = law_point(y, kind, mu);
        // mu = 0 has a kink at y_T = 0, where one-sided slopes still are zero.
        for (int k = 0; k < 3; ++k) {
          const Vec3 e = h * Vec3::Unit(k);
          const Vec3 slope = (law_value(y + e, kind, mu) - law_value(y - e, kind, mu)) / (2 * h);
          if (mu == 0.0 && kind == BlockKind::contact && y.tail<2>().isZero() && k > 0) continue;
          EXPECT_LT((point.derivative.col(k) - slope).norm(), 1e-7) << "mu " << mu << " y " << y.transpose();
        }
        EXPECT_EQ(point.open, point.derivative.isZero());
      }
}

TEST(CoulombMap, ProjectionDerivativeAgreesWithFiniteDifferences) {
  const double h = 1e-7;
  for (const double mu : {0.0, 0.4, 1.5})
    for (const Vec3& y : {Vec3(1.0, 0.1, -0.2), Vec3(0.5, 1.0, 0.7), Vec3(-0.3, 0.9, 0.4), Vec3(-2.0, 0.2, 0.1)}) {
      const LawPoint point = projection_point(y, BlockKind::contact, mu);
      for (int k = 0; k < 3; ++k) {
        const Vec3 e = h * Vec3::Unit(k);
        const Vec3 slope = (project_on_cone(y + e, mu) - project_on_cone(y - e, mu)) / (2 * h);
        EXPECT_LT((point.derivative.col(k) - slope).norm(), 1e-7) << "mu " << mu << " y " << y.transpose();
      }
      EXPECT_EQ(point.open, point.derivative.isZero());
    }
}

TEST(SemismoothNewton, SolvesConvexRelaxationAndFrictionlessLaw) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const ContactProblem problem = random_problem({.bodies = 7, .contacts = 30, .joints = seed % 2 == 0, .seed = seed});
    ContactProblem smooth = problem;
    std::fill(smooth.mu.begin(), smooth.mu.end(), 0.0);
    SemismoothNewtonOptions options;
    options.tolerance = 1e-11;
    std::vector<double> R(problem.B.size(), 0.0), S = R;
    options.formulation = Formulation::convex;
    EXPECT_EQ(solve_semismooth_newton(problem, options, R).status, Status::converged);
    EXPECT_LE(measure(Yardstick::ccp, problem, R), 1e-11);
    options.formulation = Formulation::frictionless;
    EXPECT_EQ(solve_semismooth_newton(problem, options, S).status, Status::converged);
    EXPECT_LE(measure(Yardstick::residual, smooth, S), 1e-11);
  }
}

TEST(SemismoothNewton, SolvesWellPosedAndHyperstaticProblems) {
  for (unsigned seed = 1; seed <= 10; ++seed)
    for (const int contacts : {8, 20, 40}) {
      const ContactProblem body = random_problem({.bodies = 7, .contacts = contacts, .joints = seed % 2 == 0, .seed = seed});
      for (const ContactProblem& problem : {body, testing::explicit_copy(body)}) {
        std::vector<double> R;
        const SolveReport report = solve_to(problem, 1e-10, R);
        EXPECT_EQ(report.status, Status::converged) << "seed " << seed << " contacts " << contacts;
        EXPECT_LE(measure(Yardstick::residual, problem, R), 1e-10);
      }
    }
}

TEST(SemismoothNewton, SolvesFrictionlessContacts) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const ContactProblem problem = random_problem({.bodies = 6, .contacts = 25, .mu = 0.0, .seed = seed});
    std::vector<double> R;
    EXPECT_EQ(solve_to(problem, 1e-12, R).status, Status::converged);
    for (std::size_t k = 0; k < R.size(); ++k)
      if (k % 3 == 0)
        EXPECT_GE(R[k], 0.0);
      else
        EXPECT_EQ(R[k], 0.0);
  }
}

TEST(SemismoothNewton, StopsByAnyYardstick) {
  const ContactProblem problem = random_problem({.bodies = 6, .contacts = 16});
  for (const Yardstick yardstick : {Yardstick::residual, Yardstick::merit, Yardstick::siconos}) {
    SemismoothNewtonOptions options;
    options.tolerance = 1e-9;
    options.yardstick = yardstick;
    std::vector<double> R(problem.B.size(), 0.0);
    EXPECT_EQ(solve_semismooth_newton(problem, options, R).status, Status::converged);
    EXPECT_LE(measure(yardstick, problem, R), 1e-9);
  }
}

TEST(SemismoothNewton, AsymmetricRowsAreSolvedAsGiven) {
  ContactProblem problem = testing::explicit_copy(random_problem({.bodies = 8, .contacts = 16, .mu = 0.3, .seed = 3}));
  const auto& W = dynamic_cast<const ExplicitForm&>(*problem.W);
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<int> row_start{0}, columns;
  std::vector<RowMat3> values;
  for (int a = 0; a < W.blocks(); ++a) {
    for (std::size_t k = 0; k < W.columns(a).size(); ++k) {
      columns.push_back(W.columns(a)[k]);
      values.push_back(W.values(a)[k]);
      for (int m = 0; m < 9; ++m) values.back()(m / 3, m % 3) *= 1.0 + 0.1 * uniform(engine);
    }
    row_start.push_back(static_cast<int>(columns.size()));
  }
  problem.W = std::make_shared<ExplicitForm>(row_start, columns, values);
  std::vector<double> R;
  EXPECT_EQ(solve_to(problem, 1e-10, R).status, Status::converged);
  EXPECT_LE(measure(Yardstick::residual, problem, R), 1e-10);
}

TEST(SemismoothNewton, RenumberingGivesTheSameVelocities) {
  const ContactProblem problem = testing::explicit_copy(random_problem({.bodies = 6, .contacts = 18, .seed = 2}));
  std::vector<int> order(18);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(9));
  const ContactProblem other = testing::renumbered(problem, order);
  std::vector<double> R, S, U(54), V(54);
  ASSERT_EQ(solve_to(problem, 1e-12, R).status, Status::converged);
  ASSERT_EQ(solve_to(other, 1e-12, S).status, Status::converged);
  relative_velocity(problem, R, U);
  relative_velocity(other, S, V);
  // R is not unique in a hyperstatic problem, U is (this problem has one solution in U).
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(V[3 * i + k], U[3 * static_cast<std::size_t>(order[i]) + k], 1e-8);
}

TEST(SemismoothNewton, UnitsDoNotMatter) {
  const RandomOptions base{.bodies = 6, .contacts = 20, .seed = 5};
  RandomOptions scaled = base;
  scaled.unit_mass = 1024.0 * 1024.0;
  scaled.unit_velocity = 1.0 / 1024.0;
  std::vector<double> R, S;
  const SolveReport first = solve_to(random_problem(base), 1e-8, R);
  const SolveReport second = solve_to(random_problem(scaled), 1e-8, S);
  EXPECT_EQ(first.iterations, second.iterations);
  for (std::size_t k = 0; k < R.size(); ++k) EXPECT_NEAR(S[k] / 1024.0, R[k], 1e-10);
}

TEST(SemismoothNewton, ResumesWhereItStopped) {
  const ContactProblem problem = random_problem({.bodies = 10, .contacts = 40, .mu = 0.8, .seed = 8});
  SemismoothNewtonOptions options;
  options.tolerance = 1e-11;
  SemismoothNewton newton(problem);
  std::vector<double> R(problem.B.size(), 0.0);
  newton.start(R, options);
  int slices = 0, iterations = 0;
  SolveReport report;
  do {
    options.max_iterations = 3;
    report = newton.advance(options);
    EXPECT_LE(report.iterations, 3);
    iterations += report.iterations;
  } while (report.status != Status::converged && ++slices < 500);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_GT(slices, 1);
  newton.best(R);
  EXPECT_LE(measure(Yardstick::residual, problem, R), 1e-11);
}

TEST(SemismoothNewton, RespectsLimits) {
  const ContactProblem problem = random_problem({.bodies = 20, .contacts = 80});
  SemismoothNewtonOptions options;
  options.tolerance = 1e-30;
  options.max_iterations = 5;
  options.history = true;
  std::vector<double> R(problem.B.size(), 0.0);
  SolveReport report = solve_semismooth_newton(problem, options, R);
  EXPECT_EQ(report.status, Status::max_iterations);
  EXPECT_LE(report.iterations, 5);
  EXPECT_NEAR(*std::min_element(report.history.begin(), report.history.end()), measure(Yardstick::residual, problem, R), 1e-12);
  options.max_iterations = 1000000;
  options.max_seconds = 1e-6;
  std::fill(R.begin(), R.end(), 0.0);
  report = solve_semismooth_newton(problem, options, R);
  EXPECT_EQ(report.status, Status::max_seconds);
}

TEST(SemismoothNewton, CertifiedStartReturnsAtOnce) {
  const ContactProblem problem = random_problem({.bodies = 6, .contacts = 14});
  std::vector<double> R;
  ASSERT_EQ(solve_to(problem, 1e-9, R).status, Status::converged);
  const std::vector<double> kept = R;
  SemismoothNewtonOptions options;
  options.tolerance = 1e-9;
  EXPECT_EQ(solve_semismooth_newton(problem, options, R).iterations, 0);
  EXPECT_EQ(R, kept);
}

TEST(SemismoothNewton, ExtremeProblemsStayFinite) {
  const Mat3 huge = 1e150 * Mat3::Identity(), tiny = 1e-150 * Mat3::Identity();
  Mat3 rank_one = Mat3::Zero();
  rank_one(0, 0) = 1.0;
  const std::vector<std::vector<Mat3>> cases{{Mat3::Zero(), Mat3::Identity()}, {huge, tiny}, {rank_one, Mat3(-Mat3::Identity())}};
  for (const auto& blocks : cases)
    for (const double mu : {0.0, 0.7, 1e6}) {
      const ContactProblem problem = testing::diagonal_problem(blocks, {-1.0, 0.5, 0.0, -1e3, 2.0, 1e-300}, mu);
      SemismoothNewtonOptions options;
      options.max_iterations = 50;
      std::vector<double> R(6, 0.0);
      solve_semismooth_newton(problem, options, R);
      for (double r : R) EXPECT_TRUE(std::isfinite(r));
    }
}

TEST(SemismoothNewton, EmptyProblemIsSolved) {
  ContactProblem problem;
  problem.W = std::make_shared<ExplicitForm>(std::vector<int>{0}, std::vector<int>{}, std::vector<RowMat3>{});
  std::vector<double> R;
  EXPECT_EQ(solve_semismooth_newton(problem, {}, R).status, Status::converged);
}

TEST(SemismoothNewton, SameBitsForAnyThreadCount) {
  const ContactProblem problem = random_problem({.bodies = 200, .contacts = 900, .mu = 0.3});
  SemismoothNewtonOptions options;
  options.max_iterations = 10;
  std::vector<double> one(problem.B.size(), 0.0), two = one;
  const int before = threads();
  set_threads(1);
  solve_semismooth_newton(problem, options, one);
  set_threads(2);
  solve_semismooth_newton(problem, options, two);
  set_threads(before);
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace scree::solvers
