/// Sweeps with an acceleration on top: Anderson mixing for few blocks, Nesterov momentum for many.
#pragma once

#include <span>
#include <vector>

#include "solvers/anderson.hpp"
#include "solvers/momentum.hpp"
#include "solvers/sweeper.hpp"

namespace scree::solvers {

/// Anderson mixing of sweeps: two plain sweeps first; when the change of a sweep exceeds twice the smallest,
/// back to the iterate of the smallest, history forgotten, and a growing number of plain sweeps.
class AndersonSweeps {
 public:
  AndersonSweeps(const ContactProblem& problem, Sweeper& sweeper, std::span<const double> R);
  /// One sweep; afterwards the sweeper holds its result, before any mixing.
  SweepSums sweep();

 private:
  const ContactProblem& problem_;
  Sweeper& sweeper_;
  Anderson mixing_;
  std::vector<double> x_, g_, best_;
  double smallest_ = kInfinity;
  int plain_ = 2, rejections_ = 0;
  bool pending_ = false;   ///< g_ is to be mixed before the next sweep
};

/// Nesterov momentum with growth restart.
class MomentumSweeps {
 public:
  explicit MomentumSweeps(Sweeper& sweeper) : sweeper_(sweeper) {}
  SweepSums sweep() {
    const SweepSums sums = sweeper_.sweep({beta_, 1.0, false});
    beta_ = momentum_.after(sums);
    return sums;
  }

 private:
  Sweeper& sweeper_;
  Momentum momentum_;
  double beta_ = 0.0;
};

}  // namespace scree::solvers
