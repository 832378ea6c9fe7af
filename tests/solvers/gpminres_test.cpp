#include "solvers/gpminres.hpp"

#include "core/error.hpp"
#include "first_order_battery.hpp"
#include "solvers/jacobi.hpp"

namespace scree::solvers::testing {
namespace {

SolveReport gpminres(const ContactProblem& problem, Formulation law, const StopRule& stop, std::span<double> R) {
  GpminresOptions options;
  static_cast<StopRule&>(options) = stop;
  options.formulation = law;
  return solve_gpminres(problem, options, R);
}

TEST(Gpminres, does_what_every_solver_must) { expect_all(gpminres, kConeLaws, 1e-8); }

TEST(Gpminres, needs_far_fewer_products_than_jacobi) {
  const ContactProblem problem = random_problem({.bodies = 60, .contacts = 150, .mu = 0.0, .seed = 71});
  std::vector<double> R(problem.B.size(), 0.0), S = R;
  const SolveReport krylov = gpminres(problem, Formulation::frictionless, stop_at(1e-8), R);
  JacobiOptions options;
  static_cast<StopRule&>(options) = stop_at(1e-8, 1000000);
  options.formulation = Formulation::frictionless;
  const SolveReport plain = solve_jacobi(problem, options, S);
  ASSERT_EQ(krylov.status, Status::converged);
  EXPECT_LT(5 * krylov.products, plain.products);
}

TEST(Gpminres, a_face_that_never_changes_ends_in_rank_many_krylov_steps) {
  // Every contact pressed: an unconstrained problem of 12 distinct eigenvalues.
  std::vector<Mat3> blocks;
  std::vector<double> B;
  for (int a = 0; a < 12; ++a) {
    blocks.emplace_back(Mat3::Identity() * (1.0 + a));
    B.insert(B.end(), {-1.0 - a, 0.0, 0.0});
  }
  ContactProblem problem = diagonal_problem(blocks, B, 0.0);
  GpminresOptions options;
  static_cast<StopRule&>(options) = stop_at(1e-10);
  options.formulation = Formulation::frictionless;
  options.preconditioner = Scaling::uniform;
  options.eta2 = 1e-12;
  std::vector<double> R(problem.B.size(), 0.0);
  const SolveReport report = solve_gpminres(problem, options, R);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_LE(report.iterations, 12 + 20);  // the Krylov steps, after at most one gradient phase
}

TEST(Gpminres, rejects_meaningless_options) {
  const ContactProblem problem = random_problem({});
  std::vector<double> R(problem.B.size(), 0.0);
  GpminresOptions options;
  options.eta1 = 1.0;
  EXPECT_THROW(solve_gpminres(problem, options, R), InputError);
  options.eta1 = 0.1;
  options.formulation = Formulation::convex;
  EXPECT_THROW(solve_gpminres(problem, options, R), InputError);
}

}  // namespace
}  // namespace scree::solvers::testing
