/// Anderson acceleration (type II) of a fixed-point map (theory sec. 4.3).
#pragma once

#include <span>
#include <vector>

#include "core/vec.hpp"

namespace scree::solvers {

/// Mixes the last few iterates of  x <- g(x)  so that the combined residual g(x) - x is smallest:
///   x+ = g_k - sum gamma_i (g_{i+1} - g_i),  gamma = argmin | f_k - sum gamma_i (f_{i+1} - f_i) |,  f = g - x.
/// Norms are weighted entry by entry.
class Anderson {
 public:
  /// Start over with a history of `depth` differences (0: no mixing). `regularisation` of the least squares is relative to the trace of
  /// their normal equations.
  void reset(std::span<const double> weight, int depth, double regularisation = 1e-12);
  /// Forget the history.
  void clear() { held_ = 0; has_last_ = false; }
  /// From x and g(x), the next x (may be `x` itself).
  void next(std::span<const double> x, std::span<const double> g, std::span<double> result);

 private:
  int depth_ = 0, held_ = 0, newest_ = 0;
  bool has_last_ = false;
  double regularisation_ = 0.0;
  VecX weight_, last_f_, last_g_, f_;
  MatX df_, dg_;   ///< columns are weighted differences of f, plain differences of g
  MatX normal_;    ///< df^T df, renewed a row at a time
};

}  // namespace scree::solvers
