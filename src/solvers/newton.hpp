/// NEWTON: projected quasi-Newton method of the PARMES technical report TR2, Algorithm 1 (theory sec. 4.4).
///
///   R <- proj_K [ R - A^-1 C_w(R) ],   A = X W + Y + delta I,
/// with A^-1 approximated by at most m steps of GMRES to the relative accuracy epsilon, preconditioned by the
/// inverted diagonal 3 x 3 blocks of A, or by those blocks alone ('DIAG'). Sweeps with momentum, as many as take the time of the
/// linear solve and more after steps that gain little, smooth each step; without them (sweeps = 0) it is the report's method. When it does not converge,
/// Gauss-Seidel sweeps go on from the best iterate.
///
/// The report mixes units in R - F(U). Here unknowns are scaled a block at a time (scaled_problem.hpp), so the
/// answer and the iteration count do not depend on units; delta keeps the units of W. The report fixes the smoothing
/// at 1e-3 of the tolerance; letting it follow the residual halves the iterations on stiff packings.
#pragma once

#include <span>

#include "solvers/report.hpp"

namespace scree::solvers {

enum class LinearSolver { gmres, diagonal };
/// What delta is multiplied by: nothing, or the smallest, average or largest diagonal entry of W.
enum class DeltaReference { absolute, smallest, average, largest };

struct NewtonOptions : StopRule {
  Formulation formulation = Formulation::coulomb;  ///< coulomb, convex (measured by `ccp`) or frictionless
  int newton_iterations = 1000;          ///< Newton steps before Gauss-Seidel takes over (report: n)
  LinearSolver linear_solver = LinearSolver::gmres;
  int linear_iterations = 10;            ///< GMRES steps an iteration (report: m)
  long max_products = 100000;            ///< matrix-vector products of all GMRES solves together
  double epsilon = 0.25;                 ///< relative accuracy of linear solves
  double delta = 0.01;                   ///< diagonal regularisation, >= 0
  DeltaReference delta_reference = DeltaReference::average;
  double theta = 0.25;                   ///< relaxation of 'DIAG' steps, in (0, 1]
  double omega = 0.0;                    ///< smoothing relative to the free velocity; 0: 0.1 of the residual, at least 1e-3 tolerance
  int sweeps = -1;                       ///< Gauss-Seidel sweeps with momentum after each step; -1: as many as take the time of the linear solve
  bool fallback = true;                  ///< go on with Gauss-Seidel when Newton fails
};

/// Solve from the guess R; R returns the best iterate. `iterations` counts Newton steps and sweeps of the
/// fallback together, `fallbacks` is 1 when Gauss-Seidel had to take over.
SolveReport solve_newton(const ContactProblem& problem, const NewtonOptions& options, std::span<double> R);

}  // namespace scree::solvers
