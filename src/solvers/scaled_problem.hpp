/// A contact problem in variables of equal weight:  x = R / s,  u = s U,  s_a = sqrt(rho_a)  (theory sec. 4.5).
///
/// One factor a block leaves every cone as it is, makes the diagonal blocks of s W s have trace 3 and turns the
/// norm of the yardstick `residual` into the plain Euclidean one, whatever the units and the mass ratios.
#pragma once

#include <span>
#include <vector>

#include "solvers/contact_problem.hpp"

namespace scree::solvers {

class ScaledProblem {
 public:
  /// s_a = sqrt(rho_a).
  explicit ScaledProblem(const ContactProblem& problem);
  /// Factors s_a of the caller's choice, positive.
  ScaledProblem(const ContactProblem& problem, std::vector<double> scale);

  [[nodiscard]] const ContactProblem& problem() const { return *problem_; }
  [[nodiscard]] int blocks() const { return problem_->blocks(); }
  [[nodiscard]] std::size_t size() const { return b_.size(); }
  /// s_a, a block.
  [[nodiscard]] const std::vector<double>& scale() const { return s_; }
  /// Parameters of the blocks' laws in scaled variables: mu, or what a registered law makes of it.
  [[nodiscard]] const std::vector<double>& parameter() const { return parameter_; }
  /// b = s B
  [[nodiscard]] const std::vector<double>& b() const { return b_; }
  /// Size of the scaled velocities to be dealt with (residual_scale); 1 when the problem is at rest.
  [[nodiscard]] double reference() const { return reference_; }

  /// u = s W s x  (not thread-safe: uses inner memory).
  void apply(std::span<const double> x, std::span<double> u);
  /// u = s W s x + b
  void velocity(std::span<const double> x, std::span<double> u);
  /// The yardstick `residual` of x with u = velocity(x), or `ccp` for the convex relaxation.
  [[nodiscard]] double residual(std::span<const double> x, std::span<const double> u, bool convex = false) const;

  /// Norm of the natural map (theory eq. 3.8 for `convex`, 3.6 else) of all blocks: errors as they are, not as any block's own scale weighs them.
  [[nodiscard]] double map_norm(std::span<const double> x, std::span<const double> u, bool convex = false) const;

  void from_impulses(std::span<const double> R, std::span<double> x) const;
  void to_impulses(std::span<const double> x, std::span<double> R) const;
  void from_velocities(std::span<const double> U, std::span<double> u) const;
  void to_velocities(std::span<const double> u, std::span<double> U) const;

 private:
  const ContactProblem* problem_;
  std::vector<double> s_, parameter_, weight_, b_, scratch_;
  double reference_ = 1.0;
};

}  // namespace scree::solvers
