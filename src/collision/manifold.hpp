/// Contact polygons: clip the incident face against the reference face, and keep a few corners.
#pragma once

#include "collision/narrow_phase.hpp"

namespace scree::collision {

/// Clip face `incident` of q to the prism that face `reference` of p sweeps along n, a unit vector from p to q near the
/// reference face's normal or equal to it. The corners go to scratch.polygon with their distance along n
/// to the reference plane; false when nothing is left. `p_first` says whether p is
/// the pair's first piece (it decides the feature codes).
bool clip_faces(const PolyhedronView& p, int reference, const PolyhedronView& q, int incident, const Vec3& n, bool p_first,
                NarrowScratch& scratch);

/// Nearest point of a segment u v to x.
[[nodiscard]] Vec3 nearest_on_segment(const Vec3& u, const Vec3& v, const Vec3& x);

/// Is the point, which lies in the plane of face f, within its polygon?
[[nodiscard]] bool in_face(const PolyhedronView& p, int f, const Vec3& x);

/// Distance of a point of the plane of face f from its polygon, 0 within.
[[nodiscard]] double beside_face(const PolyhedronView& p, int f, const Vec3& x);

/// Turn scratch.polygon, clipped along n, into manifold points with gaps up to options.limit; false when no corner is
/// that near. `size` is the length scale of the pair.
bool emit_polygon(const Vec3& n, double size, const NarrowOptions& options, NarrowScratch& scratch, Manifold& out);

/// Choose at most `keep` corners of a convex polygon: they span a large area, contain the deepest
/// corner when it is deeper than the rest by more than `tolerance`, and do not change when
/// corners move by little. Returns the indices in `chosen`, in the order of the polygon.
int choose_corners(const std::vector<PolygonCorner>& polygon, int keep, double tolerance, int* chosen);

}  // namespace scree::collision
