/// Kucera's method for separable convex constraints (Krylov/spectral paper sec. 4, theory sec. 4.8).
#pragma once

#include "solvers/first_order.hpp"

namespace scree::solvers {

struct KuceraOptions : FirstOrderOptions {
  Scaling preconditioner = Scaling::blocks;  ///< scaled unknowns, or the paper's plain ones
  double gamma = 1.0;       ///< readiness to release active constraints, > 0
};

/// Each iteration is one of three: a conjugate gradient step on the free unknowns while it stays admissible; an expansion
/// step (to the boundary, then a fixed step along the projected free gradient); or, when the iterate is not strictly
/// proportional, a proportioning step of fixed length along the projected boundary gradient, after which the
/// direction restarts from the free gradient (the paper's listing is garbled there).
/// The fixed step is the inverse of the largest eigenvalue. Bounds and Tresca's disks alike; Coulomb's law by an
/// accelerated fixed point on the thresholds (outer_iteration.hpp).
SolveReport solve_kucera(const ContactProblem& problem, const KuceraOptions& options, std::span<double> R);

}  // namespace scree::solvers
