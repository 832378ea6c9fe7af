/// Gauss-Seidel sweeps on several ranks at once: bodies that c ranks act on are split into c copies of a c-th of the mass, each rank sweeps over its
/// own blocks with its own copies, then copies are averaged, which leaves the velocities that belong to all impulses (theory sec. 4.2).
///
/// One exchange a sweep. One rank sweeps as one process does.
#pragma once

#include "parallel/shared_form.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/sweeper.hpp"

namespace scree::parallel {

class SplitSweeper final : public solvers::Sweeper {
 public:
  /// `form` must outlive the sweeps.
  SplitSweeper(const SharedForm& form, const solvers::LocalIteration& how);

  bool begin(const solvers::ContactProblem& problem, std::span<const double> R) override;
  void set(std::span<const double> R) override;
  /// Sums are over all ranks.
  solvers::SweepSums sweep(const solvers::SweepRule& rule) override;
  void refresh() override;
  [[nodiscard]] double squared_residual() override;
  void get(std::span<double> R) const override { sweeper_->get(R); }

 private:
  void average();

  const SharedForm& form_;
  std::shared_ptr<solvers::BodyForm> split_;
  solvers::LocalIteration how_;
  std::unique_ptr<solvers::Sweeper> sweeper_;        ///< over the split rows
  const solvers::ContactProblem* problem_ = nullptr;
  solvers::ContactProblem local_;                    ///< with the split W; its B gives the true velocities at the present impulses
  std::vector<double> free_, free_before_;           ///< that B at the last two iterates
  std::vector<double> weight_;                       ///< of the yardstick `residual`
  std::vector<double> R_, U_;                        ///< the last iterate and its true velocities
  bool momentum_ready_ = false;
};

}  // namespace scree::parallel
