/// Which pairs of pieces, and which surfaces, may touch.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include "collision/piece_store.hpp"

namespace scree::collision {

class PairRules {
 public:
  void exclude_bodies(int id_a, int id_b) { bodies_.insert(ordered(id_a, id_b)); }
  /// Pieces are named by their number within the body.
  void exclude_pieces(int id_a, int local_a, int id_b, int local_b);
  void exclude_surfaces(int surface_a, int surface_b) { surfaces_.insert(ordered(surface_a, surface_b)); }
  /// Look at these pairs of bodies alone, given by id; none: at all.
  void look_at(std::function<bool(int id_a, int id_b)> pairs) { looked_at_ = std::move(pairs); }
  /// Forget what concerns a removed body.
  void forget_body(int id);

  /// May pieces a and b of the store touch?
  [[nodiscard]] bool allowed(const PieceStore& store, int a, int b) const {
    const int slot_a = store.slot_of(a), slot_b = store.slot_of(b);
    const BodyEntry& body_a = store.body(slot_a);
    const BodyEntry& body_b = store.body(slot_b);
    if (!(body_a.moving || body_b.moving) || !store.exposed(a) || !store.exposed(b)) return false;
    if (slot_a == slot_b && (!body_a.selfcontact || store.are_adjacent(a, b))) return false;
    if (looked_at_ && !looked_at_(body_a.id, body_b.id)) return false;
    return (bodies_.empty() && pieces_.empty()) || !listed(store, a, b);
  }
  [[nodiscard]] bool surfaces_allowed(int surface_a, int surface_b) const {
    return surfaces_.empty() || surfaces_.count(ordered(surface_a, surface_b)) == 0;
  }

 private:
  static std::pair<int, int> ordered(int a, int b) { return a < b ? std::pair{a, b} : std::pair{b, a}; }
  [[nodiscard]] bool listed(const PieceStore& store, int a, int b) const;

  std::set<std::pair<int, int>> bodies_, surfaces_;
  std::function<bool(int, int)> looked_at_;
  std::set<std::array<int, 4>> pieces_;  ///< body, piece, body, piece; lower first
};

}  // namespace scree::collision
