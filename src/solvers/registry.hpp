/// Every solver by name, with documented options: what `scree solvers` lists and what Python calls.
///
/// A solver is one source file. It describes itself with a SolverInfo and registers it in registry.cpp.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "solvers/report.hpp"

namespace scree::solvers {

using OptionValue = std::variant<bool, int, double, std::string>;
using OptionValues = std::map<std::string, OptionValue>;

struct OptionInfo {
  std::string name;
  OptionValue default_value;
  std::string text;  ///< meaning with unit and allowed values
};

struct SolverInfo {
  std::string name;                        ///< as users write it: "GAUSS_SEIDEL"
  std::string text;                        ///< one paragraph: method, source, when to use it
  std::vector<Formulation> formulations;   ///< laws it can solve
  std::vector<OptionInfo> options;         ///< beyond those of StopRule
  /// Solve from the guess in R; R returns the best iterate seen, always finite.
  std::function<SolveReport(const ContactProblem&, const StopRule&, const OptionValues&, std::span<double> R)> solve;
  bool any_law = false;                    ///< it takes blocks of registered laws (law.hpp)
};

[[nodiscard]] const std::vector<SolverInfo>& all_solvers();

/// InputError for an unknown name, with the nearest spelling.
[[nodiscard]] const SolverInfo& find_solver(const std::string& name);

/// What takes the place of a solver's own solve: ranks that share the work. `blocks` are the numbers of the blocks in the problem given to solve(); empty: all of them.
using SolveInstead = std::function<SolveReport(const ContactProblem&, std::span<const int> blocks, const StopRule&, const OptionValues&, std::span<double> R)>;

/// Check the options (names, types, ranges: InputError), solve, and fill what is common to all reports.
SolveReport solve(const std::string& solver, const ContactProblem& problem, const StopRule& stop,
                  const OptionValues& options, std::span<double> R);
SolveReport solve(const std::string& solver, const ContactProblem& problem, const StopRule& stop,
                  const OptionValues& options, std::span<double> R, const SolveInstead& instead);

}  // namespace scree::solvers
