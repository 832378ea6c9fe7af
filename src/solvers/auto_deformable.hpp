/// AUTO where bodies deform: Newton's method on a working set of blocks (theory sec. 4.11).
///
/// Meshes meet at many points of which few carry. The set starts with the blocks that push in the warm start or approach, W among them is
/// condensed to explicit rows, a few sweeps and proximal Newton steps solve it; blocks that would then approach join, until none is left.
#pragma once

#include <span>

#include "solvers/auto.hpp"
#include "solvers/watch.hpp"

namespace scree::solvers {

/// True for operators of bodies with more than AutoParameters::set_dofs unknowns on average (finite elements), measured by `residual` or `merit`.
[[nodiscard]] bool suits_working_set(const ContactProblem& problem, const AutoOptions& options);

/// Solve from the best iterate of the watch, which has seen it. Where the watch is neither solved nor spent afterwards, other stages should
/// go on from its best.
void solve_working_set(const ContactProblem& problem, const AutoOptions& options, Watch& watch, AutoWorkspace& workspace);

}  // namespace scree::solvers
