#include "core/threads.hpp"

#include "core/error.hpp"

namespace scree {

namespace {
int thread_count = 0;  // 0: not set, use OpenMP's choice
}

void set_threads(int count) {
  if (count < 1 || count > 4096) throw_input("threads: {} is outside 1..4096", count);
  thread_count = count;
}

int threads() { return thread_count > 0 ? thread_count : omp_get_max_threads(); }

}  // namespace scree
