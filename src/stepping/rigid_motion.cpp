#include "stepping/rigid_motion.hpp"

#include "core/dense.hpp"
#include "core/free_rotation.hpp"
#include "core/rotation.hpp"
#include "core/threads.hpp"

namespace scree::stepping {

namespace {

using model::Bodies;
using model::Motion;
using model::Scheme;

constexpr int kMostNewton = 30;         ///< iterations for eq. 2.12
constexpr double kLeastShare = 1e-6;    ///< of a Newton step
constexpr double kRounding = 2e-16;     ///< defect of eq. 2.12, relative to the momentum, that ends them
constexpr double kSolved = 1e-12;       ///< and that counts as solved
constexpr double kCoarse = 0.5;         ///< angle of a half-step, rad, beyond which that equation is left alone

/// Rotate and shift an obstacle for a time span with velocities frozen.
void move_obstacle(Motion& motion, std::size_t i, const Vec3& linear, const Vec3& angular, double span) {
  const Mat3 turn = exp_rotation(span * angular);
  if (!angular.isZero(0.0)) {
    motion.rotation[i] = turn * motion.rotation[i];
    motion.position[i] = motion.pivot[i] + turn * (motion.position[i] - motion.pivot[i]);
  }
  motion.position[i] += span * linear;
  motion.pivot[i] += span * linear;
}

/// Velocities of an obstacle with a prescribed motion at time t.
void obstacle_velocity(const Bodies& bodies, const Motion& motion, int id, const model::ObstacleMotion& prescribed, double t, assembly::Velocities& velocities) {
  const std::size_t i = bodies.index(id);
  velocities.angular[i] = prescribed.angular_at(t);
  velocities.linear[i] = prescribed.linear_at(t) + velocities.angular[i].cross(motion.position[i] - motion.pivot[i]);
}

/// Remove the rounding drift of a rotation, leaving one that is clean untouched to the bit.
void clean(Mat3& rotation) {
  const double defect = (rotation.transpose() * rotation - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (defect > 1e-15) rotation = orthonormalised(rotation);
}

/// J^-1 a through the principal axes.
Vec3 inverse_inertia(const Bodies& bodies, std::size_t i, const Vec3& a) {
  const Mat3& Q = bodies.principal_axes[i];
  return Q * (Q.transpose() * a).cwiseQuotient(bodies.principal_moments[i]);
}

/// Free rotation of a body during a time, from the referential momentum `momentum` (theory sec. 2.4). About an axis that stays it is uniform.
FreeRotation rotate_freely(const Bodies& bodies, std::size_t i, const Vec3& momentum, double time) {
  if (bodies.held[i] >> 3) return {exp_rotation(time * inverse_inertia(bodies, i, momentum)), momentum};
  const Mat3& Q = bodies.principal_axes[i];
  FreeRotation motion = free_rotation(bodies.principal_moments[i], Q.transpose() * momentum, time);
  motion.turn = Q * motion.turn * Q.transpose();
  motion.momentum = Q * motion.momentum;
  return motion;
}

/// Whether a span (s) is too long for RIG_IMP to follow a spin: it then rotates freely, as RIG_EXACT does.
bool too_coarse(const Vec3& W, double span) { return std::abs(span) * W.norm() > kCoarse; }

/// Motion during a span a with the velocity that solves  exp(a W) J W = momentum  (eq. 2.12): Newton's method with line search, from the free
/// rotation. That itself is the answer where the span is too long for the spin.
FreeRotation rotate_implicitly(const Bodies& bodies, std::size_t i, const Vec3& momentum, double a) {
  const Mat3& J = bodies.inertia[i];
  const FreeRotation free = rotate_freely(bodies, i, momentum, a);
  const auto defect = [&](const Vec3& W) { return Vec3(J * W - exp_rotation(-a * W) * momentum); };
  const double size = momentum.norm();
  Vec3 W = inverse_inertia(bodies, i, free.momentum), error = defect(W);
  if (too_coarse(W, a)) return free;
  for (int iteration = 0; iteration < kMostNewton && error.norm() > kRounding * size; ++iteration) {
    // d(exp(a W) J W) = exp(a W) (J - a skew(J W) T) dW.
    const Vec3 step = solve_linear(J - a * skew(J * W) * exp_rotation_tangent(a * W), error);
    double share = 1.0;
    Vec3 trial = W - step, left = defect(trial);
    while (share > kLeastShare && !(left.norm() < error.norm())) {
      share *= 0.5;
      trial = W - share * step;
      left = defect(trial);
    }
    if (!(left.norm() < error.norm())) break;
    W = trial;
    error = left;
  }
  if (error.norm() > kSolved * size || too_coarse(W, a)) return free;
  const Mat3 turn = exp_rotation(a * W);
  return {turn, turn.transpose() * momentum};
}

/// Whether impulses act on the momentum at mid-step; otherwise on a velocity extrapolated to the end of the step (eq. 2.9).
bool kicks_momentum(Scheme scheme) { return scheme == Scheme::rig_exact || scheme == Scheme::rig_imp; }

/// Rotation and momentum, referential, of a body whose momentum has been carried from its last velocity W for a time.
FreeRotation carry(const Bodies& bodies, std::size_t i, const Vec3& W, double time) {
  const Vec3 momentum = bodies.inertia[i] * W;
  const Scheme scheme = bodies.scheme[i];
  if (scheme == Scheme::rig_exact || bodies.held[i] >> 3 || (scheme == Scheme::rig_imp && too_coarse(W, time))) return rotate_freely(bodies, i, momentum, time);
  const Mat3 turn = exp_rotation(time * W);
  return {turn, turn.transpose() * momentum};
}

/// The inverse of carry() for a span: rotation and momentum such that carrying that momentum on by -span comes back.
FreeRotation second_half_rotation(const Bodies& bodies, std::size_t i, const Vec3& momentum, double span) {
  return bodies.scheme[i] == Scheme::rig_exact || bodies.held[i] >> 3 ? rotate_freely(bodies, i, momentum, span) : rotate_implicitly(bodies, i, momentum, span);
}

/// Referential angular velocity from W under a torque T, damping c h/2 = `c` (eq. 2.9).
Vec3 free_spin(const Bodies& bodies, std::size_t i, const Vec3& W, const Vec3& T, const Vec3& carried, double c, double h) {
  if (kicks_momentum(bodies.scheme[i])) return inverse_inertia(bodies, i, (1.0 - c) * carried + h * T) / (1.0 + c);
  const Vec3 W_mid = inverse_inertia(bodies, i, carried + 0.5 * h * T);
  const Vec3 rate = inverse_inertia(bodies, i, T - W_mid.cross(bodies.inertia[i] * W_mid));
  return ((1.0 - c) * W + h * rate) / (1.0 + c);
}

}  // namespace

void first_rigid_half_step(const Bodies& bodies, Motion& motion, const StepForm& form, CarriedMomentum& carried) {
  const double span = form.first_part();
  carried.resize(bodies.id.size());
  for (const auto& [id, prescribed] : bodies.prescribed)
    move_obstacle(motion, static_cast<std::size_t>(bodies.index(id)), prescribed.linear_at(form.t), prescribed.angular_at(form.t), span);
  for_rigid(bodies, [&](std::size_t i) {
    motion.position[i] += span * motion.velocity[i];
    const Vec3& W = motion.angular[i];
    if (W.isZero(0.0)) {
      carried[i].setZero();
      return;
    }
    const FreeRotation moved = carry(bodies, i, W, form.carry(motion.lag[i]));
    carried[i] = moved.momentum;
    if (span > 0.0) motion.rotation[i] = motion.rotation[i] * moved.turn;
  });
}

void free_rigid_velocities(const Bodies& bodies, const Motion& motion, const BodyLoads& loads, const CarriedMomentum& carried, const StepForm& form,
                           assembly::Velocities& free) {
  const double t = form.velocity_time();
  free.linear.assign(bodies.id.size(), Vec3::Zero());
  free.angular.assign(bodies.id.size(), Vec3::Zero());
  for (const auto& [id, prescribed] : bodies.prescribed) obstacle_velocity(bodies, motion, id, prescribed, t, free);
  for_rigid(bodies, [&](std::size_t i) {
    // (1 + c h/2) u' = (1 - c h/2) u + h A^-1 f.
    const double h = form.kick(motion.lag[i]);
    const double c = 0.5 * bodies.damping[i] * h;
    free.linear[i] = ((1.0 - c) * motion.velocity[i] + (h / bodies.mass[i]) * loads.force[i]) / (1.0 + c);
    free.angular[i] = motion.rotation[i] * free_spin(bodies, i, motion.angular[i], loads.torque[i], carried[i], c, h);
  });
}

void current_velocities(const Bodies& bodies, const Motion& motion, assembly::Velocities& velocities) {
  velocities.resize(bodies.id.size());
  velocities.nodal = motion.u;
  parallel_for(bodies.size(), [&](std::ptrdiff_t b) {
    const std::size_t i = b;
    velocities.linear[i] = motion.velocity[i];
    velocities.angular[i] = motion.rotation[i] * motion.angular[i];
  });
}

void old_velocities(const Bodies& bodies, const Motion& motion, const CarriedMomentum& carried, const StepForm& form, assembly::Velocities& velocities) {
  current_velocities(bodies, motion, velocities);
  for_rigid(bodies, [&](std::size_t i) {
    if (kicks_momentum(bodies.scheme[i])) velocities.angular[i] = motion.rotation[i] * inverse_inertia(bodies, i, carried[i]);
  });
  for (const auto& [id, prescribed] : bodies.prescribed) obstacle_velocity(bodies, motion, id, prescribed, form.t, velocities);
}

void second_rigid_half_step(const Bodies& bodies, Motion& motion, const BodyLoads& loads, const CarriedMomentum& carried, const assembly::Velocities& free,
                            const assembly::Velocities& end, const StepForm& form) {
  const double h = form.h, span = form.second_part();
  for_rigid(bodies, [&](std::size_t i) {
    const Mat3 Lam = motion.rotation[i];
    const Vec3 W1 = Lam.transpose() * end.angular[i];
    motion.velocity[i] = end.linear[i];
    motion.position[i] += span * end.linear[i];
    if (W1.isZero(0.0)) {  // at rest: stays there to the bit
      motion.angular[i].setZero();
      return;
    }
    if (kicks_momentum(bodies.scheme[i]) && !form.quasi_static) {
      const FreeRotation moved = second_half_rotation(bodies, i, bodies.inertia[i] * W1, form.leapfrog ? 0.5 * h : span);
      motion.angular[i] = inverse_inertia(bodies, i, moved.momentum);
      motion.rotation[i] = Lam * moved.turn;
      if (form.leapfrog) motion.rotation[i] = motion.rotation[i] * carry(bodies, i, motion.angular[i], 0.5 * h).turn;
      clean(motion.rotation[i]);
      return;
    }
    // Total angular impulse about the mass centre, referential: loads, damping and constraints.
    const double kick = form.kick(motion.lag[i]), c = 0.5 * bodies.damping[i] * kick;
    const Vec3 constraint = (1.0 + c) * (bodies.inertia[i] * (Lam.transpose() * (end.angular[i] - free.angular[i])));
    const Vec3 damping = -c * (bodies.inertia[i] * (motion.angular[i] + W1));
    const Vec3 momentum = carried[i] + kick * loads.torque[i] + constraint + damping;
    const bool negative = bodies.scheme[i] == Scheme::rig_neg && !form.quasi_static;
    const Vec3 W_end = negative ? inverse_inertia(bodies, i, exp_rotation(-0.5 * h * W1) * momentum) : W1;
    motion.rotation[i] = Lam * exp_rotation((form.leapfrog ? 0.5 * h : span) * W1);
    if (form.leapfrog) motion.rotation[i] = motion.rotation[i] * exp_rotation(0.5 * h * W_end);
    clean(motion.rotation[i]);
    motion.angular[i] = W_end;
  });
  for (const auto& [id, prescribed] : bodies.prescribed) {
    const std::size_t i = bodies.index(id);
    move_obstacle(motion, i, prescribed.linear_at(form.velocity_time()), prescribed.angular_at(form.velocity_time()), span);
    clean(motion.rotation[i]);
    const Vec3 angular = prescribed.angular_at(form.t + h);
    motion.velocity[i] = prescribed.linear_at(form.t + h) + angular.cross(motion.position[i] - motion.pivot[i]);
    motion.angular[i] = motion.rotation[i].transpose() * angular;
  }
}

void node_velocities(const Bodies& bodies, const Motion& motion, assembly::Velocities& velocities) {
  current_velocities(bodies, motion, velocities);
  for_rigid(bodies, [&](std::size_t i) {
    const Vec3& W = motion.angular[i];
    if (W.isZero(0.0)) return;
    velocities.angular[i] = motion.rotation[i] * inverse_inertia(bodies, i, carry(bodies, i, W, motion.lag[i]).momentum);
  });
}

void kick_to_present(const Bodies& bodies, const Motion& motion, const BodyLoads& loads, assembly::Velocities& velocities) {
  for_rigid(bodies, [&](std::size_t i) {
    const double lag = motion.lag[i], c = 0.5 * bodies.damping[i] * lag;
    const Vec3 angular = motion.rotation[i] * inverse_inertia(bodies, i, loads.torque[i]);
    velocities.linear[i] = ((1.0 - c) * velocities.linear[i] + (lag / bodies.mass[i]) * loads.force[i]) / (1.0 + c);
    velocities.angular[i] = ((1.0 - c) * velocities.angular[i] + lag * angular) / (1.0 + c);
  });
}

void store_node_velocities(const Bodies& bodies, Motion& motion, const assembly::Velocities& before, const assembly::Velocities& end) {
  for_rigid(bodies, [&](std::size_t i) {
    motion.velocity[i] = end.linear[i];
    if (end.angular[i] == before.angular[i]) return;
    const Vec3 momentum = bodies.inertia[i] * (motion.rotation[i].transpose() * end.angular[i]);
    if (momentum.isZero(0.0)) motion.angular[i].setZero();
    else motion.angular[i] = inverse_inertia(bodies, i, second_half_rotation(bodies, i, momentum, -motion.lag[i]).momentum);
  });
}

}  // namespace scree::stepping
