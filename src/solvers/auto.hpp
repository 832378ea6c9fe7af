/// AUTO: the default solver everywhere (theory sec. 4.11).
///
///   1. the warm start, if it is good enough already (for the whole, or island by island); a single block in closed form
///   2. Gauss-Seidel sweeps with Nesterov momentum
///   3. proximal semismooth Newton once sweeps promise to be slower than it
///   4. sweeps (momentum and Anderson mixing in turn) and ADMM side by side when Newton stalls; the better one
///      hands over to 3. Between them convex starts (convex_starts.hpp), Newton steps from a start of their own and interior points for
///      Coulomb's law. Large packings of bodies get sweeps alone, more of them each time.
/// The stages are a table in auto.cpp, what they decide by is in auto_parameters.hpp.
/// Finite element bodies get a few sweeps and Newton steps on a working set of blocks instead (auto_deformable.hpp).
/// Choices follow counts and estimated costs, never the clock, so that runs repeat bit for bit.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solvers/auto_parameters.hpp"
#include "solvers/islands.hpp"
#include "solvers/report.hpp"
#include "solvers/sweeper.hpp"

namespace scree::solvers {

class Watch;

struct AutoOptions : StopRule {
  bool islands = true;   ///< solve independent parts apart (yardstick `residual` only)
  bool newton = true;    ///< allow stages 3 and 4; without them it is an accelerated Gauss-Seidel
  /// Sweeps that have reached the tolerance go on to this share of it while that costs at most half as much again: a
  /// stepper's next warm start may then be good enough as it is.
  double margin = 1.0;
  /// Worked towards for goal_iterations sweeps' worth of work; then the tolerance is enough. 0, or more than the tolerance: the tolerance.
  double goal = 0.0;
  int goal_iterations = 1000;
  AutoParameters parameters;   ///< what stages decide by
};

/// Memory kept from solve to solve.
struct AutoWorkspace {
  Islands islands;
  SweeperMemory sweepers;
  std::shared_ptr<ExplicitForm> condensed;
  std::vector<double> U, error, share;
  std::vector<int> active;
};

/// Solve from the warm start in R. Iterations count sweeps, Newton steps and ADMM iterations together.
/// R receives the best iterate seen, never one worse than the start. Islands are certified apart: the
/// squared errors they are allowed add up to the tolerance of the whole. `report.stage` names the stage that
/// reached the tolerance ("warm start", "closed form", "sweeps", "proximal Newton", "ADMM", "convex start", "interior point").
SolveReport solve_auto(const ContactProblem& problem, const AutoOptions& options, std::span<double> R, AutoWorkspace& workspace);

}  // namespace scree::solvers
