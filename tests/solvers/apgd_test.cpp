#include "solvers/apgd.hpp"

#include "core/error.hpp"
#include "first_order_battery.hpp"

namespace scree::solvers::testing {
namespace {

SolveReport apgd(const ContactProblem& problem, Formulation law, const StopRule& stop, std::span<double> R) {
  ApgdOptions options;
  static_cast<StopRule&>(options) = stop;
  options.formulation = law;
  return solve_apgd(problem, options, R);
}

TEST(Apgd, does_what_every_solver_must) { expect_all(apgd, kLaws, 1e-8); }

TEST(Apgd, one_product_an_iteration) {
  const ContactProblem problem = random_problem({.bodies = 40, .contacts = 100, .mu = 0.5, .seed = 41});
  std::vector<double> R(problem.B.size(), 0.0);
  const SolveReport report = apgd(problem, Formulation::coulomb, stop_at(1e-8), R);
  ASSERT_EQ(report.status, Status::converged);
  // Beyond one an iteration: the guess, and a few doublings of the curvature bound.
  EXPECT_LT(report.products, 1.2 * report.iterations + 20);
}

TEST(Apgd, history_ends_at_the_tolerance) {
  const ContactProblem problem = random_problem({.bodies = 6, .contacts = 14, .mu = 0.5, .seed = 42});
  std::vector<double> R(problem.B.size(), 0.0);
  StopRule stop = stop_at(1e-8);
  stop.history = true;
  const SolveReport report = apgd(problem, Formulation::coulomb, stop, R);
  ASSERT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
  EXPECT_LE(report.history.back(), 1e-8);
  EXPECT_GT(report.history.front(), 1e-3);
}

TEST(Apgd, rejects_meaningless_options) {
  const ContactProblem problem = random_problem({});
  std::vector<double> R(problem.B.size(), 0.0);
  ApgdOptions options;
  options.cap = 1.5;
  EXPECT_THROW(solve_apgd(problem, options, R), InputError);
}

}  // namespace
}  // namespace scree::solvers::testing
