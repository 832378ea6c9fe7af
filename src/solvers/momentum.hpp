/// Nesterov momentum for sweeps, with restarts (theory sec. 4.2).
#pragma once

#include <algorithm>
#include <cmath>

#include "core/vec.hpp"
#include "solvers/sweeper.hpp"

namespace scree::solvers {

/// Chooses the momentum of each sweep from what the last one did. Momentum starts over when it points uphill
/// or when the change of a sweep grows past 1.5 times the smallest since the last restart; growth also
/// lowers the cap, quiet stretches raise it.
class Momentum {
 public:
  /// Momentum for the next sweep.
  double after(const SweepSums& sums) {
    const double next_theta = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta_ * theta_));
    const double beta = std::min(cap_, (theta_ - 1.0) / next_theta);
    const bool growth = sums.change > kGrowth * smallest_;
    if (growth) {
      cap_ = std::max(kLowestCap, 1.0 - 1.15 * (1.0 - cap_));
      quiet_ = 0;
    } else if (++quiet_ >= kQuietSweeps) {
      cap_ = std::min(kHighestCap, 1.0 - 0.9 * (1.0 - cap_));
      quiet_ = 0;
    }
    if (growth || sums.uphill > 0.0) {
      theta_ = 1.0;
      smallest_ = sums.change;
      return 0.0;
    }
    theta_ = next_theta;
    smallest_ = std::min(smallest_, sums.change);
    return beta;
  }

 private:
  static constexpr double kGrowth = 2.25, kLowestCap = 0.3, kHighestCap = 0.98;
  static constexpr int kQuietSweeps = 50;

  double theta_ = 1.0, cap_ = 0.9, smallest_ = kInfinity;
  int quiet_ = 0;
};

}  // namespace scree::solvers
