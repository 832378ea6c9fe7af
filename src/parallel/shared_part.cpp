#include "parallel/shared_part.hpp"

#include "core/error.hpp"
#include "parallel/packing.hpp"
#include "parallel/shared_form.hpp"
#include "solvers/islands.hpp"

namespace scree::parallel {

SharedPart::SharedPart(const solvers::ContactProblem& whole, std::span<const int> rank, Team& team, SweepVariant variant) : rank_(rank), team_(team) {
  const solvers::BodyForm* form = whole.W->body_rows();
  if (!form) throw_solve("a problem in explicit form cannot be divided among ranks");
  const auto W = std::make_shared<SharedForm>(*form, rank, team, variant);
  problem_.W = W;
  mine_ = W->mine();
  // Weights go along even where the whole has none: a rank without blocks measures as the others do.
  problem_.weight = solvers::part_of(whole.weight.empty() ? solvers::residual_weights(whole) : whole.weight, mine_);
  for (const int block : mine_) {
    const std::size_t a = block;
    problem_.kind.push_back(whole.kind[a]);
    problem_.mu.push_back(whole.mu[a]);
    problem_.B.insert(problem_.B.end(), whole.B.begin() + 3 * block, whole.B.begin() + 3 * block + 3);
  }
}

std::vector<double> SharedPart::take(std::span<const double> R) const {
  std::vector<double> part;
  solvers::gather_part(R, mine_, part);
  return part;
}

double SharedPart::measure(solvers::Yardstick yardstick, std::span<const double> R) const {
  const TeamScope scope(team_);
  return solvers::measure(yardstick, problem_, take(R));
}

solvers::SolveReport SharedPart::solve_mine(const solvers::SolverInfo& info, const solvers::StopRule& stop, const solvers::OptionValues& options, std::span<double> R) const {
  const TeamScope scope(team_);
  solvers::SolveReport report = info.solve(problem_, stop, options, R);
  if (!report.residual_known) report.residual = solvers::measure(solvers::Yardstick::residual, problem_, R);
  report.residual_known = true;
  return report;
}

solvers::SolveReport SharedPart::solve(const solvers::SolverInfo& info, const solvers::StopRule& stop, const solvers::OptionValues& options, std::span<double> R) const {
  std::vector<double> mine = take(R);
  solvers::SolveReport report = solve_mine(info, stop, options, mine);
  // All impulses on all ranks, and the report of the first.
  const Brought all = team_.meet("impulses of the contact problem", pack_solution(report, mine));
  std::vector<std::size_t> next(all.size(), 0);
  std::vector<std::vector<double>> parts(all.size());
  for (std::size_t r = all.size(); r-- > 0;) report = unpack_solution(all[r], parts[r]);
  for (std::size_t a = 0; a < rank_.size(); ++a) {
    if (rank_[a] < 0) continue;
    const std::size_t r = rank_[a];
    for (std::size_t k = 3 * a; k < 3 * a + 3; ++k) R[k] = parts[r][next[r]++];
  }
  return report;
}

}  // namespace scree::parallel
