#include "solvers/projected_gradient.hpp"

#include "core/error.hpp"
#include "first_order_battery.hpp"

namespace scree::solvers::testing {
namespace {

Solver variant(bool conjugate, Preconditioner preconditioner) {
  return [=](const ContactProblem& problem, Formulation law, const StopRule& stop, std::span<double> R) {
    ProjectedGradientOptions options;
    static_cast<StopRule&>(options) = stop;
    options.formulation = law;
    options.conjugate = conjugate;
    options.preconditioner = preconditioner;
    return solve_projected_gradient(problem, options, R);
  };
}

TEST(ProjectedGradient, pg_does_what_every_solver_must) { expect_all(variant(false, Preconditioner::none), kConeLaws, 1e-7); }
TEST(ProjectedGradient, cpg_does_what_every_solver_must) { expect_all(variant(true, Preconditioner::none), kConeLaws, 1e-8); }
TEST(ProjectedGradient, diagonal_pcpg_does_what_every_solver_must) { expect_all(variant(true, Preconditioner::diagonal), kConeLaws, 1e-8); }
TEST(ProjectedGradient, block_pcpg_does_what_every_solver_must) { expect_all(variant(true, Preconditioner::block), kConeLaws, 1e-8); }

/// The random problem with motion in the plane of N and T1 only.
ContactProblem planar_problem() {
  const ContactProblem spatial = explicit_copy(random_problem({.bodies = 6, .contacts = 12, .mu = 0.4, .seed = 21}));
  const auto& form = dynamic_cast<const ExplicitForm&>(*spatial.W);
  std::vector<int> row_start{0}, columns;
  std::vector<RowMat3> values;
  for (int a = 0; a < form.blocks(); ++a) {
    for (std::size_t k = 0; k < form.columns(a).size(); ++k) {
      columns.push_back(form.columns(a)[k]);
      RowMat3 block = form.values(a)[k];
      block.row(2).setZero();
      block.col(2).setZero();
      values.push_back(block);
    }
    row_start.push_back(static_cast<int>(columns.size()));
  }
  ContactProblem planar = spatial;
  planar.W = std::make_shared<ExplicitForm>(row_start, columns, values);
  for (std::size_t a = 0; a < planar.kind.size(); ++a) planar.B[3 * a + 2] = 0.0;
  return planar;
}

TEST(ProjectedGradient, planar_problems_run_the_printed_scheme) {
  const ContactProblem problem = planar_problem();
  EXPECT_TRUE(is_planar(problem));
  EXPECT_FALSE(is_planar(random_problem({})));
  std::vector<double> R(problem.B.size(), 0.0);
  const SolveReport report = variant(true, Preconditioner::none)(problem, Formulation::coulomb, stop_at(1e-9), R);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_EQ(report.stage, "planar");
  EXPECT_LE(measure(Yardstick::residual, problem, R), 1e-9);
  for (std::size_t a = 0; a < problem.kind.size(); ++a) EXPECT_EQ(R[3 * a + 2], 0.0);
}

TEST(ProjectedGradient, a_sliding_contact_is_solved_in_closed_form) {
  // W = I, B = (-1, 3, 4), mu = 1/2: R_N = 1 and R_T = -mu (3, 4) / 5.
  const ContactProblem problem = diagonal_problem({Mat3::Identity()}, {-1.0, 3.0, 4.0}, 0.5);
  std::vector<double> R(3, 0.0);
  ASSERT_EQ(variant(true, Preconditioner::none)(problem, Formulation::coulomb, stop_at(1e-12), R).status, Status::converged);
  EXPECT_NEAR(R[0], 1.0, 1e-11);
  EXPECT_NEAR(R[1], -0.3, 1e-11);
  EXPECT_NEAR(R[2], -0.4, 1e-11);
}

TEST(ProjectedGradient, conjugation_and_preconditioning_save_iterations) {
  const ContactProblem problem = random_problem({.bodies = 40, .contacts = 100, .mu = 0.3, .seed = 22});
  int iterations[2];
  for (bool conjugate : {false, true}) {
    std::vector<double> R(problem.B.size(), 0.0);
    const SolveReport report = variant(conjugate, Preconditioner::none)(problem, Formulation::frictionless, stop_at(1e-8), R);
    ASSERT_EQ(report.status, Status::converged);
    iterations[conjugate] = report.iterations;
  }
  EXPECT_LT(2 * iterations[1], iterations[0]);
}

TEST(ProjectedGradient, leaves_the_convex_law_to_others) {
  const ContactProblem problem = random_problem({});
  std::vector<double> R(problem.B.size(), 0.0);
  ProjectedGradientOptions options;
  options.formulation = Formulation::convex;
  EXPECT_THROW(solve_projected_gradient(problem, options, R), InputError);
}

}  // namespace
}  // namespace scree::solvers::testing
