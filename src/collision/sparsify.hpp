/// Thinning of contact points between bodies made of many pieces.
#pragma once

#include <cstdint>
#include <vector>

#include "collision/contact_point.hpp"
#include "collision/piece_store.hpp"

namespace scree::collision {

/// Buffers kept from call to call.
struct SparsifyScratch {
  std::vector<std::uint8_t> removed;
  std::vector<int> order;
};

/// What goes: see sparsify().
struct Thinning {
  double threshold = 0.0;     ///< ratio of areas; 0 and no min_distance leaves the points of different pieces alone
  double min_area = 0.0;      ///< m^2
  double min_distance = 0.0;  ///< m
};

/// Remove, within every pair of bodies, a point whose area is below threshold times the area of a point between
/// adjacent pieces, and all but the largest of points that coincide (to 1e-6 of the piece size, or to min_distance), which takes
/// over the area of the others. Points
/// of one pair of pieces are never compared: a manifold stays whole. Manifolds of two polyhedra whose areas sum up to less than min_area
/// go. `contacts` is sorted by
/// (body_a, body_b, piece_a, piece_b) and stays so. Points of quadrature are left alone.
void sparsify(const PieceStore& store, const Thinning& thinning, std::vector<ContactPoint>& contacts, SparsifyScratch& scratch);

}  // namespace scree::collision
