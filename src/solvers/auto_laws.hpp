/// AUTO for the laws beside Coulomb's (theory sec. 4.11).
#pragma once

#include <span>

#include "solvers/auto.hpp"

namespace scree::solvers {

/// frictionless: all stages of AUTO with mu = 0. convex: accelerated projected gradients, then proximal Newton steps where they are
/// too slow, measured by `ccp`. tresca: accelerated projected gradients; thresholds are mu R_N of the guess.
SolveReport solve_auto_law(const ContactProblem& problem, Formulation law, const AutoOptions& options, std::span<double> R,
                           AutoWorkspace& workspace);

}  // namespace scree::solvers
