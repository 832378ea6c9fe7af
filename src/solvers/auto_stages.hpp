/// The stages of AUTO on one connected problem.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/timer.hpp"
#include "solvers/report.hpp"
#include "solvers/semismooth_newton.hpp"
#include "solvers/sweeper.hpp"

namespace scree::solvers {

/// Drives the stages and remembers the best iterate.
class AutoStages {
 public:
  /// `value` is the yardstick at R, negative when not measured yet. `packed` may hold a sweeper to reuse and
  /// receives the one made. `margin` is that of AutoOptions.
  AutoStages(const ContactProblem& problem, const StopRule& stop, double margin, std::span<const double> R, double value,
             std::unique_ptr<Sweeper>& packed);

  /// Sweeps while they promise to finish within `patience` more of them; at most `limit`.
  void sweeps(double patience, int limit);
  /// The same from R = 0.
  void sweeps_from_zero(double patience, int limit);
  /// A few splitting steps on one factor where rows of W are so long that sweeps cost more: dense stacks given as W.
  void splitting_where_rows_are_long();
  /// Stages 3 and 4 in turn, from where the last sweeps ended, until solved, out of budget or after some rounds.
  void newton_and_global(int rounds);

  [[nodiscard]] bool solved() const { return best_value_ <= stop_.tolerance; }
  [[nodiscard]] bool exhausted() const;
  [[nodiscard]] double best_value() const { return best_value_; }
  [[nodiscard]] const std::vector<double>& best() const { return best_; }
  [[nodiscard]] SolveReport report() const;

  /// A packing of so many bodies that sweeps do best.
  [[nodiscard]] bool large() const { return large_; }
  /// Cost of a Newton step in sweeps, estimated from the size of the problem; infinite when none can be afforded.
  [[nodiscard]] double newton_cost() const { return newton_left_ > 0 ? newton_cost_ : kInfinity; }

 private:
  void choose_sweeper(std::span<const double> R);
  [[nodiscard]] double sweep_value();
  /// Measure R from outside, keep it when best; returns its value.
  double offer(std::span<const double> R, const char* stage);
  /// Sweep from R with momentum (or Anderson mixing); R receives the best iterate of the run. Returns its value.
  double run_sweeps(std::span<double> R, double patience, int limit, bool mixed);
  double run_admm(std::span<double> R, int limit);
  void newton();

  const ContactProblem& problem_;
  StopRule stop_;
  double goal_;   ///< margin * tolerance
  double scale_, newton_cost_;
  bool large_;
  int newton_left_ = 0;   ///< Newton steps still allowed: max_iterations sweeps' worth
  Timer timer_;
  std::unique_ptr<Sweeper>& packed_;
  std::unique_ptr<Sweeper> general_;
  Sweeper* sweeper_ = nullptr;
  std::unique_ptr<SemismoothNewton> newton_;
  std::vector<double> best_, current_, trial_, U_;
  double best_value_ = kInfinity;
  SolveReport report_;
};

}  // namespace scree::solvers
