/// Threads with answers that do not depend on how many there are.
///
/// Work is cut into fixed chunks whose size depends on the problem only; sums are formed a chunk at
/// a time and then added in chunk order, so that 1 and N threads give the same bits.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace scree {

inline constexpr std::ptrdiff_t kChunk = 2048;  ///< items a chunk; below two chunks no thread is started

/// Set and read the number of threads used by every loop below (default: OpenMP's).
void set_threads(int count);
[[nodiscard]] int threads();

/// body(i) for i in [0, count), in any order. body must not touch what another i writes.
template <class Body>
void parallel_for(std::ptrdiff_t count, Body&& body, std::ptrdiff_t chunk = kChunk) {
  if (count <= chunk || threads() == 1) {
    for (std::ptrdiff_t i = 0; i < count; ++i) body(i);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads())
  for (std::ptrdiff_t first = 0; first < count; first += chunk) {
    const std::ptrdiff_t last = std::min(count, first + chunk);
    for (std::ptrdiff_t i = first; i < last; ++i) body(i);
  }
}

/// Sum of term(i) over [0, count): chunk sums added in chunk order, whatever the thread count.
template <class Value = double, class Term>
[[nodiscard]] Value parallel_sum(std::ptrdiff_t count, Term&& term, std::ptrdiff_t chunk = kChunk) {
  const std::ptrdiff_t chunks = (count + chunk - 1) / chunk;
  const auto chunk_sum = [&](std::ptrdiff_t c) {
    Value sum{};
    const std::ptrdiff_t last = std::min(count, (c + 1) * chunk);
    for (std::ptrdiff_t i = c * chunk; i < last; ++i) sum += term(i);
    return sum;
  };
  if (chunks == 0) return Value{};
  if (chunks == 1) return chunk_sum(0);
  Value total{};
  if (threads() == 1) {
    for (std::ptrdiff_t c = 0; c < chunks; ++c) total += chunk_sum(c);
    return total;
  }
  std::vector<Value> partial(chunks);
#pragma omp parallel for schedule(static) num_threads(threads())
  for (std::ptrdiff_t c = 0; c < chunks; ++c) partial[c] = chunk_sum(c);
  for (const Value& value : partial) total += value;
  return total;
}

}  // namespace scree
