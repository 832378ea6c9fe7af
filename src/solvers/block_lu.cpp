#include "solvers/block_lu.hpp"

#include <algorithm>
#include <type_traits>

#include "core/dense.hpp"
#include "core/interrupt.hpp"
#include "solvers/elimination_order.hpp"

namespace scree::solvers {

namespace {

/// Compressed rows from one list a row.
void compress(const std::vector<std::vector<int>>& rows, std::vector<int>& start, std::vector<int>& columns) {
  start.assign(1, 0);
  columns.clear();
  for (const auto& row : rows) {
    columns.insert(columns.end(), row.begin(), row.end());
    start.push_back(static_cast<int>(columns.size()));
  }
}

}  // namespace

template <int N>
void BlockLu<N>::analyse(std::span<const int> row_start, std::span<const int> columns, Fill fill) {
  row_start_.assign(row_start.begin(), row_start.end());
  columns_.assign(columns.begin(), columns.end());
  const std::size_t n = row_start.size() - 1;
  order_ = fill == Fill::complete ? nested_dissection(row_start, columns) : minimum_degree(row_start, columns);
  position_.resize(n);
  for (std::size_t i = 0; i < n; ++i) position_[order_[i]] = static_cast<int>(i);

  // Strictly lower neighbours of the symmetrised pattern in elimination order.
  std::vector<std::vector<int>> neighbours(n), lower(n), upper(n);
  for (std::size_t a = 0; a < n; ++a)
    for (int k = row_start[a]; k < row_start[a + 1]; ++k) {
      const int i = position_[a], j = position_[columns[k]];
      if (i != j) neighbours[std::max(i, j)].push_back(std::min(i, j));
    }

  // Row i of L is what the neighbours reach in the elimination tree below i.
  std::vector<int> parent(n, -1), mark(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    const int row = static_cast<int>(i);
    mark[i] = row;
    for (int j : neighbours[i])
      for (int k = j; mark[k] != row; k = parent[k]) {
        mark[k] = row;
        lower[i].push_back(k);
        if (fill == Fill::none) break;
        if (parent[k] < 0) parent[k] = row;
      }
    std::sort(lower[i].begin(), lower[i].end());
    for (int k : lower[i]) upper[k].push_back(row);
  }
  compress(lower, lower_start_, lower_columns_);
  compress(upper, upper_start_, upper_columns_);
  products_ = 0.0;
  for (const auto& row : upper) products_ += static_cast<double>(row.size()) * static_cast<double>(row.size());

  lower_.resize(lower_columns_.size());
  upper_.resize(upper_columns_.size());
  inverse_.resize(n);
  work_.resize(n);
  plain_.assign(n, 0);
  in_row_.assign(n, 0);
  buffer_.resize(n * N);
}

template <int N>
bool BlockLu<N>::factor(std::span<const Block> values, std::span<const char> plain) {
  for (std::size_t i = 0; i < order_.size(); ++i)
    if (stop_requested() || !factor_row(static_cast<int>(i), values, plain)) return false;
  return true;
}

template <int N>
bool BlockLu<N>::factor_row(int i, std::span<const Block> values, std::span<const char> plain) {
  const std::size_t row = i;
  const std::size_t a = order_[row];
  const std::span<const int> lower(lower_columns_.data() + lower_start_[row], lower_columns_.data() + lower_start_[row + 1]);
  const std::span<const int> upper(upper_columns_.data() + upper_start_[row], upper_columns_.data() + upper_start_[row + 1]);
  plain_[row] = plain[a];
  if (plain[a]) {
    for (int k = row_start_[a]; k < row_start_[a + 1]; ++k)
      if (columns_[k] == order_[row]) inverse_[row] = values[k].inverse();
    return inverse_[row].allFinite();
  }

  // Spread the row over the workspace.
  const auto touch = [&](int j) {
    work_[j].setZero();
    in_row_[j] = 1;
  };
  for (int j : lower) touch(j);
  for (int j : upper) touch(j);
  touch(i);
  for (int k = row_start_[a]; k < row_start_[a + 1]; ++k)
    work_[position_[columns_[k]]] =
        values[k];

  // Eliminate with every earlier row that reaches this one.
  for (std::size_t m = 0; m < lower.size(); ++m) {
    const std::size_t k = lower[m];
    Block& multiplier = lower_[static_cast<std::size_t>(lower_start_[row]) + m];
    multiplier.noalias() = work_[k] * inverse_[k];
    if (plain_[k]) continue;
    for (int t = upper_start_[k]; t < upper_start_[k + 1]; ++t) {
      const std::size_t j = upper_columns_[t];
      if (in_row_[j]) work_[j].noalias() -= multiplier.lazyProduct(upper_[t]);
    }
  }

  // Keep the upper part and the inverted pivot.
  for (std::size_t m = 0; m < upper.size(); ++m)
    upper_[static_cast<std::size_t>(upper_start_[row]) + m] = work_[upper[m]];
  if constexpr (N <= 4)
    inverse_[row] = work_[row].inverse();
  else
    inverse_[row] = inverse(work_[row]);
  for (int j : lower) in_row_[j] = 0;
  for (int j : upper) in_row_[j] = 0;
  in_row_[row] = 0;
  return inverse_[row].allFinite();
}

template <int N>
void BlockLu<N>::solve(std::span<const double> b, std::span<double> x) {
  using Vector = Eigen::Matrix<double, N, 1>;
  const auto part = [](auto* data, std::size_t i) { return Eigen::Map<std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(data)>>, const Vector, Vector>>(data + i * N); };
  const std::size_t n = order_.size();
  for (std::size_t i = 0; i < n; ++i) {
    Vector sum = part(b.data(), static_cast<std::size_t>(order_[i]));
    if (!plain_[i])
      for (int k = lower_start_[i]; k < lower_start_[i + 1]; ++k)
        sum.noalias() -= lower_[k] *
                         part(buffer_.data(), static_cast<std::size_t>(lower_columns_[k]));
    part(buffer_.data(), i) = sum;
  }
  for (std::size_t i = n; i-- > 0;) {
    Vector sum = part(buffer_.data(), i);
    if (!plain_[i])
      for (int k = upper_start_[i]; k < upper_start_[i + 1]; ++k)
        sum.noalias() -= upper_[k] *
                         part(buffer_.data(), static_cast<std::size_t>(upper_columns_[k]));
    part(buffer_.data(), i).noalias() = inverse_[i] * sum;
    part(x.data(), static_cast<std::size_t>(order_[i])) = part(buffer_.data(), i);
  }
}

template class BlockLu<3>;
template class BlockLu<6>;

}  // namespace scree::solvers
