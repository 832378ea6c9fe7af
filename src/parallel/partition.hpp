/// Which part of space belongs to which rank: boxes cut by recursive bisection of coordinates.
#pragma once

#include <span>
#include <vector>

#include "core/vec.hpp"

namespace scree::parallel {

/// Space of one rank: low <= x < high. Outer boxes reach to infinity.
struct Cell {
  Vec3 low = Vec3::Constant(-kInfinity);
  Vec3 high = Vec3::Constant(kInfinity);

  [[nodiscard]] bool contains(const Vec3& x) const { return (x.array() >= low.array()).all() && (x.array() < high.array()).all(); }
};

/// Cuts space so that every part has about the same weight.
class Partitioner {
 public:
  virtual ~Partitioner() = default;
  /// Cells of `parts` ranks. Collective; all arrays are the same on every rank, so is the answer. `owner` says who speaks for a point.
  virtual std::vector<Cell> cut(std::span<const Vec3> points, std::span<const double> weights, std::span<const int> owner, int parts) = 0;
};

/// Bisection of the longest extent, made by every rank for itself.
class Bisection final : public Partitioner {
 public:
  std::vector<Cell> cut(std::span<const Vec3> points, std::span<const double> weights, std::span<const int> owner, int parts) override;
};

/// A body as far as it decides whose contacts are: its rank (-1: an obstacle), unknowns and number.
struct Side {
  int rank = -1, unknowns = 0, id = -1;
};

/// The rank that has the contacts of two bodies: the mover's against an obstacle, that of the one with more unknowns, or else, by the parity of the sum of their numbers,
/// that of the first or the second.
[[nodiscard]] int rank_of_pair(const Side& a, const Side& b);

/// Number of the cell that holds x; one of the cells where rounding has left a gap between them.
[[nodiscard]] int locate(std::span<const Cell> cells, const Vec3& x);

}  // namespace scree::parallel
