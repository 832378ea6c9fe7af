/// Rows of flat arrays as vectors and matrices.
#pragma once

#include <vector>

#include "core/vec.hpp"

namespace scree::io {

[[nodiscard]] inline Vec3 row3(const std::vector<double>& values, std::size_t i) { return Vec3(&values[3 * i]); }
/// Nine numbers, row-major.
[[nodiscard]] inline Mat3 matrix3(const double* values) { return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(values); }

}  // namespace scree::io
