// The solver of docs/tutorials/add_a_solver.md, word for word (tests/python/test_add_a_solver.py compares), at work.
#include <gtest/gtest.h>

#include "newton_problems.hpp"
#include "solvers/first_order.hpp"
#include "solvers/option_reader.hpp"
#include "solvers/registry.hpp"

namespace scree::solvers {
namespace {

/// PLAIN_STEPS: x <- proj(x - omega F(x)).
SolveReport solve_plain_steps(const ContactProblem& problem, const FirstOrderOptions& options, double omega, std::span<double> R) {
  FirstOrderProblem scaled(problem, options.formulation, R);
  ScaledWatch watch(scaled, options, R);
  VecX x(scaled.size()), g(scaled.size()), F(scaled.size());
  if (watch.certified(x, g)) return watch.report(0, "");
  int iteration = 0;
  do {
    scaled.modified(g, F);
    x -= omega * F;
    scaled.project(x);
    scaled.gradient(x, g);
  } while (!watch.finished(x, g, ++iteration));
  return watch.report(0, "lower omega, or use AUTO");
}

SolverInfo plain_steps_info() {
  SolverInfo info;
  info.name = "PLAIN_STEPS";
  info.text = "Projected steps of fixed length, the example of the tutorial.";
  info.formulations = {Formulation::coulomb};
  info.options = {{"omega", 0.3, "step in units of 3 / tr W_aa, positive"}};
  info.solve = [info] (const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
    FirstOrderOptions options;
    static_cast<StopRule&>(options) = stop;
    return solve_plain_steps(problem, options, OptionReader(info, values).real("omega"), R);
  };
  return info;
}

TEST(TutorialSolver, SolvesWhatItShould) {
  const ContactProblem problem = testing::random_problem({.bodies = 6, .contacts = 8, .mu = 0.4, .seed = 3});
  const SolverInfo info = plain_steps_info();
  StopRule stop;
  stop.tolerance = 1e-6;
  stop.max_iterations = 100000;
  std::vector<double> R(problem.B.size(), 0.0), S = R;
  const SolveReport report = info.solve(problem, stop, {{"omega", 0.2}}, R);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_LE(measure(Yardstick::residual, problem, R), 1e-6);
  stop.max_iterations = 3;
  EXPECT_EQ(info.solve(problem, stop, {}, S).iterations, 3);
}

}  // namespace
}  // namespace scree::solvers
