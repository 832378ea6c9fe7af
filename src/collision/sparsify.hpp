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

/// Remove, within every pair of bodies, a point whose area is below threshold times the area of a point between
/// adjacent pieces, and all but the largest of points that coincide (to 1e-6 of the piece size), which takes
/// over the area of the others. Points
/// of one pair of pieces are never compared: a manifold stays whole. `contacts` is sorted by
/// (body_a, body_b, piece_a, piece_b) and stays so. Points of quadrature are left alone. A threshold of 0 leaves everything.
void sparsify(const PieceStore& store, double threshold, std::vector<ContactPoint>& contacts, SparsifyScratch& scratch);

}  // namespace scree::collision
