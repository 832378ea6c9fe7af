/// Gradient projection with minimal residuals, GPMINRES (Krylov/spectral paper sec. 4, theory sec. 4.8).
#pragma once

#include "solvers/first_order.hpp"

namespace scree::solvers {

struct GpminresOptions : FirstOrderOptions {
  Scaling preconditioner = Scaling::blocks;  ///< scaled unknowns, or the paper's plain ones
  double eta1 = 0.1;           ///< leave gradient projection when a step gains less than this share of the best, (0, 1)
  double eta2 = 0.1;           ///< leave the Krylov phase likewise, (0, 1); lowered while the face does not change
  double decrease = 1e-4;      ///< sufficient decrease of line searches, (0, 1/2)
  int krylov_iterations = 50;  ///< most in one Krylov phase, >= 1
};

/// Alternates projected gradient steps, which find the face the solution lies on, with minimal-residual iterations on that
/// face, followed by a line search along the projected arc. The paper treats bounds; on the disks of Tresca's
/// law a sliding contact moves along its circle and the Krylov matrix carries the circle's curvature.
/// Coulomb's law: accelerated fixed point on the thresholds (outer_iteration.hpp). Objective differences are
/// formed as the work of the mean gradient along the step, which also holds for a W that is not symmetric.
/// Every gradient step and every Krylov step counts as an iteration.
SolveReport solve_gpminres(const ContactProblem& problem, const GpminresOptions& options, std::span<double> R);

}  // namespace scree::solvers
