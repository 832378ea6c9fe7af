/// Which contacts act in a step, and the velocities each one asks for (theory sec. 3.3).
#pragma once

#include "assembly/contact.hpp"
#include "model/material.hpp"

namespace scree::stepping {

/// How a contact enters the step.
enum class Role {
  idle,      ///< cannot act within this step
  implicit,  ///< Signorini-Coulomb, solved
  penalty    ///< spring-dashpot, evaluated
};

/// How an overlap is driven out.
struct Recovery {
  double share = 0.0;       ///< of the overlap, a step
  double allowed = 0.0;     ///< overlap left alone, m
  double most = kInfinity;  ///< speed, m/s
};

/// Whether a contact bounces: it has restitution, and closes faster than `calm` (m/s).
[[nodiscard]] bool bounces(const assembly::Contact& contact, const model::SurfaceMaterial& material, double calm);

/// Role of a contact whose free normal velocity is B_N.
///
/// One that does not bounce acts through its gap ahead, so that bodies meet and do not overlap. One that does acts once its gap would close within
/// the step, or before it would be deeper than `allowed` (m) at the next mid-step.
[[nodiscard]] Role contact_role(const assembly::Contact& contact, const model::SurfaceMaterial& material, double B_N, double h, bool penalty_solver,
                                bool bounce, double allowed);

/// What is added to B_N so that the law reads  U_N + bias >= 0  (eq. 3.4): the gap ahead, or what drives out an overlap.
[[nodiscard]] double gap_bias(const assembly::Contact& contact, double h, const Recovery& recovery);

/// The same of SHAKE and RATTLE, whose gap is to be none at the end of the step. An overlap up to `recovery.allowed` is what turning bodies leave in a
/// step: it is driven out no faster than its contact closes by itself (B_N), so that doing so adds no energy.
[[nodiscard]] double place_bias(const assembly::Contact& contact, double h, double B_N, const Recovery& recovery);

/// The mean speed, m/s, 0 or less, with which the turn of its bodies closes the gap of a contact that pushed in the last step, beyond its velocity (c of eq. 3.25).
/// `farthest` as in tangential_bias().
[[nodiscard]] double turned_speed(const assembly::Contact& contact, const Vec3& omega_a, const Vec3& omega_b, double farthest);

/// What is added to B_N of a contact that pushed in the last step, so that it takes back what it overlaps because bodies turn (eq. 3.25): no faster than it
/// closes, `closing` (m/s, the normal velocity it begins with), and, up to the overlap `allowed` (m), than the turn of the last step explains. 0 or less, m/s.
[[nodiscard]] double turning_bias(const assembly::Contact& contact, const Vec3& omega_a, const Vec3& omega_b, double h, double closing, double allowed);

/// The same of a contact that bounces, by Newton's law.
[[nodiscard]] double restitution_bias(const assembly::Contact& contact, const model::SurfaceMaterial& material);

/// What is added to B_T so that friction sees the tangential velocity where the contact will be at the instant of the new velocities, half a step on (eq. 3.17):
/// 1/2 (omega_b x travel_b - omega_a x travel_a), in the contact's frame, with spatial angular velocities (rad/s).
///
/// `farthest` (m) is how far the point can have moved against either body since the last step; one that moved farther has jumped, and gets nothing.
[[nodiscard]] Vec3 tangential_bias(const assembly::Contact& contact, const Vec3& omega_a, const Vec3& omega_b, double farthest);

}  // namespace scree::stepping
