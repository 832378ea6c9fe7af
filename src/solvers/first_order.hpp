/// What first-order solvers share: a problem under one formulation in scaled unknowns, the watch over
/// limits and best iterate, and vector sums that do not depend on the number of threads.
///
/// Unknowns are x_a = R_a / s_a with s_a^2 = rho_a (theory eq. 3.8), so that the blocks of S W S have
/// trace 3 and gradients are dimensionless energies' roots:  g = S (W S x + B) = S U.
/// A number a block keeps cones as they are: this is the averaged diagonal preconditioner of P-SPG-FB.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/timer.hpp"
#include "solvers/report.hpp"

namespace scree::solvers {

/// The formulation of that name; InputError unless it is among `allowed`.
[[nodiscard]] Formulation formulation_from(const std::string& name, std::span<const Formulation> allowed);

/// Options of every first-order solver.
struct FirstOrderOptions : StopRule {
  Formulation formulation = Formulation::coulomb;
};

/// Dot product, sum of squares and linear combinations; same bits for any thread count.
[[nodiscard]] double dot(const VecX& a, const VecX& b);
[[nodiscard]] inline double norm(const VecX& a) { return std::sqrt(dot(a, a)); }
/// y += factor x.
void add_scaled(VecX& y, double factor, const VecX& x);

/// How unknowns are scaled.
enum class Scaling {
  blocks,  ///< s_a from each block
  uniform  ///< one s for all: the unpreconditioned methods of the papers, units still removed
};

/// 'diagonal' or 'none'; InputError naming the solver otherwise.
[[nodiscard]] Scaling scaling_from(const std::string& solver, const std::string& preconditioner);

/// A contact problem under one formulation, in scaled unknowns. The admissible set of a contact is
/// the cone |x_T| <= mu x_N (coulomb, convex, frictionless with mu = 0) or the half-cylinder
/// x_N >= 0, |x_T| <= t (tresca, t = mu R_N of the guess, scaled).
class FirstOrderProblem {
 public:
  FirstOrderProblem(const ContactProblem& problem, Formulation formulation, std::span<const double> guess,
                Scaling scaling = Scaling::blocks);

  [[nodiscard]] int blocks() const { return problem_.blocks(); }
  [[nodiscard]] Eigen::Index size() const { return 3 * static_cast<Eigen::Index>(blocks()); }
  [[nodiscard]] Formulation formulation() const { return formulation_; }
  /// The problem solved (mu = 0 when frictionless).
  [[nodiscard]] const ContactProblem& problem() const { return problem_; }
  [[nodiscard]] BlockKind kind(std::ptrdiff_t a) const { return problem_.kind[static_cast<std::size_t>(a)]; }
  [[nodiscard]] double mu(std::ptrdiff_t a) const { return problem_.mu[static_cast<std::size_t>(a)]; }
  /// Radius of the half-cylinder (tresca and frictionless), scaled.
  [[nodiscard]] double threshold(std::ptrdiff_t a) const { return threshold_[static_cast<std::size_t>(a)]; }
  [[nodiscard]] double block_scale(std::ptrdiff_t a) const { return s_[static_cast<std::size_t>(a)]; }
  /// S B, the gradient at zero.
  [[nodiscard]] const VecX& free_gradient() const { return b_; }
  [[nodiscard]] long products() const { return products_; }

  /// q = S W S d.
  void product(const VecX& d, VecX& q);
  /// g = S (W S x + B).
  void gradient(const VecX& x, VecX& g);
  /// F = g + mu |g_T| n under Coulomb's law (De Saxce's change of variables), F = g otherwise.
  void modified(const VecX& g, VecX& F) const;

  /// Nearest admissible point.
  [[nodiscard]] Vec3 project(std::ptrdiff_t a, const Vec3& trial) const;
  void project(VecX& x) const;

  /// The yardstick at x with gradient g. The convex relaxation is always measured by `ccp`, Tresca's
  /// law by  |x - proj(x - g)| / |S B|.
  [[nodiscard]] double measure(Yardstick yardstick, const VecX& x, const VecX& g);

  void to_impulses(const VecX& x, std::span<double> R) const;
  void from_impulses(std::span<const double> R, VecX& x) const;

 private:
  ContactProblem problem_;
  Formulation formulation_;
  std::vector<double> s_, threshold_;
  VecX b_;
  std::vector<double> R_, U_;
  long products_ = 0;
};

/// Largest eigenvalue of S W S by power iterations from a fixed start, raised by 5 %; 1 when W = 0.
[[nodiscard]] double largest_eigenvalue(FirstOrderProblem& problem, int iterations = 30);

/// Projected gradient steps  x <- proj(x - F / L),  L doubled where it does not bound the curvature: what solvers without
/// a proof of convergence fall back on.
class SafeStep {
 public:
  explicit SafeStep(FirstOrderProblem& problem) : problem_(problem), F_(problem.size()), next_(problem.size()), g_next_(problem.size()) {}
  /// One step; x and its gradient g are replaced.
  void take(VecX& x, VecX& g);

 private:
  FirstOrderProblem& problem_;
  VecX F_, next_, g_next_;
  double L_ = 1.0;
};

/// Watches a solve: measures iterates, keeps the best in R, knows when to stop.
class Watch {
 public:
  Watch(FirstOrderProblem& problem, const StopRule& stop, std::span<double> R);

  /// Measure the guess. True when the solver is to return at once: the guess is certified, or no iteration is
  /// allowed. Otherwise x, g receive the start: the guess made admissible, or zero where that measures better.
  [[nodiscard]] bool certified(VecX& x, VecX& g);
  /// Measure an admissible iterate; true when the solve must end. `iterations` are those done so far.
  [[nodiscard]] bool finished(const VecX& x, const VecX& g, int iterations);
  /// True when the clock or the count has run out (for loops that do not measure).
  [[nodiscard]] bool out_of_budget(int iterations);

  [[nodiscard]] double value() const { return value_; }  ///< of the iterate measured last
  [[nodiscard]] double best() const { return best_; }
  /// Iterates measured since the best one.
  [[nodiscard]] int since_best() const { return since_best_; }
  /// Iterates measured since the best one last fell by 1 %, or since be_patient().
  [[nodiscard]] int stalled() const { return stalled_; }
  void be_patient() {
    stalled_ = since_best_ = 0;
    mark_ = best_;
  }
  [[nodiscard]] int iterations() const { return iterations_; }
  /// The best iterate so far, scaled.
  void best_iterate(VecX& x) const { problem_.from_impulses(R_, x); }

  /// The report; `advice` is kept when the solve did not converge.
  [[nodiscard]] SolveReport report(int fallbacks, const std::string& advice);

 private:
  void keep(const VecX& x);

  FirstOrderProblem& problem_;
  StopRule stop_;
  std::span<double> R_;
  Timer timer_;
  Status status_ = Status::diverged;
  double value_ = kInfinity, best_ = kInfinity;
  double mark_ = kInfinity;
  int iterations_ = 0, stalled_ = 0, since_best_ = 0;
  std::vector<double> history_;
};

}  // namespace scree::solvers
