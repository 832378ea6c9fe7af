#include "parallel/partition.hpp"

#include <algorithm>
#include <numeric>

namespace scree::parallel {

namespace {

/// Cut the points `chosen` of a cell into parts first .. first + parts - 1.
void bisect(std::span<const Vec3> points, std::span<const double> weights, std::span<int> chosen, const Cell& cell, int first, int parts,
            std::vector<Cell>& cells) {
  if (parts == 1) {
    cells[first] = cell;
    return;
  }
  const auto at = [&](int k) -> const Vec3& { return points[k]; };
  Vec3 low = Vec3::Constant(kInfinity), high = -low;
  for (const int k : chosen) low = low.cwiseMin(at(k)), high = high.cwiseMax(at(k));
  int axis = 0;
  if (!chosen.empty()) (high - low).maxCoeff(&axis);
  std::ranges::sort(chosen, [&](int a, int b) { return std::pair(at(a)[axis], a) < std::pair(at(b)[axis], b); });

  // As much weight on the left as its parts are of all; points at the same place stay together.
  const int left = parts / 2;
  double total = 0.0, sum = 0.0;
  for (const int k : chosen) total += weights[k];
  std::size_t n = 0;
  const double wanted = total * left / parts;
  while (n < chosen.size() && sum + 0.5 * weights[chosen[n]] < wanted) sum += weights[chosen[n++]];
  while (n > 0 && n < chosen.size() && at(chosen[n])[axis] == at(chosen[n - 1])[axis]) ++n;
  double plane = 0.0;
  if (n == 0 || n == chosen.size()) plane = chosen.empty() ? 0.0 : n == 0 ? at(chosen.front())[axis] : std::nextafter(at(chosen.back())[axis], kInfinity);
  else plane = std::max(0.5 * (at(chosen[n - 1])[axis] + at(chosen[n])[axis]), std::nextafter(at(chosen[n - 1])[axis], kInfinity));

  Cell lower = cell, upper = cell;
  lower.high[axis] = upper.low[axis] = plane;
  bisect(points, weights, chosen.first(n), lower, first, left, cells);
  bisect(points, weights, chosen.subspan(n), upper, first + left, parts - left, cells);
}

}  // namespace

std::vector<Cell> Bisection::cut(std::span<const Vec3> points, std::span<const double> weights, std::span<const int>, int parts) {
  std::vector<Cell> cells(parts);
  std::vector<int> all(points.size());
  std::iota(all.begin(), all.end(), 0);
  bisect(points, weights, all, Cell{}, 0, parts, cells);
  return cells;
}

int rank_of_pair(const Side& a, const Side& b) {
  if (a.rank < 0 || b.rank < 0) return std::max(a.rank, b.rank);
  if (a.unknowns != b.unknowns) return a.unknowns > b.unknowns ? a.rank : b.rank;
  return (a.id + b.id) % 2 == 0 ? a.rank : b.rank;
}

int locate(std::span<const Cell> cells, const Vec3& x) {
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (cells[k].contains(x)) return static_cast<int>(k);
  return 0;
}

}  // namespace scree::parallel
