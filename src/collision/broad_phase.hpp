/// Broad phase: the pairs of pieces whose boxes overlap, kept from call to call.
///
/// Every piece has a fat box: its tight box grown by half the margin, its body's reach and a skin. Pairs
/// of overlapping fat boxes are kept in order; while no tight box leaves its fat box they stay valid and
/// cost nothing. Two spheres must in addition be near enough to meet within their fat boxes. Pieces that left get a new fat box and are looked up alone in the grid; when many have
/// left since the last build, everything is built anew. The pairs are a superset of what touches: which
/// of them touch does not depend on what happened in earlier calls.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "collision/grid.hpp"
#include "collision/pair_rules.hpp"
#include "collision/piece_store.hpp"

namespace scree::collision {

/// Two pieces, a < b, ordered by their bodies first.
struct PiecePair {
  std::uint64_t bodies = 0;  ///< slot of a's body, slot of b's body
  int a = 0, b = 0;

  friend auto operator<=>(const PiecePair&, const PiecePair&) = default;
};

class BroadPhase {
 public:
  /// Forget everything: bodies or rules have changed.
  void reset() { built_ = false; }

  /// Candidate pairs for the present placement, sorted. Every allowed pair whose tight boxes, grown by
  /// half the margin and the reach of its body, overlap is among them.
  const std::vector<PiecePair>& update(const PieceStore& store, const PairRules& rules, double margin);

 private:
  void build(const PieceStore& store, const PairRules& rules, double margin);
  void amend(const PieceStore& store, const PairRules& rules, double margin);
  void find_escaped(const PieceStore& store, double margin);
  [[nodiscard]] Box fat_box(const PieceStore& store, int piece, double margin) const;
  /// Can p and q touch while both stay within their fat boxes, and may they?
  [[nodiscard]] bool keep(const PieceStore& store, const PairRules& rules, int p, int q) const;
  void sort_pairs(const PieceStore& store);

  bool built_ = false;
  std::vector<Box> fat_;
  std::vector<std::uint8_t> round_;         ///< 1: was a sphere when its fat box was made
  std::vector<int> everything_;             ///< exposed pieces
  std::vector<std::uint8_t> stale_;         ///< 1: left its fat box since the last build
  std::vector<std::uint8_t> left_;          ///< 1: left in this call
  std::vector<int> escaped_, strays_;       ///< left now, left since the last build
  Grid grid_, stray_grid_;
  std::vector<PiecePair> pairs_, fresh_, merged_;
  std::vector<std::vector<PiecePair>> chunks_;
  std::vector<int> bucket_;
};

}  // namespace scree::collision
