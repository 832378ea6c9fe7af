#include "solvers/auto_laws.hpp"

#include "solvers/apgd.hpp"
#include "solvers/semismooth_newton.hpp"
#include "solvers/watch.hpp"

namespace scree::solvers {

namespace {

/// Both methods in turn, each from the best iterate of the other; each returns nothing worse than it was given.
SolveReport solve_convex(const ContactProblem& problem, const AutoOptions& options, std::span<double> R) {
  Watch watch(problem, measured_as(Formulation::convex, options), R);
  const auto limited = [&](auto part, int most) {
    static_cast<StopRule&>(part) = watch.rest(most);
    part.formulation = Formulation::convex;
    return part;
  };
  const auto take = [&](const SolveReport& part, const char* stage) {
    watch.add(part);
    watch.set_stage(stage);
    watch.offer(R);
    // The part has measured it in its own arithmetic; a difference in rounding is no failure.
    if (part.status == Status::converged && !watch.solved()) watch.begin(options.tolerance);
  };
  for (int most = static_cast<int>(options.parameters.gradient_steps);; most *= 2) {
    take(solve_apgd(problem, limited(ApgdOptions{}, most), R), "gradients");
    if (watch.ended()) break;
    if (!options.newton) continue;
    SemismoothNewtonOptions newton = limited(SemismoothNewtonOptions{}, most);
    newton.stall_limit = options.parameters.newton_stall(problem.W->newton_cost());
    take(solve_semismooth_newton(problem, newton, R), "proximal Newton");
    if (watch.ended()) break;
  }
  return watch.report("raise max_iterations or max_seconds, or loosen the tolerance");
}

}  // namespace

SolveReport solve_auto_law(const ContactProblem& problem, Formulation law, const AutoOptions& options, std::span<double> R,
                           AutoWorkspace& workspace) {
  if (law == Formulation::convex) return solve_convex(problem, options, R);
  if (law == Formulation::tresca) {
    ApgdOptions gradients;
    static_cast<StopRule&>(gradients) = options;
    gradients.formulation = law;
    SolveReport report = solve_apgd(problem, gradients, R);
    report.stage = "gradients";
    return report;
  }
  if (law == Formulation::coulomb) return solve_auto(problem, options, R, workspace);
  SolveReport report = solve_auto(without_friction(problem), options, R, workspace);
  report.residual_known = false;
  return report;
}

}  // namespace scree::solvers
