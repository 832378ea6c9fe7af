#include <cmath>
#include <cstring>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "solvers/packed_groups.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"

#if defined(__x86_64__) && !defined(__AVX2__)

// Everything below this line may use AVX2; headers above were read without it.
#pragma GCC push_options
#pragma GCC target("avx2")
#define SCREE_KERNEL_NAMESPACE avx2
#include "solvers/packed_kernel.hpp"

namespace scree::solvers::packed {
const Kernel* avx2_kernel() {
  static const Kernel kernel{&avx2::sweep, &avx2::squared_residual, &avx2::add_runs};
  return &kernel;
}
}  // namespace scree::solvers::packed
#pragma GCC pop_options

#else

namespace scree::solvers::packed {
const Kernel* avx2_kernel() { return nullptr; }
}  // namespace scree::solvers::packed

#endif
