#include "pictures/render_tree.hpp"

#include <algorithm>
#include <numeric>

namespace scree::pictures {
namespace {

constexpr int kLeaf = 3;       // surfaces a leaf
constexpr int kBins = 16;      // places tried for a split
constexpr int kDepth = 60;     // deeper than that halves are taken, which bounds the stack

double half_area(const Box& box) {
  const Vec3 e = box.extent();
  return e.x() * e.y() + e.y() * e.z() + e.z() * e.x();
}

// First root beyond `low` of  a t^2 + 2 b t + c = 0.
double first_root(double a, double b, double c, double low, double high) {
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0) return high;
  const double root = std::sqrt(discriminant);
  const double t0 = (-b - root) / a;
  if (t0 > low) return std::min(t0, high);
  const double t1 = (-b + root) / a;
  return t1 > low ? std::min(t1, high) : high;
}

double meet_triangle(const Surface& s, const Ray& ray, double low, double high) {
  const Vec3 p = ray.direction.cross(s.b);
  const double determinant = s.a.dot(p);
  if (determinant == 0.0) return high;
  const double inverse = 1.0 / determinant;
  const Vec3 to = ray.origin - s.origin;
  const double u = to.dot(p) * inverse;
  if (!(u >= 0.0 && u <= 1.0)) return high;
  const Vec3 q = to.cross(s.a);
  const double v = ray.direction.dot(q) * inverse;
  if (!(v >= 0.0 && u + v <= 1.0)) return high;
  const double t = s.b.dot(q) * inverse;
  return t > low && t < high ? t : high;
}

double meet_ball(const Vec3& center, double radius, const Ray& ray, double low, double high) {
  const Vec3 to = ray.origin - center;
  return first_root(1.0, to.dot(ray.direction), to.squaredNorm() - radius * radius, low, high);
}

// The rod between its ends, then the balls that close it.
double meet_capsule(const Surface& s, const Ray& ray, double low, double high) {
  const double length = s.a.squaredNorm();
  const Vec3 to = ray.origin - s.origin;
  const double along = s.a.dot(ray.direction), start = s.a.dot(to);
  const double a = length - along * along, b = length * to.dot(ray.direction) - start * along;
  const double c = length * (to.squaredNorm() - s.size * s.size) - start * start;
  double best = high;
  if (a > 1e-12 * length) {
    const double t = first_root(a, b, c, low, high), y = start + t * along;
    if (t < high && y > 0.0 && y < length) best = t;
  }
  best = std::min(best, meet_ball(s.origin, s.size, ray, low, high));
  return std::min(best, meet_ball(s.origin + s.a, s.size, ray, low, high));
}

}  // namespace

Box Surface::bounds() const {
  Box box;
  if (kind == SurfaceKind::triangle) {
    box.add(origin);
    box.add(Vec3(origin + a));
    box.add(Vec3(origin + b));
  } else if (kind == SurfaceKind::ellipsoid) {
    // x = origin + M^-1 s, |s| <= 1: the extent along k is the norm of row k of M^-1.
    Mat3 m;
    m << a.transpose(), b.transpose(), c.transpose();
    const Vec3 half = m.inverse().rowwise().norm();
    box.add(Vec3(origin - half));
    box.add(Vec3(origin + half));
  } else {
    box.add(origin);
    if (kind == SurfaceKind::capsule) box.add(Vec3(origin + a));
    box.grow(size);
  }
  return box;
}

Vec3 Surface::normal(const Vec3& point) const {
  switch (kind) {
    case SurfaceKind::sphere: return (point - origin).normalized();
    case SurfaceKind::triangle: return c;
    case SurfaceKind::ellipsoid: {
      const Vec3 to = point - origin;
      return (a * a.dot(to) + b * b.dot(to) + c * c.dot(to)).normalized();
    }
    case SurfaceKind::capsule: {
      const double length = a.squaredNorm();
      const double t = length > 0.0 ? std::clamp(a.dot(point - origin) / length, 0.0, 1.0) : 0.0;
      return (point - origin - t * a).normalized();
    }
  }
  return Vec3::UnitZ();
}

double meet(const Surface& s, const Ray& ray, double low, double high) {
  switch (s.kind) {
    case SurfaceKind::sphere: return meet_ball(s.origin, s.size, ray, low, high);
    case SurfaceKind::triangle: return meet_triangle(s, ray, low, high);
    case SurfaceKind::capsule: return meet_capsule(s, ray, low, high);
    case SurfaceKind::ellipsoid: {
      const Vec3 to = ray.origin - s.origin, &d = ray.direction;
      const Vec3 o(s.a.dot(to), s.b.dot(to), s.c.dot(to)), e(s.a.dot(d), s.b.dot(d), s.c.dot(d));
      return first_root(e.squaredNorm(), o.dot(e), o.squaredNorm() - 1.0, low, high);
    }
  }
  return high;
}

SurfaceTree::SurfaceTree(std::vector<Surface> surfaces) : surfaces_(std::move(surfaces)) {
  if (!surfaces_.empty()) build();
}

void SurfaceTree::build() {
  std::vector<Box> boxes;
  for (const Surface& surface : surfaces_) {
    boxes.push_back(surface.bounds());
    // Boxes are kept in single precision: widen them by more than its rounding.
    boxes.back().grow(1e-6 + 1e-6 * std::max(boxes.back().low.cwiseAbs().maxCoeff(), boxes.back().high.cwiseAbs().maxCoeff()));
  }
  std::vector<int> order(surfaces_.size());
  std::iota(order.begin(), order.end(), 0);
  nodes_.reserve(2 * surfaces_.size());
  nodes_.push_back({});
  nodes_[0].count = static_cast<int>(order.size());
  split(0, boxes, order, 0);
  std::vector<Surface> sorted;
  sorted.reserve(surfaces_.size());
  for (const int i : order) sorted.push_back(surfaces_[i]);
  surfaces_ = std::move(sorted);
}

void SurfaceTree::split(int index, std::vector<Box>& boxes, std::vector<int>& order, int depth) {
  const int first = nodes_[index].first, count = nodes_[index].count;
  const auto box_of = [&](int i) -> const Box& { return boxes[order[i]]; };
  Box whole, centers;
  for (int i = first; i < first + count; ++i) {
    whole.add(box_of(i));
    centers.add(box_of(i).center());
  }
  for (int k = 0; k < 3; ++k) {
    nodes_[index].low[k] = static_cast<float>(whole.low[k]);
    nodes_[index].high[k] = static_cast<float>(whole.high[k]);
  }
  if (count <= kLeaf) return;

  // Cheapest of the bin borders along the widest axis of the centres.
  int axis = 0;
  const double width = centers.extent().maxCoeff(&axis);
  const auto begin = order.begin() + first, end = begin + count;
  auto middle = begin + count / 2;
  const auto bin_of = [&](int i) {
    const double place = (boxes[i].center()[axis] - centers.low[axis]) / width;
    return std::min(kBins - 1, static_cast<int>(kBins * place));
  };
  if (width > 0.0 && depth < kDepth) {
    std::array<Box, kBins> bins, right;
    std::array<int, kBins> fill{};
    for (auto it = begin; it != end; ++it) {
      bins[bin_of(*it)].add(boxes[*it]);
      ++fill[bin_of(*it)];
    }
    right[kBins - 1] = bins[kBins - 1];
    for (std::size_t k = kBins - 1; k-- > 0;) {
      right[k] = bins[k];
      right[k].add(right[k + 1]);
    }
    double best = kInfinity;
    int border = 0, passed = 0;
    Box left;
    for (int k = 0; k + 1 < kBins; ++k) {
      left.add(bins[k]);
      passed += fill[k];
      if (passed == 0 || passed == count) continue;
      const double cost = passed * half_area(left) + (count - passed) * half_area(right[static_cast<std::size_t>(k) + 1]);
      if (cost < best) {
        best = cost;
        border = k + 1;
      }
    }
    middle = std::stable_partition(begin, end, [&](int i) { return bin_of(i) < border; });
  } else if (width > 0.0) {
    std::nth_element(begin, middle, end, [&](int i, int j) { return boxes[i].center()[axis] < boxes[j].center()[axis]; });
  }

  const int left_count = static_cast<int>(middle - begin), child = static_cast<int>(nodes_.size());
  nodes_[index].first = child;
  nodes_[index].count = 0;
  nodes_.push_back({{}, {}, first, left_count});
  nodes_.push_back({{}, {}, first + left_count, count - left_count});
  split(child, boxes, order, depth + 1);
  split(child + 1, boxes, order, depth + 1);
}

}  // namespace scree::pictures
