/// The matrix  I + Hs^T G Hs  of Newton and interior-point methods in the space of scaled body velocities
/// (theory eq. 4.15), with its sparse Cholesky factors.
///
/// G is block diagonal, one 3 x 3 block a contact. The matrix has a row for each scaled degree of freedom
/// (6 a rigid body), far fewer than contacts have unknowns in hyperstatic packings.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solvers/operator.hpp"

namespace scree::solvers {

class BodySpace {
 public:
  BodySpace();
  ~BodySpace();
  BodySpace(BodySpace&&) noexcept;
  BodySpace& operator=(BodySpace&&) noexcept;

  /// Find the pattern of the matrix and the order of elimination. Kept until the next analyse(); the form
  /// must outlive the use of this object.
  void analyse(const BodyForm& form);

  /// Assemble and factor. G must be symmetric; the matrix must come out positive definite (G >= 0 is enough).
  /// False when it does not, or is not finite. Memory is kept between calls.
  bool factor(std::span<const Mat3> G);

  /// x = (I + Hs^T G Hs)^-1 b with the last factors. b and x may be the same.
  void solve(std::span<const double> b, std::span<double> x);

  /// Rows of the matrix.
  [[nodiscard]] int rows() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  ///< shared with a factorisation that was abandoned
};

}  // namespace scree::solvers
