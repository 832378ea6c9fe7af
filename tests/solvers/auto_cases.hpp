/// Generated problems that lead AUTO through every stage, and what it makes of them.
///
/// Chosen for coverage, not at random: seeds were picked among about a thousand so that each number of AutoParameters is felt by one problem at least, and small
/// problems stand for large ones by decree, with thresholds moved to their own size. They say that a number is in use, not that it is worth having, and
/// costs over them are no sample of what users see.
#pragma once

#include <string>

#include "newton_problems.hpp"
#include "solvers/auto_laws.hpp"
#include "solvers/auto_parameters.hpp"
#include "solvers/generators.hpp"

namespace scree::solvers::testing {

struct AutoCase {
  std::string name;
  ContactProblem problem;
  std::vector<double> guess;
  AutoParameters parameters;
  Formulation law = Formulation::coulomb;
  int max_iterations = 20000;
};

struct AutoOutcome {
  SolveReport report;
  bool solved = false;   ///< by the yardstick, whatever the report says
  std::vector<double> R;
};

inline AutoOutcome run_case(const AutoCase& one, const AutoParameters& parameters) {
  AutoOptions options;
  options.tolerance = 1e-8;
  options.max_iterations = one.max_iterations;
  options.parameters = parameters;
  AutoWorkspace work;
  AutoOutcome outcome{{}, false, one.guess};
  outcome.report = solve_auto_law(one.problem, one.law, options, outcome.R, work);
  const Yardstick yardstick = one.law == Formulation::convex ? Yardstick::ccp : Yardstick::residual;
  outcome.solved = outcome.report.status == Status::converged && measure(yardstick, one.problem, outcome.R) <= 1.001e-8;
  return outcome;
}

/// Soft bodies of 40 unknowns in a ring; every third contact opens at `apart` (m/s).
inline ContactProblem soft_bodies(std::uint32_t seed, int contacts, double mu, double apart) {
  auto form = std::make_shared<BodyForm>();
  form->reset(std::vector<int>(5, 40));
  ContactProblem problem;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int k = 0; k < contacts; ++k) {
    for (const auto& side : form->add_block(k % 2 == 0 ? -1 : (k + 1) % 5, k % 5))
      for (double& entry : side) entry = uniform(random);
    problem.kind.push_back(BlockKind::contact);
    problem.mu.push_back(mu);
    problem.B.insert(problem.B.end(), {k % 3 == 2 ? apart : -1.0 - 0.5 * uniform(random), uniform(random), uniform(random)});
  }
  form->finish();
  problem.W = form;
  return problem;
}

/// Two explicit problems that do not feel each other.
inline ContactProblem side_by_side(const ContactProblem& one, const ContactProblem& two) {
  std::vector<int> row_start{0}, columns;
  std::vector<RowMat3> values;
  ContactProblem sum;
  for (const ContactProblem* part : {&one, &two}) {
    const ExplicitForm& rows = *part->W->block_rows();
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

/// Impulses that solve the problem of bodies which slide the other way, to 1e-3: a warm start in a bad place.
inline std::vector<double> wrong_guess(ContactProblem problem) {
  for (std::size_t k = 0; k < problem.B.size(); ++k)
    if (k % 3 != 0) problem.B[k] = -problem.B[k];
  std::vector<double> R(problem.B.size(), 0.0);
  AutoOptions loose;
  loose.tolerance = 1e-3;
  AutoWorkspace work;
  (void)solve_auto(problem, loose, R, work);
  return R;
}

/// Every way through AUTO.
inline std::vector<AutoCase> auto_cases() {
  std::vector<AutoCase> list;
  const auto add = [&](const char* name, ContactProblem problem, const AutoParameters& parameters = {}) -> AutoCase& {
    std::vector<double> zero(problem.B.size(), 0.0);
    list.push_back({name, std::move(problem), std::move(zero), parameters});
    return list.back();
  };
  const auto rough = [](double mu, int contacts, std::uint32_t seed) { return random_problem({.bodies = contacts / 4, .contacts = contacts, .mu = mu, .seed = seed}); };
  const auto hyperstatic = [](std::uint32_t seed) { return random_problem({.bodies = 8, .contacts = 45, .mu = 0.6, .seed = seed}); };
  const ContactProblem turned = explicit_copy(make_packing({.across = 2, .up = 3, .shear = 0.05, .ellipsoids = true, .seed = 3}));
  // Sweeps, from zero and from elsewhere, alone and in islands.
  add("static", make_packing({.across = 3, .up = 4, .seed = 1}));
  add("ellipsoids", turned);
  AutoCase& elsewhere = add("wrong guess", rough(0.8, 40, 8), {.warm_sweeps = 40, .warm_gain = 0.02});
  elsewhere.guess = wrong_guess(elsewhere.problem);
  const ContactProblem pair = side_by_side(turned, explicit_copy(make_packing({.across = 2, .up = 2, .seed = 4})));
  add("islands", pair, {.island_blocks = 1.0 * pair.blocks(), .shared_sweeps = 30});
  // Newton, and what follows where it stalls.
  add("hyperstatic", hyperstatic(5));
  add("Newton stalls", rough(2.0, 20, 11));
  add("Newton stalls early", rough(3.0, 24, 6), {.stall_sweeps = 600});
  add("Newton is dear", rough(3.0, 28, 11), {.stall_sweeps = 100});
  add("few iterations", rough(3.0, 24, 6), {.patience = 1000, .sweep_share = 0.1, .newton_share = 0.1, .fewest_newtons = 110}).max_iterations = 3000;
  add("few Newton steps", rough(2.0, 28, 40), {.newton_sweeps = 2}).max_iterations = 2400;
  // Convex starts.
  add("starts", rough(5.0, 20, 20), {.start_blocks = 20});
  add("several starts", hyperstatic(4), {.patience = 1, .stall_sweeps = 100, .least_stall = 2, .slice = 1, .start_share = 40, .start_sweeps = 1, .start_reach = 3e-4, .start_newtons = 4});
  // Large packings, by decree.
  add("large", rough(3.0, 24, 6), {.large_cost = 10, .large_patience = 100});
  add("large, with Newton", rough(3.0, 24, 2), {.large_cost = 10, .large_patience = 2, .large_reach = 1e-3});
  // Another law, and deformable bodies.
  add("convex", turned, {.gradient_steps = 40}).law = Formulation::convex;
  add("soft", soft_bodies(6, 40, 0.4, 30.0), {.set_dofs = 30});
  add("soft and rough", soft_bodies(4, 60, 3.0, 0.3), {.set_sweeps = 20, .set_blocks = 25, .loose_rounds = 2, .set_rounds = 3, .condense_blocks = 40, .condense_ratio = 0.5});
  return list;
}

}  // namespace scree::solvers::testing
