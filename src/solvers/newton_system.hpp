/// Linear systems of proximal Newton steps:   (alpha I + D W) dx = -alpha f   in scaled variables,
/// with D = d law / d y block diagonal and not symmetric (theory eq. 4.14).
///
/// Operator::make_newton_system() chooses the fastest: block LU of the explicit matrix, dense LU where rows are long, or block ILU(0) with
/// GMRES where the fill would be large; in body form a block LU or a sparse Cholesky of the body-space matrix, with GMRES for what is
/// not symmetric.
#pragma once

#include <span>

#include "solvers/scaled_problem.hpp"

namespace scree::solvers {

class NewtonSystem {
 public:
  virtual ~NewtonSystem() = default;

  /// Solve for dx. D: one block a contact; open[a] != 0 where it is zero. False when no useful direction was
  /// found (dx is then not to be used).
  virtual bool solve(double alpha, std::span<const Mat3> D, std::span<const char> open, std::span<const double> f,
                     std::span<double> dx) = 0;

  /// Products with W made so far.
  [[nodiscard]] long products() const { return products_; }

 protected:
  long products_ = 0;
};

}  // namespace scree::solvers
