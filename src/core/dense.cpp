#include "core/dense.hpp"

namespace scree {

SymmetricEigen symmetric_eigen(const MatX& A) {
  const Eigen::SelfAdjointEigenSolver<MatX> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

VecX symmetric_eigenvalues(const MatX& A) { return Eigen::SelfAdjointEigenSolver<MatX>(A, Eigen::EigenvaluesOnly).eigenvalues(); }

SymmetricEigen tridiagonal_eigen(const VecX& diagonal, const VecX& off_diagonal) {
  Eigen::SelfAdjointEigenSolver<MatX> solver;
  solver.computeFromTridiagonal(diagonal, off_diagonal);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Svd3 svd(const Mat3& A) {
  const Eigen::JacobiSVD<Mat3> result(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {result.matrixU(), result.matrixV(), result.singularValues()};
}

Vec2 solve_positive(const Mat2& A, const Vec2& b) { return A.ldlt().solve(b); }

Vec3 solve_positive(const Mat3& A, const Vec3& b) { return A.ldlt().solve(b); }

MatX solve_positive(const MatX& A, const MatX& B) { return A.ldlt().solve(B); }

Vec3 solve_linear(const Mat3& A, const Vec3& b) { return A.partialPivLu().solve(b); }

struct OrthogonalFactor::Factor : Eigen::CompleteOrthogonalDecomposition<MatX> {};

OrthogonalFactor::OrthogonalFactor(const MatX& A, double threshold) {
  auto factor = std::make_shared<Factor>();
  factor->setThreshold(threshold);
  factor->compute(A);
  factor_ = std::move(factor);
}

Eigen::Index OrthogonalFactor::rank() const { return factor_->rank(); }

MatX OrthogonalFactor::Q() const { return factor_->householderQ() * MatX::Identity(factor_->rows(), factor_->rows()); }

VecX OrthogonalFactor::solve(const VecX& b) const { return factor_->solve(b); }

VecX OrthogonalFactor::solve_transposed(const VecX& b) const { return factor_->transpose().solve(b); }

MatX pseudo_inverse(const MatX& A) { return A.completeOrthogonalDecomposition().pseudoInverse(); }

MatX qr_upper(const MatX& A) {
  const Eigen::HouseholderQR<MatX> factor(A);
  return factor.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>();
}

}  // namespace scree
