#include "elastic/shapes.hpp"

#include <algorithm>

namespace scree::elastic {

namespace {

using Pair = std::array<int, 2>;
constexpr Pair kTetrahedronEdges[] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
constexpr Pair kPyramidEdges[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}};
constexpr Pair kWedgeEdges[] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
constexpr Pair kHexahedronEdges[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

constexpr double kSignX[8] = {-1, 1, 1, -1, -1, 1, 1, -1};
constexpr double kSignY[8] = {-1, -1, 1, 1, -1, -1, 1, 1};
constexpr double kSignZ[8] = {-1, -1, -1, -1, 1, 1, 1, 1};

/// A number with its derivatives along the natural coordinates: shape functions are written once.
struct Dual {
  double value = 0.0;
  Vec3 slope = Vec3::Zero();
  Dual() = default;
  Dual(double v) : value(v) {}  // NOLINT: constants mix freely with duals
  Dual(double v, const Vec3& s) : value(v), slope(s) {}
};
Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.slope + b.slope}; }
Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.slope - b.slope}; }
Dual operator*(const Dual& a, const Dual& b) { return {a.value * b.value, a.value * b.slope + b.value * a.slope}; }
Dual operator/(const Dual& a, const Dual& b) { return {a.value / b.value, (a.slope - (a.value / b.value) * b.slope) / b.value}; }

template <class T>
void tet4(const T* x, T* N) {
  N[0] = T(1.0) - x[0] - x[1] - x[2];
  N[1] = x[0], N[2] = x[1], N[3] = x[2];
}

template <class T>
void tet10(const T* x, T* N) {
  T L[4];
  tet4(x, L);
  for (int a = 0; a < 4; ++a) N[a] = L[a] * (2.0 * L[a] - 1.0);
  for (int e = 0; e < 6; ++e) N[4 + e] = 4.0 * L[kTetrahedronEdges[e][0]] * L[kTetrahedronEdges[e][1]];
}

template <class T>
void pyramid5(const T* x, T* N) {
  const T d = T(1.0) - x[2];
  for (int a = 0; a < 4; ++a) N[a] = 0.25 * (d + kSignX[a] * x[0]) * (d + kSignY[a] * x[1]) / d;
  N[4] = x[2];
}

template <class T>
void pyramid13(const T* x, T* N) {
  const T d = T(1.0) - x[2];
  for (int a = 0; a < 4; ++a) {
    const T p = kSignX[a] * x[0], q = kSignY[a] * x[1];
    N[a] = 0.25 * (p + q - 1.0) * ((1.0 + p) * (1.0 + q) - x[2] + p * q * x[2] / d);
    N[9 + a] = x[2] * (d + p) * (d + q) / d;
  }
  N[4] = x[2] * (2.0 * x[2] - 1.0);
  const T across_x = (d + x[0]) * (d - x[0]) / d, across_y = (d + x[1]) * (d - x[1]) / d;
  N[5] = 0.5 * across_x * (d - x[1]);
  N[6] = 0.5 * across_y * (d + x[0]);
  N[7] = 0.5 * across_x * (d + x[1]);
  N[8] = 0.5 * across_y * (d - x[0]);
}

template <class T>
void wedge6(const T* x, T* N) {
  const T L[3] = {T(1.0) - x[0] - x[1], x[0], x[1]};
  for (int a = 0; a < 3; ++a) {
    N[a] = 0.5 * L[a] * (T(1.0) - x[2]);
    N[a + 3] = 0.5 * L[a] * (T(1.0) + x[2]);
  }
}

template <class T>
void wedge15(const T* x, T* N) {
  const T L[3] = {T(1.0) - x[0] - x[1], x[0], x[1]};
  const T bubble = T(1.0) - x[2] * x[2], below = T(1.0) - x[2], above = T(1.0) + x[2];
  for (int a = 0; a < 3; ++a) {
    N[a] = 0.5 * L[a] * ((2.0 * L[a] - 1.0) * below - bubble);
    N[a + 3] = 0.5 * L[a] * ((2.0 * L[a] - 1.0) * above - bubble);
    const T product = 2.0 * L[a] * L[(a + 1) % 3];
    N[6 + a] = product * below;
    N[9 + a] = product * above;
    N[12 + a] = L[a] * bubble;
  }
}

template <class T>
void hex8(const T* x, T* N) {
  for (int a = 0; a < 8; ++a) N[a] = 0.125 * (1.0 + kSignX[a] * x[0]) * (1.0 + kSignY[a] * x[1]) * (1.0 + kSignZ[a] * x[2]);
}

template <class T>
void hex20(const T* x, T* N) {
  for (int a = 0; a < 8; ++a) {
    const T p = kSignX[a] * x[0], q = kSignY[a] * x[1], r = kSignZ[a] * x[2];
    N[a] = 0.125 * (1.0 + p) * (1.0 + q) * (1.0 + r) * (p + q + r - 2.0);
  }
  for (int e = 0; e < 12; ++e) {
    const auto [a, b] = kHexahedronEdges[e];
    const double sign[3] = {0.5 * (kSignX[a] + kSignX[b]), 0.5 * (kSignY[a] + kSignY[b]), 0.5 * (kSignZ[a] + kSignZ[b])};
    N[8 + e] = 0.25;
    for (int i = 0; i < 3; ++i) N[8 + e] = N[8 + e] * (sign[i] == 0.0 ? T(1.0) - x[i] * x[i] : 1.0 + sign[i] * x[i]);
  }
}

template <class T>
void evaluate(Kind kind, const T* x, T* N) {
  switch (kind) {
    case Kind::tet4: return tet4(x, N);
    case Kind::pyramid5: return pyramid5(x, N);
    case Kind::wedge6: return wedge6(x, N);
    case Kind::hex8: return hex8(x, N);
    case Kind::tet10: return tet10(x, N);
    case Kind::pyramid13: return pyramid13(x, N);
    case Kind::wedge15: return wedge15(x, N);
    case Kind::hex20: return hex20(x, N);
  }
}

template <class T>
void evaluate_face(FaceKind kind, const T* x, T* N) {
  const bool triangle = kind == FaceKind::tri3 || kind == FaceKind::tri6;
  if (triangle) {
    const T L[3] = {T(1.0) - x[0] - x[1], x[0], x[1]};
    for (int a = 0; a < 3; ++a) {
      N[a] = kind == FaceKind::tri3 ? L[a] : L[a] * (2.0 * L[a] - 1.0);
      if (kind == FaceKind::tri6) N[3 + a] = 4.0 * L[a] * L[(a + 1) % 3];
    }
    return;
  }
  for (int a = 0; a < 4; ++a) {
    const T p = kSignX[a] * x[0], q = kSignY[a] * x[1];
    N[a] = 0.25 * (1.0 + p) * (1.0 + q);
    if (kind == FaceKind::quad8) N[a] = N[a] * (p + q - 1.0);
  }
  if (kind == FaceKind::quad4) return;
  for (int a = 0; a < 4; ++a) {
    const int i = a % 2;  // the coordinate along the edge
    const double sign = a == 0 || a == 3 ? -1.0 : 1.0;
    N[4 + a] = 0.5 * (T(1.0) - x[i] * x[i]) * (1.0 + sign * x[1 - i]);
  }
}

bool is_pyramid(Kind kind) { return kind == Kind::pyramid5 || kind == Kind::pyramid13; }

/// The rational functions have no value at the apex itself: approach it along the axis.
Vec3 off_apex(Kind kind, const Vec3& at) {
  constexpr double near = 1e-9;
  return is_pyramid(kind) && at.z() > 1.0 - near ? Vec3(0.0, 0.0, 1.0 - near) : at;
}

/// Nearest point of the triangle r, s >= 0, r + s <= 1.
Vec2 clamp_triangle(double r, double s) {
  if (r + s > 1.0) {
    const double excess = 0.5 * (r + s - 1.0);
    r -= excess, s -= excess;
    if (r < 0.0) return {0.0, 1.0};
    if (s < 0.0) return {1.0, 0.0};
    return {r, s};
  }
  return {std::clamp(r, 0.0, 1.0), std::clamp(s, 0.0, 1.0)};
}

}  // namespace

int node_count(Kind kind) {
  constexpr int count[] = {4, 5, 6, 8, 10, 13, 15, 20};
  return count[static_cast<int>(kind)];
}

int corner_count(Kind kind) {
  constexpr int count[] = {4, 5, 6, 8, 4, 5, 6, 8};
  return count[static_cast<int>(kind)];
}

const char* name(Kind kind) {
  constexpr const char* names[] = {"tetrahedron",           "pyramid",           "wedge",           "hexahedron",
                                   "second-order tetrahedron", "second-order pyramid", "second-order wedge", "second-order hexahedron"};
  return names[static_cast<int>(kind)];
}

Kind kind_of(int corners, int order) {
  const int base = corners == 4 ? 0 : corners == 5 ? 1 : corners == 6 ? 2 : 3;
  return static_cast<Kind>(order == 2 ? base + 4 : base);
}

int node_count(FaceKind kind) {
  constexpr int count[] = {3, 4, 6, 8};
  return count[static_cast<int>(kind)];
}

std::span<const std::array<int, 2>> element_edges(int corners) {
  switch (corners) {
    case 4: return kTetrahedronEdges;
    case 5: return kPyramidEdges;
    case 6: return kWedgeEdges;
    default: return kHexahedronEdges;
  }
}

void shape_values(Kind kind, const Vec3& at, double* N) {
  const Vec3 x = off_apex(kind, at);
  evaluate(kind, x.data(), N);
}

void shape_gradients(Kind kind, const Vec3& at, Vec3* dN) {
  const Vec3 x = off_apex(kind, at);
  const Dual dual[3] = {{x[0], Vec3::UnitX()}, {x[1], Vec3::UnitY()}, {x[2], Vec3::UnitZ()}};
  Dual N[kMostNodes];
  evaluate(kind, dual, N);
  for (int a = 0; a < node_count(kind); ++a) dN[a] = N[a].slope;
}

void face_values(FaceKind kind, const Vec2& at, double* N) { evaluate_face(kind, at.data(), N); }

void face_gradients(FaceKind kind, const Vec2& at, Vec2* dN) {
  const Dual dual[2] = {{at[0], Vec3::UnitX()}, {at[1], Vec3::UnitY()}};
  Dual N[kMostFaceNodes];
  evaluate_face(kind, dual, N);
  for (int a = 0; a < node_count(kind); ++a) dN[a] = N[a].slope.head<2>();
}

Vec3 natural_center(Kind kind) {
  switch (corner_count(kind)) {
    case 4: return Vec3::Constant(0.25);
    case 5: return {0.0, 0.0, 0.25};
    case 6: return {1.0 / 3.0, 1.0 / 3.0, 0.0};
    default: return Vec3::Zero();
  }
}

Vec3 clamp_natural(Kind kind, const Vec3& at) {
  switch (corner_count(kind)) {
    case 4: {
      Vec3 x = at.cwiseMax(0.0);
      // Outside the slanted face: shift back along its normal, dropping coordinates that turn negative.
      for (int pass = 0; pass < 3 && x.sum() > 1.0; ++pass) {
        const int positive = static_cast<int>((x.array() > 0.0).count());
        const double excess = (x.sum() - 1.0) / positive;
        for (int i = 0; i < 3; ++i) x[i] = x[i] > 0.0 ? std::max(0.0, x[i] - excess) : 0.0;
      }
      return x;
    }
    case 5: {
      const double t = std::clamp(at.z(), 0.0, 1.0);
      return {std::clamp(at.x(), t - 1.0, 1.0 - t), std::clamp(at.y(), t - 1.0, 1.0 - t), t};
    }
    case 6: {
      const Vec2 r = clamp_triangle(at.x(), at.y());
      return {r.x(), r.y(), std::clamp(at.z(), -1.0, 1.0)};
    }
    default: return at.cwiseMax(-1.0).cwiseMin(1.0);
  }
}

double natural_excess(Kind kind, const Vec3& at) {
  switch (corner_count(kind)) {
    case 4: return std::max(-at.minCoeff(), at.sum() - 1.0);
    case 5: return std::max({-at.z(), at.z() - 1.0, std::abs(at.x()) - 1.0 + at.z(), std::abs(at.y()) - 1.0 + at.z()});
    case 6: return std::max({-at.x(), -at.y(), at.x() + at.y() - 1.0, std::abs(at.z()) - 1.0});
    default: return at.cwiseAbs().maxCoeff() - 1.0;
  }
}

Vec3 node_natural(Kind kind, int a) {
  const int corners = corner_count(kind);
  if (a >= corners) {
    const auto [i, j] = element_edges(corners)[a - corners];
    return 0.5 * (node_natural(kind, i) + node_natural(kind, j));
  }
  constexpr double tet[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  switch (corners) {
    case 4: return Vec3(tet[a]);
    case 5: return a == 4 ? Vec3(0.0, 0.0, 1.0) : Vec3(kSignX[a], kSignY[a], 0.0);
    case 6: return {tet[a % 3][0], tet[a % 3][1], a < 3 ? -1.0 : 1.0};
    default: return {kSignX[a], kSignY[a], kSignZ[a]};
  }
}

}  // namespace scree::elastic
