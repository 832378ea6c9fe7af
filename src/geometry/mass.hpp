/// Exact mass properties of shapes (theory sec. 2.2).
#pragma once

#include <functional>

#include "geometry/shape.hpp"

namespace scree::geometry {

/// Integrals over a shape of unit density, or of given density a volume id.
struct MassProperties {
  double volume = 0.0;         ///< m^3
  double mass = 0.0;           ///< kg
  Vec3 center = Vec3::Zero();  ///< mass centre, m
  Mat3 euler = Mat3::Zero();   ///< int rho (X - Xc)(X - Xc)^T dV, kg m^2

  /// Inertia tensor about the mass centre:  tr(E) I - E.
  [[nodiscard]] Mat3 inertia() const { return euler.trace() * Mat3::Identity() - euler; }
};

/// Exact for spheres, ellipsoids and polyhedra. A warped face (mesh elements) is taken as the fan of
/// triangles about the mean of its vertices: neighbours share it, so volumes add up without gap or
/// overlap, and the volume of a hexahedron equals that of its trilinear map. Density in kg/m^3, positive.
[[nodiscard]] MassProperties mass_properties(const Piece& piece, double density);
/// Sum over the pieces; where pieces overlap, the overlap counts for each.
[[nodiscard]] MassProperties mass_properties(const Shape& shape, double density);
/// The same with the density of each volume id.
[[nodiscard]] MassProperties mass_properties(const Shape& shape, const std::function<double(int)>& density);
/// Sum of parts, about the common centre.
[[nodiscard]] MassProperties combine(const MassProperties& a, const MassProperties& b);

}  // namespace scree::geometry
