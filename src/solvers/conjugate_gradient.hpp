/// Preconditioned conjugate gradients, matrix-free, for symmetric positive (semi)definite systems.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "solvers/vector_kernels.hpp"

namespace scree::solvers {

struct ConjugateGradientResult {
  int iterations = 0;     ///< products with the matrix
  double residual = 0.0;  ///< |b - A x|, as updated by the recurrence
};

/// Workspace of a solve; memory is kept between solves of the same size.
class ConjugateGradient {
 public:
  void resize(std::size_t size) {
    r_.resize(size);
    z_.resize(size);
    p_.resize(size);
    q_.resize(size);
  }

  /// Solve A x = b from x = 0 until |b - A x| <= tolerance or max_iterations products. Ends early with the last
  /// good x when the curvature <p, A p> is not positive (A singular along p) or a number is not finite.
  /// apply(in, out): out = A in;   precondition(in, out): out = P^-1 in.
  template <class Apply, class Precondition>
  ConjugateGradientResult solve(Apply&& apply, Precondition&& precondition, std::span<const double> b, std::span<double> x,
                                double tolerance, int max_iterations) {
    return solve_until(apply, precondition, b, x, [&](std::span<const double>, double size, int) { return size <= tolerance; }, max_iterations);
  }

  /// The same until good(r, |r|, iterations) says that the residual r = b - A x will do.
  template <class Apply, class Precondition, class Good>
  ConjugateGradientResult solve_until(Apply&& apply, Precondition&& precondition, std::span<const double> b, std::span<double> x,
                                      Good&& good, int max_iterations) {
    ConjugateGradientResult result;
    std::copy(b.begin(), b.end(), r_.begin());
    std::fill(x.begin(), x.end(), 0.0);
    result.residual = norm(r_);
    precondition(std::span<const double>(r_), std::span<double>(z_));
    p_ = z_;
    double rz = dot(r_, z_);
    while (result.iterations < max_iterations && !stop_here() && !good(std::span<const double>(r_), result.residual, result.iterations)) {
      apply(std::span<const double>(p_), std::span<double>(q_));
      ++result.iterations;
      const double curvature = dot(p_, q_);
      if (!(curvature > 0.0) || !std::isfinite(rz)) break;
      const double step = rz / curvature;
      add_scaled(step, p_, x);
      add_scaled(-step, q_, r_);
      result.residual = norm(r_);
      precondition(std::span<const double>(r_), std::span<double>(z_));
      const double next = dot(r_, z_);
      combine(z_, next / rz, p_, p_);
      rz = next;
    }
    return result;
  }

 private:
  std::vector<double> r_, z_, p_, q_;
};

}  // namespace scree::solvers
