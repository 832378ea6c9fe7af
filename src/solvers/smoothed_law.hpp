/// The smoothed root-finding form of the contact law (quasi-Newton report sec. 3-6; theory eq. 4.5-4.11):
///     C_w(U, R) = F_w(U) + m_w(R - F_w(U)) = 0,   R in K,
/// F_w(U) = U + mu (sqrt(|U_T|^2 + w^2) - w) n, and m_w the smoothed projection on the polar cone.
/// Order (N, T1, T2). Blocks without a cone have the same form with their own polar sets.
#pragma once

#include "core/vec.hpp"
#include "solvers/law.hpp"

namespace scree::solvers {

/// C and its derivatives  dC = X dU + Y dR.
struct SmoothedLaw {
  Vec3 C;
  Mat3 X, Y;
};

/// Smoothed projection on the polar cone of |z_T| <= mu z_N with its gradient; smoothing > 0.
inline void smoothed_polar_projection(const Vec3& z, double mu, double smoothing, Vec3& m, Mat3& gradient) noexcept {
  const Vec2 tangent = z.tail<2>();
  const double length = tangent.norm(), weight = 1.0 + mu * mu;
  const double lambda1 = (-z.x() - mu * length) / weight, lambda2 = (length - mu * z.x()) / weight;
  // g(l) = (l + root) / 2 with root = sqrt(l^2 + 4 w^2); written so that nothing cancels for l < 0.
  const double root1 = std::hypot(lambda1, 2.0 * smoothing), root2 = std::hypot(lambda2, 2.0 * mu * smoothing);
  const auto plus = [](double l, double root, double w) { return l > 0.0 ? 0.5 * (l + root) : root > l ? 2.0 * w * w / (root - l) : 0.0; };
  const double g1 = plus(lambda1, root1, smoothing), g2 = plus(lambda2, root2, mu * smoothing);
  const double slope1 = g1 / root1, slope2 = root2 > 0.0 ? g2 / root2 : 1.0;
  gradient.setZero();
  if (mu == 0.0) {
    m << -g1, tangent;
    gradient.diagonal() << slope1, 1.0, 1.0;
    return;
  }
  const Vec2 t = length > 0.0 ? Vec2(tangent / length) : Vec2(1.0, 0.0);
  m << -g1 - mu * g2, (length > 0.0 ? g2 - mu * g1 : 0.0) * t;
  if (length == 0.0) {
    gradient.diagonal().setConstant(slope1);
    return;
  }
  const double a = 0.5 * (1.0 + (lambda2 + mu * lambda1) / (root2 + mu * root1));
  const double b = (mu * mu * slope1 + slope2) / weight;
  const double c = mu * (slope1 - slope2) / weight;
  const double d = (slope1 + mu * mu * slope2) / weight;
  gradient(0, 0) = d;
  gradient.block<2, 1>(1, 0) = c * t;
  gradient.block<1, 2>(0, 1) = c * t.transpose();
  gradient.block<2, 2>(1, 1) = a * Mat2::Identity() + (b - a) * t * t.transpose();
}

/// C, X and Y of a block of a built-in kind (report eq. 41-44); the convex relaxation has F = U.
[[nodiscard]] inline SmoothedLaw smoothed_law(const Vec3& U, const Vec3& R, BlockKind kind, double mu, double smoothing,
                                              bool convex = false) noexcept {
  SmoothedLaw law{Vec3::Zero(), Mat3::Zero(), Mat3::Zero()};
  if (kind == BlockKind::bilateral) {
    law.C = U;
    law.X.setIdentity();
    return law;
  }
  if (kind == BlockKind::direction) {
    law.C << U.x(), R.y(), R.z();
    law.X(0, 0) = 1.0;
    law.Y(1, 1) = law.Y(2, 2) = 1.0;
    return law;
  }
  const Vec2 slip = U.tail<2>();
  const double root = std::sqrt(slip.squaredNorm() + smoothing * smoothing);
  Vec3 F = U;
  Mat3 dF = Mat3::Identity();
  if (!convex) {
    F.x() += mu * slip.squaredNorm() / (root + smoothing);
    dF.block<1, 2>(0, 1) = (mu / root) * slip.transpose();
  }
  Vec3 m;
  smoothed_polar_projection(R - F, mu, smoothing, m, law.Y);
  law.C = F + m;
  law.X.noalias() = (Mat3::Identity() - law.Y) * dF;
  return law;
}

}  // namespace scree::solvers
