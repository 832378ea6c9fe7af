/// Hierarchical grid over axis-aligned boxes, kept as sorted arrays.
///
/// A box of largest extent e sits in the cell of its centre on the level whose cells are the smallest
/// with side >= e; sides double from level to level. Two boxes of one level that overlap are then in
/// neighbouring cells, and a small box finds a larger one in a few cells of the larger one's level. Entries
/// are sorted by (level, z, y, x), so that three neighbouring cells along x are one run of the array
/// and the pairs of a level come out of one pass with five moving fingers. Boxes are tested in single precision,
/// rounded outward, and again exactly where rounding is not small against the cells. Building is O(n), finding pairs O(n + pairs) for a bounded number of
/// boxes a cell, whatever the ratio of sizes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/vec.hpp"

namespace scree::collision {

[[nodiscard]] inline bool boxes_overlap(const Box& p, const Box& q) {
  return (p.low[0] <= q.high[0]) & (q.low[0] <= p.high[0]) & (p.low[1] <= q.high[1]) & (q.low[1] <= p.high[1]) &
         (p.low[2] <= q.high[2]) & (q.low[2] <= p.high[2]);
}

/// A box in single precision that contains the exact one.
struct alignas(32) CoarseBox {
  float low[4] = {}, high[4] = {};
};

[[nodiscard]] inline bool boxes_overlap(const CoarseBox& p, const CoarseBox& q) {
#if defined(__SSE2__)
  const __m128 below = _mm_cmple_ps(_mm_load_ps(p.low), _mm_load_ps(q.high));
  const __m128 above = _mm_cmple_ps(_mm_load_ps(q.low), _mm_load_ps(p.high));
  return _mm_movemask_ps(_mm_and_ps(below, above)) == 15;
#else
  return (p.low[0] <= q.high[0]) & (q.low[0] <= p.high[0]) & (p.low[1] <= q.high[1]) & (q.low[1] <= p.high[1]) &
         (p.low[2] <= q.high[2]) & (q.low[2] <= p.high[2]);
#endif
}

class Grid {
 public:
  /// Sort the given items of `boxes` into cells. Memory is kept from build to build; `boxes` is read by the
  /// queries below and must stay.
  void build(std::span<const Box> boxes, std::span<const int> items);

  [[nodiscard]] int size() const { return static_cast<int>(keys_.size()); }

  /// found(p, q) for every overlapping pair (and perhaps some that miss each other by a rounding) whose finer (or, on one level, earlier) entry is in
  /// [first, last); over all entries each pair comes once. p and q are items.
  template <class Found>
  void pairs(int first, int last, Found&& found) const;

  /// found(item) for every item whose box overlaps the given one.
  template <class Found>
  void query(const Box& box, Found&& found) const;

 private:
  using Key = std::uint64_t;
  struct Level {
    double cell = 1.0;
    int first = 0, last = 0;
    Key base = 0;
  };
  static constexpr int kScan = 16;  ///< levels of fewer entries are scanned, not searched

  void choose_levels(std::span<const Box> boxes, std::span<const int> items);
  void sort_keys();
  [[nodiscard]] Key coordinate(double x, int axis, double cell) const {
    const double c = (x - origin_[axis]) / cell;
    return c > 0.0 ? std::min(static_cast<Key>(std::min(c, 1e15)) + 1, limit_) : 1;
  }
  [[nodiscard]] Key key(const Level& level, Key x, Key y, Key z) const {
    return level.base | (z << (2 * bits_)) | (y << bits_) | x;
  }
  [[nodiscard]] CoarseBox coarse(const Box& box) const;
  template <class Found>
  void query_level(const Level& level, const Box& box, const CoarseBox& rough, Found&& found) const;
  /// found(j) for the entries of the run [first, ...) with keys up to `last` that overlap.
  template <class Found>
  void scan_run(int first, int end, Key last, const Box& box, const CoarseBox& rough, Found&& found) const;

  Vec3 origin_ = Vec3::Zero();
  double smallest_ = 1.0;  ///< cell side of level 0
  int bits_ = 1;           ///< of one coordinate in a key
  Key limit_ = 1;          ///< largest coordinate
  bool exact_ = false;     ///< single precision is too coarse here
  std::vector<Level> levels_;  ///< occupied ones, finest first
  std::vector<Key> keys_, key_buffer_;
  std::vector<int> items_, item_buffer_;
  std::vector<CoarseBox> rough_;  ///< in the order of the keys
  std::span<const Box> boxes_;    ///< of the items
};

template <class Found>
void Grid::scan_run(int first, int end, Key last, const Box& box, const CoarseBox& rough, Found&& found) const {
  // Hits are few and irregular: collect them without branching, then report them.
  constexpr int kBatch = 64;
  int hits[kBatch];
  while (first < end && keys_[first] <= last) {
    int count = 0;
    const int stop = std::min(end, first + kBatch);
    int j = first;
    for (; j < stop && keys_[j] <= last; ++j) {
      hits[count] = j;
      count += boxes_overlap(rough, rough_[j]);
    }
    for (int k = 0; k < count; ++k) {
      const int item = items_[hits[k]];
      if (!exact_ || boxes_overlap(box, boxes_[item])) found(item);
    }
    first = j;
  }
}

template <class Found>
void Grid::pairs(int first, int last, Found&& found) const {
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Level& level = levels_[l];
    const int begin = std::max(first, level.first), end = std::min(last, level.last);
    if (begin >= end) continue;

    // Rows ahead of (y, z): (y+1, z), (y-1, z+1), (y, z+1), (y+1, z+1), as offsets of keys.
    const Key row = Key{1} << bits_, slab = Key{1} << (2 * bits_);
    const Key ahead[4] = {row, slab - row, slab, slab + row};
    int finger[4];
    for (int k = 0; k < 4; ++k)
      finger[k] = static_cast<int>(std::lower_bound(keys_.begin() + level.first, keys_.begin() + level.last,
                                                    keys_[begin] + ahead[k] - 1) - keys_.begin());
    for (int i = begin; i < end; ++i) {
      const int item = items_[i];
      const Box& box = boxes_[item];
      const CoarseBox& rough = rough_[i];
      const Key here = keys_[i];
      const auto pair = [&](int other) { found(item, other); };
      scan_run(i + 1, level.last, here + 1, box, rough, pair);
      for (int k = 0; k < 4; ++k) {
        const Key low = here + ahead[k] - 1;
        while (finger[k] < level.last && keys_[finger[k]] < low) ++finger[k];
        scan_run(finger[k], level.last, low + 2, box, rough, pair);
      }
      for (std::size_t coarser = l + 1; coarser < levels_.size(); ++coarser)
        query_level(levels_[coarser], box, rough, pair);
    }
  }
}

template <class Found>
void Grid::query(const Box& box, Found&& found) const {
  const CoarseBox rough = coarse(box);
  for (const Level& level : levels_) query_level(level, box, rough, found);
}

template <class Found>
void Grid::query_level(const Level& level, const Box& box, const CoarseBox& rough, Found&& found) const {
  const int count = level.last - level.first;
  const auto scan = [&] { scan_run(level.first, level.last, ~Key{0}, box, rough, found); };
  if (count <= kScan) return scan();

  // Centres of boxes that can overlap lie within half a cell of this box.
  const double half = 0.5 * level.cell;
  Key low[3], high[3];
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] = coordinate(box.low[axis] - half, axis, level.cell);
    high[axis] = coordinate(box.high[axis] + half, axis, level.cell);
  }
  if ((high[1] - low[1] + 1) * (high[2] - low[2] + 1) > static_cast<Key>(count) / 4) return scan();
  for (Key z = low[2]; z <= high[2]; ++z) {
    for (Key y = low[1]; y <= high[1]; ++y) {
      const auto at = std::lower_bound(keys_.begin() + level.first, keys_.begin() + level.last, key(level, low[0], y, z));
      scan_run(static_cast<int>(at - keys_.begin()), level.last, key(level, high[0], y, z), box, rough, found);
    }
  }
}

}  // namespace scree::collision
