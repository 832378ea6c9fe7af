/// SEMISMOOTH_NEWTON: proximal point iterations, each solved by semismooth Newton (theory sec. 4.5).
///
/// In scaled variables (scaled_problem.hpp) the step from x_k solves the regularised problem
///     f(X) = X - law(x_k - u(X)/alpha) = 0,    u(X) = W X + b,
/// (4.13), which is the contact problem with W + alpha I, regular however hyperstatic the packing is. Newton:
///     (alpha I + D W) dX = -alpha f(X),   D = d law / d y,
/// with a line search on |f|. alpha shrinks while steps come easily and grows when they fail; at a fixed
/// point the regularisation has vanished and x_k solves the problem itself.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solvers/newton_system.hpp"
#include "solvers/watch.hpp"

namespace scree::solvers {

struct SemismoothNewtonOptions : StopRule {
  Formulation formulation = Formulation::coulomb;  ///< coulomb, convex or frictionless; taken when the solve is made
  int sweeps = 50;           ///< Gauss-Seidel sweeps before the first step of solve_semismooth_newton() (none for convex)
  double alpha = 0.1;        ///< first regularisation, relative to the diagonal of W
  double alpha_min = 1e-8;   ///< smallest one
  int newton_limit = 12;     ///< Newton steps a proximal step may take
  int stall_limit = 0;       ///< leave after so many Newton steps without gaining a factor 0.3 (0: never)
  SemismoothNewtonOptions() { max_iterations = 2000; }
};

/// A resumable solve. Iterations are Newton steps (one linear system each).
class SemismoothNewton {
 public:
  /// Scale the problem. It must outlive this object; its linear system is analysed by the first start().
  /// The convex relaxation is always measured by `ccp`. InputError for tresca.
  explicit SemismoothNewton(const ContactProblem& problem, Formulation formulation = Formulation::coulomb);

  SemismoothNewton(const SemismoothNewton&) = delete;
  SemismoothNewton& operator=(const SemismoothNewton&) = delete;

  /// The problem solved (mu = 0 when frictionless).
  [[nodiscard]] const ContactProblem& problem() const { return scaled_.problem(); }

  /// Begin at R (projected on the cones), with the regularisation of the options.
  void start(std::span<const double> R, const SemismoothNewtonOptions& options);

  /// Go on from the current iterate within the limits of `options`, counted from this call.
  /// Status max_iterations also when it stalled. Reports iterations and products of this call.
  SolveReport advance(const SemismoothNewtonOptions& options);

  /// Move the current iterate to R, keeping the regularisation reached.
  void jump(std::span<const double> R);

  /// The current iterate and the best one seen since start(), as impulses. Always finite.
  void current(std::span<double> R) const;
  void best(std::span<double> R) const;
  [[nodiscard]] double best_value() const { return best_value_; }

 private:
  enum class Step { good, fair, bad };

  /// Solve the regularised problem around x_; leaves X_ and the law's value there.
  Step proximal_step(const SemismoothNewtonOptions& options, int budget, Watch& watch);
  /// |f(X_)| with law and derivative; velocity u_ must be current.
  double evaluate(bool derivative);
  /// Damped Newton update of X_, u_; returns the new |f|; `damped` tells that no step length was good.
  double line_search(double before, bool& damped);
  /// Take the better candidate of the last proximal step, or go back; adapts alpha.
  void accept_or_retreat(Step step, const SemismoothNewtonOptions& options);
  /// Measure the proximal centre.
  void record(Watch& watch);
  void project(std::span<double> x) const;

  std::unique_ptr<ContactProblem> frictionless_;  ///< the problem with mu = 0, where that is asked for
  Formulation formulation_;
  ScaledProblem scaled_;
  std::unique_ptr<NewtonSystem> system_;
  std::vector<double> x_, u_x_;               ///< proximal centre and its velocity
  std::vector<double> X_, u_, dX_, du_;       ///< Newton iterate, its velocity and their changes
  std::vector<double> law_, f_;               ///< law(y) and X - law(y)
  std::vector<double> candidate_, candidate_u_;
  std::vector<double> best_, R_, U_;          ///< impulses and velocities in the problem's own units
  std::vector<Mat3> D_;
  std::vector<char> open_;
  double alpha_ = 0.1, residual_ = kInfinity, best_value_ = kInfinity;
  int newton_steps_ = 0;   ///< of the last proximal step
  int hold_ = 0, next_hold_ = 1;
  long products_ = 0;
};

/// Solve from the guess R; R returns the best iterate. Sweeps and Newton steps count as iterations alike.
SolveReport solve_semismooth_newton(const ContactProblem& problem, const SemismoothNewtonOptions& options, std::span<double> R);

}  // namespace scree::solvers
