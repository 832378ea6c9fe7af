/// The collision world: convex pieces in their current place, and the contact points between them.
///
/// Pieces belong to bodies. A body's pieces move by an affine map x = F (X - C) + c (rigid bodies: F is a
/// rotation; an affine image of a sphere is then a sphere, of an ellipsoid an ellipsoid) or, for
/// deforming meshes, by their vertices. Nothing here knows about mass, time or materials.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "collision/contact_point.hpp"
#include "geometry/shape.hpp"

namespace scree::collision {

struct Settings {
  double margin = 0.0;            ///< report pairs up to this gap, m (see reach() for fast bodies)
  bool one_point_per_overlap = false;  ///< Solfec's rule: one point a pair of pieces, no manifold
  int manifold_points = 4;        ///< most points a face-face manifold is reduced to
  double sparsify = 0.01;         ///< area ratio of the sparsification (manual 5.2); 0 switches it off
  double min_area = 0.0;          ///< contacts of two polyhedra that share less area are left out, m^2
  double min_distance = 0.0;      ///< points of two bodies, from different pieces, nearer than this become one, m
};

class World {
 public:
  World();
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  /// Add a body's pieces; `body` is a caller's id, unique and >= 0. `moving` is false for bodies that
  /// never touch each other (obstacles): pairs of two such bodies are skipped.
  void add_body(int body, const geometry::Shape& shape, bool moving);
  void remove_body(int body);

  /// Place a body: x = F (X - reference) + position for all its pieces. `reach` (m) is how far beyond
  /// Settings::margin its surface may move within the coming step: pairs closer than
  /// margin + reach_a + reach_b are reported.
  /// Different bodies may be placed from different threads.
  void place(int body, const Mat3& F, const Vec3& reference, const Vec3& position, double reach);
  /// Place a deforming body by its points, in the order of its pieces: all vertices of a polyhedron, the centre
  /// of a sphere or ellipsoid. InputError when their number is not points(body).
  void place_points(int body, std::span<const Vec3> points, double reach);
  [[nodiscard]] int points(int body) const;

  /// No contacts between two bodies, or between the pieces that properly contain the referential points.
  void exclude_bodies(int body_a, int body_b);
  void exclude_pieces(int body_a, const Vec3& point_a, int body_b, const Vec3& point_b);
  /// No contacts between surfaces of these ids.
  void exclude_surfaces(int surface_a, int surface_b);
  void set_selfcontact(int body, bool on);
  /// Where flat faces of this body lie on others, report points of quadrature (ContactPoint::weighted) instead of corners: a rule exact for
  /// polynomials of this degree over each polygon of two faces, 2 or 3; 0, the default: corners.
  void set_face_degree(int body, int degree);
  /// Spheres of this body keep their radius when it is stretched (off by default: they become ellipsoids).
  void set_round_spheres(int body, bool on);

  /// Detect contacts of these pairs of bodies alone, given by id; none: of all. To be called again whenever the answer changes.
  void look_at(std::function<bool(int body_a, int body_b)> pairs);

  /// All contact points at the present placement, sorted by (body_a, body_b, piece_a, piece_b, feature): the
  /// order depends on the bodies' ids and geometry only, not on threads or on what was detected before.
  void detect(const Settings& settings, std::vector<ContactPoint>& contacts);

  [[nodiscard]] int pieces() const;
  /// Number within its body's shape of a piece named in the last detect(); valid until bodies are added or removed.
  [[nodiscard]] int local_piece(int piece) const;
  /// Centre and radius of the bounding ball of such a piece, m.
  [[nodiscard]] const Vec3& piece_centre(int piece) const;
  [[nodiscard]] double piece_radius(int piece) const;
  /// Its least width as made, m; infinite for an element with neighbours.
  [[nodiscard]] double piece_width(int piece) const;
  /// max n . x over such a piece as placed, m.
  [[nodiscard]] double piece_extent(int piece, const Vec3& n) const;
  [[nodiscard]] Box bounds(int body) const;  ///< current axis-aligned box of a body
  /// Seconds and counts of the last detect(): broad phase, narrow phase, candidate pairs.
  struct Statistics {
    double broad_seconds = 0.0, narrow_seconds = 0.0;
    long candidate_pairs = 0;
  };
  [[nodiscard]] const Statistics& statistics() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scree::collision
