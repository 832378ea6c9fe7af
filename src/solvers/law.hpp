/// The laws of blocks: what an impulse R (N s) may be and how it goes with the relative velocity U = W R + q (m/s). Order (N, T1, T2).
///
/// All that solvers ask of a law is in this header and its neighbours: the projection on the admissible impulses, the natural map
///   e = R - project(R - rho F(U)),   zero exactly when the law holds (theory eq. 3.6),
/// the law as a fixed point with its derivative (law_point), its smoothed form (smoothed_law.hpp) and the solution of a block
/// (local_solve.hpp). Contacts, fixed points and fixed directions are inline here; any other law is a class in a file of its own,
/// known to solvers once it has been registered with register_law().
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "core/vec.hpp"

namespace scree::solvers {

/// What a block of three unknowns may do. Registered laws follow these.
enum class BlockKind : std::uint8_t {
  contact,    ///< Signorini-Coulomb: R in the cone |R_T| <= mu R_N  (mu = 0: R_T = 0, R_N >= 0)
  bilateral,  ///< R free, U = 0 (a fixed point)
  direction   ///< R_N free with U_N = 0; R_T = 0 with U_T free (fixed direction, prescribed velocity, link)
};

/// A law at a point.
struct LawPoint {
  Vec3 value;
  Mat3 derivative;  ///< an element of the generalised Jacobian d law / d y
  bool open;        ///< the derivative is zero
};

/// A law beyond the three above. `parameter` is the block's entry of ContactProblem::mu, finite and not negative.
///
/// project() and point() are enough (and scaled_parameter() where the admissible impulses are no cone): the block is then solved by Newton
/// steps on point(). Laws are shared by threads.
class Law {
 public:
  virtual ~Law() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Nearest admissible impulse.
  [[nodiscard]] virtual Vec3 project(const Vec3& trial, double parameter) const noexcept = 0;
  /// F(U) of the natural map; U itself for laws that are the normal cone of their admissible set.
  [[nodiscard]] virtual Vec3 modified_velocity(const Vec3& U, double /*parameter*/) const noexcept { return U; }
  /// law(y) with its derivative: (U, R) obeys the law exactly when R = law(R - r U), r > 0 any step.
  [[nodiscard]] virtual LawPoint point(const Vec3& y, double parameter) const noexcept = 0;
  /// R that obeys the law with U = W R + q.
  [[nodiscard]] virtual Vec3 solve(const Mat3& W, double rho, const Vec3& q, double parameter) const noexcept;
  /// The parameter of the same law for x = R / s and u = s U. Cones do not change; a limit in N s is divided by s.
  [[nodiscard]] virtual double scaled_parameter(double parameter, double /*s*/) const noexcept { return parameter; }
};

/// Make a law known; problems use the kind returned. Call it before solvers run: it is not thread-safe. InputError when the name is taken or
/// no kind is left.
BlockKind register_law(std::unique_ptr<const Law> law);
/// The law of a kind that register_law() returned.
[[nodiscard]] const Law& registered_law(BlockKind kind) noexcept;
/// True for the three kinds above.
[[nodiscard]] constexpr bool built_in(BlockKind kind) noexcept { return kind <= BlockKind::direction; }
/// True when solvers know the kind.
[[nodiscard]] bool known(BlockKind kind) noexcept;
/// 'contact', 'bilateral', 'direction' or the name of a registered law.
[[nodiscard]] std::string to_string(BlockKind kind);

/// @name Questions about a kind
/// @{
/// It pushes only and has Coulomb friction: what formulations (report.hpp) differ in.
[[nodiscard]] constexpr bool frictional(BlockKind kind) noexcept { return kind == BlockKind::contact; }
/// Rows that ask for U = 0.
[[nodiscard]] constexpr int equations(BlockKind kind) noexcept { return kind == BlockKind::bilateral ? 3 : kind == BlockKind::direction ? 1 : 0; }
/// It carries no tangential impulse.
[[nodiscard]] constexpr bool normal_only(BlockKind kind, double mu) noexcept {
  return kind == BlockKind::direction || (kind == BlockKind::contact && mu == 0.0);
}
/// Friction as solvers and yardsticks take it: more than this counts as this, mu = inf too (theory sec. 3.2). What slips under it pushes with a thousandth of
/// its tangential impulse; from 1e4 on cones are so flat that their sides drown in the rounding of velocities.
inline constexpr double kMostFriction = 1e3;
[[nodiscard]] constexpr double bounded_parameter(BlockKind kind, double mu) noexcept { return frictional(kind) && mu > kMostFriction ? kMostFriction : mu; }
/// The set its impulses are taken from, for methods that know cones, lines and spaces only.
enum class ImpulseSet : std::uint8_t { cone, half_line, space, line, other };
[[nodiscard]] constexpr ImpulseSet impulse_set(BlockKind kind, double mu) noexcept {
  switch (kind) {
    case BlockKind::contact: return mu > 0.0 ? ImpulseSet::cone : ImpulseSet::half_line;
    case BlockKind::bilateral: return ImpulseSet::space;
    case BlockKind::direction: return ImpulseSet::line;
  }
  return ImpulseSet::other;
}
/// @}

/// @name Projections
/// @{
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

/// Nearest point of the disk of radius `radius`.
[[nodiscard]] inline Vec2 project_on_disk(const Vec2& trial, double radius) noexcept {
  const double length = trial.norm();
  return length <= radius ? trial : Vec2(trial * (radius / length));
}

/// Nearest point of the half-cylinder r_N >= 0, |r_T| <= threshold of Tresca's law.
[[nodiscard]] inline Vec3 project_on_half_cylinder(const Vec3& trial, double threshold) noexcept {
  const Vec2 tangent = project_on_disk(trial.tail<2>(), threshold);
  return {std::max(0.0, trial.x()), tangent.x(), tangent.y()};
}

/// Projection on the admissible set of a block.
[[nodiscard]] inline Vec3 project_on_block(const Vec3& trial, BlockKind kind, double mu) noexcept {
  switch (kind) {
    case BlockKind::contact: return project_on_cone(trial, mu);
    case BlockKind::bilateral: return trial;
    case BlockKind::direction: return {trial.x(), 0.0, 0.0};
  }
  return registered_law(kind).project(trial, mu);
}
/// @}

/// @name The natural map
/// @{
/// s = mu |U_T| of contacts, 0 otherwise: what Coulomb's law adds to U_N (De Saxce's change of variables, theory eq. 3.6).
[[nodiscard]] inline double friction_shift(const Vec3& U, BlockKind kind, double mu) noexcept {
  return frictional(kind) ? mu * std::sqrt(U.y() * U.y() + U.z() * U.z()) : 0.0;
}
/// F(U): U + s n for contacts, U for the other two kinds.
[[nodiscard]] inline Vec3 modified_velocity(const Vec3& U, BlockKind kind, double mu) noexcept {
  if (!built_in(kind)) return registered_law(kind).modified_velocity(U, mu);
  return frictional(kind) ? Vec3(U.x() + friction_shift(U, kind, mu), U.y(), U.z()) : U;
}
/// R - project(R - rho F): zero exactly when the law of the block holds.
[[nodiscard]] inline Vec3 natural_map(const Vec3& R, const Vec3& F, double rho, BlockKind kind, double mu) noexcept {
  return R - project_on_block(R - rho * F, kind, mu);
}
/// @}

/// @name The law as a fixed point   (theory eq. 4.12)
///
/// With y = R - r U (r > 0 any step) a pair (U, R) obeys the law of its block exactly when R = law(y):
///   contact     law_N = max(0, y_N),   law_T = y_T cut to the disk of radius mu law_N   (Alart and Curnier)
///   bilateral   law = y
///   direction   law_N = y_N,  law_T = 0
/// The convex relaxation has the nearest point of the cone in place of the contact's law.
/// @{
/// law(y); always inside the admissible set.
[[nodiscard]] inline Vec3 law_value(const Vec3& y, BlockKind kind, double mu) noexcept {
  if (kind == BlockKind::bilateral) return y;
  if (kind == BlockKind::direction) return {y.x(), 0.0, 0.0};
  if (!built_in(kind)) return registered_law(kind).point(y, mu).value;
  if (y.x() <= 0.0) return Vec3::Zero();
  const double radius = mu * y.x(), length = std::sqrt(y.y() * y.y() + y.z() * y.z());
  if (length <= radius) return y;
  const double shrink = radius / length;
  return {y.x(), shrink * y.y(), shrink * y.z()};
}

/// e = R - law(R - rho U), what the yardstick `residual` weighs (theory eq. 3.9): R - e and U - e / rho obey the law exactly.
[[nodiscard]] inline Vec3 law_error(const Vec3& R, const Vec3& U, double rho, BlockKind kind, double mu) noexcept {
  return R - law_value(R - rho * U, kind, mu);
}
/// Relative rounding of an impulse: what U = W R + B cannot tell apart.
inline constexpr double kRounding = 16.0 * 2.2204460492503131e-16;
/// |e|^2 as far as it is not the rounding of R.
[[nodiscard]] inline double squared_error(const Vec3& R, const Vec3& U, double rho, BlockKind kind, double mu) noexcept {
  const double error = std::max(law_error(R, U, rho, kind, mu).norm() - kRounding * R.norm(), 0.0);
  return error * error;
}
/// law(y) with its derivative.
[[nodiscard]] LawPoint law_point(const Vec3& y, BlockKind kind, double mu) noexcept;

/// The nearest point of the admissible set with its derivative (symmetric): law_point of the convex relaxation.
[[nodiscard]] LawPoint projection_point(const Vec3& y, BlockKind kind, double mu) noexcept;
/// @}

}  // namespace scree::solvers
