#include "stepping/impact.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace scree::stepping {

namespace {

/// Representative of a body, with paths halved.
int root_of(std::vector<int>& parent, int body) {
  while (parent[body] != body) {
    int& next = parent[body];
    next = parent[next];
    body = next;
  }
  return body;
}

std::size_t group_count(std::span<const int> group) {
  return group.empty() ? 0 : static_cast<std::size_t>(*std::max_element(group.begin(), group.end())) + 1;
}

/// Work along the segment:  at + slope s + curve s^2, J.
struct Quadratic {
  double at = 0.0, slope = 0.0, curve = 0.0;
};

/// The larger root of  at + slope s + curve s^2 = limit  in [0, 1], where the value is at most the limit at 0 and above it at 1.
double last_place(const Quadratic& work, double limit) {
  const double c = std::min(0.0, work.at - limit);
  const double root = std::sqrt(std::max(0.0, work.slope * work.slope - 4.0 * work.curve * c));
  // Without cancellation, for a slope of either sign.
  const double place = work.slope > 0.0 ? -2.0 * c / (work.slope + root) : (root - work.slope) / (2.0 * work.curve);
  return std::isfinite(place) ? std::clamp(place, 0.0, 1.0) : 0.0;
}

}  // namespace

std::vector<int> impact_groups(std::span<const std::array<int, 2>> sides, int bodies) {
  std::vector<int> parent(static_cast<std::size_t>(bodies));
  std::iota(parent.begin(), parent.end(), 0);
  for (const auto& [a, b] : sides)
    if (a >= 0 && b >= 0) parent[root_of(parent, a)] = root_of(parent, b);
  std::vector<int> label(static_cast<std::size_t>(bodies), -1), group;
  group.reserve(sides.size());
  int next = 0;
  for (const auto& [a, b] : sides) {
    const int body = std::max(a, b);
    if (body < 0) {
      group.push_back(next++);
      continue;
    }
    int& mine = label[root_of(parent, body)];
    if (mine < 0) mine = next++;
    group.push_back(mine);
  }
  return group;
}

std::vector<ImpactWork> impact_work(std::span<const int> group, std::span<const double> U_before, const ImpactSolution& solution,
                                    std::span<const double> excess) {
  std::vector<ImpactWork> work(group_count(group));
  for (std::size_t g = 0; g < work.size(); ++g) work[g].sum = excess[g];
  for (std::size_t k = 0; k < solution.R.size(); ++k) {
    ImpactWork& mine = work[group[k / 3]];
    mine.sum += 0.5 * solution.R[k] * (U_before[k] + solution.U[k]);
    mine.size += std::abs(solution.R[k]) * (std::abs(U_before[k]) + std::abs(solution.U[k]));
  }
  return work;
}

std::vector<double> impact_shares(std::span<const int> group, std::span<const double> U_before, const ImpactSolution& plastic,
                                  const ImpactSolution& bouncing, std::span<const double> excess, double tolerance) {
  std::vector<Quadratic> work(group_count(group));
  for (std::size_t g = 0; g < work.size(); ++g) work[g].at = excess[g];
  for (std::size_t k = 0; k < U_before.size(); ++k) {
    Quadratic& mine = work[group[k / 3]];
    const double R = plastic.R[k], mean = 0.5 * (U_before[k] + plastic.U[k]);
    const double dR = bouncing.R[k] - R, dU = 0.5 * (bouncing.U[k] - plastic.U[k]);
    mine.at += R * mean;
    mine.slope += dR * mean + R * dU;
    mine.curve += dR * dU;
  }
  const std::vector<ImpactWork> whole = impact_work(group, U_before, bouncing, excess);
  std::vector<double> shares(work.size(), 1.0);
  for (std::size_t g = 0; g < work.size(); ++g) {
    const double limit = std::max(0.0, work[g].at);
    if (whole[g].sum > limit + tolerance * whole[g].size) shares[g] = last_place(work[g], limit);
  }
  return shares;
}

}  // namespace scree::stepping
