/// Proximal Newton steps of the convex relaxation, matrix-free in the space of bodies (theory eq. 4.21).
///
/// In scaled variables a step from x_k solves the relaxation with W + alpha I; its unknowns are the velocities z that impulses give to bodies:
///     X(z) = proj_K(x_k - (Hs z + b) / alpha),    z = argmin  |z|^2 / 2 + alpha |X(z)|^2 / 2,
/// a strongly convex function with the gradient z - Hs^T X. Newton's systems (I + Hs^T D Hs / alpha) dz = -gradient, D the derivative of the
/// projection, are elastic networks (body_network.hpp). Steps drift along self-stresses at a constant rate; extrapolation from step to step makes
/// that rate grow, and is dropped where steps turn back.
#pragma once

#include <span>

#include "solvers/report.hpp"

namespace scree::solvers {

class BodyForm;
class Watch;

/// Whether it can solve the problem: contacts alone, between small bodies.
[[nodiscard]] bool suits_relaxed_newton(const ContactProblem& problem);

/// Go on from the best iterate of the watch, which measures by `ccp` or has mu = 0, until it ends, or so many Newton steps gain less than a factor 0.7.
/// Newton steps are counted as iterations, products of conjugate gradients as linear iterations.
SolveReport solve_relaxed_newton(const ContactProblem& problem, const StopRule& stop, std::span<double> R);

}  // namespace scree::solvers
