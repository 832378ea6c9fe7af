/// A contact problem solved by a team of threads as by that many ranks: true iteration counts, and everything that ranks would send each other, for any number of ranks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/vec.hpp"
#include "solvers/registry.hpp"

namespace scree::parallel {

struct ScalingFigures {
  solvers::SolveReport report;
  int ranks = 0, blocks = 0;
  int most_blocks = 0;              ///< of a rank
  int most_neighbours = 0;          ///< ranks that a rank exchanges with
  int phases = 1;                   ///< of a sweep
  long rounds = 0, reductions = 0;  ///< of the solve
  long bytes = 0, most_bytes = 0;   ///< of the solve, by all ranks, and by the one that sends most
  long product_bytes = 0;           ///< that all ranks send in one product
  long product_rounds = 0;
};

/// `places` are the centres of the problem's bodies, by which space is cut; blocks belong to ranks as in a step. R is the guess of all blocks.
[[nodiscard]] ScalingFigures solve_on_ranks(const solvers::ContactProblem& problem, std::span<const Vec3> places, int ranks, const std::string& solver, const solvers::StopRule& stop,
                                            const solvers::OptionValues& options, std::span<const double> R);

}  // namespace scree::parallel
