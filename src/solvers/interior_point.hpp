/// IPM and IPM_DIRECT: primal-dual interior point in Jordan algebra (interior-point paper sec. 4; theory sec. 4.6).
///
/// Contacts live on symmetric cones (jordan_block.hpp); the central path x o y = nu e, U = W R + B + s n is followed
/// by predictor-corrector steps with Nesterov-Todd scaling, each one system (W + S) dR = r.
/// The convex relaxation has s = 0. Coulomb's law wants s = mu |U_T|: s follows the iterates, one update a step, and
/// nu stays above what s leaves unsolved, so no outer loop is needed. Frictionless contacts are half-lines, bilateral blocks equations.
///
/// Near the solution the path loses digits: residuals stall around the root of nu at contacts that neither
/// push nor part, and slipping ones exhaust double precision below nu ~ 1e-9. With `polish` Newton steps finish: proximal
/// ones with the same kind of factors (semismooth_newton.hpp) at the end of the path, or, matrix-free, quasi-Newton steps
/// (newton.hpp) tried at 1e-4, at 1e-6 and at the end, before conjugate gradients grow dear. The convex relaxation of contacts between
/// small bodies is finished from 0.1 on by proximal Newton steps in the space of bodies (relaxed_newton.hpp), which cost less than those of the path.
#pragma once

#include <span>

#include "solvers/report.hpp"

namespace scree::solvers {

enum class BarrierSolver { krylov, direct };

struct InteriorPointOptions : StopRule {
  Formulation formulation = Formulation::coulomb;  ///< coulomb, convex or frictionless
  BarrierSolver linear_solver = BarrierSolver::krylov;
  int linear_iterations = 1000;   ///< products of one conjugate gradient solve
  double linear_accuracy = 1e-3;  ///< relative residual of conjugate gradients
  bool polish = true;             ///< finish with Newton steps
  InteriorPointOptions() { max_iterations = 200; }
};

/// Solve from the guess R; R returns the best iterate, projected on the cones. The convex relaxation is measured
/// by `ccp` in place of the residual. Iterations are interior-point steps and
/// Newton steps of the polish together; `fallbacks` counts how often it was tried.
SolveReport solve_interior_point(const ContactProblem& problem, const InteriorPointOptions& options, std::span<double> R);

}  // namespace scree::solvers
