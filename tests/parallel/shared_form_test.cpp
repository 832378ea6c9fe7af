/// Problems whose blocks are divided among ranks: the product of one process to rounding, one exchange a product, the same certificate.
#include "parallel/shared_form.hpp"

#include <random>

#include <gtest/gtest.h>

#include "../stepping/scene.hpp"
#include "parallel/scaling_run.hpp"
#include "parallel/shared_part.hpp"
#include "parallel/shared_work.hpp"
#include "parallel/thread_team.hpp"
#include "solvers/generators.hpp"
#include "solvers/sweeper.hpp"
#include "solvers/yardstick.hpp"

namespace scree::parallel {
namespace {

using solvers::BodyForm;

/// Random rows of contacts between random pairs of bodies, some of them deformable, some against the ground.
BodyForm random_form(int bodies, int blocks, std::mt19937& random, bool rigid) {
  std::uniform_int_distribution<int> body(-1, bodies - 1), size(1, 4);
  std::normal_distribution<double> number;
  std::vector<int> dofs(static_cast<std::size_t>(bodies), 6);
  if (!rigid)
    for (int& n : dofs) n = 3 * size(random);
  BodyForm form;
  form.reset(dofs);
  for (int k = 0; k < blocks; ++k) {
    const int a = body(random);
    int b = body(random);
    while (b == a) b = body(random);
    for (const auto& side : form.add_block(a, b))
      for (double& x : side) x = number(random);
  }
  form.finish();
  return form;
}

TEST(SharedForm, ProductsAreThoseOfOneProcessWithOneExchangeEach) {
  std::mt19937 random(8);
  std::normal_distribution<double> number;
  for (const bool rigid : {true, false})
    for (const int ranks : {1, 2, 3, 7}) {
      const BodyForm whole = random_form(30, 200, random, rigid);
      std::vector<int> rank(200);
      for (int& r : rank) r = static_cast<int>(random() % static_cast<unsigned>(ranks));
      std::vector<double> R(600), U(600);
      for (double& r : R) r = number(random);
      whole.apply(R, U);
      double largest = 0.0;
      for (const double u : U) largest = std::max(largest, std::abs(u));
      run_team(ranks, [&](Team& team) {
        const SharedForm part(whole, rank, team);
        std::vector<double> mine(3 * part.mine().size()), found(mine.size());
        for (std::size_t k = 0; k < mine.size(); ++k) mine[k] = R[3 * static_cast<std::size_t>(part.mine()[k / 3]) + k % 3];
        part.apply(mine, found);
        for (std::size_t k = 0; k < mine.size(); ++k)
          EXPECT_NEAR(found[k], U[3 * static_cast<std::size_t>(part.mine()[k / 3]) + k % 3], 1e-13 * largest);
        EXPECT_EQ(team.traffic().rounds, 1);
        for (std::size_t a = 0; a < part.mine().size(); ++a) EXPECT_EQ(part.diagonal()[a], whole.diagonal()[static_cast<std::size_t>(part.mine()[a])]);
      });
    }
}

/// Ranks of blocks as space would be cut: bodies in rows, with neighbours on the same rank.
std::vector<int> cut_blocks(const BodyForm& form, int ranks, int bodies) {
  std::vector<int> rank;
  for (int a = 0; a < form.blocks(); ++a) rank.push_back(std::max(form.bodies_of(a)[0], form.bodies_of(a)[1]) * ranks / bodies);
  return rank;
}

TEST(Phases, NoBodyIsActedOnByTwoRanksAtOnceWhereBodiesAreNotSplit) {
  std::mt19937 random(3);
  for (const int ranks : {2, 3, 5}) {
    const BodyForm whole = random_form(20, 60, random, false);
    const std::vector<int> rank = cut_blocks(whole, ranks, 20);
    for (const SweepVariant variant : {SweepVariant::full, SweepVariant::middle_jacobi}) {
      const Phases phases = make_phases(whole, rank, variant);
      EXPECT_GT(phases.count, 1);
      const int exclusive = variant == SweepVariant::full ? phases.count : 1;
      for (int body = 0; body < whole.bodies(); ++body)
        for (const int one : whole.incidence(body))
          for (const int two : whole.incidence(body)) {
            const int phase = phases.of_block[static_cast<std::size_t>(one / 2)];
            ASSERT_GE(phase, 0);
            ASSERT_LT(phase, phases.count);
            if (phase < exclusive && phases.of_block[static_cast<std::size_t>(two / 2)] == phase) { EXPECT_EQ(rank[static_cast<std::size_t>(one / 2)], rank[static_cast<std::size_t>(two / 2)]); }
          }
    }
    EXPECT_EQ(make_phases(whole, rank, SweepVariant::boundary_jacobi).count, 1);
  }
}

TEST(SharedSweeper, VelocitiesKeptAlongBelongToTheImpulsesAndPhasesCostOneExchangeEach) {
  std::mt19937 random(6);
  std::normal_distribution<double> number;
  for (const bool rigid : {true, false})
    for (const SweepVariant variant : {SweepVariant::full, SweepVariant::middle_jacobi, SweepVariant::boundary_jacobi, SweepVariant::simplified}) {
      const auto whole = std::make_shared<BodyForm>(random_form(20, 60, random, rigid));
      solvers::ContactProblem problem{.W = whole, .kind = {}, .mu = {}, .B = {}, .weight = {}};
      for (int a = 0; a < 60; ++a) {
        problem.kind.push_back(a % 7 == 0 ? solvers::BlockKind::bilateral : solvers::BlockKind::contact);
        problem.mu.push_back(a % 7 == 0 ? 0.0 : 0.4);
        for (int k = 0; k < 3; ++k) problem.B.push_back(number(random));
      }
      const std::vector<int> rank = cut_blocks(*whole, 3, 20);
      const int phases = make_phases(*whole, rank, variant).count;
      run_team(4, [&](Team& team) {   // the last has no blocks
        const SharedPart part(problem, rank, team, variant);
        const TeamScope scope(team);
        const auto sweeper = part.problem().W->make_sweeper({});
        std::vector<double> R(part.problem().B.size(), 0.0);
        sweeper->begin(part.problem(), R);
        for (int k = 0; k < 12; ++k) {
          const long before = team.traffic().rounds;
          (void)sweeper->sweep({.momentum = k < 2 ? 0.0 : 0.3, .relaxation = 1.0, .backward = k % 3 == 2});
          EXPECT_EQ(team.traffic().rounds - before, phases);
        }
        sweeper->get(R);
        const double kept = std::sqrt(sweeper->squared_residual());
        EXPECT_NEAR(kept, solvers::measure(solvers::Yardstick::residual, part.problem(), R), 1e-9 * kept);
        sweeper->refresh();
        EXPECT_NEAR(kept, std::sqrt(sweeper->squared_residual()), 1e-9 * kept);
      });
    }
}

TEST(SharedSweeper, SplittingCostsFewSweeps) {
  const solvers::PackingOptions packing{.across = 6, .up = 6};
  solvers::ContactProblem problem = solvers::make_packing(packing);
  problem.weight = solvers::residual_weights(problem);
  const std::vector<Vec3> places = solvers::packing_places(packing);
  const std::vector<double> zero(problem.B.size(), 0.0);
  const solvers::StopRule stop{.tolerance = 1e-3};
  const auto sweeps = [&](int ranks, const char* variant) {
    return solve_on_ranks(problem, places, ranks, "GAUSS_SEIDEL", stop, {{"variant", std::string(variant)}, {"acceleration", std::string("nesterov")}}, zero);
  };
  std::vector<double> R = zero;
  const int alone_sweeps = solvers::solve("GAUSS_SEIDEL", problem, stop, {{"acceleration", std::string("nesterov")}}, R).iterations;
  for (const char* variant : {"FULL", "MIDDLE_JACOBI", "BOUNDARY_JACOBI"}) {
    const ScalingFigures four = sweeps(4, variant);
    EXPECT_EQ(four.report.status, solvers::Status::converged);
    EXPECT_LE(four.report.iterations, 1.6 * alone_sweeps) << variant;
    EXPECT_EQ(four.product_rounds, 1);
  }
}

/// A heap on ranks that solve together: every step is certified by a measurement of one process.
/// `link` joins two bodies: a block of one rank alone.
void expect_certified(const std::string& solver, double tolerance, int ranks, const solvers::OptionValues& options = {}, int most_gathered = 20000, bool link = false) {
  const auto fill = [&](stepping::Scene& scene) {
    scene.surface(0.4);
    scene.floor();
    std::mt19937 random(5);
    std::uniform_real_distribution<double> off(-0.02, 0.02);
    for (int k = 0; k < 8; ++k) {
      const double y = off(random), x = off(random);  // in this order with every compiler
      scene.ball(Vec3(0.2 * (k % 2) + x, 0.2 * (k / 2 % 2) + y, 0.1 + 0.19 * (k / 4)), 0.1, 1.0);
    }
    if (link) {
      model::Constraint rod;
      rod.kind = model::ConstraintKind::link;
      rod.body = {1, 8};   // they do not touch
      rod.point = {scene.position(1), scene.position(8)};
      scene.sim.add_constraint(rod);
    }
    scene.sim.solver().name = solver;
    scene.sim.solver().options = options;
    scene.sim.solver().stop.max_iterations = 20000;
  };
  run_team(ranks, [&](Team& team) {
    stepping::Scene scene(1e-3, {0, 0, -9.81}, tolerance);
    fill(scene);
    const auto work = std::make_shared<SharedWork>(team, std::make_shared<Bisection>());
    work->options.least_bodies = 1;
    work->options.most_gathered = most_gathered;
    scene.sim.divide(work);
    for (int k = 0; k < 2; ++k) {
      scene.sim.step();
      const stepping::ContactStage& stage = scene.sim.stage();
      EXPECT_EQ(stage.report.status, solvers::Status::converged) << solver << " on " << ranks << " ranks, step " << k;
      const double measured = solvers::measure(solvers::Yardstick::residual, stage.problem, stage.R);
      EXPECT_LE(measured, 1.001 * tolerance) << solver;
      EXPECT_NEAR(measured, stage.report.residual, 1e-3 * tolerance) << solver;
    }
    // The same bits on every rank.
    const double half = static_cast<double>(scene.sim.state_hash() >> 32);
    EXPECT_EQ(team.max(half), half) << solver;
  });
}

TEST(SharedSolve, EverySolverThatSharesIsCertified) {
  for (const char* solver : {"JACOBI", "SPG", "APGD", "PG", "CPG", "PCPG"}) expect_certified(solver, 1e-3, 3);
  expect_certified("NEWTON", 1e-8, 3);
  expect_certified("ADMM", 1e-6, 3);
}

TEST(SharedSolve, AutoIsCertifiedHoweverIslandsLie) {
  for (const int most_gathered : {20000, 0}) {
    expect_certified("AUTO", 1e-8, 3, {}, most_gathered);
    expect_certified("AUTO", 1e-8, 12, {}, most_gathered);   // more ranks than bodies
  }
  expect_certified("AUTO", 1e-8, 3, {}, 20000, true);
}

TEST(SharedSolve, ConstraintsOfOneRankDoNotMakeTheOthersWait) {
  for (const char* solver : {"NEWTON", "GAUSS_SEIDEL"}) expect_certified(solver, 1e-4, 3, {}, 20000, true);
}

TEST(SharedSolve, SweepsWithSplitBodiesAreCertified) {
  for (const char* variant : {"FULL", "MIDDLE_JACOBI", "BOUNDARY_JACOBI", "SIMPLIFIED"}) expect_certified("GAUSS_SEIDEL", 1e-3, 4, {{"variant", std::string(variant)}});
  expect_certified("GAUSS_SEIDEL", 1e-4, 1, {{"variant", std::string("FULL")}});
  expect_certified("GAUSS_SEIDEL", 1e-4, 4, {{"variant", std::string("BOUNDARY_JACOBI")}, {"acceleration", std::string("nesterov")}});
}

TEST(SharedSolve, SmoothedNewtonTakesAsManyStepsAsInOneProcess) {
  // In the mean: sweeps that split bodies lead to other iterates, and single problems take a few steps more or less.
  int one = 0, four = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const solvers::PackingOptions packing{.across = 6, .up = 6, .seed = seed};
    const solvers::ContactProblem problem = solvers::make_packing(packing);
    std::vector<double> R(problem.B.size(), 0.0);
    const solvers::StopRule stop{.tolerance = 1e-6};
    const ScalingFigures shared = solve_on_ranks(problem, solvers::packing_places(packing), 4, "NEWTON", stop, {}, R);
    EXPECT_EQ(shared.report.status, solvers::Status::converged);
    four += shared.report.iterations;
    one += solvers::solve("NEWTON", problem, stop, {}, R).iterations;
  }
  EXPECT_LE(four, 1.2 * one);
  EXPECT_GE(four, one / 1.2);
}

TEST(SharedSolve, NewtonTakesAsManyStepsAsInOneProcess) {
  const auto steps = [](stepping::Scene& scene) {
    scene.surface(0.3);
    scene.floor();
    for (int k = 0; k < 8; ++k) scene.box(Vec3(0.21 * (k % 4), 0, 0.1 * (k / 4)), Vec3(0.21 * (k % 4) + 0.2, 0.1, 0.1 * (k / 4) + 0.1));
    scene.sim.solver().name = "NEWTON";
    scene.sim.solver().options["sweeps"] = 0;  // Newton's own steps: sweeps between them are split among ranks, and as many as a product costs
    int sum = 0;
    for (int k = 0; k < 2; ++k) sum += scene.sim.step().iterations;
    return sum;
  };
  stepping::Scene whole(1e-3, {0, 0, -9.81}, 1e-8);
  const int alone_steps = steps(whole);
  run_team(4, [&](Team& team) {
    stepping::Scene scene(1e-3, {0, 0, -9.81}, 1e-8);
    const auto work = std::make_shared<SharedWork>(team, std::make_shared<Bisection>());
    work->options.least_bodies = 1;
    scene.sim.divide(work);
    EXPECT_NEAR(steps(scene), alone_steps, 0.2 * alone_steps);
  });
}

}  // namespace
}  // namespace scree::parallel
