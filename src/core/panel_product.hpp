/// Products of dense panels with the same bits on every processor.
#pragma once

#include "core/vec.hpp"

namespace scree {

/// A matrix by columns, each a stride after the one before.
using Panel = Eigen::Map<const MatX, 0, Eigen::OuterStride<>>;

/// C = A B^T; C lies densely by columns. Terms are added in their order, with the widest vectors that the processor has.
void multiply_by_transposed(const Panel& A, const Panel& B, double* C);

namespace panel {

/// The same on bare arrays: a, its stride, rows of C, b, its stride, columns of C, terms, C.
using ProductKernel = void(const double*, std::ptrdiff_t, int, const double*, std::ptrdiff_t, int, int, double*);

[[nodiscard]] ProductKernel* plain_kernel();
[[nodiscard]] ProductKernel* avx2_kernel();  ///< null where it was not compiled

}  // namespace panel

}  // namespace scree
