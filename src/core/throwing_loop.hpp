/// Parallel loops whose bodies may throw: OpenMP ends the process when an error leaves a thread.
#pragma once

#include <exception>
#include <limits>
#include <utility>

#include "core/threads.hpp"

namespace scree {

/// As parallel_for with chunks of one; what a body throws is thrown after the loop. Of several errors that of the first i, whatever the number of threads.
template <class Body>
void throwing_for(std::ptrdiff_t count, Body&& body) {
  std::ptrdiff_t first = std::numeric_limits<std::ptrdiff_t>::max();
  std::exception_ptr error;
  parallel_for(count, [&](std::ptrdiff_t i) {
    try {
      body(i);
    } catch (...) {
      std::exception_ptr mine = std::current_exception();
#pragma omp critical(scree_throwing_for)
      if (i < first) {
        first = i;
        error = std::move(mine);
      }
    }
  }, 1);
  if (error) std::rethrow_exception(error);
}

}  // namespace scree
