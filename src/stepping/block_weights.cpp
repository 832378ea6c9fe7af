#include "stepping/block_weights.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/threads.hpp"

namespace scree::stepping {

namespace {

constexpr double kUnknown = 0.1;       ///< of what a block is measured against: rounding of its impulse beyond which nothing is known of its velocity

/// What loads one body reaches those that it touches: the root of the mean square of a group's load speeds, m/s; where it has none, of the speeds that its blocks have to stop.
std::vector<double> group_means(std::span<const int> group, std::span<const double> load, std::span<const double> stopped) {
  const std::size_t count = group.empty() ? 0 : static_cast<std::size_t>(*std::ranges::max_element(group)) + 1;
  std::vector<double> loads(count), stops(count), blocks(count), stopping(count);
  for (std::size_t k = 0; k < group.size(); ++k) {
    loads[group[k]] += load[k] * load[k];
    blocks[group[k]] += 1.0;
    stops[group[k]] += stopped[k] * stopped[k];
    if (stopped[k] > 0.0) stopping[group[k]] += 1.0;
  }
  for (std::size_t g = 0; g < count; ++g) loads[g] = std::sqrt(loads[g] > 0.0 ? loads[g] / blocks[g] : stops[g] / std::max(1.0, stopping[g]));
  return loads;
}

}  // namespace

void weigh_blocks(const StageInput& in, std::span<const std::array<int, 2>> bodies, std::span<const int> group, solvers::ContactProblem& problem) {
  // A floor at rounding level keeps bodies that move together from being solved relative to noise.
  const std::size_t blocks = problem.kind.size();
  const std::vector<Mat3>& diagonal = problem.W->diagonal();
  const double floor = std::min(1e-14 / in.solver.aim(), 1e-2);
  std::vector<double>& speed = problem.weight;
  std::vector<double> stopped(blocks), load(blocks);
  speed.resize(blocks);
  parallel_for(static_cast<std::ptrdiff_t>(blocks), [&](std::ptrdiff_t a) {
    const std::size_t k = a;
    const double rho = solvers::block_rho(diagonal[k]);
    stopped[k] = solvers::free_impulse(Eigen::Map<const Vec3>(problem.B.data() + 3 * k), rho, problem.kind[k], problem.mu[k]).norm() / rho;
    double surface = 0.0;
    for (const int i : bodies[k]) {
      if (i < 0) continue;
      load[k] += load_speed(in, i);
      surface += assembly::surface_speed(in.model.bodies, in.free, i);
    }
    speed[k] = std::max({stopped[k], load[k], floor * surface});
  });
  const std::vector<double> shared = group_means(group, load, stopped);
  double asked = 0.0;
  for (std::size_t k = 0; k < blocks; ++k) {
    speed[k] = std::max(speed[k], shared[group[k]]);
    if (stopped[k] > 0.0) asked += stopped[k] * stopped[k] / (speed[k] * speed[k]);
  }
  for (std::size_t k = 0; k < blocks; ++k) {
    const double momentum = std::max(1e-140, solvers::block_rho(diagonal[k]) * (speed[k] > 0.0 ? speed[k] : 1.0));
    problem.weight[k] = 1.0 / (momentum * momentum * std::max(1.0, asked));
  }
}

void refuse_unbounded(const solvers::ContactProblem& problem, std::span<const double> R, solvers::SolveReport& report) {
  if (report.status != solvers::Status::converged) return;
  double most = 0.0;
  for (std::size_t a = 0; a < problem.kind.size(); ++a) most = std::max(most, problem.weight[a] * Eigen::Map<const Vec3>(R.data() + 3 * a).squaredNorm());
  const double unknown = solvers::kRounding * std::sqrt(most * static_cast<double>(problem.kind.size()));
  if (unknown < kUnknown) return;
  report.status = solvers::Status::max_iterations;
  report.residual = unknown;
  report.advice = "impulses grew until velocities are lost in their rounding: obstacles or prescribed motion leave a body no room; give way, or check what moves";
}

}  // namespace scree::stepping
