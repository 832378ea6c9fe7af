#include "solvers/relaxed_sweeps.hpp"

#include "solvers/first_order.hpp"
#include "solvers/sweeper.hpp"

namespace scree::solvers {

namespace {

constexpr int kLocalSteps = 20;          ///< projected gradient steps of a block

/// The problem whose `mu` is what the local solver wants: friction, or Tresca's thresholds in N s.
ContactProblem with_thresholds(const FirstOrderProblem& scaled) {
  ContactProblem problem = scaled.problem();
  if (scaled.formulation() == Formulation::tresca)
    for (int a = 0; a < problem.blocks(); ++a)
      if (frictional(scaled.kind(a))) problem.mu[a] = scaled.threshold(a) * scaled.block_scale(a);
  return problem;
}

}  // namespace

SolveReport solve_relaxed_sweeps(const ContactProblem& problem, const RelaxedSweepsOptions& options, std::span<double> R) {
  FirstOrderProblem scaled(problem, options.formulation, R);
  ScaledWatch watch(scaled, options, R);
  VecX x(scaled.size()), g(scaled.size());
  const char* advice = "raise max_iterations, or try APGD or AUTO";
  if (watch.certified(x, g)) return watch.report(0, advice);

  const ContactProblem swept = with_thresholds(scaled);
  LocalIteration how;
  how.solver = options.formulation == Formulation::convex   ? DiagonalSolver::convex
               : options.formulation == Formulation::tresca ? DiagonalSolver::tresca
                                                            : DiagonalSolver::exact;
  how.max_iterations = kLocalSteps;
  std::vector<double> trial(problem.B.size());
  scaled.to_impulses(x, trial);
  const auto sweeper = swept.W->make_sweeper(how);
  sweeper->begin(swept, trial);
  for (int iteration = 1;; ++iteration) {
    sweeper->sweep({0.0, options.omega, options.reverse && iteration % 2 == 0});
    sweeper->get(trial);
    scaled.from_impulses(trial, x);
    // Relaxation may leave the half-cylinder by rounding only; cones are kept by the sweeper.
    scaled.project(x);
    scaled.gradient(x, g);
    if (watch.finished(x, g, iteration)) break;
    if (iteration % kRefreshInterval == 0) sweeper->refresh();
  }
  return watch.report(0, advice);
}

}  // namespace scree::solvers
