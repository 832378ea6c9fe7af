#include "solvers/front_lu.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/interrupt.hpp"

namespace scree::solvers {

namespace {

constexpr double kMostZeros = 0.2;   ///< of the numbers of a front, from joining rows that reach a little different ones
constexpr std::size_t kKeptUpdate = 1000000;   ///< numbers of T; larger ones are given back after use

}  // namespace

template <int N>
void FrontLu<N>::analyse(std::span<const int> row_start, std::span<const int> columns, std::span<const int> position,
                         const std::vector<std::vector<int>>& reach) {
  find_fronts(reach);
  place_entries(row_start, columns, position);
}

/// Rows follow one another into a front while each is the first that the one before reaches.
template <int N>
void FrontLu<N>::find_fronts(const std::vector<std::vector<int>>& reach) {
  fronts_.clear();
  front_of_.assign(reach.size(), 0);
  std::size_t numbers = 0;
  for (std::size_t first = 0, last = 0; first < reach.size(); first = last) {
    double zeros = 0.0, all = static_cast<double>(reach[first].size());
    for (last = first + 1; last < reach.size(); ++last) {
      if (reach[last - 1].empty() || reach[last - 1].front() != static_cast<int>(last)) break;
      // Every row before gets what this one reaches beyond it.
      const double count = static_cast<double>(last - first), more = 1.0 + static_cast<double>(reach[last].size()) - static_cast<double>(reach[last - 1].size());
      zeros += count * more;
      all += count * more + static_cast<double>(reach[last].size());
      if (zeros > kMostZeros * all) break;
    }
    Front front;
    front.first = static_cast<int>(first);
    front.count = static_cast<int>(last - first);
    front.border = reach[last - 1];
    front.numbers = numbers;
    const std::size_t inner = front.inner(), outer = front.outer();
    numbers += inner * (inner + 2 * outer);
    for (std::size_t row = first; row < last; ++row) front_of_[row] = static_cast<int>(fronts_.size());
    fronts_.push_back(std::move(front));
  }
  for (std::size_t f = 0; f < fronts_.size(); ++f)
    if (!fronts_[f].border.empty()) fronts_[front_of_[fronts_[f].border.front()]].children.push_back(static_cast<int>(f));
  numbers_.resize(numbers);
  pivots_.resize(N * reach.size());
  std::size_t widest = 0, largest = 0;
  for (const Front& front : fronts_) {
    widest = std::max(widest, front.border.size());
    largest = std::max(largest, front.border.size() + static_cast<std::size_t>(front.count));
  }
  border_.resize(N * widest);
  places_.reserve(widest);
  matrix_.reserve(N * largest * N * largest);
  updates_.resize(fronts_.size());
}

template <int N>
int FrontLu<N>::place(const Front& front, int row) {
  if (row < front.first + front.count) return row - front.first;
  return front.count + static_cast<int>(std::ranges::lower_bound(front.border, row) - front.border.begin());
}

/// A block belongs to the front of the row or the column that is eliminated first.
template <int N>
void FrontLu<N>::place_entries(std::span<const int> row_start, std::span<const int> columns, std::span<const int> position) {
  std::vector<std::size_t> start(fronts_.size() + 1, 0);
  const auto front_of = [&](int row, int column) { return front_of_[std::min(position[row], position[column])]; };
  const int rows = static_cast<int>(position.size());
  for (int row = 0; row < rows; ++row)
    for (int k = row_start[row]; k < row_start[row + 1]; ++k) ++start[front_of(row, columns[k]) + 1];
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    start[f + 1] += start[f];
    fronts_[f].entries = start[f];
  }
  entries_.resize(columns.size());
  for (int row = 0; row < rows; ++row)
    for (int k = row_start[row]; k < row_start[row + 1]; ++k) {
      const int f = front_of(row, columns[k]);
      entries_[start[f]++] = {k, row, place(fronts_[f], position[row]), place(fronts_[f], position[columns[k]])};
    }
}

template <int N>
bool FrontLu<N>::factor(std::span<const Block> values, std::span<const char> plain) {
  const OneBlasThread guard;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    if (stop_requested()) return false;
    const Front& front = fronts_[f];
    assemble(f, values);
    const auto end = f + 1 < fronts_.size() ? fronts_[f + 1].entries : entries_.size();
    // Rows of the front without any other block leave T as it is.
    bool all_plain = true;
    for (std::size_t k = front.entries; k < end && all_plain; ++k) all_plain = entries_[k].row >= front.count || plain[entries_[k].matrix_row];
    if (!eliminate(front, updates_[f], all_plain)) return false;
  }
  return true;
}

template <int N>
void FrontLu<N>::assemble(std::size_t f, std::span<const Block> values) {
  const Front& front = fronts_[f];
  const std::size_t size = front.inner() + front.outer(), end = f + 1 < fronts_.size() ? fronts_[f + 1].entries : entries_.size();
  matrix_.assign(size * size, 0.0);
  for (std::size_t k = front.entries; k < end; ++k) {
    const Entry& entry = entries_[k];
    double* to = matrix_.data() + static_cast<std::size_t>(N * entry.column) * size + static_cast<std::size_t>(N * entry.row);
    for (int j = 0; j < N; ++j)
      for (int i = 0; i < N; ++i) to[static_cast<std::size_t>(j) * size + static_cast<std::size_t>(i)] += values[entry.block](i, j);
  }
  for (const int child : front.children) take_in(front, child);
}

/// Add T of a child where the rows of its border stand.
template <int N>
void FrontLu<N>::take_in(const Front& front, int child) {
  const std::vector<int>& border = fronts_[child].border;
  std::vector<double>& update = updates_[child];
  const std::size_t size = front.inner() + front.outer(), from = N * border.size();
  places_.resize(border.size());
  for (std::size_t k = 0; k < border.size(); ++k) places_[k] = static_cast<std::size_t>(N * place(front, border[k]));
  for (std::size_t c = 0; c < from; ++c) {
    const double* column = update.data() + c * from;
    double* to = matrix_.data() + (places_[c / N] + c % N) * size;
    for (std::size_t k = 0; k < border.size(); ++k)
      for (std::size_t i = 0; i < N; ++i) to[places_[k] + i] += column[N * k + i];
  }
  if (update.size() > kKeptUpdate) std::vector<double>().swap(update);
}

template <int N>
bool FrontLu<N>::eliminate(const Front& front, std::vector<double>& update, bool plain) {
  const int inner = front.inner(), outer = front.outer(), size = inner + outer;
  const std::size_t n = inner, m = outer, all = size;
  double* P = numbers_.data() + front.numbers;
  double* X = P + n * n;
  double* S = X + n * m;
  for (std::size_t c = 0; c < n; ++c) {
    const double* column = matrix_.data() + c * all;
    std::copy_n(column, n, P + c * n);
    std::copy_n(column + n, m, S + c * m);
  }
  update.resize(m * m);
  for (std::size_t c = 0; c < m; ++c) {
    const double* column = matrix_.data() + (n + c) * all;
    std::copy_n(column, n, X + c * n);
    std::copy_n(column + n, m, update.data() + c * m);
  }

  int info = 0;
  int* pivots = pivots_.data() + static_cast<std::size_t>(N * front.first);
  dgetrf_(&inner, &inner, P, &inner, pivots, &info);
  if (info != 0 || !std::all_of(P, P + n * n, [](double v) { return std::isfinite(v); })) return false;
  if (outer == 0 || plain) return true;
  dgetrs_("N", &inner, &outer, P, &inner, pivots, X, &inner, &info);
  const double minus = -1.0, one = 1.0;
  dgemm_("N", "N", &outer, &outer, &inner, &minus, S, &outer, X, &inner, &one, update.data(), &outer);
  return true;
}

template <int N>
void FrontLu<N>::solve(std::span<double> x) {
  using Matrix = Eigen::Map<const MatX>;
  using Vector = Eigen::Map<VecX>;
  // Forward: x_P <- P^-1 x_P, x_T <- x_T - S x_P. Backward: x_P <- x_P - P^-1 Q x_T.
  const int one = 1;
  int info = 0;
  for (const Front& front : fronts_) {
    const int inner = front.inner(), outer = front.outer();
    const double* P = numbers_.data() + front.numbers;
    const std::size_t n = inner, m = outer;
    Vector part(x.data() + static_cast<std::size_t>(N * front.first), inner);
    dgetrs_("N", &inner, &one, P, &inner, pivots_.data() + static_cast<std::size_t>(N * front.first), part.data(), &inner, &info);
    Vector border(border_.data(), outer);
    border.noalias() = Matrix(P + n * (n + m), outer, inner) * part;
    for (std::size_t k = 0; k < front.border.size(); ++k)
      Eigen::Map<Eigen::Matrix<double, N, 1>>(x.data() + N * static_cast<std::size_t>(front.border[k])) -= border.template segment<N>(static_cast<Eigen::Index>(N * k));
  }
  for (auto front = fronts_.rbegin(); front != fronts_.rend(); ++front) {
    const int inner = front->inner(), outer = front->outer();
    const std::size_t n = inner;
    Vector border(border_.data(), outer);
    for (std::size_t k = 0; k < front->border.size(); ++k)
      border.template segment<N>(static_cast<Eigen::Index>(N * k)) = Eigen::Map<const Eigen::Matrix<double, N, 1>>(x.data() + N * static_cast<std::size_t>(front->border[k]));
    Vector(x.data() + static_cast<std::size_t>(N * front->first), inner).noalias() -= Matrix(numbers_.data() + front->numbers + n * n, inner, outer) * border;
  }
}

template class FrontLu<3>;
template class FrontLu<6>;

}  // namespace scree::solvers
