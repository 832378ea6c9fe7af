#include "solvers/jacobi.hpp"

#include "core/error.hpp"
#include "first_order_battery.hpp"
#include "solvers/law.hpp"

namespace scree::solvers::testing {
namespace {

SolveReport jacobi(const ContactProblem& problem, Formulation law, const StopRule& stop, std::span<double> R) {
  JacobiOptions options;
  static_cast<StopRule&>(options) = stop;
  options.formulation = law;
  return solve_jacobi(problem, options, R);
}

TEST(Jacobi, does_what_every_solver_must) { expect_all(jacobi, kLaws, 1e-7); }

TEST(Jacobi, one_iteration_is_the_corrected_formula) {
  const ContactProblem problem = random_problem({.bodies = 5, .contacts = 10, .mu = 0.5, .seed = 2});
  std::vector<double> R(problem.B.size(), 0.0);
  JacobiOptions options;
  options.tolerance = 1e-300;
  options.max_iterations = 1;
  options.omega = 0.25;
  options.lambda = 0.5;
  ASSERT_LT(solve_jacobi(problem, options, R).iterations, 2);
  const std::vector<double> rho = block_scaling(*problem.W);
  for (std::size_t a = 0; a < rho.size(); ++a) {
    const Vec3 B(problem.B[3 * a], problem.B[3 * a + 1], problem.B[3 * a + 2]);
    const Vec3 shifted(B.x() + 0.5 * B.tail<2>().norm(), B.y(), B.z());
    const Vec3 expected = 0.5 * project_on_cone(-0.25 * rho[a] * shifted, 0.5);
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(R[3 * a + static_cast<std::size_t>(k)], expected[k], 1e-14 * (1.0 + expected.norm())) << a;
  }
}

TEST(Jacobi, shortens_a_step_that_diverges) {
  // Twenty contacts on one body: the largest eigenvalue is near 20, omega = 1.5 diverges.
  const ContactProblem problem = random_problem({.bodies = 1, .contacts = 20, .mu = 0.3, .seed = 11});
  std::vector<double> R(problem.B.size(), 0.0);
  JacobiOptions options;
  static_cast<StopRule&>(options) = stop_at(1e-6);
  options.omega = 1.5;
  const SolveReport report = solve_jacobi(problem, options, R);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_GT(report.fallbacks, 0);
}

TEST(Jacobi, slow_convergence_is_not_taken_for_divergence) {
  // Singular values from 12 down to 2e-4: a per cent takes hundreds of iterations, and the step must stay.
  const ContactProblem problem = random_problem({.bodies = 6, .contacts = 12, .mu = 0.2, .joints = true, .seed = 10});
  std::vector<double> R(problem.B.size(), 0.0);
  const SolveReport report = jacobi(problem, Formulation::coulomb, stop_at(1e-6), R);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_GT(report.iterations, 1000);
  EXPECT_EQ(report.fallbacks, 0);
}

TEST(Jacobi, rejects_meaningless_options) {
  const ContactProblem problem = random_problem({});
  std::vector<double> R(problem.B.size(), 0.0);
  JacobiOptions options;
  options.omega = 2.5;
  EXPECT_THROW(solve_jacobi(problem, options, R), InputError);
  options.omega = 0.3;
  options.lambda = 0.0;
  EXPECT_THROW(solve_jacobi(problem, options, R), InputError);
}

}  // namespace
}  // namespace scree::solvers::testing
