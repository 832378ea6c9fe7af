/// Projections on the admissible sets of impulses. Local order (N, T1, T2).
#pragma once

#include "core/vec.hpp"
#include "solvers/contact_problem.hpp"

namespace scree::solvers {

/// Nearest point of the Coulomb cone |r_T| <= mu r_N   (theory eq. 3.7).
/// Inside the cone the impulse is returned untouched; inside the polar cone the result is exactly zero,
/// so that separated contacts carry no noise.
[[nodiscard]] inline Vec3 project_on_cone(const Vec3& trial, double mu) noexcept {
  const double tangent = std::sqrt(trial.y() * trial.y() + trial.z() * trial.z());
  if (tangent <= mu * trial.x() && trial.x() >= 0.0) return trial;
  if (mu * tangent <= -trial.x()) return Vec3::Zero();
  const double normal = (trial.x() + mu * tangent) / (1.0 + mu * mu);
  if (mu == 0.0 || tangent == 0.0) return {normal, 0.0, 0.0};
  const double shrink = mu * normal / tangent;
  return {normal, shrink * trial.y(), shrink * trial.z()};
}

/// Nearest point of the disk of radius `radius` (the friction threshold of Tresca's law).
[[nodiscard]] inline Vec2 project_on_disk(const Vec2& trial, double radius) noexcept {
  const double length = trial.norm();
  return length <= radius ? trial : Vec2(trial * (radius / length));
}

/// Projection on the admissible set of a block.
[[nodiscard]] inline Vec3 project_on_block(const Vec3& trial, BlockKind kind, double mu) noexcept {
  switch (kind) {
    case BlockKind::contact: return project_on_cone(trial, mu);
    case BlockKind::bilateral: return trial;
    case BlockKind::direction: return {trial.x(), 0.0, 0.0};
  }
  return trial;
}

}  // namespace scree::solvers
