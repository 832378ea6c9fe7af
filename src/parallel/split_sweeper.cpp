#include "parallel/split_sweeper.hpp"

#include <array>

#include "solvers/local_solve.hpp"
#include "solvers/totals.hpp"
#include "solvers/yardstick.hpp"

namespace scree::parallel {

SplitSweeper::SplitSweeper(const SharedForm& form, const solvers::LocalIteration& how) : form_(form), split_(std::make_shared<solvers::BodyForm>(form.split())), how_(how) {}

bool SplitSweeper::begin(const solvers::ContactProblem& problem, std::span<const double> R) {
  problem_ = &problem;
  local_ = problem;
  weight_ = solvers::residual_weights(problem);
  local_.weight = weight_;
  local_.W = split_;
  sweeper_ = split_->make_sweeper(how_);
  sweeper_->begin(local_, R);
  set(R);
  return true;
}

void SplitSweeper::set(std::span<const double> R) {
  momentum_ready_ = false;
  sweeper_->set(R);
  average();
}

void SplitSweeper::refresh() {
  sweeper_->refresh();
  average();
}

void SplitSweeper::average() {
  // True velocities of this rank's blocks, and what the split W leaves of them for B.
  R_.resize(problem_->B.size());
  U_.resize(R_.size());
  free_.resize(R_.size());
  sweeper_->get(R_);
  solvers::relative_velocity(*problem_, R_, U_);
  split_->apply(R_, free_);
  for (std::size_t k = 0; k < U_.size(); ++k) free_[k] = U_[k] - free_[k];
  local_.B = free_;
}

solvers::SweepSums SplitSweeper::sweep(const solvers::SweepRule& rule) {
  // The sweeper extrapolates impulses and its copies' velocities; what others did is extrapolated with them.
  if (rule.momentum != 0.0 || momentum_ready_) {
    if (!momentum_ready_) free_before_ = free_;
    momentum_ready_ = true;
    for (std::size_t k = 0; k < free_.size(); ++k) local_.B[k] = free_[k] + rule.momentum * (free_[k] - free_before_[k]);
    free_before_ = free_;
  }
  const solvers::SweepSums here = sweeper_->sweep(rule);
  average();
  const auto sums = solvers::total(std::array<double, 5>{here.change, here.size, here.uphill, static_cast<double>(here.diverged), static_cast<double>(here.failed)});
  return {sums[0], sums[1], sums[2], static_cast<int>(sums[3]), static_cast<int>(sums[4])};
}

double SplitSweeper::squared_residual() {
  return solvers::total_sum(problem_->blocks(), [&](std::ptrdiff_t a) {
    const auto i = static_cast<std::size_t>(a);
    const Vec3 R = Eigen::Map<const Vec3>(R_.data() + 3 * a), U = Eigen::Map<const Vec3>(U_.data() + 3 * a);
    return weight_[i] * solvers::squared_error(R, U, solvers::block_rho(form_.diagonal()[i]), problem_->kind[i], problem_->mu[i]);
  });
}

}  // namespace scree::parallel
