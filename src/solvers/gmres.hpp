/// Restarted GMRES(m) with right preconditioning, matrix-free (used by theory sec. 4.4 and 4.5).
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/interrupt.hpp"
#include "solvers/vector_kernels.hpp"

namespace scree::solvers {

struct GmresResult {
  int iterations = 0;     ///< products with the matrix inside Arnoldi steps
  long products = 0;      ///< all products with the matrix
  double residual = 0.0;  ///< |b - A x| at the end
};

/// Workspace of a GMRES solve; memory is kept between solves of the same size.
///
/// Right preconditioning: A P^-1 (P x) = b, so that the residual that is watched is that of the original
/// system. Breakdown (an exactly invariant subspace) ends the cycle with the solution found in it; singular
/// consistent systems are therefore fine. Vectors that are not finite end the solve with the last good x.
class Gmres {
 public:
  /// Vectors of `size` numbers, Krylov spaces of at most `restart` vectors.
  void resize(std::size_t size, int restart);

  /// Solve A x = b from the x given, until |b - A x| <= tolerance or max_iterations products.
  /// apply(in, out): out = A in;   precondition(in, out): out = P^-1 in.
  template <class Apply, class Precondition>
  GmresResult solve(Apply&& apply, Precondition&& precondition, std::span<const double> b, std::span<double> x,
                    double tolerance, int max_iterations) {
    GmresResult result;
    while (true) {
      // Residual of this cycle.
      std::span<double> r = basis(0);
      apply(std::span<const double>(x), r);
      ++result.products;
      combine(b, -1.0, r, r);
      const double beta = norm(r);
      if (!std::isfinite(beta)) return result;
      result.residual = beta;
      if (beta <= tolerance || result.iterations >= max_iterations) return result;

      // Arnoldi steps until the rotated right-hand side is small enough.
      start_cycle(beta);
      int k = 0;
      while (k < restart_ && result.iterations < max_iterations && !stop_here()) {
        precondition(std::span<const double>(basis(k)), std::span<double>(preconditioned_));
        apply(std::span<const double>(preconditioned_), basis(k + 1));
        ++result.products;
        ++result.iterations;
        const bool more = orthogonalise(k);
        ++k;
        if (!more || std::abs(rotated_[k]) <= tolerance) break;
      }

      // x += P^-1 V y
      if (!finish_cycle(k)) return result;
      precondition(std::span<const double>(basis(restart_)), std::span<double>(preconditioned_));
      add_scaled(1.0, preconditioned_, x);
      result.residual = std::abs(rotated_[k]);
      if (result.residual <= tolerance || result.iterations >= max_iterations || stop_here()) return result;
    }
  }

 private:
  [[nodiscard]] std::span<double> basis(int k) { return {basis_.data() + static_cast<std::size_t>(k) * size_, size_}; }
  /// Normalise basis 0 and reset the rotations.
  void start_cycle(double beta);
  /// Gram-Schmidt of basis k+1 (twice), Givens rotation of its column; false when the space is exhausted.
  bool orthogonalise(int k);
  /// Take the vectors before it out of basis k+1, adding what was taken to h; its length before and after. On several ranks all at once, by one
  /// reduction of k + 2 numbers.
  std::pair<double, double> project_in_turn(int k, double* h);
  std::pair<double, double> project_at_once(int k, double* h);
  /// Solve the triangle and put V y into basis(restart); false when it is not finite.
  bool finish_cycle(int columns);

  std::size_t size_ = 0;
  int restart_ = 0;
  std::vector<double> basis_, hessenberg_, cosine_, sine_, rotated_, coefficients_, preconditioned_;
};

}  // namespace scree::solvers
