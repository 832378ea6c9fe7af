#include "core/panel_product.hpp"

// Vectors never leave this file, so the calling convention does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"
#define SCREE_KERNEL_NAMESPACE plain
#define SCREE_KERNEL_LANES 2
#define SCREE_KERNEL_COLUMNS 4
#include "core/panel_kernel.hpp"

namespace scree {

namespace panel {

ProductKernel* plain_kernel() { return &plain::product; }

}  // namespace panel

void multiply_by_transposed(const Panel& A, const Panel& B, double* C) {
#ifdef __x86_64__
  static panel::ProductKernel* const fastest = __builtin_cpu_supports("avx2") && panel::avx2_kernel() ? panel::avx2_kernel() : panel::plain_kernel();
#else
  static panel::ProductKernel* const fastest = panel::plain_kernel();
#endif
  fastest(A.data(), A.outerStride(), static_cast<int>(A.rows()), B.data(), B.outerStride(), static_cast<int>(B.rows()), static_cast<int>(A.cols()), C);
}

}  // namespace scree
