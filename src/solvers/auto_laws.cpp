#include "solvers/auto_laws.hpp"

#include "core/timer.hpp"
#include "solvers/apgd.hpp"
#include "solvers/semismooth_newton.hpp"

namespace scree::solvers {

namespace {

constexpr int kGradientSteps = 500;   ///< of the convex law before Newton is tried, and again where it stalls
constexpr int kStall = 60;            ///< Newton steps without gaining a factor 0.3

/// Add a stage to the report of the whole.
void append(SolveReport& total, const SolveReport& part, const char* stage) {
  total.status = part.status;
  total.iterations += part.iterations;
  total.products += part.products;
  total.linear_iterations += part.linear_iterations;
  total.advice = part.advice;
  total.stage = stage;
  total.history.insert(total.history.end(), part.history.begin(), part.history.end());
}

/// Both methods in turn, each from the best iterate of the other; each returns nothing worse than it was given.
SolveReport solve_convex(const ContactProblem& problem, const AutoOptions& options, std::span<double> R) {
  const Timer timer;
  SolveReport report;
  report.status = Status::max_iterations;
  const auto limited = [&](auto part, int most) {
    static_cast<StopRule&>(part) = options;
    part.formulation = Formulation::convex;
    part.max_iterations = std::min(most, options.max_iterations - report.iterations);
    part.max_seconds = options.max_seconds - timer.seconds();
    return part;
  };
  const auto left = [&] {
    return report.status != Status::converged && report.iterations < options.max_iterations && timer.seconds() < options.max_seconds;
  };
  for (int most = kGradientSteps;; most *= 2) {
    append(report, solve_apgd(problem, limited(ApgdOptions{}, most), R), "gradients");
    if (!left()) break;
    if (!options.newton) continue;
    SemismoothNewtonOptions newton = limited(SemismoothNewtonOptions{}, most);
    newton.stall_limit = kStall;
    append(report, solve_semismooth_newton(problem, newton, R), "proximal Newton");
    if (!left()) break;
  }
  if (report.status != Status::converged && timer.seconds() >= options.max_seconds) report.status = Status::max_seconds;
  return report;
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
  ContactProblem smooth = problem;
  std::fill(smooth.mu.begin(), smooth.mu.end(), 0.0);
  return solve_auto(smooth, options, R, workspace);
}

}  // namespace scree::solvers
