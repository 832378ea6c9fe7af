/// Small vectors and matrices, and the few functions on them that every folder needs.
#pragma once

#include <Eigen/Dense>

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

namespace scree {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat2 = Eigen::Matrix2d;
using Mat3 = Eigen::Matrix3d;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

// Arithmetic of three numbers as plain functions, taken where both sides are vectors or matrices already. Eigen would make a type of every
// expression, to be compiled again in every source; the code that runs is the same.
template <std::same_as<Vec3> V>
[[nodiscard]] V operator+(const V& a, const V& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <std::same_as<Vec3> V>
[[nodiscard]] V operator-(const V& a, const V& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <std::same_as<Vec3> V>
[[nodiscard]] V operator-(const V& a) {
  return {-a[0], -a[1], -a[2]};
}
template <std::same_as<double> S, std::same_as<Vec3> V>
[[nodiscard]] V operator*(S s, const V& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
template <std::same_as<Vec3> V, std::same_as<double> S>
[[nodiscard]] V operator*(const V& a, S s) {
  return {a[0] * s, a[1] * s, a[2] * s};
}
template <std::same_as<Vec3> V, std::same_as<double> S>
[[nodiscard]] V operator/(const V& a, S s) {
  return {a[0] / s, a[1] / s, a[2] / s};
}
template <std::same_as<Mat3> M, std::same_as<Vec3> V>
[[nodiscard]] V operator*(const M& A, const V& x) {
  return {A(0, 0) * x[0] + A(0, 1) * x[1] + A(0, 2) * x[2], A(1, 0) * x[0] + A(1, 1) * x[1] + A(1, 2) * x[2],
          A(2, 0) * x[0] + A(2, 1) * x[1] + A(2, 2) * x[2]};
}
template <typename M, std::same_as<Vec3> V>
  requires std::same_as<std::remove_const_t<M>, Mat3>
[[nodiscard]] V operator*(const Eigen::Transpose<M>& transposed, const V& x) {
  const Mat3& A = transposed.nestedExpression();
  return {A(0, 0) * x[0] + A(1, 0) * x[1] + A(2, 0) * x[2], A(0, 1) * x[0] + A(1, 1) * x[1] + A(2, 1) * x[2],
          A(0, 2) * x[0] + A(1, 2) * x[1] + A(2, 2) * x[2]};
}
template <std::same_as<Vec3> V, typename T>
  requires std::same_as<std::remove_const_t<T>, Vec3>
[[nodiscard]] Mat3 operator*(const V& a, const Eigen::Transpose<T>& transposed) {
  const Vec3& b = transposed.nestedExpression();
  Mat3 out;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) out(i, j) = a[i] * b[j];
  return out;
}
/// Sums over k of a(i, k) b(k, j).
template <typename Left, typename Right>
[[nodiscard]] Mat3 product_of(Left&& a, Right&& b) {
  Mat3 out;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) out(i, j) = a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
  return out;
}
template <std::same_as<Mat3> M>
[[nodiscard]] M operator*(const M& A, const M& B) {
  return product_of(A, B);
}
template <typename T, std::same_as<Mat3> M>
  requires std::same_as<std::remove_const_t<T>, Mat3>
[[nodiscard]] M operator*(const Eigen::Transpose<T>& transposed, const M& B) {
  const Mat3& A = transposed.nestedExpression();
  return product_of([&](int i, int k) { return A(k, i); }, B);
}
template <std::same_as<Mat3> M, typename T>
  requires std::same_as<std::remove_const_t<T>, Mat3>
[[nodiscard]] M operator*(const M& A, const Eigen::Transpose<T>& transposed) {
  const Mat3& B = transposed.nestedExpression();
  return product_of(A, [&](int k, int j) { return B(j, k); });
}
template <std::same_as<double> S, std::same_as<Mat3> M>
[[nodiscard]] M operator*(S s, const M& A) {
  M out;
  for (int k = 0; k < 9; ++k) out.data()[k] = s * A.data()[k];
  return out;
}
template <std::same_as<Mat3> M>
[[nodiscard]] M operator+(const M& A, const M& B) {
  M out;
  for (int k = 0; k < 9; ++k) out.data()[k] = A.data()[k] + B.data()[k];
  return out;
}
template <std::same_as<Mat3> M>
[[nodiscard]] M operator-(const M& A, const M& B) {
  M out;
  for (int k = 0; k < 9; ++k) out.data()[k] = A.data()[k] - B.data()[k];
  return out;
}

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kPi = 3.14159265358979323846;

/// The matrix of the cross product:  skew(a) b = a x b.
[[nodiscard]] inline Mat3 skew(const Vec3& a) {
  Mat3 s;
  s << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return s;
}

/// Sum of a x b for A = sum a b^T.
[[nodiscard]] inline Vec3 axial(const Mat3& A) { return {A(1, 2) - A(2, 1), A(2, 0) - A(0, 2), A(0, 1) - A(1, 0)}; }

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
