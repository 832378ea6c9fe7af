/// The energy ledger (theory sec. 2.7).
#include "core/threads.hpp"
#include "stepping/simulation.hpp"
#include "stepping/step_data.hpp"

namespace scree::stepping {

namespace {

using model::Bodies;

/// Velocity of the point of a side, mean of the step's start and end.
Vec3 mean_velocity(const Bodies& bodies, const assembly::Grips& grips, const assembly::Velocities& old, const assembly::Velocities& end,
                   const assembly::Side& side) {
  return 0.5 * (assembly::side_velocity(bodies, old, grips, side) + assembly::side_velocity(bodies, end, grips, side));
}

/// Work of loads and damping on a deformable body.
void account_deformable(const model::Deformable& body, const model::Inertia& inertia, const BodyLoads& loads, const assembly::Velocities& old,
                        const assembly::Velocities& end, double h, double c, bool lumped, model::Work& work) {
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
    body.mechanics->mass_times(mean, lumped, product);
    work.damping -= h * c * dot(product);
  }
  if (body.stiffness_damping > 0.0) {
    inertia.stiffness_times(mean, product);
    work.damping -= h * body.stiffness_damping * dot(product);
  }
}

}  // namespace

void Simulation::account_loads() {
  const StepData& data = *data_;
  Bodies& bodies = model_.bodies;
  const double h = step_form().kick();
  parallel_for(bodies.size(), [&](std::ptrdiff_t b) {
    const auto i = static_cast<std::size_t>(b);
    if (!bodies.moves(static_cast<int>(b))) return;
    if (bodies.deforms(static_cast<int>(b))) {
      const auto d = static_cast<std::size_t>(bodies.deformable[i]);
      account_deformable(bodies.deformables[d], *data.inertias[d], data.loads, data.old, data.end, h, bodies.damping[i],
                         bodies.scheme[i] == model::Scheme::def_exp, bodies.work[i]);
      return;
    }
    const Vec3 v = 0.5 * (data.old.linear[i] + data.end.linear[i]);
    const Vec3 W = bodies.rotation[i].transpose() * (0.5 * (data.old.angular[i] + data.end.angular[i]));
    bodies.work[i].external += h * (data.loads.force[i].dot(v) + data.loads.torque[i].dot(W));
    bodies.work[i].damping -= h * bodies.damping[i] * (bodies.mass[i] * v.squaredNorm() + W.dot(bodies.inertia[i] * W));
  });
}

void Simulation::account_impulses() {
  // The work of an impulse is the impulse times the mean velocity of the point it acts on.
  const StepData& data = *data_;
  Bodies& bodies = model_.bodies;
  const auto velocity = [&](const assembly::Side& side) { return mean_velocity(bodies, data.grips, data.old, data.end, side); };
  for (std::size_t k = 0; k < model_.constraints.size(); ++k) {
    const model::Constraint& c = model_.constraints[k];
    const Vec3 impulse = c.frame.transpose() * c.impulse;
    const auto& [a, b] = data.constraint_sides[k];
    if (a.body >= 0) bodies.work[static_cast<std::size_t>(a.body)].external -= impulse.dot(velocity(a));
    if (b.body >= 0) bodies.work[static_cast<std::size_t>(b.body)].external += impulse.dot(velocity(b));
  }

  for (const assembly::Contact& contact : contacts_) {
    if (contact.R.isZero(0.0)) continue;
    const Vec3 normal = contact.frame.row(0).transpose() * contact.R.x();
    const Vec3 tangent = contact.frame.bottomRows<2>().transpose() * contact.R.tail<2>();
    for (const int side : {0, 1}) {
      const assembly::Side mine = side == 0 ? side_a(contact) : side_b(contact);
      const assembly::Side other = side == 0 ? side_b(contact) : side_a(contact);
      if (!bodies.moves(mine.body)) continue;
      const double sign = side == 0 ? -1.0 : 1.0;
      const Vec3 v = velocity(mine);
      // Work by a moving obstacle comes from outside; the rest is done relative to it.
      const Vec3 drive = bodies.moves(other.body) ? Vec3::Zero().eval() : velocity(other);
      model::Work& work = bodies.work[static_cast<std::size_t>(mine.body)];
      work.external += sign * (normal + tangent).dot(drive);
      work.contact += sign * normal.dot(v - drive);
      work.friction += sign * tangent.dot(v - drive);
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
    sum.internal += bodies.internal_energy(b);
    sum.potential -= bodies.mass[i] * g.dot(bodies.position[i]);
    sum.work += bodies.work[i];
  }
  sum.drift = sum.kinetic + sum.internal - energy_start_ - (sum.work.external + sum.work.contact + sum.work.friction + sum.work.damping);
  return sum;
}

}  // namespace scree::stepping
