#include "solvers/gauss_seidel.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "newton_problems.hpp"
#include "solvers/generators.hpp"
#include "solvers/registry.hpp"

namespace scree::solvers {
namespace {

using testing::explicit_copy;
using testing::zero;

ContactProblem small_packing(double shear = 0.0, bool ellipsoids = false) {
  PackingOptions options;
  options.across = 4;
  options.up = 4;
  options.shear = shear;
  options.ellipsoids = ellipsoids;
  return make_packing(options);
}

std::vector<double> velocity(const ContactProblem& problem, const std::vector<double>& R) {
  std::vector<double> U(R.size());
  relative_velocity(problem, R, U);
  return U;
}

/// |a - b| relative to the free velocities.
double distance(const ContactProblem& problem, const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0, size = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum += (a[k] - b[k]) * (a[k] - b[k]);
    size += problem.B[k] * problem.B[k];
  }
  return std::sqrt(sum / size);
}

TEST(GaussSeidel, BodyAndExplicitFormsAgreeOnVelocities) {
  for (bool ellipsoids : {false, true}) {
    const ContactProblem body = small_packing(ellipsoids ? 0.0 : 0.1, ellipsoids), rows = explicit_copy(body);
    GaussSeidelOptions options;
    options.tolerance = 1e-10;
    options.max_iterations = 50000;
    GaussSeidelWorkspace work;
    auto R1 = zero(body), R2 = R1;
    ASSERT_EQ(solve_gauss_seidel(body, options, R1, work).status, Status::converged);
    ASSERT_EQ(solve_gauss_seidel(rows, options, R2, work).status, Status::converged);
    // Impulses of a hyperstatic packing are not unique, velocities are; a residual of 1e-10 leaves them within 1e-7.
    EXPECT_LT(distance(body, velocity(body, R1), velocity(rows, R2)), 1e-7);
  }
}

TEST(GaussSeidel, EveryLocalSolverReachesTheYardstick) {
  const ContactProblem problem = small_packing(0.1);
  for (DiagonalSolver solver : {DiagonalSolver::semismooth_newton, DiagonalSolver::projected_gradient, DiagonalSolver::de_saxe_and_feng}) {
    GaussSeidelOptions options;
    options.tolerance = 1e-4;
    options.diagonal_solver = solver;
    GaussSeidelWorkspace work;
    auto R = zero(problem);
    const SolveReport report = solve_gauss_seidel(problem, options, R, work);
    EXPECT_EQ(report.status, Status::converged) << to_string(solver);
    EXPECT_LE(measure(Yardstick::residual, problem, R), 1e-4);
  }
}

TEST(GaussSeidel, CertifiedWarmStartCostsNoSweep) {
  const ContactProblem problem = small_packing();
  GaussSeidelOptions options;
  GaussSeidelWorkspace work;
  auto R = zero(problem);
  ASSERT_EQ(solve_gauss_seidel(problem, options, R, work).status, Status::converged);
  const auto solved = R;
  const SolveReport again = solve_gauss_seidel(problem, options, R, work);
  EXPECT_EQ(again.status, Status::converged);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(R, solved);
}

TEST(GaussSeidel, SameBitsForAnyThreadCount) {
  PackingOptions packing;
  packing.across = 12;
  packing.up = 14;
  packing.shear = 0.2;
  packing.ellipsoids = true;
  const ContactProblem problem = make_packing(packing);
  for (Acceleration acceleration : {Acceleration::none, Acceleration::nesterov}) {
    GaussSeidelOptions options;
    options.max_iterations = 10;
    options.acceleration = acceleration;
    options.reverse = acceleration == Acceleration::none;
    auto one = zero(problem), two = one, three = one;
    GaussSeidelWorkspace work;
    set_threads(1);
    solve_gauss_seidel(problem, options, one, work);
    set_threads(2);
    solve_gauss_seidel(problem, options, two, work);
    set_threads(3);
    solve_gauss_seidel(problem, options, three, work);
    set_threads(omp_get_num_procs());
    EXPECT_EQ(one, two);
    EXPECT_EQ(one, three);
  }
}

TEST(GaussSeidel, FadingImpulsesStayFinite) {
  // Under-relaxed contacts that open fade by the same factor each sweep, down to 1e-116 N s here.
  const ContactProblem problem = make_packing({.across = 8, .up = 8, .shear = 1.0});
  GaussSeidelOptions options;
  options.omega = 0.3;
  options.max_iterations = 1500;
  options.tolerance = 1e-12;
  GaussSeidelWorkspace work;
  auto R = zero(problem);
  EXPECT_EQ(solve_gauss_seidel(problem, options, R, work).status, Status::max_iterations);
  EXPECT_LE(measure(Yardstick::residual, problem, R), 2e-2);
}

TEST(GaussSeidel, MomentumNeedsFewerSweeps) {
  PackingOptions packing;
  packing.across = 6;
  packing.up = 8;
  const ContactProblem problem = make_packing(packing);
  GaussSeidelOptions options;
  options.tolerance = 1e-6;
  GaussSeidelWorkspace work;
  auto R = zero(problem);
  const SolveReport plain = solve_gauss_seidel(problem, options, R, work);
  ASSERT_EQ(plain.status, Status::converged);
  R = zero(problem);
  options.acceleration = Acceleration::nesterov;
  const SolveReport fast = solve_gauss_seidel(problem, options, R, work);
  ASSERT_EQ(fast.status, Status::converged);
  EXPECT_LE(measure(Yardstick::residual, problem, R), 1e-6);
  EXPECT_LT(2 * fast.iterations, plain.iterations);
}

TEST(GaussSeidel, MixedBlocksAndObstaclesInOneProblem) {
  // Some contacts become fixed points and fixed directions; the packed and the general sweeps must agree.
  ContactProblem problem = small_packing();
  for (std::size_t a = 0; a < problem.kind.size(); a += 31) problem.kind[a] = BlockKind::bilateral;
  problem.kind[3] = problem.kind[200] = BlockKind::direction;
  for (std::size_t a = 5; a < problem.mu.size(); a += 13) problem.mu[a] = 0.0;
  GaussSeidelOptions options;
  options.tolerance = 1e-10;
  options.acceleration = Acceleration::nesterov;
  GaussSeidelWorkspace work;
  auto R1 = zero(problem), R2 = R1;
  ASSERT_EQ(solve_gauss_seidel(problem, options, R1, work).status, Status::converged);
  const ContactProblem rows = explicit_copy(problem);
  ASSERT_EQ(solve_gauss_seidel(rows, options, R2, work).status, Status::converged);
  EXPECT_LT(distance(problem, velocity(problem, R1), velocity(rows, R2)), 1e-7);
}

TEST(GaussSeidel, ManualCriterionAndErrorCodes) {
  const ContactProblem problem = small_packing(0.1);
  GaussSeidelOptions options;
  options.criterion = SweepCriterion::relative_change;
  options.tolerance = 1e-5;
  options.history = true;
  GaussSeidelWorkspace work;
  auto R = zero(problem);
  const SolveReport report = solve_gauss_seidel(problem, options, R, work);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_LE(report.history.back(), 1e-5);
  EXPECT_EQ(to_string(work.error), "OK");

  options.max_iterations = 2;
  R = zero(problem);
  EXPECT_EQ(solve_gauss_seidel(problem, options, R, work).status, Status::max_iterations);
  EXPECT_EQ(to_string(work.error), "DIVERGED");

  options.diagonal_solver = DiagonalSolver::projected_gradient;
  options.diagonal_max_iterations = 1;
  R = zero(problem);
  EXPECT_GT(solve_gauss_seidel(problem, options, R, work).fallbacks, 0);
  EXPECT_EQ(to_string(work.error), "DIAGONAL_DIVERGED");
}

TEST(GaussSeidel, ReturnsTheBestIterateMeasured) {
  const ContactProblem problem = small_packing(0.2);
  GaussSeidelOptions options;
  options.history = true;
  options.max_iterations = 25;
  options.acceleration = Acceleration::nesterov;
  GaussSeidelWorkspace work;
  auto R = zero(problem);
  const SolveReport report = solve_gauss_seidel(problem, options, R, work);
  EXPECT_DOUBLE_EQ(measure(Yardstick::residual, problem, R), *std::min_element(report.history.begin(), report.history.end()));
}

TEST(GaussSeidel, RefreshingKeepsVelocitiesAndMomentumConsistent) {
  // Rounding alone: 60 sweeps of momentum 0.95 may multiply it by some hundred, not by 20 at every refresh.
  const ContactProblem problem = small_packing();
  for (const bool packed : {true, false}) {
    auto often = packed ? make_packed_sweeper() : problem.W->make_sweeper({});
    ASSERT_TRUE(often->begin(problem, zero(problem)));
    for (int k = 0; k < 60; ++k) {
      often->sweep({k > 1 ? 0.95 : 0.0, 1.0, false});
      const double kept = std::sqrt(often->squared_residual());
      often->refresh();
      EXPECT_NEAR(std::sqrt(often->squared_residual()), kept, 1e-12) << k;
    }
  }
}

TEST(GaussSeidel, RelaxedAndAlternatingSweepsConverge) {
  const ContactProblem problem = small_packing(0.1);
  for (double omega : {0.8, 1.3}) {
    GaussSeidelOptions options;
    options.tolerance = 1e-6;
    options.omega = omega;
    options.reverse = true;
    GaussSeidelWorkspace work;
    auto R = zero(problem);
    EXPECT_EQ(solve_gauss_seidel(problem, options, R, work).status, Status::converged) << omega;
  }
}

TEST(GaussSeidel, RejectsWrongOptions) {
  const ContactProblem problem = small_packing();
  auto R = zero(problem);
  EXPECT_THROW(solve("GAUSS_SEIDEL", problem, {}, {{"omega", 2.5}}, R), InputError);
  EXPECT_THROW(solve("GAUSS_SEIDEL", problem, {}, {{"criterion", std::string("residual")}}, R), InputError);
  EXPECT_THROW(solve("GAUSS_SEIDEL", problem, {}, {{"acceleration", std::string("fast")}}, R), InputError);
}

}  // namespace
}  // namespace scree::solvers
