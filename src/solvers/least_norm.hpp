/// Impulses of least norm among those that belong to the same velocities (theory eq. 4.19).
///
/// Hyperstatic contacts leave impulses undetermined: with U fixed, those of sticking contacts may be anywhere in their cones and those of
/// slipping ones anywhere on their rays, as long as bodies feel the same. Of all these the one of least norm sum |R_a|^2 / rho_a is unique,
/// and carries no self-stress nobody asked for.
#pragma once

#include <span>

#include "solvers/contact_problem.hpp"

namespace scree::solvers {

/// R holds a solution of residual `tolerance` or less and receives the one of least norm: semismooth Newton steps on the dual in the space of
/// bodies. False, and R as it was, where bodies are not rigid or known, or the answer would miss the tolerance or be no smaller.
bool take_least_norm(const ContactProblem& problem, double tolerance, std::span<double> R);

}  // namespace scree::solvers
