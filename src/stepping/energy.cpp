/// The energy ledger (theory sec. 2.7).
#include "core/threads.hpp"
#include "stepping/simulation.hpp"
#include "stepping/step_data.hpp"

namespace scree::stepping {

namespace {

using model::Bodies;

/// Velocity of a body's point, mean of the step's start and end.
Vec3 mean_velocity(const Bodies& bodies, const assembly::Velocities& old, const assembly::Velocities& end, std::size_t i, const Vec3& p) {
  const Vec3 v = 0.5 * (old.linear[i] + end.linear[i]);
  const Vec3 omega = 0.5 * (old.angular[i] + end.angular[i]);
  return v + omega.cross(p - bodies.position[i]);
}

}  // namespace

void Simulation::account() {
  // The work of an impulse is the impulse times the mean velocity of the point it acts on.
  const StepData& data = *data_;
  Bodies& bodies = model_.bodies;
  const double h = settings_.step;
  parallel_for(bodies.size(), [&](std::ptrdiff_t b) {
    const auto i = static_cast<std::size_t>(b);
    if (!bodies.moves(static_cast<int>(b))) return;
    const Vec3 v = 0.5 * (data.old.linear[i] + data.end.linear[i]);
    const Vec3 W = bodies.rotation[i].transpose() * (0.5 * (data.old.angular[i] + data.end.angular[i]));
    bodies.work[i].external += h * (data.loads.force[i].dot(v) + data.loads.torque[i].dot(W));
    bodies.work[i].damping -= h * bodies.damping[i] * (bodies.mass[i] * v.squaredNorm() + W.dot(bodies.inertia[i] * W));
  });

  for (const model::Constraint& c : model_.constraints) {
    const bool pair = model::joins_points(c.kind);
    const Vec3 impulse = c.frame.transpose() * c.impulse;
    for (std::size_t side = 0; side < 2; ++side) {
      if (c.body[side] < 0) continue;
      const auto i = static_cast<std::size_t>(bodies.index(c.body[side]));
      const double sign = pair && side == 0 ? -1.0 : 1.0;
      bodies.work[i].external += sign * impulse.dot(mean_velocity(bodies, data.old, data.end, i, c.place[side]));
    }
  }

  for (const assembly::Contact& contact : contacts_) {
    if (contact.R.isZero(0.0)) continue;
    const Vec3 normal = contact.frame.row(0).transpose() * contact.R.x();
    const Vec3 tangent = contact.frame.bottomRows<2>().transpose() * contact.R.tail<2>();
    for (const int side : {0, 1}) {
      const int mine = side == 0 ? contact.index_a : contact.index_b;
      const int other = side == 0 ? contact.index_b : contact.index_a;
      if (!bodies.moves(mine)) continue;
      const auto i = static_cast<std::size_t>(mine), j = static_cast<std::size_t>(other);
      const double sign = side == 0 ? -1.0 : 1.0;
      const Vec3 v = mean_velocity(bodies, data.old, data.end, i, contact.point.point);
      // Work by a moving obstacle comes from outside; the rest is done relative to it.
      const Vec3 drive = bodies.moves(other) ? Vec3::Zero().eval() : mean_velocity(bodies, data.old, data.end, j, contact.point.point);
      bodies.work[i].external += sign * (normal + tangent).dot(drive);
      bodies.work[i].contact += sign * normal.dot(v - drive);
      bodies.work[i].friction += sign * tangent.dot(v - drive);
    }
  }
}

Energies Simulation::energies() const {
  const Bodies& bodies = model_.bodies;
  Energies sum;
  const Vec3 g = model_.gravity.at(time_);
  sum.work = removed_work_;
  for (int b = 0; b < bodies.size(); ++b) {
    const auto i = static_cast<std::size_t>(b);
    if (!bodies.moves(b)) continue;
    sum.kinetic += bodies.kinetic_energy(b);
    sum.potential -= bodies.mass[i] * g.dot(bodies.position[i]);
    sum.work += bodies.work[i];
  }
  sum.drift = sum.kinetic - kinetic_start_ - (sum.work.external + sum.work.contact + sum.work.friction + sum.work.damping);
  return sum;
}

}  // namespace scree::stepping
