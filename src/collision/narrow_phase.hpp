/// Narrow phase: points of contact between two convex pieces, for every pair of kinds.
///
/// The gap of two convex sets is  max over unit n of  min_B n.x - max_A n.x : the distance when they are
/// apart, minus the smallest translation that parts them when they overlap; n is the normal from A to B.
/// Tolerances are relative to the pieces' size.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collision/piece_store.hpp"

namespace scree::collision {

inline constexpr int kMaxManifold = 16;   ///< corners of a manifold
inline constexpr int kMostTouches = 72;   ///< points of quadrature of a pair

/// One point of a pair; the normal is the manifold's.
struct Touch {
  Vec3 point = Vec3::Zero();  ///< midway between the two surfaces
  double gap = 0.0;           ///< m
  double area = 0.0;          ///< m^2
  std::uint64_t feature = 0;  ///< within the pair: 0 for a single smooth point, see FeatureCode
};

/// All points of a pair of pieces.
struct Manifold {
  Vec3 normal = Vec3::UnitZ();  ///< unit, from the first to the second piece
  int count = 0;
  int surface_a = 0, surface_b = 0;
  bool weighted = false;  ///< points are those of a quadrature
  std::array<Touch, kMostTouches> points;

  void add(const Vec3& point, double gap, double area, std::uint64_t feature) {
    points[count++] = {point, gap, area, feature};
  }
  /// See the pair from the other side.
  void flip() {
    normal = -normal;
    std::swap(surface_a, surface_b);
  }
};

/// What identifies a manifold point: a vertex of one piece or the crossing of an edge of each. The
/// code does not say which of two faces served as reference, so it survives a change of roles.
struct FeatureCode {
  [[nodiscard]] static std::uint64_t vertex_of_a(int v) { return 1ull << 60 | static_cast<std::uint64_t>(v); }
  [[nodiscard]] static std::uint64_t vertex_of_b(int v) { return 2ull << 60 | static_cast<std::uint64_t>(v); }
  [[nodiscard]] static std::uint64_t crossing(int edge_a, int edge_b) {
    return 3ull << 60 | static_cast<std::uint64_t>(edge_a) << 30 | static_cast<std::uint64_t>(edge_b);
  }
};

/// Corner of a clipped polygon: which edges meet there (see manifold.cpp).
struct PolygonCorner {
  Vec3 x = Vec3::Zero();
  double gap = 0.0;
  std::uint64_t feature = 0;
  int edge = -1;  ///< of the side that starts here: reference edges as ~e, incident edges as e
};

/// An edge with a bound from below on how deep a point lies under the planes through it, m.
struct DeepEdge {
  int edge = -1;
  double depth = 0.0;
};

/// Buffers of one thread, kept from call to call.
struct NarrowScratch {
  std::vector<PolygonCorner> polygon, clipped, patch;
  Vec3 slope = Vec3::UnitZ();  ///< of the polygon's gap:  gap = slope . x - offset
  double offset = 0.0;
  std::vector<double> heights;           ///< of vertices along a normal
  std::vector<double> depth_a, depth_b;  ///< of a common point under the faces
  std::vector<DeepEdge> edges_a, edges_b;  ///< that may hold the deepest axis
};

struct NarrowOptions {
  double limit = 0.0;  ///< report gaps up to this, m
  bool one_point = false;
  int manifold_points = 4;
  int face_degree = 0;  ///< of the quadrature over flat contacts; 0: corners
};

/// Contact of pieces a and b of the store; false when their gap exceeds the limit.
bool touch(const PieceStore& store, int a, int b, const NarrowOptions& options, NarrowScratch& scratch, Manifold& out);

// The pairs of kinds. Normals point from the first argument to the second.

bool touch_spheres(const Ball& a, const Ball& b, double limit, Manifold& out);
bool touch_sphere_ellipsoid(const Ball& a, const EllipsoidView& b, double limit, Manifold& out);
bool touch_ellipsoids(const EllipsoidView& a, const EllipsoidView& b, double limit, Manifold& out);
bool touch_sphere_polyhedron(const Ball& a, const PolyhedronView& b, double limit, Manifold& out);
bool touch_ellipsoid_polyhedron(const EllipsoidView& a, const PolyhedronView& b, double limit, Manifold& out);
bool touch_polyhedra(const PolyhedronView& a, const PolyhedronView& b, const NarrowOptions& options,
                     NarrowScratch& scratch, Manifold& out);

/// Size of the patch of two curved surfaces pressed together by `depth`:  2 pi R depth, with the
/// effective radius 1/R = 1/R_a + 1/R_b; a millionth of R stands in for the depth of open contacts.
[[nodiscard]] double curved_patch_area(double effective_radius, double gap);

}  // namespace scree::collision
