/// (S W S + sigma I)^-1 with factors kept between changes of sigma: the linear solve of splitting methods (theory sec. 4.9).
///
/// S = diag(s_a), a factor a block; in body form  x = (b - S Hs (sigma I + Hs^T S^2 Hs)^-1 Hs^T S b) / sigma.
#pragma once

#include <span>

namespace scree::solvers {

class ShiftedFactor {
 public:
  virtual ~ShiftedFactor() = default;

  /// False when sigma is too small for the arithmetic.
  virtual bool factor(double sigma) = 0;
  /// x = (S W S + sigma I)^-1 b with the last factors; b and x are different vectors of 3 numbers a block.
  virtual void solve(std::span<const double> b, std::span<double> x) = 0;
};

}  // namespace scree::solvers
