/// What first-order solvers share: a problem under one formulation in scaled unknowns, and the watch over its iterates.
///
/// Unknowns are x_a = R_a / s_a with s_a^2 = rho_a (theory eq. 3.8), so that the blocks of S W S have
/// trace 3 and gradients are dimensionless energies' roots:  g = S (W S x + B) = S U.
/// A number a block keeps cones as they are: this is the averaged diagonal preconditioner of P-SPG-FB.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/scaled_problem.hpp"
#include "solvers/vector_kernels.hpp"
#include "solvers/watch.hpp"

namespace scree::solvers {

/// The formulation of that name; InputError unless it is among `allowed`.
[[nodiscard]] Formulation formulation_from(const std::string& name, std::span<const Formulation> allowed);

/// Options of every first-order solver.
struct FirstOrderOptions : StopRule {
  Formulation formulation = Formulation::coulomb;
};

/// How unknowns are scaled.
enum class Scaling {
  blocks,  ///< s_a from each block
  uniform  ///< one s for all: the unpreconditioned methods of the papers, units still removed
};

/// 'diagonal' or 'none'; InputError naming the solver otherwise.
[[nodiscard]] Scaling scaling_from(const std::string& solver, const std::string& preconditioner);

/// A contact problem under one formulation, in scaled unknowns. The admissible set of a contact is
/// the cone |x_T| <= mu x_N (coulomb, convex, frictionless with mu = 0) or the half-cylinder
/// x_N >= 0, |x_T| <= t (tresca, t = mu R_N of the guess, scaled); other blocks have that of their law.
class FirstOrderProblem {
 public:
  FirstOrderProblem(const ContactProblem& problem, Formulation formulation, std::span<const double> guess,
                Scaling scaling = Scaling::blocks);

  [[nodiscard]] int blocks() const { return problem_.blocks(); }
  [[nodiscard]] Eigen::Index size() const { return 3 * static_cast<Eigen::Index>(blocks()); }
  [[nodiscard]] Formulation formulation() const { return formulation_; }
  /// The problem solved (mu = 0 when frictionless).
  [[nodiscard]] const ContactProblem& problem() const { return problem_; }
  [[nodiscard]] auto kind(std::ptrdiff_t a) const { return problem_.kind[a]; }
  /// Friction coefficient of a contact; the scaled parameter of other laws.
  [[nodiscard]] double mu(std::ptrdiff_t a) const { return scaled_.parameter()[a]; }
  /// Radius of the half-cylinder (tresca and frictionless), scaled.
  [[nodiscard]] double threshold(std::ptrdiff_t a) const { return threshold_[a]; }
  [[nodiscard]] double block_scale(std::ptrdiff_t a) const { return scaled_.scale()[a]; }
  [[nodiscard]] std::span<const double> scale() const { return scaled_.scale(); }
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

  void to_impulses(const VecX& x, std::span<double> R) const { scaled_.to_impulses(numbers(x), R); }
  void from_impulses(std::span<const double> R, VecX& x) const { scaled_.from_impulses(R, numbers(x)); }

 private:
  [[nodiscard]] std::vector<double> factors(Scaling scaling) const;

  ContactProblem problem_;
  Formulation formulation_;
  ScaledProblem scaled_;
  std::vector<double> threshold_;
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

/// The watch over scaled iterates.
class ScaledWatch : public Watch {
 public:
  ScaledWatch(FirstOrderProblem& problem, const StopRule& stop, std::span<double> R) : Watch(problem.problem(), stop, R), problem_(problem) {}

  /// Measure the guess. True when the solver is to return at once: the guess is certified, or no iteration is
  /// allowed. Otherwise x, g receive the start: the guess made admissible, or zero where that measures better.
  [[nodiscard]] bool certified(VecX& x, VecX& g);
  /// Measure an admissible iterate with its gradient; true when the solve must end. `iterations` are those done so far.
  [[nodiscard]] bool finished(const VecX& x, const VecX& g, int iterations);
  /// True when a limit is reached (for loops that do not measure).
  [[nodiscard]] bool out_of_budget(int iterations) {
    count(iterations - this->iterations());
    return ended();
  }
  /// Begin to count stalled() and since_best() anew; the best value must fall by 1 % to count as progress.
  void be_patient() { Watch::be_patient(kProgress); }
  /// The best iterate so far, scaled.
  void best_iterate(VecX& x) const { problem_.from_impulses(best(), x); }

  /// The report; `advice` is kept when the solve did not converge.
  [[nodiscard]] SolveReport report(int fallbacks, const char* advice);

 private:
  static constexpr double kProgress = 0.99;

  FirstOrderProblem& problem_;
};

}  // namespace scree::solvers
