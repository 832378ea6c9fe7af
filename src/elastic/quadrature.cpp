#include <cmath>
#include <vector>

#include "core/dense.hpp"
#include "elastic/shapes.hpp"

namespace scree::elastic {

namespace {

struct Node1 {
  double at, weight;
};

/// n-point Gauss rule on [0, 1] for the weight (1 - x)^power, from the eigenvalues of the Jacobi matrix.
std::vector<Node1> gauss_jacobi(int n, int power) {
  const double a = power;
  VecX diagonal(n), off(std::max(n - 1, 1));
  for (int k = 0; k < n; ++k) {
    const double s = 2.0 * k + a;
    diagonal[k] = k == 0 ? -a / (a + 2.0) : -a * a / (s * (s + 2.0));
    if (k > 0) off[k - 1] = std::sqrt(k == 1 ? 4.0 * (1.0 + a) / ((2.0 + a) * (2.0 + a) * (3.0 + a))
                                             : 4.0 * k * k * (k + a) * (k + a) / (s * s * (s + 1.0) * (s - 1.0)));
  }
  MatX J = diagonal.asDiagonal();
  for (int k = 0; k + 1 < n; ++k) J(k, k + 1) = J(k + 1, k) = off[k];
  const SymmetricEigen eigen = symmetric_eigen(J);
  std::vector<Node1> rule;
  for (int k = 0; k < n; ++k) {
    const double v = eigen.vectors(0, k);
    rule.push_back({0.5 * (1.0 + eigen.values[k]), v * v / (a + 1.0)});
  }
  return rule;
}

using Rule = std::vector<Point>;
using FaceRule = std::vector<FacePoint>;

Rule hexahedron_rule(int n) {
  Rule rule;
  const auto g = gauss_jacobi(n, 0);
  for (const auto& z : g) {
    for (const auto& y : g) {
      for (const auto& x : g) {
        rule.push_back({Vec3(2 * x.at - 1, 2 * y.at - 1, 2 * z.at - 1), 8 * x.weight * y.weight * z.weight});
      }
    }
  }
  return rule;
}

Rule pyramid_rule(int across, int along) {
  Rule rule;
  const auto g = gauss_jacobi(across, 0), h = gauss_jacobi(along, 2);
  for (const auto& z : h) {
    for (const auto& y : g) {
      for (const auto& x : g) {
        rule.push_back({Vec3((2 * x.at - 1) * (1 - z.at), (2 * y.at - 1) * (1 - z.at), z.at), 4 * x.weight * y.weight * z.weight});
      }
    }
  }
  return rule;
}

/// Conical product on the tetrahedron, n points a direction: exact to degree 2 n - 1.
Rule tetrahedron_rule(int n) {
  Rule rule;
  const auto g = gauss_jacobi(n, 0), h = gauss_jacobi(n, 1), k = gauss_jacobi(n, 2);
  for (const auto& z : k) {
    for (const auto& y : h) {
      for (const auto& x : g) {
        const double rest = 1 - z.at;
        rule.push_back({Vec3(x.at * (1 - y.at) * rest, y.at * rest, z.at), x.weight * y.weight * z.weight});
      }
    }
  }
  return rule;
}

/// Four points, degree 2, symmetric.
Rule tetrahedron_four() {
  const double s = std::sqrt(5.0), a = (5 - s) / 20, b = (5 + 3 * s) / 20, w = 1.0 / 24;
  return {{Vec3(a, a, a), w}, {Vec3(b, a, a), w}, {Vec3(a, b, a), w}, {Vec3(a, a, b), w}};
}

FaceRule triangle_three() {
  const double a = 1.0 / 6, b = 2.0 / 3, w = 1.0 / 6;
  return {{Vec2(a, a), w}, {Vec2(b, a), w}, {Vec2(a, b), w}};
}

/// Conical product on the triangle: exact to degree 2 n - 1.
FaceRule triangle_rule(int n) {
  FaceRule rule;
  const auto g = gauss_jacobi(n, 0), h = gauss_jacobi(n, 1);
  for (const auto& y : h) {
    for (const auto& x : g) rule.push_back({Vec2(x.at * (1 - y.at), y.at), x.weight * y.weight});
  }
  return rule;
}

FaceRule square_rule(int n) {
  FaceRule rule;
  const auto g = gauss_jacobi(n, 0);
  for (const auto& y : g) {
    for (const auto& x : g) rule.push_back({Vec2(2 * x.at - 1, 2 * y.at - 1), 4 * x.weight * y.weight});
  }
  return rule;
}

Rule wedge_rule(const FaceRule& triangle, int along) {
  Rule rule;
  for (const auto& z : gauss_jacobi(along, 0)) {
    for (const auto& p : triangle) rule.push_back({Vec3(p.at.x(), p.at.y(), 2 * z.at - 1), 2 * z.weight * p.weight});
  }
  return rule;
}

}  // namespace

std::span<const Point> stiffness_rule(Kind kind) {
  static const Rule rules[] = {{{Vec3::Constant(0.25), 1.0 / 6}}, pyramid_rule(2, 2), wedge_rule(triangle_three(), 2), hexahedron_rule(2),
                               tetrahedron_four(),                pyramid_rule(3, 3), wedge_rule(triangle_rule(3), 3), hexahedron_rule(3)};
  return rules[static_cast<int>(kind)];
}

std::span<const Point> mass_rule(Kind kind) {
  static const Rule rules[] = {tetrahedron_four(),  pyramid_rule(3, 2), wedge_rule(triangle_rule(3), 3), hexahedron_rule(3),
                               tetrahedron_rule(3), pyramid_rule(4, 4), wedge_rule(triangle_rule(4), 4), hexahedron_rule(4)};
  return rules[static_cast<int>(kind)];
}

std::span<const FacePoint> face_rule(FaceKind kind) {
  static const FaceRule rules[] = {triangle_three(), square_rule(2), triangle_rule(2), square_rule(3)};
  return rules[static_cast<int>(kind)];
}

}  // namespace scree::elastic
