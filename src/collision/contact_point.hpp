/// What contact detection produces.
#pragma once

#include <cstdint>

#include "core/vec.hpp"

namespace scree::collision {

/// One point of contact between two convex pieces. `normal` is a unit vector pointing from body a
/// (the first) to body b, so that moving b along it separates them:  U_N = n . (v_b - v_a) > 0.
struct ContactPoint {
  int piece_a = -1, piece_b = -1;  ///< indices of pieces in the world
  int body_a = -1, body_b = -1;    ///< owners, body_a's id < body_b's id
  std::uint64_t feature = 0;       ///< stable from step to step while the same features touch
  Vec3 point = Vec3::Zero();       ///< spatial point, midway between the two surfaces
  Vec3 normal = Vec3::UnitZ();
  double gap = 0.0;                ///< distance along the normal, < 0 for overlap, m
  double area = 0.0;               ///< share of the overlap (or facing) area, m^2
  int surface_a = 0, surface_b = 0;  ///< surface ids of the faces in touch
  bool weighted = false;             ///< a point of quadrature over faces, its weight in `area`; many make a contact
};

}  // namespace scree::collision
