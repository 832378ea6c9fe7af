/// Contact problems that every rank holds, solved by all ranks together, each for its own blocks (theory sec. 4.2, 4.11).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/team.hpp"
#include "parallel/phases.hpp"
#include "solvers/registry.hpp"

namespace scree::parallel {

/// A problem and how it is to be solved. W is in body form; everything is the same on every rank.
struct SharedProblem {
  const solvers::ContactProblem& problem;
  std::span<const int> rank;           ///< whose each block is
  const std::string& solver;
  const solvers::StopRule& stop;
  const solvers::OptionValues& options;
  int most_gathered = 20000;           ///< blocks of an island between ranks up to which AUTO lets one rank solve it
};

/// True for solvers that ranks share: their sums are over all ranks, and W is a product alone or sweeps.
[[nodiscard]] bool shares(const std::string& solver, const solvers::OptionValues& options);

/// How its sweeps go on ranks.
[[nodiscard]] SweepVariant variant_of(const std::string& solver, const solvers::OptionValues& options);

/// Solve from the guess in R; everybody has the report and all impulses. The certificate is that of the whole problem.
solvers::SolveReport solve_shared(const SharedProblem& shared, Team& team, std::span<double> R);

}  // namespace scree::parallel
