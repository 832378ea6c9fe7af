/// Which bodies overlap, from the contact points of a detection.
#pragma once

#include <vector>

#include "collision/contact_point.hpp"

namespace scree::collision {

/// Two bodies and how deep they are in each other.
struct Overlap {
  int body_a = -1, body_b = -1;  ///< body_a's id < body_b's id
  double depth = 0.0;            ///< of the deepest point, m
  Vec3 point = Vec3::Zero();     ///< where that is
};

/// Pairs of bodies that overlap by more than `tolerance` (m), deepest first; of equal ones in the order of their ids.
/// `contacts` is sorted by bodies, as World::detect leaves it.
[[nodiscard]] std::vector<Overlap> overlaps(const std::vector<ContactPoint>& contacts, double tolerance);

}  // namespace scree::collision
