/// Contact points and solutions as bytes.
#pragma once

#include <span>
#include <vector>

#include "collision/contact_point.hpp"
#include "core/team.hpp"
#include "solvers/report.hpp"

namespace scree::parallel {

[[nodiscard]] Bytes pack_points(std::span<const collision::ContactPoint> points);
/// Points of several ranks, each list sorted by (body_a, body_b) and no pair in two of them, as one such list.
void merge_points(const Brought& lists, std::vector<collision::ContactPoint>& points);

[[nodiscard]] Bytes pack_solution(const solvers::SolveReport& report, std::span<const double> impulses);
[[nodiscard]] solvers::SolveReport unpack_solution(std::span<const std::byte> bytes, std::vector<double>& impulses);

}  // namespace scree::parallel
