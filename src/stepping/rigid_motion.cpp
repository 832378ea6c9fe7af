#include "stepping/rigid_motion.hpp"

#include "core/rotation.hpp"
#include "core/threads.hpp"

namespace scree::stepping {

namespace {

using model::Bodies;
using model::Scheme;

/// Rotate and shift an obstacle for a time span with velocities frozen.
void move_obstacle(Bodies& bodies, std::size_t i, const Vec3& linear, const Vec3& angular, model::ObstacleMotion& motion, double span) {
  const Mat3 turn = exp_rotation(span * angular);
  if (!angular.isZero(0.0)) {
    bodies.rotation[i] = turn * bodies.rotation[i];
    bodies.position[i] = motion.pivot + turn * (bodies.position[i] - motion.pivot);
  }
  bodies.position[i] += span * linear;
  motion.pivot += span * linear;
}

/// Remove the rounding drift of a rotation, leaving one that is clean untouched to the bit.
void clean(Mat3& rotation) {
  const double defect = (rotation.transpose() * rotation - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (defect > 1e-14) rotation = orthonormalised(rotation);
}

/// J^-1 a through the principal axes.
Vec3 inverse_inertia(const Bodies& bodies, std::size_t i, const Vec3& a) {
  const Mat3& Q = bodies.principal_axes[i];
  return Q * (Q.transpose() * a).cwiseQuotient(bodies.principal_moments[i]);
}

/// Solve  exp(h/2 W) J W = momentum  for W by Newton's method (eq. 2.12), starting from `guess`; h may be negative.
Vec3 solve_implicit(const Bodies& bodies, std::size_t i, const Vec3& momentum, const Vec3& guess, double h) {
  const Mat3& J = bodies.inertia[i];
  Vec3 W = guess;
  double best = kInfinity;
  Vec3 answer = guess;
  for (int iteration = 0; iteration < 30; ++iteration) {
    const Vec3 JW = J * W;
    const Vec3 defect = exp_rotation(0.5 * h * W) * JW - momentum;
    const double size = defect.norm();
    if (!(size < best)) break;
    best = size;
    answer = W;
    if (size == 0.0) break;
    const Mat3 tangent = J + 0.5 * h * (skew(W) * J - skew(JW));
    W -= tangent.partialPivLu().solve(defect);
  }
  return answer;
}

}  // namespace

void first_half_step(Bodies& bodies, const StepForm& form, CarriedMomentum& carried) {
  const double span = form.first_part();
  carried.resize(bodies.id.size());
  for (auto& [id, motion] : bodies.motion)
    move_obstacle(bodies, static_cast<std::size_t>(bodies.index(id)), motion.linear_at(form.t), motion.angular_at(form.t), motion, span);
  parallel_for(bodies.size(), [&](std::ptrdiff_t b) {
    const auto i = static_cast<std::size_t>(b);
    if (bodies.kind[i] != model::BodyKind::rigid) return;
    bodies.position[i] += span * bodies.velocity[i];
    const Vec3& W = bodies.angular[i];
    if (W.isZero(0.0)) {
      carried[i].setZero();
      return;
    }
    const Mat3 turn = exp_rotation(form.carry() * W);
    carried[i] = turn.transpose() * (bodies.inertia[i] * W);
    if (span > 0.0) bodies.rotation[i] = bodies.rotation[i] * turn;
  });
}

void free_velocities(const Bodies& bodies, const BodyLoads& loads, const CarriedMomentum& carried, const StepForm& form,
                     assembly::Velocities& free) {
  const double h = form.kick(), t = form.velocity_time();
  free.resize(bodies.id.size());
  parallel_for(bodies.size(), [&](std::ptrdiff_t b) {
    const auto i = static_cast<std::size_t>(b);
    if (!bodies.moves(static_cast<int>(b))) {
      const auto motion = bodies.motion.find(bodies.id[i]);
      free.linear[i].setZero();
      free.angular[i].setZero();
      if (motion == bodies.motion.end()) return;
      free.angular[i] = motion->second.angular_at(t);
      free.linear[i] = motion->second.linear_at(t) + free.angular[i].cross(bodies.position[i] - motion->second.pivot);
      return;
    }
    if (bodies.deforms(static_cast<int>(b))) return;
    // (1 + c h/2) u' = (1 - c h/2) u + h A^-1 f.
    const double c = 0.5 * bodies.damping[i] * h;
    const Vec3& T = loads.torque[i];
    const Vec3 W_mid = inverse_inertia(bodies, i, carried[i] + 0.5 * h * T);
    const Vec3 rate = inverse_inertia(bodies, i, T - W_mid.cross(bodies.inertia[i] * W_mid));
    const Vec3 W_free = ((1.0 - c) * bodies.angular[i] + h * rate) / (1.0 + c);
    free.linear[i] = ((1.0 - c) * bodies.velocity[i] + (h / bodies.mass[i]) * loads.force[i]) / (1.0 + c);
    free.angular[i] = bodies.rotation[i] * W_free;
  });
}

void current_velocities(const Bodies& bodies, assembly::Velocities& velocities) {
  velocities.resize(bodies.id.size());
  velocities.nodal = bodies.u;
  parallel_for(bodies.size(), [&](std::ptrdiff_t b) {
    const auto i = static_cast<std::size_t>(b);
    velocities.linear[i] = bodies.velocity[i];
    velocities.angular[i] = bodies.rotation[i] * bodies.angular[i];
  });
}

void second_half_step(Bodies& bodies, const BodyLoads& loads, const CarriedMomentum& carried, const assembly::Velocities& free,
                      const assembly::Velocities& end, const StepForm& form) {
  const double h = form.h, span = form.second_part(), kick = form.kick();
  parallel_for(bodies.size(), [&](std::ptrdiff_t b) {
    const auto i = static_cast<std::size_t>(b);
    if (bodies.kind[i] != model::BodyKind::rigid) return;
    const Mat3 Lam = bodies.rotation[i];
    const Vec3 W1 = Lam.transpose() * end.angular[i];
    // Total angular impulse about the mass centre, referential: loads, damping and constraints.
    const double c = 0.5 * bodies.damping[i] * kick;
    const Vec3 constraint = (1.0 + c) * (bodies.inertia[i] * (Lam.transpose() * (end.angular[i] - free.angular[i])));
    const Vec3 damping = -c * (bodies.inertia[i] * (bodies.angular[i] + W1));
    const Vec3 momentum = carried[i] + kick * loads.torque[i] + constraint + damping;

    bodies.velocity[i] = end.linear[i];
    bodies.position[i] += span * end.linear[i];
    if (W1.isZero(0.0)) {  // at rest: stays there to the bit
      bodies.angular[i].setZero();
      return;
    }
    Vec3 W_end = W1, W_turn = W1;
    switch (form.quasi_static ? Scheme::rig_pos : bodies.scheme[i]) {
      default:
      case Scheme::rig_pos: break;
      case Scheme::rig_neg: W_end = inverse_inertia(bodies, i, exp_rotation(-0.5 * h * W1) * momentum); break;
      case Scheme::rig_imp: W_end = W_turn = solve_implicit(bodies, i, momentum, W1, h); break;
    }
    bodies.rotation[i] = Lam * exp_rotation((form.leapfrog ? 0.5 * h : span) * W_turn);
    if (form.leapfrog) bodies.rotation[i] = bodies.rotation[i] * exp_rotation(0.5 * h * W_end);
    clean(bodies.rotation[i]);
    bodies.angular[i] = W_end;
  });
  for (auto& [id, motion] : bodies.motion) {
    const auto i = static_cast<std::size_t>(bodies.index(id));
    move_obstacle(bodies, i, motion.linear_at(form.velocity_time()), motion.angular_at(form.velocity_time()), motion, span);
    clean(bodies.rotation[i]);
    const Vec3 angular = motion.angular_at(form.t + h);
    bodies.velocity[i] = motion.linear_at(form.t + h) + angular.cross(bodies.position[i] - motion.pivot);
    bodies.angular[i] = bodies.rotation[i].transpose() * angular;
  }
}

void node_velocities(const Bodies& bodies, double h, assembly::Velocities& velocities) {
  current_velocities(bodies, velocities);
  parallel_for(bodies.size(), [&](std::ptrdiff_t b) {
    const auto i = static_cast<std::size_t>(b);
    const Vec3& W = bodies.angular[i];
    if (bodies.kind[i] != model::BodyKind::rigid || W.isZero(0.0)) return;
    velocities.angular[i] = bodies.rotation[i] * inverse_inertia(bodies, i, exp_rotation(-0.5 * h * W) * (bodies.inertia[i] * W));
  });
}

void store_node_velocities(Bodies& bodies, double h, const assembly::Velocities& before, const assembly::Velocities& end) {
  parallel_for(bodies.size(), [&](std::ptrdiff_t b) {
    const auto i = static_cast<std::size_t>(b);
    if (bodies.kind[i] != model::BodyKind::rigid) return;
    bodies.velocity[i] = end.linear[i];
    if (end.angular[i] == before.angular[i]) return;
    const Vec3 W = bodies.rotation[i].transpose() * end.angular[i];
    bodies.angular[i] = W.isZero(0.0) ? Vec3::Zero().eval() : solve_implicit(bodies, i, bodies.inertia[i] * W, W, -h);
  });
}

}  // namespace scree::stepping
