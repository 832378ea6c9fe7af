#include "geometry/checks.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"

namespace scree::geometry {

std::string text(const Vec3& v) { return fmt::format("({:g}, {:g}, {:g})", v.x(), v.y(), v.z()); }

std::string text(std::span<const int> list) { return fmt::format("{}", fmt::join(list, " ")); }

double check_points(std::string_view what, std::string_view noun, std::span<const Vec3> points) {
  Box box;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_finite(points[i])) throw_input("{}: {} {} is {}: coordinates must be finite numbers", what, noun, i, text(points[i]));
    box.add(points[i]);
  }
  const double reach = std::max(box.low.cwiseAbs().maxCoeff(), box.high.cwiseAbs().maxCoeff());
  if (reach > kLongest) throw_input("{}: a {} lies {:g} m from the origin, more than {:g} m: check the units", what, noun, reach, kLongest);
  const double size = box.extent().norm();
  if (size < kShortest) throw_input("{}: all {} points coincide at {}: they enclose no volume", what, points.size(), text(box.low));
  if (reach > kFarthest * size) {
    throw_input("{}: the shape is {:g} m large but {:g} m from the origin: coordinates cannot resolve it, move it closer", what, size, reach);
  }
  return size;
}

void check_length(std::string_view what, std::string_view name, double value) {
  if (!(value > 0.0)) throw_input("{}: {} is {:g}: it must be positive", what, name, value);
  if (value < kShortest || value > kLongest) {
    throw_input("{}: {} is {:g} m, outside [{:g}, {:g}] m: check the units", what, name, value, kShortest, kLongest);
  }
}

void check_finite(std::string_view what, std::string_view name, const Vec3& value) {
  if (!is_finite(value)) throw_input("{}: {} is {}: its components must be finite numbers", what, name, text(value));
  if (value.cwiseAbs().maxCoeff() > kLongest) throw_input("{}: {} is {}, beyond {:g} m: check the units", what, name, text(value), kLongest);
}

std::vector<int> coincident_points(std::span<const Vec3> points, double distance) {
  const int count = static_cast<int>(points.size());
  std::vector<int> first(points.size()), order(points.size());
  std::iota(first.begin(), first.end(), 0);
  std::iota(order.begin(), order.end(), 0);

  // Sweep along the longest side of the bounding box.
  Box box;
  for (const Vec3& p : points) box.add(p);
  int axis = 0;
  if (count > 0) box.extent().maxCoeff(&axis);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return points[a][axis] != points[b][axis] ? points[a][axis] < points[b][axis] : a < b;
  });
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count && points[order[j]][axis] - points[order[i]][axis] <= distance; ++j) {
      if ((points[order[j]] - points[order[i]]).norm() > distance) continue;
      const int low = std::min(order[i], order[j]), high = std::max(order[i], order[j]);
      first[high] = std::min(first[high], low);
    }
  }
  return first;
}

}  // namespace scree::geometry
