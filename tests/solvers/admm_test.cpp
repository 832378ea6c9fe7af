#include "solvers/admm.hpp"

#include "core/error.hpp"
#include "first_order_battery.hpp"

namespace scree::solvers::testing {
namespace {

SolveReport admm(const ContactProblem& problem, Formulation law, const StopRule& stop, std::span<double> R) {
  AdmmOptions options;
  static_cast<StopRule&>(options) = stop;
  options.formulation = law;
  return solve_admm(problem, options, R);
}

TEST(Admm, does_what_every_solver_must) { expect_all(admm, kLaws, 1e-8); }

TEST(Admm, body_space_and_rows_give_the_same_iterates) {
  const ContactProblem body = random_problem({.bodies = 8, .contacts = 24, .mu = 0.5, .joints = true, .seed = 61});
  const ContactProblem rows = explicit_copy(body);
  std::vector<double> R(body.B.size(), 0.0), S = R;
  const StopRule stop = stop_at(1e-300, 40);  // crosses a change of the penalty
  (void)admm(body, Formulation::coulomb, stop, R);
  (void)admm(rows, Formulation::coulomb, stop, S);
  double largest = 0.0, difference = 0.0;
  for (std::size_t k = 0; k < R.size(); ++k) {
    largest = std::max(largest, std::abs(R[k]));
    difference = std::max(difference, std::abs(R[k] - S[k]));
  }
  EXPECT_LT(difference, 1e-9 * largest);  // the two solves differ by rounding over sigma
}

TEST(Admm, missing_diagonal_blocks_count_as_zero) {
  // Block 1 is not stored at all: a frictionless contact with B_N > 0 stays open.
  ContactProblem problem = diagonal_problem({Mat3::Identity()}, {-1.0, 0.2, 0.0}, 0.5);
  problem.W = std::make_shared<ExplicitForm>(std::vector<int>{0, 1, 1}, std::vector<int>{0}, std::vector<RowMat3>{RowMat3::Identity()});
  problem.kind.push_back(BlockKind::contact);
  problem.mu.push_back(0.0);
  problem.B.insert(problem.B.end(), {1.0, 0.0, 0.0});
  std::vector<double> R(6, 0.0);
  EXPECT_EQ(admm(problem, Formulation::coulomb, stop_at(1e-10), R).status, Status::converged);
  EXPECT_NEAR(R[0], 1.0, 1e-9);
  EXPECT_NEAR(R[3], 0.0, 1e-9);
}

TEST(Admm, rejects_meaningless_options) {
  const ContactProblem problem = random_problem({});
  std::vector<double> R(problem.B.size(), 0.0);
  AdmmOptions options;
  options.sigma = 0.0;
  EXPECT_THROW(solve_admm(problem, options, R), InputError);
  options.sigma = 0.1;
  options.relaxation = 2.0;
  EXPECT_THROW(solve_admm(problem, options, R), InputError);
}

}  // namespace
}  // namespace scree::solvers::testing
