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

/// Three numbers, or nine by columns, that are there already: not an expression.
template <class T>
concept Three = std::same_as<T, Vec3> || std::same_as<T, Eigen::Map<Vec3>> || std::same_as<T, Eigen::Map<const Vec3>>;
template <class T>
concept Nine = std::same_as<T, Mat3> || std::same_as<T, Eigen::Map<Mat3>> || std::same_as<T, Eigen::Map<const Mat3>>;

// Arithmetic of three numbers as plain functions, taken where both sides are vectors or matrices already. Eigen would make a type of every
// expression, to be compiled again in every source; the code that runs is the same.
template <Three A, Three B>
[[nodiscard]] Vec3 operator+(const A& a, const B& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <Three A, Three B>
[[nodiscard]] Vec3 operator-(const A& a, const B& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <Three A>
[[nodiscard]] Vec3 operator-(const A& a) {
  return {-a[0], -a[1], -a[2]};
}
template <std::same_as<double> S, Three A>
[[nodiscard]] Vec3 operator*(S s, const A& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
template <Three A, std::same_as<double> S>
[[nodiscard]] Vec3 operator*(const A& a, S s) {
  return {a[0] * s, a[1] * s, a[2] * s};
}
template <Three A, std::same_as<double> S>
[[nodiscard]] Vec3 operator/(const A& a, S s) {
  return {a[0] / s, a[1] / s, a[2] / s};
}
template <Nine M, Three X>
[[nodiscard]] Vec3 operator*(const M& A, const X& x) {
  return {A(0, 0) * x[0] + A(0, 1) * x[1] + A(0, 2) * x[2], A(1, 0) * x[0] + A(1, 1) * x[1] + A(1, 2) * x[2],
          A(2, 0) * x[0] + A(2, 1) * x[1] + A(2, 2) * x[2]};
}
template <typename M, Three X>
  requires Nine<std::remove_const_t<M>>
[[nodiscard]] Vec3 operator*(const Eigen::Transpose<M>& transposed, const X& x) {
  const auto& A = transposed.nestedExpression();
  return {A(0, 0) * x[0] + A(1, 0) * x[1] + A(2, 0) * x[2], A(0, 1) * x[0] + A(1, 1) * x[1] + A(2, 1) * x[2],
          A(0, 2) * x[0] + A(1, 2) * x[1] + A(2, 2) * x[2]};
}
template <Three A, typename T>
  requires Three<std::remove_const_t<T>>
[[nodiscard]] Mat3 operator*(const A& a, const Eigen::Transpose<T>& transposed) {
  const auto& b = transposed.nestedExpression();
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
template <Nine M, Nine N>
[[nodiscard]] Mat3 operator*(const M& A, const N& B) {
  return product_of(A, B);
}
template <typename T, Nine N>
  requires Nine<std::remove_const_t<T>>
[[nodiscard]] Mat3 operator*(const Eigen::Transpose<T>& transposed, const N& B) {
  const auto& A = transposed.nestedExpression();
  return product_of([&](int i, int k) { return A(k, i); }, B);
}
template <Nine M, typename T>
  requires Nine<std::remove_const_t<T>>
[[nodiscard]] Mat3 operator*(const M& A, const Eigen::Transpose<T>& transposed) {
  const auto& B = transposed.nestedExpression();
  return product_of(A, [&](int k, int j) { return B(j, k); });
}
template <std::same_as<double> S, Nine M>
[[nodiscard]] Mat3 operator*(S s, const M& A) {
  Mat3 out;
  for (int k = 0; k < 9; ++k) out.data()[k] = s * A.data()[k];
  return out;
}
template <Nine M, Nine N>
[[nodiscard]] Mat3 operator+(const M& A, const N& B) {
  Mat3 out;
  for (int k = 0; k < 9; ++k) out.data()[k] = A.data()[k] + B.data()[k];
  return out;
}
template <Nine M, Nine N>
[[nodiscard]] Mat3 operator-(const M& A, const N& B) {
  Mat3 out;
  for (int k = 0; k < 9; ++k) out.data()[k] = A.data()[k] - B.data()[k];
  return out;
}

/// A B, A^T B, A B^T of any size, compiled once (core/products.cpp); the operators are for them too.
[[nodiscard]] MatX multiply(const MatX& A, const MatX& B);
[[nodiscard]] MatX multiply_transposed(const MatX& A, const MatX& B);
[[nodiscard]] MatX multiply_by_transposed(const MatX& A, const MatX& B);
[[nodiscard]] VecX multiply(const MatX& A, const VecX& x);
[[nodiscard]] VecX multiply_transposed(const MatX& A, const VecX& x);

template <std::same_as<MatX> M, typename N>
  requires std::same_as<N, MatX> || std::same_as<N, VecX>
[[nodiscard]] N operator*(const M& A, const N& B) {
  return multiply(A, B);
}
template <typename M, typename N>
  requires std::same_as<std::remove_const_t<M>, MatX> && (std::same_as<N, MatX> || std::same_as<N, VecX>)
[[nodiscard]] N operator*(const Eigen::Transpose<M>& transposed, const N& B) {
  return multiply_transposed(transposed.nestedExpression(), B);
}
template <std::same_as<MatX> M, typename N>
  requires std::same_as<std::remove_const_t<N>, MatX>
[[nodiscard]] M operator*(const M& A, const Eigen::Transpose<N>& transposed) {
  return multiply_by_transposed(A, transposed.nestedExpression());
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
