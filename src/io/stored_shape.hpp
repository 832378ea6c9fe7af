/// Shapes as results files keep them: plain numbers, relative to the body's reference centre.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "geometry/shape.hpp"

namespace scree::io {

enum class PieceKind : std::uint8_t {
  sphere = 0,      ///< reals: centre (3), radius
  ellipsoid = 1,   ///< reals: centre (3), radii (3), axes (9, row-major, axes are columns)
  polyhedron = 2,  ///< reals: vertices; integers: F, then F x [n, n vertices, surface]
  mesh = 3         ///< reals: nodes; integers: E, then E x [n, n nodes, volume], F, then F x [n, n nodes, surface] on the boundary
};

struct StoredPiece {
  PieceKind kind = PieceKind::sphere;
  int volume = 0, surface = 0;  ///< ids; `surface` of spheres and ellipsoids
  std::vector<double> reals;    ///< m
  std::vector<int> integers;

  friend bool operator==(const StoredPiece&, const StoredPiece&) = default;
  /// Points that move with a deforming body: vertices or nodes; none for spheres and ellipsoids.
  [[nodiscard]] int points() const { return kind < PieceKind::polyhedron ? 0 : static_cast<int>(reals.size() / 3); }
};

struct StoredShape {
  std::vector<StoredPiece> pieces;

  friend bool operator==(const StoredShape&, const StoredShape&) = default;
  [[nodiscard]] int points() const;
};

/// A polygon of a polyhedron or of a mesh's boundary, counter-clockwise from outside.
struct StoredFace {
  std::vector<int> points;
  int surface = 0;
};

/// X -> X - center; the elements of a mesh become one piece.
[[nodiscard]] StoredShape store(const geometry::Shape& shape, const Vec3& center);

/// Key that is equal for shapes whose coordinates agree to about 1e-9 of their size.
[[nodiscard]] std::string shape_key(const StoredShape& shape);

[[nodiscard]] std::vector<StoredFace> boundary_faces(const StoredPiece& piece);
/// Nodes of each element of a mesh piece.
[[nodiscard]] std::vector<std::vector<int>> elements(const StoredPiece& piece);

/// What is wrong with a piece that came from a file: wrong counts, indices out of range, numbers not finite,
/// sizes not positive. Empty when it is sound.
[[nodiscard]] std::string defect(const StoredPiece& piece);

/// Triangles of a unit sphere (for exports), `points` x 3 coordinates.
struct UnitSphere {
  std::vector<Vec3> points;
  std::vector<std::array<int, 3>> triangles;
};
[[nodiscard]] UnitSphere unit_sphere(int rings);

}  // namespace scree::io
