/// Sums over all blocks of a problem, those of other ranks included: what decides something ends here, so that all ranks decide the same.
/// Alone, nothing is sent.
#pragma once

#include <cstddef>

#include "core/interrupt.hpp"
#include "core/team.hpp"
#include "core/threads.hpp"

namespace scree::solvers {

/// Sum of a number, or of the numbers that a struct of doubles holds, over the ranks of the team in force.
template <class Value>
[[nodiscard]] Value total(Value value) {
  static_assert(sizeof(Value) % sizeof(double) == 0 && std::is_trivially_copyable_v<Value>);
  Team& ranks = team();
  if (ranks.size() > 1) ranks.sum(std::span(reinterpret_cast<double*>(&value), sizeof(Value) / sizeof(double)));
  return value;
}

/// parallel_sum() over the blocks of all ranks.
template <class Value = double, class Term>
[[nodiscard]] Value total_sum(std::ptrdiff_t count, Term&& term) {
  return total(parallel_sum<Value>(count, term));
}

[[nodiscard]] inline double total_max(double value) { return team().size() > 1 ? team().max(value) : value; }
/// True when it is so on all ranks, on some rank.
[[nodiscard]] inline bool on_all(bool here) { return total_max(here ? 0.0 : 1.0) == 0.0; }
[[nodiscard]] inline bool on_any(bool here) { return total_max(here ? 1.0 : 0.0) != 0.0; }

/// True when a request to stop is to be answered at once. A rank among others does not stop alone: the watch over the solve asks all of them.
[[nodiscard]] inline bool stop_here() { return team().size() == 1 && stop_requested(); }

}  // namespace scree::solvers
