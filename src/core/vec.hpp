/// Small vectors and matrices, and the few functions on them that every folder needs.
#pragma once

#include <Eigen/Dense>

#include <cmath>
#include <limits>

namespace scree {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat2 = Eigen::Matrix2d;
using Mat3 = Eigen::Matrix3d;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kPi = 3.14159265358979323846;

/// The matrix of the cross product:  skew(a) b = a x b.
[[nodiscard]] inline Mat3 skew(const Vec3& a) {
  Mat3 s;
  s << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return s;
}

[[nodiscard]] inline bool is_finite(const Vec3& a) {
  return std::isfinite(a.x()) && std::isfinite(a.y()) && std::isfinite(a.z());
}

/// Axis-aligned box. Empty when low > high.
struct Box {
  Vec3 low = Vec3::Constant(kInfinity);
  Vec3 high = Vec3::Constant(-kInfinity);

  void add(const Vec3& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  void add(const Box& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
  void grow(double margin) {
    low.array() -= margin;
    high.array() += margin;
  }
  [[nodiscard]] bool overlaps(const Box& other) const {
    return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all();
  }
  [[nodiscard]] bool contains(const Vec3& p) const {
    return (low.array() <= p.array()).all() && (p.array() <= high.array()).all();
  }
  [[nodiscard]] bool empty() const { return (low.array() > high.array()).any(); }
  [[nodiscard]] Vec3 center() const { return 0.5 * (low + high); }
  [[nodiscard]] Vec3 extent() const { return high - low; }
};

}  // namespace scree
