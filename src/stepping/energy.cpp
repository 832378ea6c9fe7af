#include "stepping/energy.hpp"

#include "core/threads.hpp"
#include "stepping/deformable_motion.hpp"
#include "stepping/simulation.hpp"

namespace scree::stepping {

namespace {

using model::Bodies;

/// Velocity of the point of a side, mean of the step's start and end.
Vec3 mean_velocity(const Bodies& bodies, const model::Motion& motion, const assembly::Grips& grips, const assembly::Velocities& old,
                   const assembly::Velocities& end, const assembly::Side& side) {
  return 0.5 * (assembly::side_velocity(bodies, motion, old, grips, side) + assembly::side_velocity(bodies, motion, end, grips, side));
}

/// Work of loads and damping on a deformable body.
void account_deformable(const Bodies& bodies, const model::Motion& motion, const model::Deformable& body, const BodyLoads& loads, std::span<const double> start,
                        const assembly::Velocities& old, const assembly::Velocities& end, double h, bool viscous, model::Work& work) {
  const std::size_t i = bodies.index(body.body);
  const double c = bodies.damping[i];
  std::vector<double> mean(body.size()), product(body.size());
  const auto before = body.part(old.nodal), after = body.part(end.nodal), force = body.part(loads.nodal);
  const auto dot = [&](std::span<const double> x) {
    double sum = 0.0;
    for (std::size_t k = 0; k < mean.size(); ++k) sum += x[k] * mean[k];
    return sum;
  };
  for (std::size_t k = 0; k < mean.size(); ++k) mean[k] = 0.5 * (before[k] + after[k]);
  work.external += h * dot(force);
  if (c > 0.0) {
    body.mechanics->mass_times(mean, bodies.scheme[i] == model::Scheme::def_exp, product);
    work.damping -= h * c * dot(product);
  }
  if (viscous && body.stiffness_damping > 0.0) work.damping += viscous_work(bodies, motion, body, h, body.part(start), before, after);
}

}  // namespace

void account_loads(const Bodies& bodies, const BodyLoads& loads, std::span<const double> start, bool viscous, std::span<const double> kick,
                   const assembly::Velocities& old, const assembly::Velocities& end, model::Motion& motion) {
  for (const model::Deformable& body : bodies.deformables) {
    const std::size_t i = bodies.index(body.body);
    account_deformable(bodies, motion, body, loads, start, old, end, kick[i], viscous, motion.work[i]);
  }
  for_rigid(bodies, [&](std::size_t i) {
    const double h = kick[i];
    const Vec3 v = 0.5 * (old.linear[i] + end.linear[i]);
    const Vec3 W = motion.rotation[i].transpose() * (0.5 * (old.angular[i] + end.angular[i]));
    motion.work[i].external += h * (loads.force[i].dot(v) + loads.torque[i].dot(W));
    motion.work[i].damping -= h * bodies.damping[i] * (bodies.mass[i] * v.squaredNorm() + W.dot(bodies.inertia[i] * W));
  });
}

void account_impulses(const Bodies& bodies, const ContactStage& stage, const assembly::Velocities& old, model::Motion& motion) {
  // The work of an impulse is the impulse times the mean velocity of the point it acts on.
  const auto velocity = [&](const assembly::Side& side) { return mean_velocity(bodies, motion, stage.grips, old, stage.end, side); };
  for (std::size_t k = 0; k < stage.reactions.size(); ++k) {
    const assembly::Reaction& reaction = stage.reactions[k];
    const Vec3 impulse = reaction.frame.transpose() * reaction.impulse;
    const auto& [a, b] = stage.constraint_sides[k];
    if (a.body >= 0) motion.work[a.body].external -= impulse.dot(velocity(a));
    if (b.body >= 0) motion.work[b.body].external += impulse.dot(velocity(b));
  }

  for (const assembly::Contact& contact : stage.contacts) {
    if (contact.R.isZero(0.0)) continue;
    const Mat3 frame = contact.frame();
    const Vec3 normal = frame.row(0).transpose() * contact.R.x();
    const Vec3 tangent = frame.bottomRows<2>().transpose() * contact.R.tail<2>();
    for (const int side : {0, 1}) {
      const assembly::Side mine = side == 0 ? side_a(contact) : side_b(contact);
      const assembly::Side other = side == 0 ? side_b(contact) : side_a(contact);
      if (!bodies.moves(mine.body)) continue;
      const double sign = side == 0 ? -1.0 : 1.0;
      const Vec3 v = velocity(mine);
      // Work by a moving obstacle comes from outside; the rest is done relative to it.
      const Vec3 drive = bodies.moves(other.body) ? Vec3::Zero().eval() : velocity(other);
      model::Work& work = motion.work[mine.body];
      work.external += sign * (normal + tangent).dot(drive);
      work.contact += sign * normal.dot(v - drive);
      work.friction += sign * tangent.dot(v - drive);
    }
  }
}

Energies Simulation::energies() const {
  const Bodies& bodies = model_.bodies;
  const model::Motion& motion = now_.state.motion;
  Energies sum;
  const Vec3 g = model_.gravity.at(time());
  sum.work = now_.state.removed_work;
  for (int b = 0; b < bodies.size(); ++b) {
    const std::size_t i = b;
    if (!bodies.moves(b)) continue;
    sum.kinetic += model::kinetic_energy(bodies, motion, b);
    sum.internal += model::internal_energy(bodies, motion, b);
    sum.potential -= bodies.mass[i] * g.dot(motion.position[i]);
    sum.work += motion.work[i];
  }
  sum.drift = sum.kinetic + sum.internal - now_.state.energy_start - (sum.work.external + sum.work.contact + sum.work.friction + sum.work.damping);
  return sum;
}

}  // namespace scree::stepping
