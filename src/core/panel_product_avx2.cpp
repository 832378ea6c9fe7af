#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "core/panel_product.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"

#if defined(__x86_64__) && !defined(__AVX2__)

// Everything below this line may use AVX2, without fused products: the bits are those of the plain kernel. Headers above were read without it.
#pragma GCC push_options
#pragma GCC target("avx2")
#define SCREE_KERNEL_NAMESPACE avx2
#define SCREE_KERNEL_LANES 4
#define SCREE_KERNEL_COLUMNS 6
#include "core/panel_kernel.hpp"

namespace scree::panel {
ProductKernel* avx2_kernel() { return &avx2::product; }
}  // namespace scree::panel
#pragma GCC pop_options

#else

namespace scree::panel {
ProductKernel* avx2_kernel() { return nullptr; }
}  // namespace scree::panel

#endif
