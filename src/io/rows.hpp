/// Rows of flat arrays as vectors and matrices; rows of bodies that are held; contacts that touch.
#pragma once

#include <algorithm>
#include <vector>

#include "core/vec.hpp"
#include "io/results.hpp"

namespace scree::io {

[[nodiscard]] inline Vec3 row3(const std::vector<double>& values, std::size_t i) { return Vec3(&values[3 * i]); }
/// Nine numbers, row-major.
[[nodiscard]] inline Mat3 matrix3(const double* values) { return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(values); }

/// Which rows of the body table constraints tie to the ground; with its forces and kinds read. Such bodies stand for obstacles.
[[nodiscard]] inline std::vector<char> held_rows(const Frame& frame, std::size_t bodies) {
  std::vector<char> held(bodies, 0);
  for (std::size_t c = 0; c < frame.contact_kind.size(); ++c) {
    const std::int32_t a = frame.pair[2 * c], b = frame.pair[2 * c + 1];
    if (!frame.touches(c) && std::min(a, b) < 0 && std::max(a, b) >= 0) held[std::max(a, b)] = 1;
  }
  return held;
}

/// How many contacts between bodies touch or carry a force: those that the row of the step counts.
[[nodiscard]] inline std::int64_t touching(const Frame& frame, const std::vector<BodyRow>& bodies) {
  std::int64_t count = 0;
  for (std::size_t c = 0; c < frame.contacts(); ++c) {
    const std::int32_t a = frame.pair[2 * c], b = frame.pair[2 * c + 1];
    if (!frame.touches(c) || a < 0 || b < 0) continue;
    const double size = std::min(bodies[a].radius, bodies[b].radius);
    count += frame.gap[c] <= model::kTouching * size || !row3(frame.force, c).isZero(0.0) ? 1 : 0;
  }
  return count;
}

}  // namespace scree::io
