/// Bodies of one frame as polygons in space: what exports draw.
#pragma once

#include <vector>

#include "io/results.hpp"

namespace scree::io {

/// Polygons with their owners. Spheres are left out unless asked for: a point with a radius draws them better.
struct WorldSurface {
  std::vector<double> points;           ///< 3 a point, m
  std::vector<double> velocity;         ///< 3 a point, m/s
  std::vector<double> mises;            ///< von Mises stress a point, Pa; 0 where bodies carry none
  std::vector<std::int32_t> corners;    ///< points of all polygons, counter-clockwise from outside
  std::vector<std::int64_t> end;        ///< end of each polygon in `corners`
  std::vector<std::int32_t> body;       ///< row of the body table, a polygon
  std::vector<std::int32_t> surface;    ///< surface id, a polygon

  [[nodiscard]] std::size_t polygons() const { return end.size(); }
};

/// @param rings  of latitude in the polygons of ellipsoids, and of spheres when `spheres` is set
[[nodiscard]] WorldSurface world_surface(const ResultsReader& results, const Frame& frame, bool spheres = false, int rings = 10);

/// Force of each contact on its second body, global axes, 3 a contact, N.
[[nodiscard]] std::vector<double> contact_forces(const Frame& frame);

}  // namespace scree::io
