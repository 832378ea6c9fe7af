#include "collision/ellipsoid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace scree::collision {

namespace {

/// The secular equation  sum (g_i / (u + e_i))^2 = 1,  seen from one of its poles:  u = -e_k + d, so that next to the pole d is
/// exact.
template <int N>
struct Secular {
  Eigen::Matrix<double, N, 1> g, e;

  [[nodiscard]] double from_pole(int k, double d, int i) const { return i == k ? d : d + (e[i] - e[k]); }
  [[nodiscard]] bool above(int k, double d) const {
    double sum = 0.0;
    for (int i = 0; i < N; ++i) sum += std::pow(g[i] / from_pole(k, d, i), 2);
    return sum > 1.0;
  }
  [[nodiscard]] bool falls(int k, double d) const {
    double slope = 0.0;
    for (int i = 0; i < N; ++i) slope -= std::pow(g[i] / from_pole(k, d, i), 2) / from_pole(k, d, i);
    return slope < 0.0;
  }
};

/// Where `holds` changes from true, next to `low`, to false at `high`, to rounding.
template <class Holds>
double bisect(double low, double high, Holds&& holds) {
  for (int k = 0; k < 1100; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (holds(middle) ? low : high) = middle;
  }
  return high;
}

}  // namespace

template <int N>
int stationary_on_ellipsoid(const Eigen::Matrix<double, N, 1>& radii, const Eigen::Matrix<double, N, 1>& y, Eigen::Matrix<double, N, 1>* normals) {
  const double r_min = radii.minCoeff(), floor = 1e-15 * radii.maxCoeff();
  Secular<N> f;
  std::array<int, N> order;  // of the poles, from the left
  for (int i = 0; i < N; ++i) {
    f.g[i] = (radii[i] / r_min) * (std::max(std::abs(y[i]), floor) / r_min);
    f.e[i] = (radii[i] - r_min) * (radii[i] + r_min) / (r_min * r_min);
    order[i] = i;
  }
  std::sort(order.begin(), order.end(), [&](int i, int j) { return f.e[i] > f.e[j]; });
  int count = 0;
  const auto add = [&](int k, double end) {
    const double d = bisect(0.0, end, [&](double u) { return f.above(k, u); });
    Eigen::Matrix<double, N, 1> s;
    for (int i = 0; i < N; ++i) s[i] = std::copysign(f.g[i], y[i]) / f.from_pole(k, d, i);
    normals[count++] = s.normalized().cwiseQuotient(radii).normalized();
  };
  const double beyond = f.g.sum() + 1.0;
  add(order[N - 1], beyond);
  add(order[0], -beyond);
  for (int i = 0; i + 1 < N; ++i) {
    const int left = order[i], right = order[i + 1];
    const double width = f.e[left] - f.e[right];
    if (!(width > 0.0)) continue;
    const double lowest = bisect(0.0, width, [&](double d) { return f.falls(left, d); });
    if (f.above(left, lowest)) continue;
    add(left, lowest);
    add(right, lowest - width);
  }
  return count;
}

template int stationary_on_ellipsoid<2>(const Eigen::Vector2d&, const Eigen::Vector2d&, Eigen::Vector2d*);
template int stationary_on_ellipsoid<3>(const Eigen::Vector3d&, const Eigen::Vector3d&, Eigen::Vector3d*);

template <int N>
EllipsoidFoot<N> nearest_on_ellipsoid(const Eigen::Matrix<double, N, 1>& radii, const Eigen::Matrix<double, N, 1>& y) {
  using Vec = Eigen::Matrix<double, N, 1>;
  // With u = t / r_min^2 + 1 the direction cosines are s_i = g_i / (u + e_i), |s| = 1, e_min = 0.
  int least = 0;
  const double r_min = radii.minCoeff(&least);
  Vec g, e;
  double low = 0.0;
  for (int i = 0; i < N; ++i) {
    g[i] = (radii[i] / r_min) * (std::abs(y[i]) / r_min);
    e[i] = (radii[i] - r_min) * (radii[i] + r_min) / (r_min * r_min);
    low = std::max(low, g[i] - e[i]);
  }

  // Newton from the left end of the bracket; there the sum is between 1 and N.
  double u = low;
  bool on_axis = false;
  if (u <= 0.0) {
    // No component along the shortest axis: the root may lie at or left of zero.
    double sum = 0.0;
    for (int i = 0; i < N; ++i)
      if (e[i] > 0.0) sum += (g[i] / e[i]) * (g[i] / e[i]);
    on_axis = sum <= 1.0;
  }
  for (int iteration = 0; iteration < 60 && !on_axis; ++iteration) {
    double sum = -1.0, slope = 0.0;
    for (int i = 0; i < N; ++i) {
      if (g[i] == 0.0) continue;
      const double q = g[i] / (u + e[i]);
      sum += q * q;
      slope += q * q / (u + e[i]);
    }
    const double step = 0.5 * sum / slope;
    if (!(step > 1e-17 * u)) break;
    u += step;
  }
  if (on_axis) u = 0.0;

  // Point on the unit sphere, with the shortest axis completing it where the formula is 0 / 0.
  Vec s = Vec::Zero();
  double rest = 1.0;
  for (int i = 0; i < N; ++i) {
    if (g[i] == 0.0) continue;
    s[i] = std::min(1.0, g[i] / (u + e[i]));
    rest -= s[i] * s[i];
  }
  if (on_axis) s[least] = std::sqrt(std::max(0.0, rest));
  s.normalize();

  EllipsoidFoot<N> foot;
  const Vec gradient = s.cwiseQuotient(radii);
  const double length = gradient.norm();
  for (int i = 0; i < N; ++i) {
    const double sign = std::signbit(y[i]) ? -1.0 : 1.0;
    foot.point[i] = sign * radii[i] * s[i];
    foot.normal[i] = sign * gradient[i] / length;
  }
  foot.distance = (u - 1.0) * r_min * r_min * length;
  return foot;
}

template EllipsoidFoot<2> nearest_on_ellipsoid<2>(const Eigen::Vector2d&, const Eigen::Vector2d&);
template EllipsoidFoot<3> nearest_on_ellipsoid<3>(const Eigen::Vector3d&, const Eigen::Vector3d&);

}  // namespace scree::collision
