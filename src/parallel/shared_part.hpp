/// The blocks of one rank out of a problem that all ranks hold, with the W that they share.
#pragma once

#include <span>
#include <vector>

#include "core/team.hpp"
#include "parallel/phases.hpp"
#include "solvers/registry.hpp"

namespace scree::parallel {

class SharedPart {
 public:
  /// rank[a] is whose block a is, -1: it is left out; `whole`, in body form, and `rank` must outlive the part.
  SharedPart(const solvers::ContactProblem& whole, std::span<const int> rank, Team& team, SweepVariant variant = SweepVariant::boundary_jacobi);

  /// Numbers of this rank's blocks among all.
  [[nodiscard]] std::span<const int> mine() const { return mine_; }
  /// This rank's blocks, with the W that ranks share.
  [[nodiscard]] const solvers::ContactProblem& problem() const { return problem_; }

  /// The yardstick of the whole at impulses of all blocks.
  [[nodiscard]] double measure(solvers::Yardstick yardstick, std::span<const double> R) const;
  /// Let all ranks solve from the guess in R, impulses of all blocks; everybody has the report and all impulses.
  solvers::SolveReport solve(const solvers::SolverInfo& info, const solvers::StopRule& stop, const solvers::OptionValues& options, std::span<double> R) const;
  /// The same with impulses of this rank's blocks alone, which nobody else is told.
  solvers::SolveReport solve_mine(const solvers::SolverInfo& info, const solvers::StopRule& stop, const solvers::OptionValues& options, std::span<double> R) const;

 private:
  [[nodiscard]] std::vector<double> take(std::span<const double> R) const;

  solvers::ContactProblem problem_;
  std::span<const int> rank_, mine_;
  Team& team_;
};

}  // namespace scree::parallel
