/// One block row of an explicit operator times a vector: the inner loop of products and sweeps on stored W.
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

}  // namespace scree::solvers
