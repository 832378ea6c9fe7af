/// Dense decompositions, compiled once here: templates of them are costly to instantiate, and these calls are not in inner loops.
/// Plain loops, and Eigen's algorithms where a rank is to be found, rather than LAPACK's: results do not depend on the processor that BLAS was tuned for.
#pragma once

#include <memory>
#include <optional>

#include "core/vec.hpp"

namespace scree {

/// A = vectors values vectors^T, values ascending.
struct SymmetricEigen {
  VecX values;
  MatX vectors;
};

/// Of a symmetric matrix; only its lower triangle is read.
[[nodiscard]] SymmetricEigen symmetric_eigen(const MatX& A);
[[nodiscard]] VecX symmetric_eigenvalues(const MatX& A);
/// Of a symmetric tridiagonal matrix with these diagonals.
[[nodiscard]] SymmetricEigen tridiagonal_eigen(const VecX& diagonal, const VecX& off_diagonal);

/// A = U diag(values) V^T, U and V orthogonal (of either sign), values descending.
struct Svd3 {
  Mat3 U, V;
  Vec3 values;
};
[[nodiscard]] Svd3 svd(const Mat3& A);

/// A^-1 b for a symmetric positive matrix.
[[nodiscard]] Vec2 solve_positive(const Mat2& A, const Vec2& b);
[[nodiscard]] Vec3 solve_positive(const Mat3& A, const Vec3& b);
[[nodiscard]] MatX solve_positive(const MatX& A, const MatX& B);

/// L^-1 of A = L L^T, L lower triangular; nothing where A is not positive. Only the lower triangle of A is read.
[[nodiscard]] std::optional<Mat3> inverse_cholesky(const Mat3& A);

/// A^-1 b.
[[nodiscard]] Vec3 solve_linear(const Mat3& A, const Vec3& b);

/// A = Q T Z of a matrix of any rank, Q and Z orthogonal.
class OrthogonalFactor {
 public:
  OrthogonalFactor() = default;
  /// Pivots below `threshold` times the largest count as none.
  OrthogonalFactor(const MatX& A, double threshold);

  [[nodiscard]] Eigen::Index rank() const;
  [[nodiscard]] MatX Q() const;
  /// x of least norm among those nearest to A x = b, or to A^T x = b.
  [[nodiscard]] VecX solve(const VecX& b) const;
  [[nodiscard]] VecX solve_transposed(const VecX& b) const;

 private:
  struct Factor;
  std::shared_ptr<const Factor> factor_;
};

/// Moore and Penrose's inverse.
[[nodiscard]] MatX pseudo_inverse(const MatX& A);

/// R of A = Q R, upper triangular, square; A has at least as many rows as columns.
[[nodiscard]] MatX qr_upper(const MatX& A);

}  // namespace scree
