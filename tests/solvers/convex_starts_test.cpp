#include "solvers/convex_starts.hpp"

#include <gtest/gtest.h>

#include "core/threads.hpp"
#include "newton_problems.hpp"
#include "solvers/auto.hpp"
#include "solvers/generators.hpp"
#include "solvers/least_norm.hpp"
#include "solvers/registry.hpp"

namespace scree::solvers {
namespace {

using testing::zero;

/// Packings that slide, or whose contacts have few neighbours, and bodies at random with much friction.
std::vector<ContactProblem> hard_problems() {
  std::vector<ContactProblem> list;
  for (const std::uint64_t seed : {102, 103, 106}) list.push_back(make_packing({.across = 3, .up = 3, .shear = 1.0, .seed = seed}));
  list.push_back(make_packing({.across = 4, .up = 4, .reach = 0.02, .seed = 102}));
  for (const std::uint32_t seed : {1u, 2u}) list.push_back(testing::random_problem({.bodies = 6, .contacts = 30, .mu = 1.5, .seed = seed}));
  return list;
}

double size(const ContactProblem& problem, std::span<const double> R) {
  double sum = 0.0;
  const std::vector<double> rho = block_scaling(*problem.W);
  for (std::size_t k = 0; k < R.size(); ++k) sum += R[k] * R[k] / rho[k / 3];
  return std::sqrt(sum);
}

TEST(ConvexStarts, DependOnTheProblemAloneAndDiffer) {
  const ContactProblem problem = make_packing({.across = 3, .up = 3, .shear = 1.0, .seed = 2});
  ConvexStarts one(problem), two(problem);
  std::vector<std::vector<double>> seen;
  for (int k = 0; k < 5; ++k) {
    auto a = zero(problem), b = zero(problem);
    (void)one.next({}, a);
    (void)two.next({}, b);
    EXPECT_EQ(a, b);
    EXPECT_EQ(std::ranges::count(seen, a), 0);
    seen.push_back(a);
  }
}

TEST(ConvexStarts, SuitContactsWithFrictionOnly) {
  EXPECT_TRUE(ConvexStarts::suit(testing::random_problem({.joints = true})));
  EXPECT_FALSE(ConvexStarts::suit(testing::random_problem({.mu = 0.0})));
}

TEST(Auto, MissesNothingThatASingleSolverSolves) {
  int solved = 0;
  for (const ContactProblem& problem : hard_problems()) {
    bool single = false;
    for (const char* name : {"GAUSS_SEIDEL", "SEMISMOOTH_NEWTON", "IPM_DIRECT", "ADMM"}) {
      StopRule stop;
      stop.max_iterations = 300;
      auto R = zero(problem);
      if (!single) single = solve(name, problem, stop, {}, R).status == Status::converged;
    }
    AutoOptions options;
    options.max_iterations = 20000;
    auto R = zero(problem);
    AutoWorkspace work;
    const SolveReport report = solve_auto(problem, options, R, work);
    const bool found = report.status == Status::converged && measure(Yardstick::residual, problem, R) <= 1.001e-8;
    EXPECT_TRUE(found || !single) << problem.blocks() << " blocks, residual " << report.residual;
    solved += found;
  }
  EXPECT_GE(solved, 5);   // of 6
}

TEST(Auto, ConvexStartsGiveTheSameBitsForAnyThreadCount) {
  const ContactProblem problem = make_packing({.across = 3, .up = 3, .shear = 1.0, .seed = 102});
  AutoOptions options;
  options.max_iterations = 20000;
  AutoWorkspace work;
  auto one = zero(problem), two = one;
  set_threads(1);
  EXPECT_EQ(solve_auto(problem, options, one, work).stage, "convex start");
  set_threads(2);
  EXPECT_EQ(solve_auto(problem, options, two, work).status, Status::converged);
  set_threads(omp_get_num_procs());
  EXPECT_EQ(one, two);
}

TEST(Auto, KeepsAGuessThatLeadsSomewhere) {
  const ContactProblem problem = make_packing({.across = 4, .up = 4, .shear = 1.0, .seed = 103});
  auto R = zero(problem);
  ConvexStarts starts(problem);
  (void)starts.next({}, R);
  const double guess = measure(Yardstick::residual, problem, R);
  AutoOptions options;
  options.max_iterations = 400;
  AutoWorkspace work;
  (void)solve_auto(problem, options, R, work);
  const double warm = measure(Yardstick::residual, problem, R);
  ASSERT_LT(warm, options.parameters.warm_gain * guess);
  // Twice the sweeps: the second half goes on from the guess, with no stretch from zero between.
  auto longer = zero(problem);
  ConvexStarts again(problem);
  (void)again.next({}, longer);
  options.max_iterations = 800;
  options.newton = false;
  (void)solve_auto(problem, options, longer, work);
  EXPECT_LE(measure(Yardstick::residual, problem, longer), warm);
}

TEST(LeastNorm, SameVelocitiesSmallerImpulses) {
  for (const double shear : {0.0, 0.1})
    for (const std::uint64_t seed : {1, 2}) {
      const ContactProblem problem = make_packing({.across = 3, .up = 4, .shear = shear, .seed = seed});
      AutoOptions options;
      options.tolerance = 1e-9;
      AutoWorkspace work;
      auto R = zero(problem);
      ASSERT_EQ(solve_auto(problem, options, R, work).status, Status::converged);
      auto least = R;
      ASSERT_TRUE(take_least_norm(problem, 1e-8, least)) << shear << ' ' << seed;
      EXPECT_LE(measure(Yardstick::residual, problem, least), 1e-8);
      EXPECT_LT(size(problem, least), size(problem, R));
      // It is unique: another solution of the same velocities leads to the same.
      auto other = least;
      for (std::size_t k = 0; k < R.size(); ++k) other[k] = 0.5 * (R[k] + least[k]);
      ASSERT_LE(measure(Yardstick::residual, problem, other), 1e-8);
      if (take_least_norm(problem, 1e-8, other)) {
        EXPECT_NEAR(size(problem, other), size(problem, least), 1e-4 * size(problem, least));
      }
    }
}

TEST(LeastNorm, LeavesWhatItCannotImprove) {
  ContactProblem problem = make_packing({.across = 2, .up = 2});
  auto R = zero(problem);
  EXPECT_FALSE(take_least_norm(problem, 1e-8, R) && size(problem, R) > 0.0);
  problem.W = std::make_shared<ExplicitForm>(make_explicit(static_cast<const BodyForm&>(*problem.W)));
  EXPECT_FALSE(take_least_norm(problem, 1e-8, R));
}

}  // namespace
}  // namespace scree::solvers
