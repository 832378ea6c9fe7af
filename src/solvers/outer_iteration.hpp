/// From the laws convex optimisation can solve to Coulomb's: accelerated fixed points (theory sec. 4.10).
///
///  convex: given s >= 0 a block, solve the convex relaxation with B_N + s; then s <- mu |U_T|.
///  tresca: given thresholds mu z, solve Tresca's law; then z <- R_N.
///
/// Both are repeated warm, the inner accuracy following the outer one. The sequence is extrapolated by Anderson's
/// method (Aitken's when memory = 1), in units where every contact weighs the same, and falls back on
/// damped plain steps from the best iterate when it runs away.
#pragma once

#include <functional>

#include "solvers/report.hpp"

namespace scree::solvers {

enum class OuterLaw { convex, tresca };

struct OuterOptions : StopRule {
  OuterLaw law = OuterLaw::convex;
  int memory = 5;              ///< differences Anderson's method combines; 0: plain fixed point
  double inner_factor = 0.1;   ///< inner tolerance relative to the outer value, in (0, 1)
  int inner_iterations = 500;  ///< most iterations of one inner solve
};

/// Solves the inner law from the guess in R within the stop rule. Tresca's thresholds are mu R_N of that guess.
using InnerSolve = std::function<SolveReport(const ContactProblem&, const StopRule&, std::span<double> R)>;

/// Exact Coulomb by repeated inner solves. `max_iterations` counts the inner iterations of all of them; the report's
/// fallbacks count the damped restarts.
SolveReport solve_outer(const ContactProblem& problem, const OuterOptions& options, const InnerSolve& inner, std::span<double> R);

}  // namespace scree::solvers
