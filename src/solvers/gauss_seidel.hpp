/// Nonlinear block Gauss-Seidel (Solfec manual sec. 7.1; theory sec. 4.1-4.2), plain or with Nesterov momentum.
///
/// Body form keeps the velocities of bodies and applies each change of impulse to its two bodies at once, so a
/// sweep costs O(blocks). Rigid bodies with exact local solves run packed and threaded, with the same bits for
/// any number of threads; other bodies, explicit W and the other local solvers run in the order of blocks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/islands.hpp"
#include "solvers/report.hpp"
#include "solvers/sweeper.hpp"

namespace scree::solvers {

enum class Acceleration { none, nesterov };
enum class SweepCriterion {
  yardstick,        ///< StopRule's yardstick, measured outside
  relative_change   ///< the manual's |S - R| / |R| of one sweep, in velocities (R_a / rho_a), of each island by itself
};

struct GaussSeidelOptions : StopRule {
  DiagonalSolver diagonal_solver = DiagonalSolver::exact;
  double diagonal_epsilon = 0.0;       ///< relative change that ends an iterative local solve; 0: tolerance / 100
  int diagonal_max_iterations = 100;
  bool reverse = false;                ///< alternate forward and backward sweeps
  double omega = 1.0;                  ///< relaxation in (0, 2)
  SweepCriterion criterion = SweepCriterion::yardstick;
  double change = kInfinity;           ///< the yardstick counts only after a sweep of no larger relative change |S - R| / |R|
  int check_interval = 0;              ///< sweeps between measurements; 0: when the change of a sweep suggests one
  Acceleration acceleration = Acceleration::none;
};

/// The manual's error codes (Table 3.7).
enum class GaussSeidelError {
  none,
  diverged,           ///< the sweeps did not reach the tolerance
  diagonal_diverged,  ///< a local solver ran out of iterations in the last sweep (the exact one finished it)
  diagonal_failed     ///< a local solver met a singular matrix in the last sweep (the exact one finished it)
};

/// 'OK', 'DIVERGED', 'DIAGONAL_DIVERGED', 'DIAGONAL_FAILED'.
[[nodiscard]] std::string to_string(GaussSeidelError error);

/// Memory kept from solve to solve: nothing is allocated when sizes repeat.
struct GaussSeidelWorkspace {
  GaussSeidelError error = GaussSeidelError::none;  ///< of the last solve
  SweeperMemory sweepers;
  std::vector<double> U, trial, last;
  Islands islands;
};

/// Solve from the warm start in R. A start at or below the tolerance is returned as it is after zero sweeps.
/// R receives the best iterate measured, always finite. `report.fallbacks` counts local solves that the exact
/// one had to finish.
SolveReport solve_gauss_seidel(const ContactProblem& problem, const GaussSeidelOptions& options, std::span<double> R,
                               GaussSeidelWorkspace& workspace);

}  // namespace scree::solvers
