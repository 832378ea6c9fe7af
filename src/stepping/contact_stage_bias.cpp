// What a contact is asked for: whether it acts, whether it bounces, and the velocity that goes into B (theory sec. 2.9, 3.3, 3.8).
#include <algorithm>

#include "stepping/contact_stage.hpp"

namespace scree::stepping {

namespace {

constexpr double kClosed = 1e-6;       ///< gap, relative to the smaller body, at which a contact is closed
constexpr double kWork = 1e-6;         ///< share of the kinetic energy of two bodies, and of that of what loads add in a step, that friction between them may do as work

}  // namespace

Role ContactStage::role_of(const StageInput& in, const assembly::Contact& contact) const {
  switch (in.level) {
    case Level::midpoint:
      return contact_role(contact, in.model.surfaces[contact.material], contact.U.x(), in.ahead, in.solver.penalty(), bounces_now(in, contact),
                          allowed_overlap(in, contact));
    case Level::places: return Role::implicit;
    case Level::velocities: break;
  }
  // The tangent cone: contacts that are closed now, or that the first problem has just closed up to its linearisation.
  const auto radius = [&](int i) { return in.model.bodies.radius[i]; };
  const bool closed = contact.R.x() > 0.0 || contact.point.gap <= kClosed * std::min(radius(contact.index_a), radius(contact.index_b));
  return closed ? Role::implicit : Role::idle;
}

bool ContactStage::bounces_now(const StageInput& in, const assembly::Contact& contact) const {
  const model::SurfaceMaterial& surface = in.model.surfaces[contact.material];
  if (surface.restitution == 0.0) return false;
  if (in.stop || stops[&contact - contacts.data()]) return false;
  if (in.level != Level::midpoint) return bounce_of(in, contact).has_value();
  return bounces(contact, surface, calm_speed(in, contact));
}

std::optional<Bounce> ContactStage::bounce_of(const StageInput& in, const assembly::Contact& contact) const {
  if (in.model.surfaces[contact.material].restitution == 0.0) return std::nullopt;
  const double h = in.settings.step, before = contact.U_old.x(), gap = contact.point.gap;
  std::optional<Bounce> bounce;
  if (in.lag.empty()) {
    if (before < 0.0) bounce = Bounce{0.0, -before, 0.0};
  } else {
    const double lag = std::max(in.lag[contact.index_a], in.lag[contact.index_b]);
    Approach approach{gap, before, relative_velocity(in, contact, in.free).x(), lag, h};
    // Seen from the end of the step, the gap at its start is what the bodies have moved since, and what changes velocities are the loads, not the turn.
    if (in.placed) {
      const double a = load_acceleration(in, contact);
      approach.gap = gap - h * relative_velocity(in, contact, *in.placed).x();
      approach.free -= 0.5 * h * a;
      approach.before = approach.free - (lag + 0.5 * h) * a;
    }
    bounce = find_bounce(approach);
    // One that the places have closed has closed, if only by the end of the step.
    const double last = approach.at_start() + h * approach.acceleration();
    if (!bounce && in.placed && last < 0.0) bounce = Bounce{h, -last, approach.acceleration()};
  }
  if (bounce && bounce->closing > calm_speed(in, contact)) return bounce;
  return std::nullopt;
}

double ContactStage::turned_bias(const StageInput& in, const assembly::Contact& contact) const {
  if (in.settings.quasi_static || !contact.rigid() || contact.cohesive || contact.yields) return 0.0;
  // RATTLE's second problem stops what closes, and takes back the work of looking ahead.
  if (in.level == Level::places && in.settings.integrator == Integrator::rattle) return turning_ahead(in, contact);
  const double closing = contact.U_old.x();
  const double h = in.level == Level::places ? in.settings.step : in.ahead;
  return turning_bias(contact, in.before.angular[contact.index_a], in.before.angular[contact.index_b], h, closing, allowed_overlap(in, contact));
}

double ContactStage::turning_ahead(const StageInput& in, const assembly::Contact& contact) const {
  const model::Bodies& bodies = in.model.bodies;
  const double speed = assembly::surface_speed(bodies, in.before, contact.index_a) + assembly::surface_speed(bodies, in.before, contact.index_b);
  return turned_speed(contact, in.before.angular[contact.index_a], in.before.angular[contact.index_b], in.settings.step * speed);
}

double ContactStage::bias(const StageInput& in, const assembly::Contact& contact, bool bounce) const {
  const double e = in.model.surfaces[contact.material].restitution, h = in.settings.step;
  if (bounce && in.level == Level::midpoint) return restitution_bias(contact, in.model.surfaces[contact.material]);
  if (bounce) {
    const Bounce found = *bounce_of(in, contact);
    if (in.level == Level::places) return (std::max(0.0, contact.point.gap) - gap_after(found, e, h)) / h;
    return -e * found.closing - ahead(found, h);
  }
  if (in.level == Level::velocities || (contact.yields && contact.point.gap < 0.0)) return 0.0;
  const Recovery recovery{in.level == Level::places ? 1.0 : in.settings.recovery, allowed_overlap(in, contact), recovery_speed(in, contact)};
  const double plain = in.level == Level::places ? place_bias(contact, in.settings.step, relative_velocity(in, contact, in.free).x(), recovery)
                                                 : gap_bias(contact, in.ahead, recovery);
  if (in.level == Level::places && in.settings.integrator == Integrator::rattle) return plain + turned_bias(in, contact);
  return contact.point.gap < 0.0 ? std::min(plain, turned_bias(in, contact)) : plain;
}

bool ContactStage::swings(const StageInput& in, const assembly::Contact& contact) const {
  return contact.U_old.x() > 0.0 && !in.settings.quasi_static && !contact.rigid();
}

bool ContactStage::take_mean(const StageInput& in, const assembly::Inertias& inertias) {
  if (!acts_on_deformables()) return false;
  const model::Bodies& bodies = in.model.bodies;
  bool any = false;
  std::vector<double> kinetic(bodies.id.size(), -1.0);
  const auto energy = [&](int body, double speed) {
    if (kinetic[body] < 0.0) kinetic[body] = model::kinetic_energy(bodies, in.motion, body);
    return bodies.moves(body) ? kinetic[body] + bodies.mass[body] * speed * speed : 0.0;
  };
  const auto work = [&](int c) { return 0.5 * contacts[c].R.tail<2>().dot((contacts[c].U_old + contacts[c].U).tail<2>()); };
  const auto obeys = [&](int c) { return contacts[c].R.x() > 0.0 && !bounces_now(in, contacts[c]); };
  for (std::size_t first = 0, last = 0; first < implicit.size(); first = last) {
    const assembly::Contact& pair = contacts[implicit[first]];
    double sum = 0.0;
    for (; last < implicit.size() && contacts[implicit[last]].index_a == pair.index_a && contacts[implicit[last]].index_b == pair.index_b; ++last)
      if (obeys(implicit[last])) sum += work(implicit[last]);
    if (!(sum > 0.0) || pair.rigid()) continue;
    const double calm = calm_speed(in, pair), most = kWork * (energy(pair.index_a, calm) + energy(pair.index_b, calm));
    if (sum <= most) continue;
    for (std::size_t k = first; k < last; ++k) {
      const int c = implicit[k];
      if (mean_tangent_[c] || !obeys(c) || work(c) <= 0.0) continue;
      mean_tangent_[c] = 1;
      any = true;
    }
  }
  if (any) set_velocities(in, assembler(in, inertias));
  return any;
}

Vec3 ContactStage::drift_ahead(const StageInput& in, const assembly::Contact& contact) const {
  // RATTLE's second problem has its geometry and its velocities at one instant; deformable bodies have no arms.
  const model::Bodies& bodies = in.model.bodies;
  if (in.level == Level::velocities || !contact.rigid() || in.model.surfaces[contact.material].friction == 0.0) return Vec3::Zero();
  const std::size_t a = contact.index_a, b = contact.index_b;
  const double speed = assembly::surface_speed(bodies, in.before, contact.index_a) + assembly::surface_speed(bodies, in.before, contact.index_b);
  return tangential_bias(contact, in.before.angular[a], in.before.angular[b], in.settings.step * speed);
}

}  // namespace scree::stepping
