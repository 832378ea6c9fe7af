/// Projected gradient, conjugate projected gradient and its preconditioned form (PG, CPG, PCPG; theory sec. 4.7).
///
/// Renouf and Alart's single-loop scheme on the product of half-cylinders x_N >= 0, |x_T| <= mu x_N whose radii follow
/// the iterate: no fixed point is needed, and the law solved is Coulomb's own. A contact carries a status (gap,
/// stick, slip); gradients are projected on the tangent cone of the half-cylinder at the iterate.
///
/// Planar problems (second tangent inactive) run exactly the printed scheme. In three dimensions a sliding contact lies
/// on a circle: the gradient loses its outward part only, the direction may turn along the circle, and the
/// step length counts the circle's curvature |g_T| / radius, which vanishes from the planar formulas. The status rule of
/// the paper's Table 6 stays: a contact held on the circle slides on it even when the step ends inside.
#pragma once

#include "solvers/first_order.hpp"

namespace scree::solvers {

enum class Preconditioner {
  none,
  diagonal,  ///< inverse diagonal of W
  block      ///< inverse 3 x 3 diagonal blocks
};

struct ProjectedGradientOptions : FirstOrderOptions {
  bool conjugate = true;                              ///< false: PG
  Preconditioner preconditioner = Preconditioner::none;  ///< PCPG: diagonal or block
  /// Iterations without a better iterate before restarting from the best; 0: 20 times the root of the unknowns, at least 100.
  /// The iterates of frictional problems oscillate before they drop: too short a patience breaks the conjugacy.
  int patience = 0;
};

/// Coulomb, Tresca or frictionless. Two products an iteration.
SolveReport solve_projected_gradient(const ContactProblem& problem, const ProjectedGradientOptions& options, std::span<double> R);

/// True when no contact has its second tangent active: W and B vanish along T2.
[[nodiscard]] bool is_planar(const ContactProblem& problem);

}  // namespace scree::solvers
