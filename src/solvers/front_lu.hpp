/// The numbers of a sparse LU of small square blocks, front after front: dense kernels on rows that are eliminated together.
///
/// A front is a run of rows whose factors reach (nearly) the same later rows, its border:
///   [ P  Q ]      P = pivots, factored with exchanges of rows within the front,
///   [ S  T ]      T <- T - S P^-1 Q, which is added to the front of the first row of the border.
/// Kept are the factors of P, P^-1 Q and S.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/vec.hpp"

namespace scree::solvers {

template <int N>
class FrontLu {
 public:
  using Block = Eigen::Matrix<double, N, N>;

  /// The matrix in block compressed rows, the place of each row among those eliminated, and for each place the later ones that its factors
  /// reach, ascending.
  void analyse(std::span<const int> row_start, std::span<const int> columns, std::span<const int> position, const std::vector<std::vector<int>>& reach);

  /// Factor the matrix with these blocks. Rows marked plain have their diagonal block only. False when P is singular or a number is not
  /// finite, and after a request to stop.
  bool factor(std::span<const Block> values, std::span<const char> plain);

  /// x = A^-1 x, in the order of elimination.
  void solve(std::span<double> x);

 private:
  struct Front {
    int first = 0, count = 0;      ///< its rows
    std::vector<int> border;       ///< later rows that it reaches, ascending
    std::size_t numbers = 0;       ///< where its part of numbers_ begins: P, P^-1 Q, S, columns one after the other
    std::size_t entries = 0;       ///< where its part of entries_ begins
    std::vector<int> children;     ///< fronts whose T it takes in
    [[nodiscard]] int inner() const { return N * count; }
    [[nodiscard]] int outer() const { return N * static_cast<int>(border.size()); }
  };
  /// A block of the matrix and its row and column in a front.
  struct Entry {
    int block, matrix_row, row, column;
  };

  void find_fronts(const std::vector<std::vector<int>>& reach);
  void place_entries(std::span<const int> row_start, std::span<const int> columns, std::span<const int> position);
  void assemble(std::size_t front, std::span<const Block> values);
  void take_in(const Front& front, int child);
  bool eliminate(const Front& front, std::vector<double>& update, bool plain);
  /// Place of a row in a front, in blocks.
  [[nodiscard]] static int place(const Front& front, int row);

  std::vector<Front> fronts_;
  std::vector<int> front_of_;                 ///< of each row
  std::vector<Entry> entries_;
  std::vector<double> numbers_, matrix_;      ///< matrix_: the front at work, all four parts
  std::vector<double> border_;                ///< numbers of a border, while solving
  std::vector<std::size_t> places_;           ///< of a border in the front that takes it in
  std::vector<int> pivots_;
  std::vector<std::vector<double>> updates_;  ///< T of fronts not yet taken in
};

extern template class FrontLu<3>;
extern template class FrontLu<6>;

}  // namespace scree::solvers
