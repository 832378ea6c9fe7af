/// What the errors of a step's blocks are measured against, and what that cannot certify (theory sec. 3.4).
#pragma once

#include <array>
#include <span>

#include "solvers/contact_problem.hpp"
#include "stepping/stage_input.hpp"

namespace scree::stepping {

/// Weights of the problem: errors of a block are measured against the speed that loads give its bodies within the step, or the speed it has to stop where
/// that is more (eq. 3.20, 3.21), and no less than its group's.
///
/// @param bodies  the two bodies of each block, -1 for none
/// @param group   of each block: those connected through moving bodies
void weigh_blocks(const StageInput& in, std::span<const std::array<int, 2>> bodies, std::span<const int> group, solvers::ContactProblem& problem);

/// A step whose impulses are so large that their rounding hides every error of velocities was not solved: say so in the report.
void refuse_unbounded(const solvers::ContactProblem& problem, std::span<const double> R, solvers::SolveReport& report);

}  // namespace scree::stepping
