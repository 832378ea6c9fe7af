/// Sparse LU of a matrix of small square blocks, without pivoting between blocks.
///
/// Meant for matrices  alpha I + D W  with D block diagonal and W (nearly) positive semidefinite, and for
/// I + H^T G H: their leading blocks stay regular, so a fixed order and a fixed pattern serve every
/// factorisation. Callers check the residual and refine. Rows that are a multiple of the identity (open
/// contacts) cost nothing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/vec.hpp"

namespace scree::solvers {

template <int N>
class BlockLu {
 public:
  using Block = Eigen::Matrix<double, N, N>;

  /// Fill-in of the factors: all of it, or none beyond the pattern of the matrix (ILU(0)).
  enum class Fill { complete, none };

  /// Order (nested dissection; without fill-in minimum degree) and find the pattern of the factors. The pattern is that of the
  /// matrix in block compressed rows; it is symmetrised. Must contain the diagonal.
  void analyse(std::span<const int> row_start, std::span<const int> columns, Fill fill);

  /// Factor the matrix whose blocks follow the analysed pattern. `plain[a]` marks rows whose only
  /// non-zero block is the diagonal one. False when a pivot block is singular or not finite.
  bool factor(std::span<const Block> values, std::span<const char> plain);

  /// x = A^-1 b with the last factors (N numbers a block; b and x may be the same).
  void solve(std::span<const double> b, std::span<double> x);

  /// Block products of a factorisation with no plain row.
  [[nodiscard]] double factor_products() const { return products_; }

 private:
  bool factor_row(int i, std::span<const Block> values, std::span<const char> plain);

  std::vector<int> row_start_, columns_;          // of the matrix
  std::vector<int> order_, position_;             // order_[i]: row eliminated i-th
  std::vector<int> lower_start_, lower_columns_;  // rows of L, strictly lower, ascending
  std::vector<int> upper_start_, upper_columns_;  // rows of U, strictly upper, ascending
  std::vector<Block> lower_, upper_, inverse_, work_;
  std::vector<char> plain_, in_row_;
  std::vector<double> buffer_;
  double products_ = 0.0;
};

extern template class BlockLu<3>;
extern template class BlockLu<6>;

}  // namespace scree::solvers
