/// Checks and tolerances shared by the sources of this folder. Every tolerance is a fraction of the
/// size of the shape (diameter of its bounding box), so a shape of a micrometre and one of a thousand
/// kilometres are judged alike.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/vec.hpp"

namespace scree::geometry {

inline constexpr double kPlanar = 1e-6;       ///< a face may leave its plane, a vertex may stick out, by this
inline constexpr double kFlat = 1e-9;         ///< thinner than this has no volume
inline constexpr double kCoincident = 1e-10;  ///< closer than this is the same point
inline constexpr double kLongest = 1e30;      ///< m; beyond it the fifth powers in the Euler tensor overflow
inline constexpr double kShortest = 1e-30;    ///< m; below it they underflow
inline constexpr double kFarthest = 1e10;     ///< sizes from the origin; beyond it double precision runs out

/// "(x, y, z)".
[[nodiscard]] std::string text(const Vec3& v);
/// "0 1 5 4".
[[nodiscard]] std::string text(std::span<const int> list);

/// Every point finite, the extent within [kShortest, kLongest] and resolved where it lies; returns the diameter of the bounding box.
/// InputError names `what` (the routine) and `noun` (vertex, point, node) with its index.
double check_points(std::string_view what, std::string_view noun, std::span<const Vec3> points);

/// A length that must be positive and within [kShortest, kLongest].
void check_length(std::string_view what, std::string_view name, double value);

/// A vector whose components must be finite.
void check_finite(std::string_view what, std::string_view name, const Vec3& value);

/// For every point the lowest index of a point no farther than `distance`: itself if it stands alone.
[[nodiscard]] std::vector<int> coincident_points(std::span<const Vec3> points, double distance);

}  // namespace scree::geometry
