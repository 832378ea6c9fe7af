#include "core/vec.hpp"

namespace scree {

// Eigen's own products, by name: the operators would come back here.

MatX multiply(const MatX& A, const MatX& B) { return Eigen::Product<MatX, MatX>(A, B); }
VecX multiply(const MatX& A, const VecX& x) { return Eigen::Product<MatX, VecX>(A, x); }

MatX multiply_transposed(const MatX& A, const MatX& B) { return Eigen::Product<Eigen::Transpose<const MatX>, MatX>(A.transpose(), B); }
VecX multiply_transposed(const MatX& A, const VecX& x) { return Eigen::Product<Eigen::Transpose<const MatX>, VecX>(A.transpose(), x); }

MatX multiply_by_transposed(const MatX& A, const MatX& B) { return Eigen::Product<MatX, Eigen::Transpose<const MatX>>(A, B.transpose()); }

}  // namespace scree
