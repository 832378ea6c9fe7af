/// Shape functions and quadrature of the elements (theory sec. 5.3).
///
/// Corner nodes are numbered as in geometry/element.hpp; second-order kinds add one node an edge in the order of
/// element_edges(). Natural coordinates: tetrahedron r, s, t >= 0 with r + s + t <= 1; wedge the triangle r, s and
/// t in [-1, 1]; hexahedron [-1, 1]^3; pyramid base [-1, 1]^2 at t = 0, apex at t = 1.
#pragma once

#include <array>
#include <span>

#include "core/vec.hpp"

namespace scree::elastic {

enum class Kind : unsigned char { tet4, pyramid5, wedge6, hex8, tet10, pyramid13, wedge15, hex20 };
enum class FaceKind : unsigned char { tri3, quad4, tri6, quad8 };

inline constexpr int kMostNodes = 20;      ///< of an element
inline constexpr int kMostFaceNodes = 8;   ///< of a face

[[nodiscard]] int node_count(Kind kind);
/// Nodes of the first-order element with the same corners.
[[nodiscard]] int corner_count(Kind kind);
/// "tetrahedron", ... with "second-order" in front where it applies.
[[nodiscard]] const char* name(Kind kind);
/// Kind of an element of order 1 or 2 with that many corners (4, 5, 6, 8).
[[nodiscard]] Kind kind_of(int corners, int order);
[[nodiscard]] int node_count(FaceKind kind);

/// Pairs of corners that carry the mid-edge nodes.
[[nodiscard]] std::span<const std::array<int, 2>> element_edges(int corners);

/// N_a at natural coordinates, node_count values.
void shape_values(Kind kind, const Vec3& at, double* N);
/// dN_a / d(r, s, t), node_count vectors.
void shape_gradients(Kind kind, const Vec3& at, Vec3* dN);
/// The same on faces: (r, s) in the triangle or in [-1, 1]^2.
void face_values(FaceKind kind, const Vec2& at, double* N);
void face_gradients(FaceKind kind, const Vec2& at, Vec2* dN);

/// Natural coordinates of the element's middle, and the nearest point inside the element's natural domain.
[[nodiscard]] Vec3 natural_center(Kind kind);
[[nodiscard]] Vec3 clamp_natural(Kind kind, const Vec3& at);
/// How far outside the natural domain a point is: <= 0 inside.
[[nodiscard]] double natural_excess(Kind kind, const Vec3& at);
/// Natural coordinates of node a.
[[nodiscard]] Vec3 node_natural(Kind kind, int a);

struct Point {
  Vec3 at;
  double weight;
};
struct FacePoint {
  Vec2 at;
  double weight;
};

/// Rule of the internal force: exact for the patch test on any sound element with straight edges, and of full rank.
[[nodiscard]] std::span<const Point> stiffness_rule(Kind kind);
/// Rule that integrates N_a N_b exactly on any sound element with straight edges.
[[nodiscard]] std::span<const Point> mass_rule(Kind kind);
/// Rule that integrates N_a times the area vector exactly on faces with straight edges.
[[nodiscard]] std::span<const FacePoint> face_rule(FaceKind kind);

}  // namespace scree::elastic
