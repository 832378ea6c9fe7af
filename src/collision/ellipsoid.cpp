#include "collision/ellipsoid.hpp"

#include <algorithm>
#include <cmath>

namespace scree::collision {

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
