/// One block row of an operator times a vector: the inner loop of products and sweeps, on stored W or on rows of bodies.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "solvers/operator.hpp"

namespace scree::solvers {

/// Numbers are read in pairs as they lie in memory.
using RowPair = double __attribute__((vector_size(16)));
[[nodiscard]] inline RowPair load_pair(const double* from) noexcept {
  RowPair pair;
  std::memcpy(&pair, from, sizeof pair);
  return pair;
}

/// U + sum_k values[k] R[columns[k]].
///
/// Five sums that do not wait for one another hide the latency of additions; their order is fixed, so every call gives the same bits.
[[nodiscard]] inline Vec3 add_row_product(const Vec3& U, std::span<const int> columns, std::span<const RowMat3> values, const double* R) noexcept {
  RowPair a{}, b{}, c{}, d{};
  double e = 0.0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const double* w = values[k].data();
    const double* r = R + 3 * static_cast<std::ptrdiff_t>(columns[k]);
    const RowPair r01 = load_pair(r), r12 = load_pair(r + 1), r20 = {r[2], r[0]};
    a += load_pair(w) * r01;
    b += load_pair(w + 2) * r20;
    c += load_pair(w + 4) * r12;
    d += load_pair(w + 6) * r01;
    e += w[8] * r[2];
  }
  return {U.x() + ((a[0] + a[1]) + b[0]), U.y() + (b[1] + (c[0] + c[1])), U.z() + ((d[0] + d[1]) + e)};
}

/// U = H y for the row-major 3 x n rows of one side of a block. Two sums a row do not wait for one another.
[[nodiscard]] inline Vec3 body_row_product(std::span<const double> rows, const double* y) noexcept {
  const std::size_t n = rows.size() / 3;
  const double *a = rows.data(), *b = a + n, *c = b + n;
  RowPair a0{}, a1{}, b0{}, b1{}, c0{}, c1{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const RowPair y0 = load_pair(y + i), y1 = load_pair(y + i + 2);
    a0 += load_pair(a + i) * y0;
    b0 += load_pair(b + i) * y0;
    c0 += load_pair(c + i) * y0;
    a1 += load_pair(a + i + 2) * y1;
    b1 += load_pair(b + i + 2) * y1;
    c1 += load_pair(c + i + 2) * y1;
  }
  Vec3 U((a0[0] + a0[1]) + (a1[0] + a1[1]), (b0[0] + b0[1]) + (b1[0] + b1[1]), (c0[0] + c0[1]) + (c1[0] + c1[1]));
  for (; i < n; ++i) U += Vec3(a[i], b[i], c[i]) * y[i];
  return U;
}

/// y += H^T R for the same rows.
inline void add_body_push(std::span<const double> rows, const Vec3& R, double* y) noexcept {
  const std::size_t n = rows.size() / 3;
  const double *a = rows.data(), *b = a + n, *c = b + n;
  const RowPair x{R.x(), R.x()}, v{R.y(), R.y()}, z{R.z(), R.z()};
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    const RowPair sum = load_pair(y + i) + (load_pair(a + i) * x + (load_pair(b + i) * v + load_pair(c + i) * z));
    std::memcpy(y + i, &sum, sizeof sum);
  }
  if (i < n) y[i] += a[i] * R.x() + (b[i] * R.y() + c[i] * R.z());
}

/// H H^T for the same rows, symmetric to the last bit.
[[nodiscard]] inline Mat3 body_block(std::span<const double> rows) noexcept {
  const std::size_t n = rows.size() / 3;
  Mat3 W;
  for (int j = 0; j < 3; ++j) W.col(j) = body_row_product(rows, rows.data() + static_cast<std::size_t>(j) * n);
  return W;
}

}  // namespace scree::solvers
