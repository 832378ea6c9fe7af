#include "solvers/accelerated_sweeps.hpp"

#include "solvers/law.hpp"

namespace scree::solvers {

namespace {
constexpr int kDepth = 8;
constexpr double kRejection = 4.0;   ///< of squared changes: twice the smallest
constexpr int kMostPlain = 50;
}  // namespace

AndersonSweeps::AndersonSweeps(const ContactProblem& problem, Sweeper& sweeper, std::span<const double> R)
    : problem_(problem), sweeper_(sweeper), x_(R.begin(), R.end()), g_(R.size()), best_(x_) {
  std::vector<double> weight(R.size());
  const std::vector<double> rho = block_scaling(*problem.W);
  for (std::size_t k = 0; k < weight.size(); ++k) weight[k] = 1.0 / std::sqrt(rho[k / 3]);
  mixing_.reset(weight, kDepth);
}

SweepSums AndersonSweeps::sweep() {
  if (pending_) {
    // Mix what the last sweep gave, and put the result back on the cones.
    if (plain_ > 0) {
      --plain_;
      x_ = g_;
    } else {
      mixing_.next(x_, g_, x_);
      for (int a = 0; a < problem_.blocks(); ++a) {
        const std::size_t i = a;
        Eigen::Map<Vec3> block(x_.data() + 3 * a);
        block = project_on_block(Vec3(block), problem_.kind[i], problem_.mu[i]);
      }
      sweeper_.set(x_);
    }
  }
  const SweepSums sums = sweeper_.sweep({});
  pending_ = true;
  if (!(sums.change <= kRejection * smallest_)) {
    mixing_.clear();
    plain_ = std::min(kMostPlain, 3 << std::min(rejections_++, 10));
    g_ = best_;
    sweeper_.set(g_);
    return sums;
  }
  sweeper_.get(g_);
  if (sums.change < smallest_) {
    smallest_ = sums.change;
    best_ = g_;
  }
  return sums;
}

}  // namespace scree::solvers
