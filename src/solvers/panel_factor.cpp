#include "solvers/panel_factor.hpp"

#include <cholmod.h>

#include <algorithm>
#include <cmath>

#include "core/interrupt.hpp"
#include "core/panel_product.hpp"

namespace scree::solvers {

namespace {

constexpr int kStrip = 16;  ///< columns that are eliminated one by one between dense products

Panel part(const double* values, int rows, int columns, int stride) { return {values, rows, columns, Eigen::OuterStride<>(stride)}; }

}  // namespace

void PanelFactor::analyse(const cholmod_sparse& matrix, const cholmod_factor& pattern) {
  const auto *super = static_cast<const int*>(pattern.super), *pi = static_cast<const int*>(pattern.pi), *px = static_cast<const int*>(pattern.px);
  const auto *rows = static_cast<const int*>(pattern.s), *order = static_cast<const int*>(pattern.Perm);
  const std::size_t n = pattern.n;
  rows_.assign(rows, rows + pattern.ssize);
  order_.assign(order, order + n);
  panels_.clear();
  panel_of_.resize(n);
  for (std::size_t s = 0; s < pattern.nsuper; ++s) {
    panels_.push_back({super[s], super[s + 1] - super[s], static_cast<std::size_t>(pi[s]), pi[s + 1] - pi[s], static_cast<std::size_t>(px[s])});
    std::fill(panel_of_.begin() + super[s], panel_of_.begin() + super[s + 1], static_cast<int>(s));
  }
  values_.resize(pattern.xsize + 1);  // the last one takes what nobody reads
  local_.resize(n);
  vector_.resize(n);
  product_.resize(n);

  std::vector<int> position(n);
  for (std::size_t i = 0; i < n; ++i) position[order_[i]] = static_cast<int>(i);
  const auto *start = static_cast<const int*>(matrix.p), *row = static_cast<const int*>(matrix.i);
  place_.resize(start[n]);
  for (std::size_t column = 0; column < n; ++column)
    for (int k = start[column]; k < start[column + 1]; ++k) {
      if (row[k] < static_cast<int>(column)) {
        place_[k] = pattern.xsize;
        continue;
      }
      const int a = std::min(position[row[k]], position[column]), b = std::max(position[row[k]], position[column]);
      const Supernode& panel = panels_[panel_of_[a]];
      const int* mine = rows_of(panel);
      const std::ptrdiff_t inside = std::lower_bound(mine, mine + panel.rows, b) - mine;
      place_[k] = panel.values_at + inside + static_cast<std::size_t>(a - panel.first) * panel.rows;
    }
}

void PanelFactor::reserve(int rows, int columns) {
  product_.resize(std::max(product_.size(), static_cast<std::size_t>(rows) * columns));
}

/// Subtract from a panel what rows [from, to) of an earlier one, and those after them, contribute to its columns.
void PanelFactor::take_away(const Supernode& earlier, int from, int to, Supernode& panel) {
  const int height = earlier.rows - from, width = to - from;
  reserve(height, width);
  double* left = values_of(earlier) + from;
  multiply_by_transposed(part(left, height, earlier.columns, earlier.rows), part(left, width, earlier.columns, earlier.rows), product_.data());
  const int* rows = rows_of(earlier) + from;
  for (int c = 0; c < width; ++c) {
    double* column = values_of(panel) + static_cast<std::size_t>(rows[c] - panel.first) * panel.rows;
    const double* mine = product_.data() + static_cast<std::size_t>(c) * height;
    for (int r = c; r < height; ++r) column[local_[rows[r]]] -= mine[r];
  }
}

/// L of a panel from which all earlier ones have been taken away. What stands above the diagonal is not read.
bool PanelFactor::factor_panel(Supernode& panel) {
  double* values = values_of(panel);
  const int rows = panel.rows;
  const auto column = [&](int c) { return values + static_cast<std::size_t>(c) * rows; };
  for (int first = 0; first < panel.columns; first += kStrip) {
    const int width = std::min(kStrip, panel.columns - first), height = rows - first;
    if (first > 0) {
      reserve(height, width);
      multiply_by_transposed(part(values + first, height, first, rows), part(values + first, width, first, rows), product_.data());
      for (int c = 0; c < width; ++c)
        Eigen::Map<VecX>(column(first + c) + first, height) -= Eigen::Map<const VecX>(product_.data() + static_cast<std::size_t>(c) * height, height);
    }
    for (int c = first; c < first + width; ++c) {
      Eigen::Map<VecX> mine(column(c) + c, rows - c);
      for (int k = first; k < c; ++k) mine -= column(k)[c] * Eigen::Map<const VecX>(column(k) + c, rows - c);
      if (!(mine[0] > 0.0) || !std::isfinite(mine[0])) return false;
      const double pivot = std::sqrt(mine[0]);
      mine /= pivot;
      mine[0] = pivot;
    }
  }
  return true;
}

bool PanelFactor::factor(std::span<const double> entries) {
  std::fill(values_.begin(), values_.end(), 0.0);
  for (std::size_t k = 0; k < entries.size(); ++k) values_[place_[k]] += entries[k];
  // Lists of the earlier panels that reach the next columns of each, and how far they have been used.
  std::vector<int> head(panels_.size(), -1), next(panels_.size(), -1), used(panels_.size(), 0);
  const auto wait = [&](int s) {
    if (used[s] >= panels_[s].rows) return;
    const int ancestor = panel_of_[rows_of(panels_[s])[used[s]]];
    next[s] = head[ancestor];
    head[ancestor] = s;
  };
  for (std::size_t s = 0; s < panels_.size(); ++s) {
    if (stop_requested()) return false;
    Supernode& panel = panels_[s];
    for (int r = 0; r < panel.rows; ++r) local_[rows_of(panel)[r]] = r;
    for (int d = head[s], after = -1; d >= 0; d = after) {
      after = next[d];
      const Supernode& earlier = panels_[d];
      const int* rows = rows_of(earlier);
      const int to = static_cast<int>(std::lower_bound(rows + used[d], rows + earlier.rows, panel.first + panel.columns) - rows);
      take_away(earlier, used[d], to, panel);
      used[d] = to;
      wait(d);
    }
    if (!factor_panel(panel)) return false;
    used[s] = panel.columns;
    wait(static_cast<int>(s));
  }
  return true;
}

void PanelFactor::solve(std::span<const double> b, std::span<double> x) {
  for (std::size_t i = 0; i < order_.size(); ++i) vector_[i] = b[order_[i]];
  // Rows below a panel are gathered, so that its columns are added one after the other without a look at them.
  for (const Supernode& panel : panels_) {
    const int below = panel.rows - panel.columns;
    double* mine = vector_.data() + panel.first;
    Eigen::Map<VecX> sum(product_.data(), below);
    sum.setZero();
    for (int c = 0; c < panel.columns; ++c) {
      const double* column = values_of(panel) + static_cast<std::size_t>(c) * panel.rows;
      const double value = mine[c] /= column[c];
      const int rest = panel.columns - c - 1;
      Eigen::Map<VecX>(mine + c + 1, rest) -= value * Eigen::Map<const VecX>(column + c + 1, rest);
      sum += value * Eigen::Map<const VecX>(column + panel.columns, below);
    }
    const int* rows = rows_of(panel) + panel.columns;
    for (int r = 0; r < below; ++r) vector_[rows[r]] -= sum[r];
  }
  for (std::size_t s = panels_.size(); s-- > 0;) {
    const Supernode& panel = panels_[s];
    const int below = panel.rows - panel.columns;
    double* mine = vector_.data() + panel.first;
    const int* rows = rows_of(panel) + panel.columns;
    for (int r = 0; r < below; ++r) product_[r] = vector_[rows[r]];
    for (int c = panel.columns; c-- > 0;) {
      const double* column = values_of(panel) + static_cast<std::size_t>(c) * panel.rows;
      const int rest = panel.columns - c - 1;
      const double sum = Eigen::Map<const VecX>(column + c + 1, rest).dot(Eigen::Map<const VecX>(mine + c + 1, rest)) +
                         Eigen::Map<const VecX>(column + panel.columns, below).dot(Eigen::Map<const VecX>(product_.data(), below));
      mine[c] = (mine[c] - sum) / column[c];
    }
  }
  for (std::size_t i = 0; i < order_.size(); ++i) x[order_[i]] = vector_[i];
}

}  // namespace scree::solvers
