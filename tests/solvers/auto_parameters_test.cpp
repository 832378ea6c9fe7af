#include "solvers/auto_parameters.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "newton_problems.hpp"
#include "solvers/auto_laws.hpp"
#include "solvers/generators.hpp"

namespace scree::solvers {
namespace {

using testing::explicit_copy;
using testing::zero;

struct Case {
  std::string name;
  ContactProblem problem;
  std::vector<double> guess;
  Formulation law = Formulation::coulomb;
  double large_cost = 0.0;   ///< 0: the default
};

/// Soft bodies of 40 unknowns in a ring.
ContactProblem soft_bodies(std::uint32_t seed) {
  auto form = std::make_shared<BodyForm>();
  form->reset(std::vector<int>(5, 40));
  ContactProblem problem;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int k = 0; k < 60; ++k) {
    for (const auto& side : form->add_block(k % 2 == 0 ? -1 : (k + 1) % 5, k % 5))
      for (double& entry : side) entry = uniform(random);
    problem.kind.push_back(BlockKind::contact);
    problem.mu.push_back(0.4);
    problem.B.insert(problem.B.end(), {k % 3 == 2 ? 30.0 : -1.0 - 0.5 * uniform(random), uniform(random), uniform(random)});
  }
  form->finish();
  problem.W = form;
  return problem;
}

/// Two explicit problems that do not feel each other.
ContactProblem both(const ContactProblem& one, const ContactProblem& two) {
  std::vector<int> row_start{0}, columns;
  std::vector<RowMat3> values;
  ContactProblem sum;
  for (const ContactProblem* part : {&one, &two}) {
    const auto& rows = static_cast<const ExplicitForm&>(*part->W);
    const int first = sum.blocks();
    for (int a = 0; a < part->blocks(); ++a) {
      for (std::size_t k = 0; k < rows.columns(a).size(); ++k) {
        columns.push_back(first + rows.columns(a)[k]);
        values.push_back(rows.values(a)[k]);
      }
      row_start.push_back(static_cast<int>(columns.size()));
    }
    sum.kind.insert(sum.kind.end(), part->kind.begin(), part->kind.end());
    sum.mu.insert(sum.mu.end(), part->mu.begin(), part->mu.end());
    sum.B.insert(sum.B.end(), part->B.begin(), part->B.end());
  }
  sum.W = std::make_shared<ExplicitForm>(row_start, columns, values);
  return sum;
}

/// The impulses of the same bodies sheared the other way: a warm start in a bad place.
std::vector<double> wrong_guess(const ContactProblem& problem, PackingOptions options) {
  options.shear = -options.shear;
  const ContactProblem other = make_packing(options);
  std::vector<double> R = zero(problem);
  AutoOptions loose;
  loose.tolerance = 1e-3;
  AutoWorkspace work;
  if (other.B.size() == R.size()) (void)solve_auto(other, loose, R, work);
  return R;
}

/// Every way through AUTO: static and sheared packings in both forms, islands, a bad guess, a large packing (by decree), the convex law,
/// deformable bodies.
std::vector<Case> cases() {
  std::vector<Case> list;
  const auto add = [&](const char* name, const ContactProblem& problem) { list.push_back({name, problem, zero(problem)}); };
  const PackingOptions sheared{.across = 3, .up = 3, .shear = 0.1, .seed = 2};
  const ContactProblem shear = make_packing(sheared), turned = make_packing({.across = 3, .up = 3, .shear = 0.05, .ellipsoids = true, .seed = 3});
  add("static", make_packing({.across = 3, .up = 4, .seed = 1}));
  add("sheared", shear);
  add("ellipsoids", testing::explicit_copy(turned));
  add("islands", both(testing::explicit_copy(turned), testing::explicit_copy(make_packing({.across = 3, .up = 2, .seed = 4}))));
  add("hyperstatic", testing::random_problem({.bodies = 8, .contacts = 45, .mu = 0.6, .seed = 5}));
  list.push_back({"wrong guess", shear, wrong_guess(shear, sheared)});
  list.push_back({"large", shear, zero(shear), Formulation::coulomb, 10.0});
  list.push_back({"convex", shear, zero(shear), Formulation::convex});
  add("soft", soft_bodies(6));
  return list;
}

struct Outcome {
  int solved = 0;
  long products = 0;
};

/// All cases with one parameter multiplied, within its range.
Outcome run(const std::vector<Case>& list, const AutoParameter* varied, double factor) {
  Outcome outcome;
  AutoWorkspace work;
  for (const Case& one : list) {
    AutoOptions options;
    options.tolerance = 1e-8;
    options.max_iterations = 20000;
    if (one.large_cost > 0.0) options.parameters.large_cost = one.large_cost;
    if (varied) {
      double& value = options.parameters.*(varied->value);
      value = std::clamp(value * factor, varied->least, varied->most);
    }
    std::vector<double> R = one.guess;
    const SolveReport report = solve_auto_law(one.problem, one.law, options, R, work);
    const Yardstick yardstick = one.law == Formulation::convex ? Yardstick::ccp : Yardstick::residual;
    outcome.solved += report.status == Status::converged && measure(yardstick, one.problem, R) <= 1.001e-8;
    outcome.products += report.products;
  }
  return outcome;
}

TEST(AutoParameters, EveryNumberIsInTheTableWithinItsRange) {
  EXPECT_EQ(std::size(kAutoParameters), sizeof(AutoParameters) / sizeof(double));
  const AutoParameters nominal;
  std::set<std::string> names;
  std::set<const double*> fields;
  for (const AutoParameter& parameter : kAutoParameters) {
    const double& value = nominal.*parameter.value;
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    EXPECT_TRUE(fields.insert(&value).second) << parameter.name;
    EXPECT_GE(value, parameter.least) << parameter.name;
    EXPECT_LE(value, parameter.most) << parameter.name;
    EXPECT_GT(std::string(parameter.use).size(), 10u) << parameter.name;
  }
}

TEST(AutoParameters, HalvingOrDoublingAnyChangesCostsNotSuccess) {
  const std::vector<Case> list = cases();
  const Outcome nominal = run(list, nullptr, 1.0);
  EXPECT_EQ(nominal.solved, static_cast<int>(list.size()));
  fmt::print("{} problems, {} products\n", list.size(), nominal.products);
  for (const AutoParameter& parameter : kAutoParameters) {
    std::string row;
    for (const double factor : {0.5, 2.0}) {
      const Outcome outcome = run(list, &parameter, factor);
      EXPECT_EQ(outcome.solved, nominal.solved) << parameter.name << " times " << factor;
      // No number sits on a cliff.
      EXPECT_LT(static_cast<double>(outcome.products), 2.0 * static_cast<double>(nominal.products)) << parameter.name << " times " << factor;
      row += fmt::format("  x{:<4} {:5.2f}", factor, static_cast<double>(outcome.products) / static_cast<double>(nominal.products));
    }
    fmt::print("{:16}{}\n", parameter.name, row);
  }
}

}  // namespace
}  // namespace scree::solvers
