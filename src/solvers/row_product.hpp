/// One block row of an operator times a vector: the inner loop of products and sweeps, on stored W or on rows of bodies.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "solvers/operator.hpp"

namespace scree::solvers {

/// U + sum_k values[k] R[columns[k]].
///
/// The nine numbers of a block are read in pairs as they lie in memory. Five sums that do not wait for one another hide
/// the latency of additions; their order is fixed, so every call gives the same bits.
[[nodiscard]] inline Vec3 add_row_product(const Vec3& U, std::span<const int> columns, std::span<const RowMat3> values, const double* R) noexcept {
  using Pair = double __attribute__((vector_size(16)));
  const auto load = [](const double* from) {
    Pair pair;
    std::memcpy(&pair, from, sizeof pair);
    return pair;
  };
  Pair a{}, b{}, c{}, d{};
  double e = 0.0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const double* w = values[k].data();
    const double* r = R + 3 * static_cast<std::ptrdiff_t>(columns[k]);
    const Pair r01 = load(r), r12 = load(r + 1), r20 = {r[2], r[0]};
    a += load(w) * r01;
    b += load(w + 2) * r20;
    c += load(w + 4) * r12;
    d += load(w + 6) * r01;
    e += w[8] * r[2];
  }
  return {U.x() + ((a[0] + a[1]) + b[0]), U.y() + (b[1] + (c[0] + c[1])), U.z() + ((d[0] + d[1]) + e)};
}

/// U = H y for the row-major 3 x n rows of one side of a block. Few columns are not worth a general product.
[[nodiscard]] inline Vec3 body_row_product(std::span<const double> rows, const double* y) noexcept {
  constexpr std::size_t kFew = 16;
  const std::size_t n = rows.size() / 3;
  const double* h = rows.data();
  if (n > kFew) {
    const auto size = static_cast<Eigen::Index>(n);
    return Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>(h, 3, size) * Eigen::Map<const VecX>(y, size);
  }
  double a = 0.0, b = 0.0, c = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    a += h[i] * y[i];
    b += h[n + i] * y[i];
    c += h[2 * n + i] * y[i];
  }
  return {a, b, c};
}

/// y += H^T R for the same rows.
inline void add_body_push(std::span<const double> rows, const Vec3& R, double* y) noexcept {
  const std::size_t n = rows.size() / 3;
  const double* h = rows.data();
  const double a = R.x(), b = R.y(), c = R.z();
  for (std::size_t i = 0; i < n; ++i) y[i] += h[i] * a + h[n + i] * b + h[2 * n + i] * c;
}

}  // namespace scree::solvers
