/// The direction along which two polyhedra are parted by the shortest way, or farthest apart, among the normals of faces
/// and the common normals of edges.
///
/// The search is shortened by a common point c of the two pieces. Along any n they are parted by minus the depth of c in a
/// along n and minus its depth in b along -n. On the arcs of an edge the one is at least the lesser depth of c under the
/// faces beside it, and any depth is at least the least one: axes whose bound is below the best axis known need not be
/// looked at. The nearer c is to the middle of the overlap along the deepest axis, the fewer are left; where the first guess
/// leaves many, a climb by nearest points leads to a better one. This skips work, never an answer.
#pragma once

#include "collision/narrow_phase.hpp"

namespace scree::collision {

/// A direction with the features that meet there: a face of one of the pieces, or an edge of each.
struct Axis {
  enum class Kind : std::uint8_t { none, face_of_a, face_of_b, edges };
  Kind kind = Kind::none;
  int face = -1;
  int edge_a = -1, edge_b = -1;
  Vec3 normal = Vec3::UnitZ();  ///< unit, from a to b
  double separation = -kInfinity;
};

/// min_B n . x - max_A n . x.
[[nodiscard]] double separation_along(const PolyhedronView& a, const PolyhedronView& b, const Vec3& n);

/// Best boundary face of either piece, all of them tried; of faces equal to `tie` (m) one of a is preferred. `none` when a
/// face parts the pieces by more than the limit, or an interior face parts them at all (the
/// piece behind it takes over).
[[nodiscard]] Axis best_face(const PolyhedronView& a, const PolyhedronView& b, double limit, double tie);

/// Replace the axis by the common normal of two edges, not those between interior faces, that parts the pieces by more
/// than `tie` (m) farther. False, and nothing done, when `common` is not a point of both pieces to `slack` (m).
bool improve_by_edges(const PolyhedronView& a, const PolyhedronView& b, const Vec3& common, double slack, double tie,
                      NarrowScratch& scratch, Axis& axis);

/// Best of both for pieces that have a point in common to `slack`; of axes equal to `tie` a face of a is preferred to
/// one of b, and a face to edges: the answer is a function of the geometry alone. `none` as in best_face().
[[nodiscard]] Axis deepest_axis(const PolyhedronView& a, const PolyhedronView& b, const Vec3& common, double slack, double tie,
                                NarrowScratch& scratch);

}  // namespace scree::collision
