/// Accelerated projected gradient descent: Nesterov's momentum with restarts (theory sec. 4.7).
#pragma once

#include "solvers/first_order.hpp"

namespace scree::solvers {

struct ApgdOptions : FirstOrderOptions {
  double cap = 1.0;    ///< largest momentum factor, in [0, 1]
  double shrink = 0.99;  ///< the curvature bound L is multiplied by this at every accepted step, in (0, 1]
};

/// y = x + beta (x - x_prev),  x <- proj(y - F(y) / L),  F = Uhat of the current s = mu |U_T|: the exact law needs
/// no outer loop. L grows by doubling whenever d.W d > L d.d along the step. Momentum restarts when it
/// points uphill, and from the best iterate (with a lower cap) when the yardstick grows.
/// One product an iteration: W y follows from W x by linearity.
SolveReport solve_apgd(const ContactProblem& problem, const ApgdOptions& options, std::span<double> R);

}  // namespace scree::solvers
