#include "solvers/kucera.hpp"

#include "core/error.hpp"
#include "first_order_battery.hpp"
#include "solvers/jacobi.hpp"

namespace scree::solvers::testing {
namespace {

SolveReport kucera(const ContactProblem& problem, Formulation law, const StopRule& stop, std::span<double> R) {
  KuceraOptions options;
  static_cast<StopRule&>(options) = stop;
  options.formulation = law;
  return solve_kucera(problem, options, R);
}

TEST(Kucera, does_what_every_solver_must) { expect_all(kucera, kConeLaws, 1e-8); }

TEST(Kucera, needs_fewer_products_than_jacobi) {
  const ContactProblem problem = random_problem({.bodies = 60, .contacts = 150, .mu = 0.0, .seed = 71});
  std::vector<double> R(problem.B.size(), 0.0), S = R;
  const SolveReport fast = kucera(problem, Formulation::frictionless, stop_at(1e-8), R);
  JacobiOptions options;
  static_cast<StopRule&>(options) = stop_at(1e-8, 1000000);
  options.formulation = Formulation::frictionless;
  const SolveReport plain = solve_jacobi(problem, options, S);
  ASSERT_EQ(fast.status, Status::converged);
  // Two products an iteration and thirty for the largest eigenvalue included.
  EXPECT_LT(2 * fast.products, plain.products);
}

TEST(Kucera, solves_for_any_gamma) {
  const ContactProblem problem = random_problem({.bodies = 10, .contacts = 30, .mu = 0.0, .seed = 72});
  for (double gamma : {0.1, 1.0, 10.0}) {
    KuceraOptions options;
    static_cast<StopRule&>(options) = stop_at(1e-8);
    options.formulation = Formulation::frictionless;
    options.gamma = gamma;
    std::vector<double> R(problem.B.size(), 0.0);
    EXPECT_EQ(solve_kucera(problem, options, R).status, Status::converged) << gamma;
  }
  KuceraOptions options;
  options.gamma = 0.0;
  std::vector<double> R(problem.B.size(), 0.0);
  EXPECT_THROW(solve_kucera(problem, options, R), InputError);
}

}  // namespace
}  // namespace scree::solvers::testing
