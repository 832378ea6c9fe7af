/// Projected Jacobi (Krylov/spectral paper eq. 12, theory sec. 4.7).
#pragma once

#include "solvers/first_order.hpp"

namespace scree::solvers {

struct JacobiOptions : FirstOrderOptions {
  double omega = 0.3;   ///< step in units of 3 / tr W_aa, in (0, 2); halved when iterates grow, down to the inverse of the
                        ///< largest eigenvalue
  double lambda = 1.0;  ///< share of the new iterate, in (0, 1]
};

/// R <- lambda proj(R - omega rho Uhat) + (1 - lambda) R,  rho_a = 3 / tr W_aa (1 / W_NN without friction).
/// The paper's formula adds the gradient where it must subtract it. Uhat = U + mu |U_T| n under Coulomb's
/// law, U otherwise. One product an iteration. Slow, parallel, the reference the others are measured by.
SolveReport solve_jacobi(const ContactProblem& problem, const JacobiOptions& options, std::span<double> R);

}  // namespace scree::solvers
