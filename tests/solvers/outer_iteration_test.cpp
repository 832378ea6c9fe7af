#include "solvers/outer_iteration.hpp"

#include "core/error.hpp"
#include "first_order_battery.hpp"
#include "solvers/admm.hpp"

namespace scree::solvers::testing {
namespace {

constexpr Formulation kCoulomb[] = {Formulation::coulomb};

Solver fixed_point(OuterLaw law, int memory = 5) {
  return [=](const ContactProblem& problem, Formulation, const StopRule& stop, std::span<double> R) {
    OuterOptions options;
    static_cast<StopRule&>(options) = stop;
    options.law = law;
    options.memory = memory;
    return solve_outer(problem, options, [law](const ContactProblem& part, const StopRule& rule, std::span<double> trial) {
      AdmmOptions inner;
      static_cast<StopRule&>(inner) = rule;
      inner.formulation = law == OuterLaw::convex ? Formulation::convex : Formulation::tresca;
      return solve_admm(part, inner, trial);
    }, R);
  };
}

TEST(OuterIteration, convex_does_what_every_solver_must) { expect_all(fixed_point(OuterLaw::convex), kCoulomb, 1e-8); }
TEST(OuterIteration, tresca_does_what_every_solver_must) { expect_all(fixed_point(OuterLaw::tresca), kCoulomb, 1e-8); }

TEST(OuterIteration, acceleration_saves_inner_work) {
  const ContactProblem problem = random_problem({.bodies = 10, .contacts = 20, .mu = 0.5, .seed = 31});
  for (OuterLaw law : {OuterLaw::convex, OuterLaw::tresca}) {
    std::vector<double> R(problem.B.size(), 0.0), S = R;
    const SolveReport plain = fixed_point(law, 0)(problem, Formulation::coulomb, stop_at(1e-9), R);
    const SolveReport fast = fixed_point(law, 5)(problem, Formulation::coulomb, stop_at(1e-9), S);
    ASSERT_EQ(plain.status, Status::converged);
    ASSERT_EQ(fast.status, Status::converged);
    EXPECT_LT(fast.iterations, plain.iterations);
  }
}

TEST(OuterIteration, sliding_stays_on_the_ground) {
  // The convex relaxation lifts a sliding contact by mu |U_T|; the exact law does not.
  const ContactProblem problem = diagonal_problem({Mat3::Identity()}, {-0.1, 6.0, 0.0}, 0.5);
  std::vector<double> R(3, 0.0);
  ASSERT_EQ(fixed_point(OuterLaw::convex)(problem, Formulation::coulomb, stop_at(1e-10), R).status, Status::converged);
  EXPECT_NEAR(velocity(problem, R)[0], 0.0, 1e-8);
  EXPECT_NEAR(R[0], 0.1, 1e-8);
}

TEST(OuterIteration, rejects_meaningless_options) {
  const ContactProblem problem = random_problem({});
  std::vector<double> R(problem.B.size(), 0.0);
  OuterOptions options;
  options.inner_factor = 1.0;
  EXPECT_THROW(solve_outer(problem, options, {}, R), InputError);
}

}  // namespace
}  // namespace scree::solvers::testing
