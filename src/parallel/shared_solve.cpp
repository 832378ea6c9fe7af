#include "parallel/shared_solve.hpp"

#include <set>

#include "parallel/shared_auto.hpp"
#include "parallel/shared_part.hpp"

namespace scree::parallel {

namespace {

const std::string* text_option(const solvers::OptionValues& options, const char* name) {
  const auto found = options.find(name);
  return found == options.end() ? nullptr : std::get_if<std::string>(&found->second);
}

}  // namespace

SweepVariant variant_of(const std::string& solver, const solvers::OptionValues& options) {
  if (solver != "GAUSS_SEIDEL") return SweepVariant::boundary_jacobi;
  const std::string* name = text_option(options, "variant");
  return name ? sweep_variant_from(*name) : SweepVariant::full;
}

bool shares(const std::string& solver, const solvers::OptionValues& options) {
  static const std::set<std::string> first_order{"JACOBI", "SPG", "APGD", "PG", "CPG", "PCPG", "ADMM"}, coulomb_alone{"NEWTON", "GAUSS_SEIDEL", "AUTO"};
  const std::string* law = text_option(options, "formulation");
  return first_order.contains(solver) || (coulomb_alone.contains(solver) && (!law || *law == "coulomb"));
}

solvers::SolveReport solve_shared(const SharedProblem& shared, Team& team, std::span<double> R) {
  // What is common to all solvers is done by all ranks alike: whatever is wrong with the problem is so everywhere, and nobody fails alone later, where others wait.
  const auto divide = [&](const solvers::ContactProblem& problem, std::span<const int> blocks, const solvers::StopRule& stop, const solvers::OptionValues& options,
                          std::span<double> part_R) {
    std::vector<int> rank(shared.rank.begin(), shared.rank.end());
    if (!blocks.empty()) {
      rank.clear();
      for (const int a : blocks) rank.push_back(shared.rank[a]);
    }
    if (shared.solver == "AUTO") return SharedAuto(problem, rank, stop, options, team, shared.most_gathered).run(part_R);
    return SharedPart(problem, rank, team, variant_of(shared.solver, shared.options)).solve(solvers::find_solver(shared.solver), stop, options, part_R);
  };
  return solvers::solve(shared.solver, shared.problem, shared.stop, shared.options, R, divide);
}

}  // namespace scree::parallel
