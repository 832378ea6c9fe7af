/// Gauss-Seidel sweeps on several ranks at once, in phases (phases.hpp). Bodies that c ranks act on in a phase are split into c copies of a c-th of the
/// mass, each rank sweeps with its own copies, then copies are averaged, which leaves the velocities that belong to all impulses (theory sec. 4.2).
///
/// One exchange a phase. One rank sweeps as one process does.
#pragma once

#include "parallel/shared_form.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/sweeper.hpp"

namespace scree::parallel {

class SharedSweeper final : public solvers::Sweeper {
 public:
  /// `form` must outlive the sweeps.
  SharedSweeper(const SharedForm& form, const solvers::LocalIteration& how) : form_(form), how_(how) {}

  bool begin(const solvers::ContactProblem& problem, std::span<const double> R) override;
  void set(std::span<const double> R) override;
  /// Sums are over all ranks.
  solvers::SweepSums sweep(const solvers::SweepRule& rule) override;
  void refresh() override;
  [[nodiscard]] double squared_residual() override;
  void get(std::span<double> R) const override { std::copy(R_.begin(), R_.end(), R.begin()); }

 private:
  /// Blocks of a phase in their order, with what they need of its copies.
  struct Part {
    SharedForm::Phase phase;
    std::vector<int> again;                     ///< swept over several times more
    std::vector<solvers::LocalBlock> local;     ///< of the blocks, with split bodies
    std::vector<int> place;                     ///< of each block of this rank among `local`
    std::vector<char> shared;                   ///< bodies whose changes are told
  };

  [[nodiscard]] Part make_part(SharedForm::Phase phase) const;
  void extrapolate(double momentum);
  void run(Part& part, const solvers::SweepRule& rule, solvers::SweepSums& sums);
  void solve_block(const Part& part, int block, const solvers::SweepRule& rule, solvers::SweepSums& sums);
  void push(const Part& part, int block, const Vec3& change);
  [[nodiscard]] Vec3 velocity(int block) const;

  const SharedForm& form_;
  solvers::LocalIteration how_;
  const solvers::ContactProblem* problem_ = nullptr;
  std::vector<Part> parts_;
  std::vector<double> R_, before_, multiplier_, weight_;
  std::vector<double> y_, y_before_;            ///< scaled velocities of the bodies of this rank's part
  std::vector<double> start_, change_;          ///< of told bodies: at the start of a phase, and what this rank has done
  bool momentum_ready_ = false;
};

}  // namespace scree::parallel
