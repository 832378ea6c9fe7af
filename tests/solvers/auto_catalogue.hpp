/// Problems drawn at random for AUTO, none of them chosen, and what it makes of them.
#pragma once

#include <cmath>
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
  Formulation law = Formulation::coulomb;
  int max_iterations = 20000;
};

struct AutoOutcome {
  SolveReport report;
  bool solved = false;   ///< by the yardstick, whatever the report says
  std::vector<double> R;
};

inline AutoOutcome run_case(const AutoCase& one, const AutoParameters& parameters, double tolerance = 1e-8) {
  AutoOptions options;
  options.tolerance = tolerance;
  options.max_iterations = one.max_iterations;
  options.parameters = parameters;
  AutoWorkspace work;
  AutoOutcome outcome{{}, false, one.guess};
  outcome.report = solve_auto_law(one.problem, one.law, options, outcome.R, work);
  const Yardstick yardstick = one.law == Formulation::convex ? Yardstick::ccp : Yardstick::residual;
  outcome.solved = outcome.report.status == Status::converged && measure(yardstick, one.problem, outcome.R) <= 1.001 * tolerance;
  return outcome;
}

/// Soft bodies of `dofs` unknowns in a ring; every third contact opens at `apart` (m/s).
inline ContactProblem soft_bodies(std::uint32_t seed, int contacts, int dofs, double mu, double apart) {
  auto form = std::make_shared<BodyForm>();
  form->reset(std::vector<int>(5, dofs));
  ContactProblem problem;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int k = 0; k < contacts; ++k) {
    for (const auto& side : form->add_block(k % 2 == 0 ? -1 : (k + 1) % 5, k % 5))
      for (double& entry : side) entry = uniform(random);
    problem.kind.push_back(BlockKind::contact);
    problem.mu.push_back(mu);
    const double closing = -1.0 - 0.5 * uniform(random), first = uniform(random), second = uniform(random);
    problem.B.insert(problem.B.end(), {k % 3 == 2 ? apart : closing, first, second});
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

/// Impulses that solve a problem whose tangential velocities are `turn` times these, to 1e-3: the warm start of a step in which bodies slide elsewhere.
inline std::vector<double> guess_of(ContactProblem problem, double turn) {
  for (std::size_t k = 0; k < problem.B.size(); ++k)
    if (k % 3 != 0) problem.B[k] *= turn;
  std::vector<double> R(problem.B.size(), 0.0);
  AutoOptions loose;
  loose.tolerance = 1e-3;
  AutoWorkspace work;
  (void)solve_auto(problem, loose, R, work);
  return R;
}

/// The problem of a seed: packings, random contacts, warm starts, islands, soft bodies and the convex law in turn, all else drawn.
inline AutoCase draw_case(std::uint32_t seed) {
  std::mt19937 engine(seed);
  const auto real = [&](double low, double high) { return low + (high - low) * static_cast<double>(engine()) / 4294967296.0; };
  const auto whole = [&](int low, int high) { return static_cast<int>(real(low, high + 1)); };
  const auto mu = [&] { return std::exp(real(std::log(0.2), std::log(5.0))); };
  const auto packing = [&] {
    PackingOptions options;
    options.across = whole(2, 3), options.up = whole(2, 4);
    options.mu = real(0.1, 1.2), options.shear = std::max(0.0, real(-0.2, 0.4));
    options.ellipsoids = whole(0, 1) == 1, options.seed = engine();
    return make_packing(options);
  };
  const auto rough = [&] {
    RandomOptions options;
    options.bodies = whole(4, 12), options.contacts = static_cast<int>(options.bodies * real(1.5, 6.0));
    options.mu = mu(), options.joints = whole(0, 3) == 0, options.seed = engine();
    return random_problem(options);
  };
  AutoCase made;
  switch (seed % 6) {
    case 0: made = {"packing", packing(), {}}; break;
    case 1: made = {"rough", rough(), {}}; break;
    case 2: {
      ContactProblem problem = whole(0, 1) == 0 ? packing() : rough();
      std::vector<double> guess = guess_of(problem, real(-1.0, 1.0));
      made = {"warm", std::move(problem), std::move(guess)};
      break;
    }
    case 3: {
      ContactProblem problem = explicit_copy(packing());
      for (int more = whole(1, 3); more > 0; --more) problem = side_by_side(problem, explicit_copy(whole(0, 1) == 0 ? packing() : rough()));
      made = {"islands", std::move(problem), {}};
      break;
    }
    case 4: {
      const int contacts = whole(20, 120), dofs = whole(13, 60);
      const double friction = mu(), apart = std::exp(real(-1.0, 4.0));
      made = {"soft", soft_bodies(engine(), contacts, dofs, friction, apart), {}};
      break;
    }
    default: made = {"convex", whole(0, 1) == 0 ? packing() : rough(), {}, Formulation::convex}; break;
  }
  made.name += " " + std::to_string(seed);
  if (made.guess.empty()) made.guess.assign(made.problem.B.size(), 0.0);
  return made;
}

}  // namespace scree::solvers::testing
