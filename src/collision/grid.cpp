#include "collision/grid.hpp"

#include <array>
#include <cmath>

namespace scree::collision {

namespace {

constexpr int kMaxBits = 18;    // of a coordinate: three of them and the level fit into 64
constexpr int kMaxLevels = 64;  // about 2^60 between the finest and the coarsest box

constexpr double kWiden = 1.0 / (1 << 22);  // twice the rounding of single precision

double largest_extent(const Box& box) {
  return std::max({box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]});
}

/// Position of the doubling sequence of cell sides, in [0, 1): the one with the least sum of cell volume over box
/// volume, so that spheres of one size get cells of just that size.
double best_phase(const std::vector<double>& logs) {
  constexpr int kBins = 32;
  std::array<double, kBins> top{};
  std::array<int, kBins> count{};
  for (const double value : logs) {
    const double phase = value - std::floor(value);
    const int bin = std::min(kBins - 1, static_cast<int>(phase * kBins));
    ++count[bin];
    top[bin] = std::max(top[bin], phase);
  }
  double best = 0.0, least = kInfinity;
  for (int candidate = 0; candidate < kBins; ++candidate) {
    if (!count[candidate]) continue;
    double cost = 0.0;
    for (int bin = 0; bin < kBins; ++bin) {
      const int above = (candidate - bin + kBins) % kBins;
      cost += count[bin] * std::exp2(3.0 * above / kBins);
    }
    if (cost < least) least = cost, best = top[candidate];
  }
  return best;
}

}  // namespace

void Grid::choose_levels(std::span<const Box> boxes, std::span<const int> items) {
  // Extents and the box of all centres.
  thread_local std::vector<double> logs;
  logs.resize(items.size());
  Box centers;
  double largest = 0.0;
  for (const int item : items) {
    largest = std::max(largest, largest_extent(boxes[item]));
    centers.add(boxes[item].center());
  }
  if (largest <= 0.0) largest = 1.0;
  const double floor_extent = std::ldexp(largest, -kMaxLevels + 4);
  double least = kInfinity;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double extent = std::max(largest_extent(boxes[items[i]]), floor_extent);
    least = std::min(least, extent);
    logs[i] = std::log2(extent);
  }

  // Cell sides 2^(k + phase), a hair wider than the boxes they were chosen for.
  const double phase = best_phase(logs);
  const double exponent = std::ceil(std::log2(least) - phase - 1e-9);
  smallest_ = std::exp2(exponent + phase) * (1.0 + 1e-8);
  origin_ = centers.low;
  const double cells = centers.extent().maxCoeff() / smallest_ + 4.0;
  bits_ = std::clamp(static_cast<int>(std::ceil(std::log2(cells))), 2, kMaxBits);
  limit_ = (Key{1} << bits_) - 2;
  exact_ = kWiden * (centers.extent().maxCoeff() + largest) > 0.01 * smallest_;
}

void Grid::build(std::span<const Box> boxes, std::span<const int> items) {
  const std::size_t count = items.size();
  keys_.resize(count);
  items_.assign(items.begin(), items.end());
  rough_.resize(count);
  boxes_ = boxes;
  levels_.clear();
  if (count == 0) return;
  choose_levels(boxes, items);

  // Keys.
  std::array<int, kMaxLevels> population{};
  for (std::size_t i = 0; i < count; ++i) {
    const Box& box = boxes[items[i]];
    // Cells exceed their boxes by a little, so that rounding never puts touching boxes two cells apart.
    const double needed = largest_extent(box) * (1.0 + 1e-9);
    int level = needed <= smallest_ ? 0 : std::ilogb(needed / smallest_);
    while (std::ldexp(smallest_, level) < needed) ++level;
    const double cell = std::ldexp(smallest_, level);
    const Vec3 center = box.center();
    const Level at{cell, 0, 0, static_cast<Key>(level) << (3 * bits_)};
    keys_[i] = key(at, coordinate(center[0], 0, cell), coordinate(center[1], 1, cell), coordinate(center[2], 2, cell));
    ++population[level];
  }
  sort_keys();

  // Boxes in the order of the keys, and the runs of the levels.
  for (std::size_t i = 0; i < count; ++i) rough_[i] = coarse(boxes[items_[i]]);
  int first = 0;
  for (int level = 0; level < kMaxLevels; ++level) {
    if (!population[level]) continue;
    levels_.push_back({std::ldexp(smallest_, level), first, first + population[level],
                       static_cast<Key>(level) << (3 * bits_)});
    first += population[level];
  }
}

CoarseBox Grid::coarse(const Box& box) const {
  // Conversion rounds to nearest: widen by more than that.
  CoarseBox rough;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = box.low[axis] - origin_[axis], high = box.high[axis] - origin_[axis];
    rough.low[axis] = static_cast<float>(low - kWiden * std::abs(low));
    rough.high[axis] = static_cast<float>(high + kWiden * std::abs(high));
  }
  return rough;
}

void Grid::sort_keys() {
  // Least digit first, 11 bits a pass; digits in which all keys agree are skipped.
  constexpr int kDigit = 11;
  constexpr Key kMask = (Key{1} << kDigit) - 1;
  const std::size_t count = keys_.size();
  key_buffer_.resize(count);
  item_buffer_.resize(count);
  Key differing = 0;
  for (const Key k : keys_) differing |= k ^ keys_[0];
  std::array<int, std::size_t{1} << kDigit> start;
  for (int shift = 0; shift < 64; shift += kDigit) {
    if (((differing >> shift) & kMask) == 0) continue;
    start.fill(0);
    for (const Key k : keys_) ++start[(k >> shift) & kMask];
    int sum = 0;
    for (int& s : start) {
      const int n = s;
      s = sum;
      sum += n;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const int to = start[(keys_[i] >> shift) & kMask]++;
      key_buffer_[to] = keys_[i];
      item_buffer_[to] = items_[i];
    }
    keys_.swap(key_buffer_);
    items_.swap(item_buffer_);
  }
}

}  // namespace scree::collision
