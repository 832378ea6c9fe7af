/// Products of dense panels, compiled once (core/products.cpp), with the same bits on every processor.
#pragma once

#include "core/vec.hpp"

namespace scree {

/// A matrix by columns, each a stride after the one before.
using Panel = Eigen::Map<const MatX, 0, Eigen::OuterStride<>>;

/// C = A B^T; C lies densely by columns.
void multiply_by_transposed(const Panel& A, const Panel& B, double* C);

}  // namespace scree
