/// Gauss-Seidel sweeps for the laws beside Coulomb's: convex relaxation, Tresca, frictionless (theory sec. 4.1).
#pragma once

#include <span>

#include "solvers/report.hpp"

namespace scree::solvers {

struct RelaxedSweepsOptions : StopRule {
  Formulation formulation = Formulation::convex;  ///< coulomb is solve_gauss_seidel's
  double omega = 1.0;                             ///< relaxation in (0, 2)
  bool reverse = false;                           ///< alternate forward and backward sweeps
};

/// Blocks in turn, each by projected gradient steps on its own set; every sweep is measured. Tresca's thresholds are
/// mu R_N of the guess. The convex relaxation is measured by `ccp`.
SolveReport solve_relaxed_sweeps(const ContactProblem& problem, const RelaxedSweepsOptions& options, std::span<double> R);

}  // namespace scree::solvers
