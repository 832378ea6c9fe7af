#include "solvers/spg.hpp"

#include "core/error.hpp"
#include "first_order_battery.hpp"

namespace scree::solvers::testing {
namespace {

SolveReport spg(const ContactProblem& problem, Formulation law, const StopRule& stop, std::span<double> R) {
  SpgOptions options;
  static_cast<StopRule&>(options) = stop;
  options.formulation = law;
  return solve_spg(problem, options, R);
}

TEST(Spg, does_what_every_solver_must) { expect_all(spg, kLaws, 1e-8); }

TEST(Spg, the_preconditioner_helps_blocks_of_different_scale) {
  // A third of the blocks weighs 1e4 times the others, as light bodies among heavy ones do.
  ContactProblem problem = explicit_copy(random_problem({.bodies = 20, .contacts = 40, .mu = 0.3, .seed = 51}));
  const auto& form = dynamic_cast<const ExplicitForm&>(*problem.W);
  std::vector<int> row_start{0}, columns;
  std::vector<RowMat3> values;
  const auto weight = [](int a) { return a % 3 == 0 ? 100.0 : 1.0; };
  for (int a = 0; a < form.blocks(); ++a) {
    for (std::size_t k = 0; k < form.columns(a).size(); ++k) {
      columns.push_back(form.columns(a)[k]);
      values.emplace_back(weight(a) * weight(form.columns(a)[k]) * form.values(a)[k]);
    }
    row_start.push_back(static_cast<int>(columns.size()));
    for (std::size_t k = 0; k < 3; ++k) problem.B[3 * static_cast<std::size_t>(a) + k] *= weight(a);
  }
  problem.W = std::make_shared<ExplicitForm>(row_start, columns, values);
  double value[2];
  for (Scaling scaling : {Scaling::blocks, Scaling::uniform}) {
    std::vector<double> R(problem.B.size(), 0.0);
    SpgOptions options;
    static_cast<StopRule&>(options) = stop_at(1e-9, 300);
    options.preconditioner = scaling;
    options.formulation = Formulation::convex;
    (void)solve_spg(problem, options, R);
    value[scaling == Scaling::uniform] = measure(Yardstick::ccp, problem, R);
  }
  EXPECT_LE(value[0], 1e-9);
  EXPECT_GT(value[1], 1e-6);
}

TEST(Spg, rejects_meaningless_options) {
  const ContactProblem problem = random_problem({});
  std::vector<double> R(problem.B.size(), 0.0);
  SpgOptions options;
  options.memory = 0;
  EXPECT_THROW(solve_spg(problem, options, R), InputError);
  options.memory = 1;
  options.alpha_min = 2e9;
  EXPECT_THROW(solve_spg(problem, options, R), InputError);
}

}  // namespace
}  // namespace scree::solvers::testing
