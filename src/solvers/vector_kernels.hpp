/// Dot products and updates of long vectors: vectorised, threaded, the same bits for any thread count. Products are over all ranks.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "core/threads.hpp"
#include "core/vec.hpp"
#include "solvers/totals.hpp"

namespace scree::solvers {

using ConstVectorMap = Eigen::Map<const VecX>;
using VectorMap = Eigen::Map<VecX>;

/// An Eigen vector as numbers in a row.
[[nodiscard]] inline std::span<const double> numbers(const VecX& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }
[[nodiscard]] inline std::span<double> numbers(VecX& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

/// Calls body(first, count) for fixed pieces of [0, size).
template <class Body>
void for_pieces(std::size_t size, Body&& body) {
  const auto length = static_cast<std::ptrdiff_t>(size);
  const std::ptrdiff_t pieces = (length + kChunk - 1) / kChunk;
  parallel_for(pieces, [&](std::ptrdiff_t p) { body(p * kChunk, std::min(kChunk, length - p * kChunk)); }, 4);
}

/// <a, b> of this rank's numbers.
[[nodiscard]] inline double local_dot(std::span<const double> a, std::span<const double> b) {
  const auto length = static_cast<std::ptrdiff_t>(a.size());
  const std::ptrdiff_t pieces = (length + kChunk - 1) / kChunk;
  return parallel_sum(pieces, [&](std::ptrdiff_t p) {
    const std::ptrdiff_t first = p * kChunk, count = std::min(kChunk, length - first);
    return ConstVectorMap(a.data() + first, count).dot(ConstVectorMap(b.data() + first, count));
  }, 4);
}

/// <a, b>
[[nodiscard]] inline double dot(std::span<const double> a, std::span<const double> b) { return total(local_dot(a, b)); }

[[nodiscard]] inline double norm(std::span<const double> a) { return std::sqrt(dot(a, a)); }
[[nodiscard]] inline double dot(const VecX& a, const VecX& b) { return dot(numbers(a), numbers(b)); }
[[nodiscard]] inline double norm(const VecX& a) { return norm(numbers(a)); }

/// y += factor x
inline void add_scaled(double factor, std::span<const double> x, std::span<double> y) {
  for_pieces(x.size(), [&](std::ptrdiff_t first, std::ptrdiff_t count) {
    VectorMap(y.data() + first, count).noalias() += factor * ConstVectorMap(x.data() + first, count);
  });
}

inline void add_scaled(double factor, const VecX& x, VecX& y) { add_scaled(factor, numbers(x), numbers(y)); }

/// y = x + factor z
inline void combine(std::span<const double> x, double factor, std::span<const double> z, std::span<double> y) {
  for_pieces(x.size(), [&](std::ptrdiff_t first, std::ptrdiff_t count) {
    VectorMap(y.data() + first, count).noalias() =
        ConstVectorMap(x.data() + first, count) + factor * ConstVectorMap(z.data() + first, count);
  });
}

}  // namespace scree::solvers
