#include "core/rotation.hpp"

namespace scree {

Mat3 exp_rotation(const Vec3& a) {
  const double angle_squared = a.squaredNorm();
  double sine = 0.0, cosine = 0.0;  // sin(t)/t and (1 - cos t)/t^2
  if (angle_squared < 1e-4) {
    // Taylor series: the neglected terms are below 1e-19 here.
    sine = 1.0 - angle_squared / 6.0 * (1.0 - angle_squared / 20.0 * (1.0 - angle_squared / 42.0));
    cosine = 0.5 - angle_squared / 24.0 * (1.0 - angle_squared / 30.0 * (1.0 - angle_squared / 56.0));
  } else {
    const double angle = std::sqrt(angle_squared);
    const double half = std::sin(0.5 * angle);
    sine = std::sin(angle) / angle;
    cosine = 2.0 * half * half / angle_squared;
  }
  const Mat3 s = skew(a);
  return Mat3::Identity() + sine * s + cosine * s * s;
}

Mat3 exp_rotation_tangent(const Vec3& a) {
  const double angle_squared = a.squaredNorm();
  double first = 0.0, second = 0.0;  // (1 - cos t)/t^2 and (t - sin t)/t^3
  if (angle_squared < 1e-2) {
    // Taylor series: the neglected terms are below 1e-17 here.
    first = 0.5 - angle_squared / 24.0 * (1.0 - angle_squared / 30.0 * (1.0 - angle_squared / 56.0 * (1.0 - angle_squared / 90.0)));
    second = 1.0 / 6.0 - angle_squared / 120.0 * (1.0 - angle_squared / 42.0 * (1.0 - angle_squared / 72.0 * (1.0 - angle_squared / 110.0)));
  } else {
    const double angle = std::sqrt(angle_squared);
    const double half = std::sin(0.5 * angle);
    first = 2.0 * half * half / angle_squared;
    second = (angle - std::sin(angle)) / (angle_squared * angle);
  }
  const Mat3 s = skew(a);
  return Mat3::Identity() - first * s + second * s * s;
}

Mat3 orthonormalised(const Mat3& rotation) {
  return 1.5 * rotation - 0.5 * rotation * (rotation.transpose() * rotation);
}

Mat3 frame_from_normal(const Vec3& n) {
  // Branch on the sign of n_z only; the frame is smooth elsewhere.
  const double sign = std::copysign(1.0, n.z());
  const double a = -1.0 / (sign + n.z());
  const double b = n.x() * n.y() * a;
  Mat3 frame;
  frame.row(0) = n.transpose();
  frame.row(1) << 1.0 + sign * n.x() * n.x() * a, sign * b, -sign * n.x();
  frame.row(2) << b, sign + n.y() * n.y() * a, -n.y();
  return frame;
}

Mat3 frame_in_plane(const Vec3& n, int axis) {
  const Vec3 across = Vec3::Unit(axis);
  Mat3 frame;
  frame.row(0) = n.transpose();
  frame.row(1) = across.cross(n).transpose();
  frame.row(2) = across.transpose();
  return frame;
}

}  // namespace scree
