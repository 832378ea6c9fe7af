/// Restitution that adds no energy (theory sec. 3.8).
///
/// Newton's law asks each contact for its own velocity after the impact; with friction, or with several contacts, its impulses can do positive work. The
/// solution without restitution never does. Impulses and velocities on the segment between the two are admissible (cones and half-spaces are convex), and their work
/// is a quadratic function of the place on it: each group of touching bodies takes the last place where the work is not positive.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace scree::stepping {

/// Groups of blocks connected through moving bodies: the label of each block, from 0, in the order of first appearance.
///
/// @param sides   the two moving bodies of each block, -1 for none
/// @param bodies  number of moving bodies
[[nodiscard]] std::vector<int> impact_groups(std::span<const std::array<int, 2>> sides, int bodies);

/// One solution of the contact problem, three numbers a block: impulses (N s) and velocities after them (m/s), without bias.
struct ImpactSolution {
  std::span<const double> R, U;
};

/// Work of the impulses on a group, J:  sum 1/2 R . (U_before + U) with the velocities before the impact, and the sum of sizes of its terms.
struct ImpactWork {
  double sum = 0.0, size = 0.0;
  /// Positive beyond the accuracy `tolerance` of a solution.
  [[nodiscard]] bool creates_energy(double tolerance) const { return sum > tolerance * size; }
};
/// @param excess  energy that each group has too much before its impulses, J, counted as done by them
[[nodiscard]] std::vector<ImpactWork> impact_work(std::span<const int> group, std::span<const double> U_before, const ImpactSolution& solution,
                                                  std::span<const double> excess);

/// Place of each group on the segment, in [0, 1]: the largest share s for which the work of plastic + s (bouncing - plastic) is at most that of the
/// plastic solution or zero, whichever is larger; 1 where the bouncing solution's is, to the relative accuracy `tolerance` of the solutions.
[[nodiscard]] std::vector<double> impact_shares(std::span<const int> group, std::span<const double> U_before, const ImpactSolution& plastic,
                                                const ImpactSolution& bouncing, std::span<const double> excess, double tolerance);

}  // namespace scree::stepping
