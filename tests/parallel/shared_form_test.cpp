/// Problems whose blocks are divided among ranks: the product of one process to rounding, one exchange a product, the same certificate.
#include "parallel/shared_form.hpp"

#include <random>

#include <gtest/gtest.h>

#include "../stepping/scene.hpp"
#include "parallel/shared_work.hpp"
#include "parallel/thread_team.hpp"
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

/// A heap on ranks that solve together: every step is certified by a measurement of one process.
void expect_certified(const std::string& solver, double tolerance, int ranks, const solvers::OptionValues& options = {}) {
  const auto fill = [&](stepping::Scene& scene) {
    scene.surface(0.4);
    scene.floor();
    std::mt19937 random(5);
    std::uniform_real_distribution<double> off(-0.02, 0.02);
    for (int k = 0; k < 8; ++k) scene.ball(Vec3(0.2 * (k % 2) + off(random), 0.2 * (k / 2 % 2) + off(random), 0.1 + 0.19 * (k / 4)), 0.1, 1.0);
    scene.sim.solver().name = solver;
    scene.sim.solver().options = options;
    scene.sim.solver().stop.max_iterations = 20000;
  };
  run_team(ranks, [&](Team& team) {
    stepping::Scene scene(1e-3, {0, 0, -9.81}, tolerance);
    fill(scene);
    const auto work = std::make_shared<SharedWork>(team, std::make_shared<Bisection>());
    work->options.least_bodies = 1;
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
}

TEST(SharedSolve, SweepsWithSplitBodiesAreCertified) {
  expect_certified("GAUSS_SEIDEL", 1e-4, 1, {{"variant", std::string("BOUNDARY_JACOBI")}});
  expect_certified("GAUSS_SEIDEL", 1e-4, 3, {{"variant", std::string("BOUNDARY_JACOBI")}});
  expect_certified("GAUSS_SEIDEL", 1e-4, 4, {{"variant", std::string("BOUNDARY_JACOBI")}, {"acceleration", std::string("nesterov")}});
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
