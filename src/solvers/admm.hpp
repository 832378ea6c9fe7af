/// Alternating direction method of multipliers with adaptive penalty (theory sec. 4.9).
#pragma once

#include "solvers/first_order.hpp"

namespace scree::solvers {

struct AdmmOptions : FirstOrderOptions {
  double sigma = 0.1;       ///< first penalty, scaled unknowns (sigma / rho_a on a block), > 0
  double relaxation = 1.6;  ///< over-relaxation, in (0, 2)
  int rebalance = 25;       ///< iterations between changes of the penalty, >= 1; grows with every change
  double imbalance = 5.0;   ///< ratio of primal to dual residual that changes it, > 1
};

/// x <- (W + sigma I)^-1 (sigma z - y - b - s n);  z <- proj(x' + y / sigma);  y <- y + sigma (x' - z),
/// x' = relaxation x + (1 - relaxation) z. Under Coulomb's law s = mu |y_T| of the dual at every iteration: no outer loop.
/// Body form: the solve is done in body space, (I + Hs^T Hs / sigma)^-1 by sparse Cholesky; explicit form: block LU
/// of W as given, symmetric or not. Factors are renewed when sigma changes. Far less sensitive to conditioning
/// than gradient methods, an iteration costs a solve.
SolveReport solve_admm(const ContactProblem& problem, const AdmmOptions& options, std::span<double> R);

}  // namespace scree::solvers
