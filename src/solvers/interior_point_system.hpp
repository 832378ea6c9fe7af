/// Linear systems of interior-point steps:  (W + S) d = r  in scaled variables, S block diagonal and positive
/// (theory sec. 4.6). Components without freedom (tangents of frictionless blocks) are masked: d = 0 there.
///
/// Operator::make_direct_barrier(): sparse factors, Cholesky in the space of bodies or block LU of explicit rows; refined.
/// Operator::make_krylov_barrier(): conjugate gradients with block-diagonal preconditioning, in the space of bodies for contacts alone
/// between small bodies that have fewer degrees of freedom than the contacts have unknowns, else on the rows of contacts; GMRES where W
/// is not symmetric.
#pragma once

#include <span>

#include "solvers/scaled_problem.hpp"

namespace scree::solvers {

/// One block  S = a a^T + diag(d)  on the components that are free. Kept in this form because near the boundary
/// of a cone the eigenvalues of S differ by more than the digits of a double.
struct BarrierBlock {
  Vec3 a = Vec3::Zero();
  Vec3 d = Vec3::Zero();
  Mat3 inverse = Mat3::Zero();  ///< of S on the free components, zero outside
  int free = 3;                 ///< leading components that are free: 3, or 1 for the normal alone

  [[nodiscard]] Vec3 multiply(const Vec3& x) const { return a.dot(x) * a + d.cwiseProduct(x); }
  [[nodiscard]] Mat3 matrix() const {
    Mat3 S = a * a.transpose();
    S.diagonal() += d;
    return S;
  }
};

class InteriorPointSystem {
 public:
  virtual ~InteriorPointSystem() = default;

  /// Take over S; false when the system cannot be factored. `size` is what steps will be measured against: the root of the
  /// iterate's R.U over all blocks, which is its size in the norm of S.
  virtual bool prepare(std::span<const BarrierBlock> blocks, double size) = 0;
  /// d with an error of `accuracy`, as far as it can be had: relative to `size` in the norm of S (in the space of bodies) or of the residual
  /// to |r|. r must be zero on masked components.
  virtual void solve(std::span<const double> r, double accuracy, std::span<double> d) = 0;

  /// Conjugate gradients in the space of bodies: steps should stay near the last iterate (theory eq. 4.16).
  [[nodiscard]] virtual bool in_body_space() const { return false; }
  [[nodiscard]] long products() const { return products_; }

 protected:
  long products_ = 0;
};

}  // namespace scree::solvers
