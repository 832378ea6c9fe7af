/// Dense decompositions, compiled once here: templates of them are costly to instantiate, and these calls are not in inner loops.
/// Plain loops rather than LAPACK's: results do not depend on the processor that BLAS was tuned for.
#pragma once

#include <optional>
#include <vector>

#include "core/vec.hpp"

namespace scree {

using Mat6 = Eigen::Matrix<double, 6, 6>;

/// A = vectors values vectors^T, values ascending.
struct SymmetricEigen {
  VecX values;
  MatX vectors;

  /// What these values and vectors are of.
  [[nodiscard]] MatX matrix() const;
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

/// Lower triangular factor of a symmetric positive matrix of n columns, A = L L^T, over its lower triangle: what stands above it is neither
/// read nor written. False where A is not positive; it is spoilt then.
[[nodiscard]] bool cholesky(double* A, Eigen::Index n);
/// x <- L^-1 x,  L^-T x  or  L x  for a lower triangle of n columns.
void solve_lower(const double* L, Eigen::Index n, double* x);
void solve_lower_transposed(const double* L, Eigen::Index n, double* x);
void multiply_lower(const double* L, Eigen::Index n, double* x);
void multiply_lower_transposed(const double* L, Eigen::Index n, double* x);

/// L^-1 of A = L L^T, L lower triangular; nothing where A is not positive. Only the lower triangle of A is read.
[[nodiscard]] std::optional<Mat3> inverse_cholesky(const Mat3& A);

/// A^-1 by elimination with the largest pivot of a column; not finite where A is singular.
[[nodiscard]] Mat6 inverse(const Mat6& A);
[[nodiscard]] MatX inverse(const MatX& A);

/// A^-1 b.
[[nodiscard]] Vec3 solve_linear(const Mat3& A, const Vec3& b);

/// A = Q T Z P^T of a matrix of any rank: Q and Z orthogonal, T upper triangular of that rank, P a permutation.
class OrthogonalFactor {
 public:
  OrthogonalFactor() = default;
  /// Pivots below `threshold` times the largest count as none.
  OrthogonalFactor(const MatX& A, double threshold);

  [[nodiscard]] Eigen::Index rank() const { return rank_; }
  [[nodiscard]] MatX Q() const;
  /// x of least norm among those nearest to A x = b, or to A^T x = b.
  [[nodiscard]] VecX solve(const VecX& b) const;
  [[nodiscard]] VecX solve_transposed(const VecX& b) const;

 private:
  void reflect(Eigen::Index k, double* x) const;
  void reflect_right(Eigen::Index k, double* y) const;

  MatX A_;      ///< T, and below the diagonal the reflections whose product is Q,
  VecX beta_;   ///< with their factors
  MatX right_;  ///< reflections whose product is Z, a column each: of its diagonal entry and of the columns beyond the rank,
  VecX right_beta_;
  std::vector<Eigen::Index> order_;  ///< of columns
  Eigen::Index rank_ = 0;
};

/// Moore and Penrose's inverse.
[[nodiscard]] MatX pseudo_inverse(const MatX& A);

/// R of A = Q R, upper triangular, square; A has at least as many rows as columns.
[[nodiscard]] MatX qr_upper(const MatX& A);

}  // namespace scree
