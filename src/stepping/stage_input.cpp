#include "stepping/stage_input.hpp"

#include <algorithm>
#include <cmath>

namespace scree::stepping {

namespace {

constexpr double kCalm = 2.0;          ///< contacts closing no faster than loads make their bodies in this many steps do not bounce
constexpr double kRecovery = 0.1;      ///< of the speed that loads give over a radius: 0.1 m/s for bodies of 0.1 m under gravity
constexpr double kUnit = 1.0;          ///< s: time for a radius where there are no loads, and so no time of the scene's own

/// Of two bodies; a body that touches itself may be thin: there of the pieces in touch, m.
double smaller_radius(const StageInput& in, const assembly::Contact& contact) {
  const bool self = contact.index_a == contact.index_b;
  const auto radius = [&](int body, int piece) { return self ? in.world.piece_radius(piece) : in.model.bodies.radius[body]; };
  return std::min(radius(contact.index_a, contact.point.piece_a), radius(contact.index_b, contact.point.piece_b));
}

}  // namespace

double load_speed(const StageInput& in, int body) {
  const std::size_t i = body;
  if (!in.model.bodies.moves(body)) return 0.0;
  const double linear = in.settings.step * in.loads.force[i].norm() / in.model.bodies.mass[i];
  if (in.model.bodies.find_deformable(body)) return linear;
  return linear + in.settings.step * in.model.bodies.radius[i] * in.loads.torque[i].norm() / in.model.bodies.principal_moments[i].minCoeff();
}

double load_acceleration(const StageInput& in, const assembly::Contact& contact) {
  const model::Bodies& bodies = in.model.bodies;
  const auto of = [&](int body) -> Vec3 {
    const std::size_t i = body;
    if (!bodies.moves(body)) return Vec3::Zero();
    const Mat3& turn = in.motion.rotation[i];
    const Vec3 spin = turn * bodies.spin(i, in.loads.torque[i]);
    return in.loads.force[i] / bodies.mass[i] + spin.cross(contact.point.point - in.motion.position[i]);
  };
  return contact.point.normal.dot(of(contact.index_b) - of(contact.index_a));
}

double calm_speed(const StageInput& in, const assembly::Contact& contact) {
  if (in.settings.restitution == RestitutionLaw::newton) return 0.0;
  return kCalm * (load_speed(in, contact.index_a) + load_speed(in, contact.index_b));
}

double recovery_speed(const StageInput& in, const assembly::Contact& contact) {
  if (in.settings.recovery_speed != kBySize) return in.settings.recovery_speed;
  const double size = smaller_radius(in, contact);
  return kRecovery * (in.acceleration > 0.0 ? std::sqrt(in.acceleration * size) : size / kUnit);
}

double allowed_overlap(const StageInput& in, const assembly::Contact& contact) { return in.settings.slack * smaller_radius(in, contact); }

}  // namespace scree::stepping
