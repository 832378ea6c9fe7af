/// The stages of AUTO on one connected problem.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solvers/auto.hpp"
#include "solvers/convex_starts.hpp"
#include "solvers/semismooth_newton.hpp"
#include "solvers/sweeper.hpp"
#include "solvers/watch.hpp"

namespace scree::solvers {

inline constexpr int kNoLimit = 1 << 30;  ///< of rounds and sweeps

/// Drives the stages. The watch, on the same problem, must have seen the guess; it holds the best iterate.
class AutoStages {
 public:
  AutoStages(const ContactProblem& problem, const AutoOptions& options, Watch& watch, SweeperMemory& sweepers);

  /// Sweeps while they promise to finish within `patience` more of them; at most `limit`. After `trial` of them they must promise to finish within as many more.
  void sweeps(double patience, int limit, int trial = kNoLimit);
  /// The same from R = 0.
  void sweeps_from_zero(double patience, int limit);
  /// Stages 3 and 4 in turn, from where the last sweeps ended, until solved, out of budget or after some rounds.
  void newton_and_global(int rounds);

  /// Let newton_and_global() try convex starts, Newton alone and interior points too, where the problem suits them.
  void allow_starts();

  /// A packing of so many bodies that sweeps do best.
  [[nodiscard]] bool large() const { return large_; }
  /// Cost of a Newton step in sweeps, estimated from the size of the problem; infinite when none can be afforded.
  [[nodiscard]] double newton_cost() const { return newton_left_ > 0 ? newton_cost_ : kInfinity; }

 private:
  void begin_at(std::span<const double> R);
  [[nodiscard]] double sweep_value();
  /// Measure R from outside, keep it when best; returns its value.
  double offer(std::span<const double> R, const char* stage);
  /// Sweep from R with momentum (or Anderson mixing); R receives the best iterate of the run. Returns its value.
  double run_sweeps(std::span<double> R, double patience, int limit, bool mixed, int trial = kNoLimit);
  double run_admm(std::span<double> R, int limit);
  /// The same from where both stand; the winner goes on while it halves the error.
  void sweep_and_split(double slice, bool mixed);
  void newton();
  /// @name Other ways, each from its own start; the main line goes on from their best where it is much better.
  /// @{
  void other_ways(int round, double slice);
  /// Convex starts and sweeps from them, about `budget` sweeps' worth.
  void try_starts(double budget);
  /// Sweeps from a start while they gain, Newton steps where they come near. Returns the sweeps' worth of it.
  double follow_start();
  /// A solution from a convex start without the self-stress it began with.
  void take_least_norm();
  /// Newton steps from a few sweeps that nothing interrupts: they go on where they were left.
  void lone_newton(double steps);
  /// The path of interior points for Coulomb's law, from zero.
  void interior_path();
  /// Count Newton or interior-point steps of a part against those allowed.
  void charge(const SolveReport& part, double cost = 1.0);
  /// @}

  /// Go on from the best iterate.
  void restart();
  /// The limits left for a stage of at most `most` iterations of so much work each; its history is its own.
  [[nodiscard]] StopRule stage_rule(int most, double each) const;
  /// Of an interior-point step.
  [[nodiscard]] double path_work() const { return parameters_.path_cost * newton_cost_; }

  const ContactProblem& problem_;
  const AutoParameters& parameters_;
  Watch& watch_;
  double margin_;         ///< share of the tolerance that sweeps go on to; none once it has eased
  double finish_ = 1.0;   ///< the same in any case
  double scale_, newton_cost_;
  bool large_;
  int newton_left_ = 0;   ///< Newton steps still allowed: max_iterations sweeps' worth
  SweeperMemory& sweepers_;
  Sweeper* sweeper_ = nullptr;
  std::unique_ptr<SemismoothNewton> newton_, lone_, finisher_;
  std::unique_ptr<ConvexStarts> starts_;   ///< none where they are not allowed
  std::vector<double> current_, trial_, swept_, split_, start_;
};

}  // namespace scree::solvers
