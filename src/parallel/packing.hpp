/// Contact points and solutions as bytes.
#pragma once

#include <span>
#include <vector>

#include "collision/contact_point.hpp"
#include "core/team.hpp"
#include "solvers/report.hpp"

namespace scree::parallel {

[[nodiscard]] Bytes pack_points(std::span<const collision::ContactPoint> points);
/// Appends.
void unpack_points(std::span<const std::byte> bytes, std::vector<collision::ContactPoint>& points);

[[nodiscard]] Bytes pack_solution(const solvers::SolveReport& report, std::span<const double> impulses);
[[nodiscard]] solvers::SolveReport unpack_solution(std::span<const std::byte> bytes, std::vector<double>& impulses);

}  // namespace scree::parallel
