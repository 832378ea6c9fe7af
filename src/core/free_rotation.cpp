#include "core/free_rotation.hpp"

#include <array>
#include <utility>

#include "core/rotation.hpp"

namespace scree {

namespace {

constexpr double kSymmetric = 1e-13;   ///< moments closer than this, relatively, are equal
constexpr double kAgmClose = 1e-8;     ///< means closer than this, relatively, agree to rounding after one more step
constexpr std::size_t kMostMeans = 16;  ///< steps of the arithmetic-geometric mean; 12 do for a modulus of 1 - 1e-300
constexpr double kSpread = 536.9;         ///< (eps/4)^(-1/6): the series of R_J ends at rounding once arguments agree to its inverse

/// sn, cn, dn at one argument.
struct Jacobi {
  double sn, cn, dn;
};

/// The arithmetic-geometric mean of 1 and k' with its steps, from the complementary parameter kc2 = 1 - k^2.
struct Means {
  std::array<double, kMostMeans> arithmetic{}, geometric{};
  std::size_t last = 0;
  double limit = 0.0;  ///< the mean; 0 when k = 1

  explicit Means(double kc2) {
    if (!(kc2 > 0.0)) return;
    double a = 1.0, square = kc2;
    for (std::size_t i = 0; i < kMostMeans; ++i) {
      const double g = std::sqrt(square);
      last = i;
      arithmetic[i] = a;
      geometric[i] = g;
      limit = 0.5 * (a + g);
      if (std::abs(a - g) <= kAgmClose * a) break;
      square = a * g;
      a = limit;
    }
  }

  /// Complete integral K of the first kind.
  [[nodiscard]] double quarter_period() const { return limit > 0.0 ? 0.5 * kPi / limit : kInfinity; }
};

/// Jacobi's functions by descending Landen transformations.
Jacobi jacobi(double u, const Means& means) {
  if (means.limit == 0.0) {
    const double sech = 1.0 / std::cosh(u);
    return {std::tanh(u), sech, sech};
  }
  const double angle = u * means.limit;
  Jacobi f{std::sin(angle), std::cos(angle), 1.0};
  if (f.sn == 0.0) return f;
  double a = f.cn / f.sn, c = means.limit * a;
  for (std::size_t i = means.last + 1; i-- > 0;) {
    const double b = means.arithmetic[i];
    a *= c;
    c *= f.dn;
    f.dn = (means.geometric[i] + a) / (b + a);
    a = c / b;
  }
  f.sn = std::copysign(1.0 / std::sqrt(c * c + 1.0), f.sn);
  f.cn = c * f.sn;
  return f;
}

/// The functions at u + v; k^2 = k2. Sums of squares are restored, so that rounding does not add up.
Jacobi add(const Jacobi& u, const Jacobi& v, double k2, double kc2) {
  const double below = u.cn * u.cn + u.sn * u.sn * v.dn * v.dn;
  double sn = (u.sn * v.cn * v.dn + v.sn * u.cn * u.dn) / below;
  double cn = (u.cn * v.cn - u.sn * v.sn * u.dn * v.dn) / below;
  const double length = std::sqrt(sn * sn + cn * cn);
  sn /= length;
  cn /= length;
  return {sn, cn, std::sqrt(kc2 + k2 * cn * cn)};
}

/// arctan(sqrt(e)) / sqrt(e), e >= 0: Carlson's R_C(1, 1 + e).
double carlson_rc(double e) {
  if (e < 1e-3) return 1.0 - e * (1.0 / 3.0 - e * (1.0 / 5.0 - e * (1.0 / 7.0 - e * (1.0 / 9.0 - e * (1.0 / 11.0 - e / 13.0)))));
  const double root = std::sqrt(e);
  return std::atan(root) / root;
}

/// Carlson's symmetric integral R_J(x, y, 1, p) by duplication; `product` = (p - x)(p - y)(p - 1) >= 0.
double carlson_rj(double x, double y, double p, double product) {
  const double mean = (x + y + 1.0 + 2.0 * p) / 5.0;
  const double dx = mean - x, dy = mean - y, dz = mean - 1.0;
  const double spread = std::max({std::abs(dx), std::abs(dy), std::abs(dz), std::abs(mean - p)});
  const double enough = kSpread * spread;
  double z = 1.0, a = mean, scale = 1.0, sum = 0.0;
  while (scale * enough >= a) {
    const double rx = std::sqrt(x), ry = std::sqrt(y), rz = std::sqrt(z), rp = std::sqrt(p);
    const double shift = rx * ry + rx * rz + ry * rz;
    const double d = (rp + rx) * (rp + ry) * (rp + rz);
    sum += scale / d * carlson_rc(product * scale * scale * scale / (d * d));
    scale *= 0.25;
    x = 0.25 * (x + shift);
    y = 0.25 * (y + shift);
    z = 0.25 * (z + shift);
    p = 0.25 * (p + shift);
    a = 0.25 * (a + shift);
  }
  const double X = dx * scale / a, Y = dy * scale / a, Z = dz * scale / a, P = -0.5 * (X + Y + Z), P2 = P * P;
  const double E2 = X * Y + X * Z + Y * Z - 3.0 * P2, E3 = X * Y * Z + 2.0 * E2 * P + 4.0 * P2 * P;
  const double E4 = (2.0 * X * Y * Z + E2 * P + 3.0 * P2 * P) * P, E5 = X * Y * Z * P2;
  const double series = 1.0 - 3.0 * E2 / 14.0 + E3 / 6.0 + 9.0 * E2 * E2 / 88.0 - 3.0 * E4 / 22.0 - 9.0 * E2 * E3 / 52.0 + 3.0 * E5 / 26.0;
  return scale * series / (a * std::sqrt(a)) + 6.0 * sum;
}

/// int_0^v du / (1 + n sn^2 u) for |v| <= K, n >= 0; f holds the functions at v.
double third_kind(double v, const Jacobi& f, double n, double k2) {
  const double s2 = f.sn * f.sn;
  return v - n / 3.0 * f.sn * s2 * carlson_rj(f.cn * f.cn, f.dn * f.dn, 1.0 + n * s2, n * (1.0 + n) * (n + k2) * s2 * s2 * s2);
}

/// Columns: a right-handed frame whose third vector is along m, the second normal to the third axis.
Mat3 momentum_frame(const Vec3& m) {
  const Vec3 along = m.normalized();
  const Vec3 node = Vec3(-m.y(), m.x(), 0.0).normalized();
  Mat3 frame;
  frame << node.cross(along), node, along;
  return frame;
}

/// Rotation about the third axis.
Mat3 turn_about_third(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  Mat3 turn;
  turn << c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0;
  return turn;
}

/// Three different moments in ascending or descending order, M circling about the third axis. `span` = |M| t, M is a unit vector.
///   M = (a1 cn, a2 sn, a3 dn)(u0 + lambda t)
FreeRotation asymmetric(const Vec3& I, const Vec3& m, double span) {
  const double d21 = I[1] - I[0], d31 = I[2] - I[0], d32 = I[2] - I[1];
  const Vec3 s = m.cwiseAbs2();
  const double a1 = std::sqrt(s[0] + s[1] * I[0] * d32 / (I[1] * d31));
  const double a2 = std::sqrt(s[1] + s[0] * I[1] * d31 / (I[0] * d32));
  const double a3 = std::copysign(std::sqrt(s[2] + s[1] * I[2] * d21 / (I[1] * d31)), m[2]);
  if (a1 == 0.0) return {turn_about_third(span * m[2] / I[2]), m};

  // |M|^2 - 2 T I1 and its sisters, without cancellation: squared rate, k^2 and 1 - k^2.
  const double over_first = s[1] * d21 / I[1] + s[2] * d31 / I[2];
  const double over_second = s[2] * d32 / I[2] - s[0] * d21 / I[0];
  const double below_third = s[0] * d31 / I[0] + s[1] * d32 / I[1];
  const double rate = std::copysign(std::sqrt(d32 * over_first / (I[0] * I[1] * I[2])), a3 * d32);
  const double k2 = std::min(1.0, d21 * below_third / (d32 * over_first));
  const double kc2 = std::max(0.0, d31 * over_second / (d32 * over_first));
  const double n = I[2] * d21 / (I[0] * d32);

  // Whole half-periods apart, |v| <= K.
  const Means means(kc2);
  const double K = means.quarter_period();
  const double halves = K < kInfinity ? std::nearbyint(0.5 * rate * span / K) : 0.0;
  const double v = halves != 0.0 ? rate * span - 2.0 * halves * K : rate * span;
  const double sign = std::fmod(halves, 2.0) == 0.0 ? 1.0 : -1.0;
  const Jacobi at_start{m[1] / a2, m[0] / a1, m[2] / a3}, step = jacobi(v, means);
  const Jacobi at_end = add(at_start, step, k2, kc2);

  // Angle about the momentum: secular part, whole half-periods, and the rest by the addition theorem.
  double integral = third_kind(v, step, n, k2);
  if (halves != 0.0) integral += 2.0 * halves * third_kind(K, {1.0, 0.0, std::sqrt(kc2)}, n, k2);
  const double product = at_start.sn * step.sn;
  const double above = std::sqrt(n * (1.0 + n) * (n + k2)) * product * at_end.sn;
  const double below = 1.0 + n * (at_end.sn * at_end.sn - product * at_end.cn * at_end.dn);
  const double third_rate = (1.0 / I[0] - 1.0 / I[2]) / rate;
  const double angle = span / I[2] + third_rate * integral - std::copysign(1.0, third_rate) * std::atan(above / below);

  FreeRotation result;
  result.momentum = Vec3(sign * a1 * at_end.cn, sign * a2 * at_end.sn, a3 * at_end.dn);
  result.turn = momentum_frame(m) * turn_about_third(angle) * momentum_frame(result.momentum).transpose();
  return result;
}

/// Two equal moments `across` the axis k, whose own is `along`.
FreeRotation symmetric(double across, double along, int k, const Vec3& m, double time) {
  const Vec3 spin = (time * m[k] * (1.0 / along - 1.0 / across)) * Vec3::Unit(k);
  const Mat3 about_axis = exp_rotation(spin);
  return {exp_rotation(time / across * m) * about_axis, about_axis.transpose() * m};
}

bool equal(double a, double b) { return std::abs(a - b) <= kSymmetric * std::max(a, b); }

}  // namespace

FreeRotation free_rotation(const Vec3& moments, const Vec3& momentum, double time) {
  if (moments[0] == moments[1] && moments[1] == moments[2]) return {exp_rotation(time / moments[0] * momentum), momentum};
  for (const int k : {0, 1, 2}) {
    const double a = moments[(k + 1) % 3], b = moments[(k + 2) % 3];
    if (equal(a, b)) return symmetric(a, moments[k], k, momentum, time);
  }
  const double size = momentum.norm();
  if (size == 0.0) return {Mat3::Identity(), momentum};
  // Axes in ascending order of moments, right-handed; descending where the momentum circles about the axis of the least one.
  std::array<int, 3> order{0, 1, 2};
  if (moments[order[0]] > moments[order[1]]) std::swap(order[0], order[1]);
  if (moments[order[1]] > moments[order[2]]) std::swap(order[1], order[2]);
  if (moments[order[0]] > moments[order[1]]) std::swap(order[0], order[1]);
  const auto squared = [&](int place) {
    const double value = momentum[order[place]] / size;
    return value * value;
  };
  const double low = moments[order[0]], middle = moments[order[1]], high = moments[order[2]];
  if (squared(2) * (high - middle) / high < squared(0) * (middle - low) / low) std::swap(order[0], order[2]);
  Mat3 axes = Mat3::Zero();
  Vec3 I;
  for (int k = 0; k < 3; ++k) {
    axes(order[k], k) = 1.0;
    I[k] = moments[order[k]];
  }
  if (axes.determinant() < 0.0) axes.col(2) *= -1.0;
  FreeRotation result = asymmetric(I, axes.transpose() * momentum / size, size * time);
  result.turn = axes * result.turn * axes.transpose();
  result.momentum = size * (axes * result.momentum);
  return result;
}

}  // namespace scree
