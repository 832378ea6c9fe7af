#include "solvers/convex_starts.hpp"

#include <algorithm>
#include <random>

#include "solvers/interior_point.hpp"

namespace scree::solvers {

namespace {

/// Friction of the first starts, relative to the true one.
constexpr double kShared[] = {1.0, 0.9};
/// Lower ends of the uniform draws that follow, in turn; the upper end is 1.
constexpr double kLowest[] = {0.8, 0.9, 0.6, 0.95};
/// Accuracy of the relaxation, in turn: looser starts lie deeper inside the cones.
constexpr double kAccuracy[] = {1e-3, 1e-6, 1e-3};
constexpr int kMostSteps = 100;

}  // namespace

bool ConvexStarts::suit(const ContactProblem& problem) {
  bool friction = false;
  for (std::size_t a = 0; a < problem.kind.size(); ++a) {
    if (!built_in(problem.kind[a])) return false;
    friction = friction || impulse_set(problem.kind[a], problem.mu[a]) == ImpulseSet::cone;
  }
  return friction;
}

ContactProblem ConvexStarts::relaxation() const {
  ContactProblem relaxed = problem_;
  const int drawn = count_ - static_cast<int>(std::size(kShared));
  if (drawn < 0) {
    for (double& mu : relaxed.mu) mu *= kShared[count_];
    return relaxed;
  }
  // The engine's numbers are the same everywhere, those of distributions are not.
  std::mt19937 random(static_cast<std::uint32_t>(problem_.blocks()) + 0x9e3779b9u * static_cast<std::uint32_t>(count_));
  const double lowest = kLowest[static_cast<std::size_t>(drawn) % std::size(kLowest)];
  for (double& mu : relaxed.mu) mu *= lowest + (1.0 - lowest) * std::ldexp(static_cast<double>(random()), -32);
  return relaxed;
}

SolveReport ConvexStarts::next(const StopRule& rule, std::span<double> R) {
  const ContactProblem relaxed = relaxation();
  InteriorPointOptions options;
  options.formulation = Formulation::convex;
  options.linear_solver = BarrierSolver::direct;
  options.polish = false;
  options.max_iterations = std::min(rule.max_iterations, kMostSteps);
  options.max_seconds = rule.max_seconds;
  options.tolerance = kAccuracy[static_cast<std::size_t>(count_++) % std::size(kAccuracy)];
  std::fill(R.begin(), R.end(), 0.0);
  return solve_interior_point(relaxed, options, R);
}

}  // namespace scree::solvers
