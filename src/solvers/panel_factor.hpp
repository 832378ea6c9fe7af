/// Sparse Cholesky factors whose bits do not depend on the processor.
///
/// A = L L^T over panels: columns that follow each other and share their rows below are one dense block (a supernode). The pattern is CHOLMOD's, the numbers are
/// ours: every sum has an order of its own, whatever kernels the BLAS of the machine has (George, Liu: left-looking, one panel after the other).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

struct cholmod_sparse_struct;
struct cholmod_factor_struct;

namespace scree::solvers {

class PanelFactor {
 public:
  /// Where every entry of the matrix belongs in the factor, from CHOLMOD's analysis into supernodes. Entries above the diagonal are not read.
  void analyse(const cholmod_sparse_struct& matrix, const cholmod_factor_struct& pattern);

  /// Factor the matrix whose entries follow the analysed ones. False where it is not positive definite or not finite, and when asked to stop.
  [[nodiscard]] bool factor(std::span<const double> entries);

  /// x = A^-1 b with the last factors; b and x may be the same.
  void solve(std::span<const double> b, std::span<double> x);

 private:
  struct Supernode {
    int first, columns;     ///< of the matrix in its order of elimination
    std::size_t rows_at;    ///< of rows_: first its own columns, then those below, ascending
    int rows;
    std::size_t values_at;  ///< of values_, by columns
  };

  void reserve(int rows, int columns);
  void take_away(const Supernode& earlier, int from, int to, Supernode& panel);
  [[nodiscard]] bool factor_panel(Supernode& panel);
  [[nodiscard]] const int* rows_of(const Supernode& panel) const { return rows_.data() + panel.rows_at; }
  [[nodiscard]] double* values_of(const Supernode& panel) { return values_.data() + panel.values_at; }

  std::vector<Supernode> panels_;
  std::vector<int> panel_of_;  ///< panel of a column
  std::vector<int> rows_, order_;
  std::vector<std::size_t> place_;  ///< of an entry of the matrix among the values
  std::vector<double> values_, product_, vector_;
  std::vector<int> local_;  ///< row of the panel at hand by row of the matrix
};

}  // namespace scree::solvers
