/// Proof that no direction parts two convex pieces by more than a given gap, independent of the code it judges.
///
/// With h the support function of A - B, s(n) = -h(n), and for every point x of A - B h(n) >= x.n. In a cell of directions about m
/// x.n is least where n leans away from x: the points that end A - B along the middle and the corners of the cell, and the
/// point of their convex hull that leans least, bound h in the cell from below. Cells whose bound is not good enough are divided.
#pragma once

#include <array>
#include <vector>

#include "shapes.hpp"

namespace scree::collision::testing {

class Certificate {
 public:
  enum class Verdict { proved, refuted, open };

  Certificate(const Placed& a, const Placed& b) : a_(a), b_(b) {}

  /// Is max s(n) <= gap + tolerance? Open when `most` cells do not decide.
  Verdict no_farther(double gap, double tolerance, int most = 200000) {
    std::vector<Cell> cells;
    for (const double x : {1.0, -1.0})
      for (const double y : {1.0, -1.0})
        for (const double z : {1.0, -1.0}) cells.push_back({x * Vec3::UnitX(), y * Vec3::UnitY(), z * Vec3::UnitZ()});
    for (int done = 0; !cells.empty(); ++done) {
      if (done == most) return Verdict::open;
      const Cell cell = cells.back();
      cells.pop_back();
      const Vec3 m = (cell[0] + cell[1] + cell[2]).normalized();
      const std::array<Vec3, 4> x{point(m), point(cell[0]), point(cell[1]), point(cell[2])};
      if (-m.dot(x[0]) > gap + tolerance) {
        found = m;
        return Verdict::refuted;
      }
      if (least(cell, m, x) >= -gap - tolerance) continue;
      const Vec3 p = (cell[0] + cell[1]).normalized(), q = (cell[1] + cell[2]).normalized(), r = (cell[2] + cell[0]).normalized();
      cells.insert(cells.end(), {Cell{cell[0], p, r}, Cell{p, cell[1], q}, Cell{r, q, cell[2]}, Cell{p, q, r}});
    }
    return Verdict::proved;
  }

  Vec3 found = Vec3::Zero();  ///< what refuted

 private:
  using Cell = std::array<Vec3, 3>;

  /// Point of A - B farthest along n.
  [[nodiscard]] Vec3 point(const Vec3& n) const { return a_.support(n) - b_.support(-n); }

  /// The least that h can be in the cell.
  [[nodiscard]] static double least(const Cell& cell, const Vec3& m, const std::array<Vec3, 4>& x) {
    double sine = 0.0;
    for (const Vec3& corner : cell) sine = std::max(sine, m.cross(corner).norm());
    const double cosine = std::sqrt(1.0 - sine * sine);
    double best = -kInfinity;
    const auto judge = [&](const Vec3& y) { best = std::max(best, m.dot(y) * cosine - (y - m * m.dot(y)).norm() * sine); };
    const auto aside = [&](const Vec3& y) { return Vec3(y - m * m.dot(y)); };
    for (int i = 0; i < 4; ++i) {
      judge(x[i]);
      for (int j = 0; j < i; ++j) {
        const Vec3 u = aside(x[i]), d = aside(x[j]) - u;
        const double square = d.squaredNorm(), t = square > 0.0 ? std::clamp(-u.dot(d) / square, 0.0, 1.0) : 0.0;
        judge(x[i] + t * (x[j] - x[i]));
        for (int k = 0; k < j; ++k) {
          // Does the axis pass through the triangle?
          const Vec3 v = aside(x[j]), w = aside(x[k]);
          const double p = m.dot(v.cross(w)), q = m.dot(w.cross(u)), r = m.dot(u.cross(v)), sum = p + q + r;
          if (sum != 0.0 && p / sum >= 0.0 && q / sum >= 0.0 && r / sum >= 0.0) judge((p * x[i] + q * x[j] + r * x[k]) / sum);
        }
      }
    }
    return best;
  }

  Placed a_, b_;
};

}  // namespace scree::collision::testing
