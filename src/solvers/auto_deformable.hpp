/// AUTO where bodies deform: Newton's method on a working set of blocks (theory sec. 4.11).
///
/// Meshes meet at many points of which few carry. The set starts with the blocks that push in the warm start or approach, W among them is
/// condensed to explicit rows, a few sweeps and proximal Newton steps solve it; blocks that would then approach join, until none is left.
#pragma once

#include <span>

#include "solvers/auto.hpp"

namespace scree::solvers {

/// True for operators in body form whose bodies have more than 12 unknowns on average (finite elements), measured by `residual` or `merit`.
[[nodiscard]] bool suits_working_set(const ContactProblem& problem, const AutoOptions& options);

/// Solve from the warm start in R; status `converged` is certified on the whole problem. Otherwise R is the best found on the last set and
/// other stages should go on.
SolveReport solve_working_set(const ContactProblem& problem, const AutoOptions& options, std::span<double> R, AutoWorkspace& workspace);

}  // namespace scree::solvers
