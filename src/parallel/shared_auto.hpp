/// AUTO on several ranks (theory sec. 4.11): the warm start, if it will do; islands, each by AUTO on one rank, that of its blocks or, between ranks, the one that has
/// most of them; islands too large for that by all ranks, with split sweeps and Newton in turn; what then still misses the tolerance by one rank.
#pragma once

#include <span>
#include <vector>

#include "core/team.hpp"
#include "parallel/shared_part.hpp"
#include "solvers/islands.hpp"

namespace scree::parallel {

class SharedAuto {
 public:
  /// `problem`, in body form, `rank` and the options are the same on every rank, and outlive the solve.
  SharedAuto(const solvers::ContactProblem& problem, std::span<const int> rank, const solvers::StopRule& stop, const solvers::OptionValues& options, Team& team, int most_gathered);

  /// Solve from the guess in R, to the goal as far as its iterations go, then to the tolerance, as AUTO does; everybody has the report and all impulses.
  solvers::SolveReport run(std::span<double> R);

 private:
  static constexpr int kAll = -1;   ///< in place of a rank

  solvers::SolveReport run_once(std::span<double> R);
  void assign();
  /// The yardstick of the whole at impulses of all blocks.
  [[nodiscard]] double measure(solvers::Yardstick yardstick, std::span<const double> R) const { return SharedPart(problem_, rank_, team_).measure(yardstick, R); }
  [[nodiscard]] int solver_of(std::span<const int> island) const;
  [[nodiscard]] solvers::StopRule rest() const;
  void add(const solvers::SolveReport& part);
  /// Blocks that a rank, or all of them, solve.
  [[nodiscard]] std::span<const int> blocks_of(int who) const { return blocks_[who + 1]; }
  [[nodiscard]] solvers::ContactProblem part_of(int who) const;
  void solve_apart(std::span<double> R);
  void solve_on_all(std::span<double> R);
  void solve_on_one(std::span<double> R);

  const solvers::ContactProblem& problem_;
  std::span<const int> rank_;
  solvers::StopRule stop_;
  solvers::OptionValues options_;
  Team& team_;
  int most_gathered_;
  std::vector<std::vector<int>> blocks_;   ///< by rank + 1; first those of all
  std::vector<double> weight_, share_;     ///< share of the squared tolerance, as blocks_
  solvers::SolveReport report_;
};

}  // namespace scree::parallel
