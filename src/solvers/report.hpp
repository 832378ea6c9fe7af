/// What a solver was asked for and what it did: the same for every solver.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "solvers/yardstick.hpp"

namespace scree::solvers {

/// When to stop. Every solver's options derive from this.
struct StopRule {
  double tolerance = 1e-8;                     ///< stop when the yardstick is at or below this
  Yardstick yardstick = Yardstick::residual;   ///< which one
  int max_iterations = 10000;                  ///< in the solver's own iterations (sweeps, Newton steps, ...)
  double max_seconds = 1e30;                   ///< wall-clock limit, s
  bool history = false;                        ///< keep the yardstick of every measured iterate
};

/// Which law the solution obeys.
enum class Formulation {
  coulomb,       ///< exact Signorini-Coulomb (default)
  convex,        ///< convex relaxation: U in the dual cone, normal velocity mu |U_T| when slipping
  tresca,        ///< friction threshold mu R_N frozen at the guess's R_N
  frictionless   ///< R_T = 0
};
/// What methods offer: all of them; those that work with cones; those that work with bounds.
inline constexpr std::array kEveryFormulation{Formulation::coulomb, Formulation::convex, Formulation::tresca, Formulation::frictionless};
inline constexpr std::array kConeFormulations{Formulation::coulomb, Formulation::convex, Formulation::frictionless};
inline constexpr std::array kBoundFormulations{Formulation::coulomb, Formulation::tresca, Formulation::frictionless};

/// `interrupted`: a stop was requested (core/interrupt.hpp). Results files hold these numbers: append only.
enum class Status { converged, max_iterations, max_seconds, diverged, interrupted };

struct SolveReport {
  Status status = Status::diverged;
  int iterations = 0;        ///< of the solver's main loop
  double work = 0.0;         ///< AUTO: what these cost, in sweeps over all blocks
  long products = 0;         ///< applications of W (a sweep counts as one)
  long linear_iterations = 0;  ///< Krylov steps of linear systems inside, all together
  int fallbacks = 0;         ///< times a safer method had to take over
  double residual = 0.0;     ///< the yardstick `residual` at the returned R, whatever the stop rule used
  bool residual_known = false;  ///< it has been measured; otherwise solve() of registry.hpp does
  double seconds = 0.0;      ///< wall clock
  std::vector<double> history;  ///< yardstick values, one an iteration measured
  std::string stage;         ///< AUTO: the stage that solved it
  std::string advice;        ///< what to try when it did not converge
};

/// One report of two solves that make up one step.
[[nodiscard]] SolveReport both(const SolveReport& first, const SolveReport& second);

/// The rule under which a formulation is measured: the convex relaxation always by `ccp`.
[[nodiscard]] StopRule measured_as(Formulation formulation, const StopRule& stop);

[[nodiscard]] std::string to_string(Status status);
[[nodiscard]] std::string to_string(Formulation formulation);

}  // namespace scree::solvers
