/// Sweeps over all blocks with a solution of each in turn: what Gauss-Seidel, its accelerated variant and the
/// sweeping stages of AUTO share. Two implementations: packed (rigid bodies, exact local solves, threads) and
/// general (any bodies, explicit W, any law and local solver; made by Operator::make_sweeper).
#pragma once

#include <memory>
#include <span>

#include "solvers/local_solve.hpp"

namespace scree::solvers {

inline constexpr int kRefreshInterval = 150;   ///< sweeps after which the velocities kept along should be computed anew

/// What one sweep did, in norms weighted by 1/rho_a.
struct SweepSums {
  double change = 0.0;    ///< sum |R' - R|^2 / rho
  double size = 0.0;      ///< sum |R'|^2 / rho
  double uphill = 0.0;    ///< sum -(R' - R).(R' - P) / rho, P the iterate before extrapolation; > 0: momentum points the wrong way
  int diverged = 0;       ///< local solves that ran out of iterations
  int failed = 0;         ///< local solves that met a singular matrix or left the cone
  SweepSums& operator+=(const SweepSums& other) {
    change += other.change;
    size += other.size;
    uphill += other.uphill;
    diverged += other.diverged;
    failed += other.failed;
    return *this;
  }
};

struct SweepRule {
  double momentum = 0.0;   ///< beta: each sweep starts from R + beta (R - P), P the iterate one sweep ago
  double relaxation = 1.0; ///< omega in (0, 2): R + omega (solution - R), back on the cone when > 1
  bool backward = false;
};

class Sweeper {
 public:
  virtual ~Sweeper() = default;

  /// Take in a problem and a first iterate. The problem must outlive the sweeps. False when this sweeper
  /// cannot take the problem (the packed one needs rigid bodies whose two sides share one frame, and built-in laws).
  virtual bool begin(const ContactProblem& problem, std::span<const double> R) = 0;
  /// Replace the iterate (of the problem given to begin).
  virtual void set(std::span<const double> R) = 0;
  /// One sweep. The first one after begin() or set() has no momentum whatever the rule says.
  virtual SweepSums sweep(const SweepRule& rule) = 0;
  /// Forget rounding errors of the velocities kept along.
  virtual void refresh() = 0;
  /// The square of the yardstick `residual` at the present iterate, from the velocities kept along.
  [[nodiscard]] virtual double squared_residual() = 0;
  virtual void get(std::span<double> R) const = 0;
};

[[nodiscard]] std::unique_ptr<Sweeper> make_packed_sweeper();

/// Sweepers kept from solve to solve: nothing is allocated when sizes repeat.
struct SweeperMemory {
  std::unique_ptr<Sweeper> packed, general;
};

/// The fastest sweeper for a problem, begun at R: packed where blocks are solved exactly and it can take the problem, else general.
[[nodiscard]] Sweeper& begin_sweeps(const ContactProblem& problem, const LocalIteration& how, std::span<const double> R, SweeperMemory& memory);

}  // namespace scree::solvers
