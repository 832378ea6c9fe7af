#include "solvers/auto.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "newton_problems.hpp"
#include "solvers/generators.hpp"
#include "solvers/islands.hpp"
#include "solvers/registry.hpp"

namespace scree::solvers {
namespace {

using testing::explicit_copy;
using testing::zero;

ContactProblem packing(int across, int up, double shear = 0.0, std::uint64_t seed = 1) {
  PackingOptions options;
  options.across = across;
  options.up = up;
  options.shear = shear;
  options.seed = seed;
  return make_packing(options);
}

/// Two problems side by side, blocks alternating.
ContactProblem side_by_side(const ContactProblem& one, const ContactProblem& two) {
  const auto& first = static_cast<const BodyForm&>(*one.W);
  const auto& second = static_cast<const BodyForm&>(*two.W);
  BodyForm form;
  form.reset_rigid(first.bodies() + second.bodies());
  ContactProblem both;
  const auto add = [&](const ContactProblem& from, const BodyForm& rows, int a, int shift) {
    if (a >= from.blocks()) return;
    const auto& pair = rows.bodies_of(a);
    const auto sides = form.add_block(pair[0] < 0 ? -1 : pair[0] + shift, pair[1] < 0 ? -1 : pair[1] + shift);
    for (int side = 0; side < 2; ++side) {
      const auto source = rows.rows(a, side);
      std::copy(source.begin(), source.end(), sides[static_cast<std::size_t>(side)].begin());
    }
    both.kind.push_back(from.kind[static_cast<std::size_t>(a)]);
    both.mu.push_back(from.mu[static_cast<std::size_t>(a)]);
    both.B.insert(both.B.end(), from.B.begin() + 3 * a, from.B.begin() + 3 * a + 3);
  };
  for (int a = 0; a < std::max(one.blocks(), two.blocks()); ++a) {
    add(one, first, a, 0);
    add(two, second, a, first.bodies());
  }
  form.finish();
  both.W = std::make_shared<BodyForm>(std::move(form));
  return both;
}

TEST(Islands, AreFoundInBothForms) {
  const ContactProblem one = packing(3, 2), two = packing(2, 3);
  const ContactProblem both = side_by_side(one, two);
  Islands islands;
  for (const ContactProblem& problem : {both, explicit_copy(both)}) {
    islands.find(*problem.W);
    ASSERT_EQ(islands.count(), 2);
    EXPECT_EQ(islands.blocks(0).size(), one.kind.size());
    EXPECT_EQ(islands.blocks(1).size(), two.kind.size());
    EXPECT_TRUE(std::is_sorted(islands.blocks(1).begin(), islands.blocks(1).end()));
    // The part alone has the velocities it has in the whole.
    const ContactProblem part = restrict_to(problem, islands.blocks(1));
    std::vector<double> R(problem.B.size()), r(part.B.size()), U(R.size()), u(r.size());
    for (std::size_t k = 0; k < R.size(); ++k) R[k] = std::sin(static_cast<double>(k));
    for (std::size_t k = 0; k < r.size(); ++k) r[k] = R[3 * static_cast<std::size_t>(islands.blocks(1)[k / 3]) + k % 3];
    relative_velocity(problem, R, U);
    relative_velocity(part, r, u);
    for (std::size_t k = 0; k < u.size(); ++k)
      EXPECT_NEAR(u[k], U[3 * static_cast<std::size_t>(islands.blocks(1)[k / 3]) + k % 3], 1e-12 * std::abs(u[k]) + 1e-15);
  }
}

TEST(Islands, BlocksWithoutBodiesStandAlone) {
  BodyForm form;
  form.reset_rigid(1);
  (void)form.add_block(-1, -1);
  (void)form.add_block(-1, -1);
  form.finish();
  Islands islands;
  islands.find(form);
  EXPECT_EQ(islands.count(), 2);
}

TEST(Auto, SolvesPackingsToHighAccuracy) {
  for (double shear : {0.0, 0.1})
    for (const ContactProblem& problem : {packing(4, 4, shear), explicit_copy(packing(3, 3, shear))}) {
      auto R = zero(problem);
      AutoOptions options;
      options.tolerance = 1e-10;
      AutoWorkspace work;
      const SolveReport report = solve_auto(problem, options, R, work);
      EXPECT_EQ(report.status, Status::converged);
      EXPECT_LE(measure(Yardstick::residual, problem, R), 1e-10);
      EXPECT_FALSE(report.stage.empty());
    }
}

TEST(Auto, EveryYardstick) {
  const ContactProblem problem = packing(3, 3, 0.1);
  for (Yardstick yardstick : {Yardstick::residual, Yardstick::merit, Yardstick::siconos}) {
    auto R = zero(problem);
    AutoOptions options;
    options.yardstick = yardstick;
    AutoWorkspace work;
    EXPECT_EQ(solve_auto(problem, options, R, work).status, Status::converged) << to_string(yardstick);
    EXPECT_LE(measure(yardstick, problem, R), options.tolerance);
  }
}

TEST(Auto, CertifiedWarmStartIsReturnedUntouched) {
  const ContactProblem problem = packing(4, 3);
  auto R = zero(problem);
  AutoOptions options;
  AutoWorkspace work;
  ASSERT_EQ(solve_auto(problem, options, R, work).status, Status::converged);
  const auto solved = R;
  const SolveReport again = solve_auto(problem, options, R, work);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(again.stage, "warm start");
  EXPECT_EQ(R, solved);
}

TEST(Auto, CertifiedIslandsAreLeftAlone) {
  const ContactProblem one = packing(3, 3), two = packing(3, 4, 0.1, 7), both = side_by_side(one, two);
  auto R = zero(both);
  AutoOptions options;
  AutoWorkspace work;
  ASSERT_EQ(solve_auto(both, options, R, work).status, Status::converged);
  // Spoil the second island only.
  Islands islands;
  islands.find(*both.W);
  const auto solved = R;
  for (int a : islands.blocks(1))
    for (std::size_t i = 0; i < 3; ++i) R[3 * static_cast<std::size_t>(a) + i] = 0.0;
  ASSERT_EQ(solve_auto(both, options, R, work).status, Status::converged);
  EXPECT_LE(measure(Yardstick::residual, both, R), options.tolerance);
  for (int a : islands.blocks(0))
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t k = 3 * static_cast<std::size_t>(a) + i;
      EXPECT_EQ(R[k], solved[k]);
    }
}

TEST(Auto, SmallIslandsDoNotWaitForLargeOnes) {
  // Far fewer iterations than the large one needs; each island is the first in turn.
  const ContactProblem large = packing(6, 6, 1.0), small = packing(2, 2);
  for (const bool first : {true, false}) {
    const ContactProblem both = first ? side_by_side(large, small) : side_by_side(small, large);
    auto R = zero(both);
    AutoOptions options;
    options.max_iterations = 3000;
    AutoWorkspace work;
    EXPECT_NE(solve_auto(both, options, R, work).status, Status::converged);
    Islands islands;
    islands.find(*both.W);
    for (int i = 0; i < islands.count(); ++i) {
      const ContactProblem part = restrict_to(both, islands.blocks(i));
      std::vector<double> r;
      gather_part(R, islands.blocks(i), r);
      // Its share of the error of the whole.
      const double share = residual_scale(part) / residual_scale(both);
      if (part.blocks() == small.blocks()) {
        EXPECT_LE(share * measure(Yardstick::residual, part, r), options.tolerance);
      }
    }
  }
}

TEST(Auto, WorkOfIslandsIsThatOfTheirShare) {
  const ContactProblem one = packing(4, 4), two = packing(3, 3, 0.1, 7), both = side_by_side(one, two);
  auto R = zero(both);
  AutoOptions options;
  AutoWorkspace work;
  const SolveReport report = solve_auto(both, options, R, work);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_GT(report.work, 0.0);
  if (report.stage == "sweeps") {
    EXPECT_LT(report.work, report.iterations);
  }
}

TEST(Auto, NeverReturnsWorseThanItWasGiven) {
  const ContactProblem problem = packing(4, 4, 0.2);
  auto R = zero(problem);
  AutoOptions options;
  options.tolerance = 1e-5;
  AutoWorkspace work;
  ASSERT_EQ(solve_auto(problem, options, R, work).status, Status::converged);
  const double given = measure(Yardstick::residual, problem, R);
  for (int limit : {0, 1, 3, 10}) {
    auto again = R;
    options.tolerance = 1e-14;
    options.max_iterations = limit;
    EXPECT_NE(solve_auto(problem, options, again, work).status, Status::converged);
    EXPECT_LE(measure(Yardstick::residual, problem, again), given);
  }
}

TEST(Auto, WorksTowardsTheGoalWhileItIsCheap) {
  AutoWorkspace work;
  int reached = 0, between = 0;
  for (const double shear : {0.0, 0.01, 1.0})
    for (const std::uint64_t seed : {1, 2, 3}) {
      const ContactProblem problem = packing(3, 4, shear, seed);
      const auto run = [&](double tolerance, double goal, int budget) {
        AutoOptions options;
        options.tolerance = tolerance;
        options.goal = goal;
        options.goal_iterations = budget;
        auto R = zero(problem);
        SolveReport report = solve_auto(problem, options, R, work);
        report.residual = measure(Yardstick::residual, problem, R);
        return report;
      };
      const SolveReport tight = run(1e-7, 0.0, 0), loose = run(1e-3, 0.0, 0);
      // No iterations for the goal: the tolerance alone counts.
      EXPECT_EQ(run(1e-3, 1e-7, 0).iterations, loose.iterations);
      for (const int budget : {20, 60, 500}) {
        const SolveReport report = run(1e-3, 1e-7, budget);
        EXPECT_EQ(report.status, Status::converged);
        EXPECT_LE(report.residual, 1e-3);
        // What a solve to the goal needs is the same with and without a tolerance above it.
        if (tight.work < budget) {
          EXPECT_EQ(report.iterations, tight.iterations);
          EXPECT_LE(report.residual, 1e-7);
        } else {
          EXPECT_GE(report.work, budget);
        }
        (report.residual <= 1e-7 ? reached : between) += 1;
      }
    }
  EXPECT_GT(reached, 0);
  EXPECT_GT(between, 0);
}

TEST(Auto, ToleranceMissedIsMissedWhateverTheGoal) {
  const ContactProblem problem = packing(3, 4, 1.0);
  auto R = zero(problem);
  StopRule stop;
  stop.tolerance = 1e-10;
  stop.max_iterations = 30;
  EXPECT_EQ(solve("AUTO", problem, stop, {{"goal", 1e-12}, {"goal_iterations", 10}}, R).status, Status::max_iterations);
  EXPECT_THROW((void)solve("AUTO", problem, stop, {{"goal", -1.0}}, R), InputError);
  EXPECT_THROW((void)solve("AUTO", problem, stop, {{"goal_iterations", -1}}, R), InputError);
}

TEST(Auto, SameBitsForAnyThreadCount) {
  const ContactProblem problem = packing(12, 12, 0.1);
  AutoOptions options;
  options.max_iterations = 12;
  AutoWorkspace work;
  auto one = zero(problem), two = one;
  set_threads(1);
  const int iterations = solve_auto(problem, options, one, work).iterations;
  set_threads(2);
  EXPECT_EQ(solve_auto(problem, options, two, work).iterations, iterations);
  set_threads(omp_get_num_procs());
  EXPECT_EQ(one, two);
}

TEST(Auto, IsDocumentedAndCallableByName) {
  const ContactProblem problem = packing(3, 2);
  auto R = zero(problem);
  EXPECT_EQ(solve("AUTO", problem, {}, {{"newton", false}, {"islands", false}}, R).status, Status::converged);
  EXPECT_EQ(all_solvers().front().name, "AUTO");
}

TEST(Auto, EmptyAndSeparatingProblems) {
  ContactProblem problem = packing(2, 2);
  for (std::size_t a = 0; a < problem.kind.size(); ++a) problem.B[3 * a] = 1.0;
  auto R = zero(problem);
  AutoOptions options;
  AutoWorkspace work;
  EXPECT_EQ(solve_auto(problem, options, R, work).iterations, 0);
  EXPECT_EQ(R, zero(problem));
}

}  // namespace
}  // namespace scree::solvers
