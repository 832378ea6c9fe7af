#include <cmath>
#include <cstring>
#ifdef __AVX__
#include <immintrin.h>
#endif

#include "solvers/packed_groups.hpp"

// Vectors of four never leave this file, so the calling convention does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"
#define SCREE_KERNEL_NAMESPACE plain
#include "solvers/packed_kernel.hpp"

namespace scree::solvers::packed {

const Kernel* plain_kernel() {
  static const Kernel kernel{&plain::sweep, &plain::squared_residual, &plain::add_runs};
  return &kernel;
}

const Kernel& kernel() {
#ifdef __x86_64__
  static const Kernel* fastest = __builtin_cpu_supports("avx2") && avx2_kernel() ? avx2_kernel() : plain_kernel();
#else
  static const Kernel* fastest = plain_kernel();
#endif
  return *fastest;
}

}  // namespace scree::solvers::packed
