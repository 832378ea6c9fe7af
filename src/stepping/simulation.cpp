#include "stepping/simulation.hpp"

#include "core/error.hpp"
#include "core/rotation.hpp"
#include "model/build_mechanics.hpp"

namespace scree::stepping {

namespace {

void check_finite(const char* call, const char* argument, const Vec3& value) {
  if (!is_finite(value)) throw_input("{}: {} = ({}, {}, {}) is not finite", call, argument, value.x(), value.y(), value.z());
}

/// InputError where a body does what is held: turned out of its plane, or moving along or about a held axis (spatial velocities).
void check_held(const model::Bodies& bodies, int body, const Mat3& rotation, const Vec3& linear, const Vec3& angular) {
  const std::size_t i = body;
  const int axis = bodies.only_axis(i);
  if (axis >= 0 && rotation(axis, axis) < 1.0 - 1e-12)
    throw_input("body {}: it turns about {} alone, so its rotation must keep that axis; turn its shape before it is added", bodies.id[i], "xyz"[axis]);
  const Vec3 along = bodies.free_along(i), about = bodies.free_about(i);
  for (int d = 0; d < 3; ++d) {
    if (along[d] == 0.0 && linear[d] != 0.0) throw_input("body {}: velocity[{}] = {} m/s, but its motion along {} is held; give it 0", bodies.id[i], d, linear[d], "xyz"[d]);
    if (about[d] == 0.0 && angular[d] != 0.0) throw_input("body {}: angular_velocity[{}] = {} rad/s, but its rotation about {} is held; give it 0", bodies.id[i], d, angular[d], "xyz"[d]);
  }
}

}  // namespace

Simulation::Simulation(double step) {
  if (!(step > 0.0) || !std::isfinite(step)) throw_input("Simulation: step = {} s; it must be positive and finite", step);
  settings_.step = step;
}

void Simulation::divide(std::shared_ptr<Division> division) {
  division_ = std::move(division);
  look_at_own();
}

int Simulation::add_body(const model::BodySpec& spec) {
  now_.state.clock.foreseen = 0.0;
  model::BodySpec body = spec;
  const bool deforms = spec.kind == model::BodyKind::pseudo_rigid || spec.kind == model::BodyKind::finite_element;
  if (deforms) {
    // The Euler tensor by way of the inertia, which is what bodies keep: mechanics made again later have the same bits.
    geometry::MassProperties mass = spec.mass;
    mass.euler = model::euler_tensor(spec.mass.inertia());
    body.mechanics = model::build_mechanics(model_, spec.kind, spec.shape, mass, spec.material, spec.deformation);
  }
  if (body.mechanics && body.mechanics->own_mass()) body.mass = *body.mechanics->own_mass();
  const int id = model_.bodies.add(body);
  now_.state.motion.add(model_.bodies);
  add_to_world(model_.bodies.index(id));
  return id;
}

void Simulation::add_to_world(int index) {
  const model::Bodies& bodies = model_.bodies;
  const std::size_t i = index;
  world_.add_body(bodies.id[i], *bodies.shape[i], bodies.moves(index));
  if (const model::Deformable* body = bodies.find_deformable(index)) {
    world_.set_round_spheres(bodies.id[i], body->round_spheres);
    world_.set_selfcontact(bodies.id[i], body->selfcontact);
    world_.set_face_degree(bodies.id[i], body->mechanics->face_degree());
  }
  place_body(now_.state.motion, index, 0.0);
}

void Simulation::rebuild_mechanics(int index) {
  model::Bodies& bodies = model_.bodies;
  const std::size_t i = index;
  model::Deformable& body = bodies.deformable_of(index);
  body.mechanics = model::build_mechanics(model_, bodies.kind[i], bodies.shape[i], bodies.mass_properties(index), bodies.material[i], body.description);
  // Mass follows the materials of a mesh.
  if (const geometry::MassProperties* mass = body.mechanics->own_mass())
    bodies.set_characteristics(index, mass->mass, mass->volume, mass->center, mass->inertia());
  model::renew_mean(bodies, now_.state.motion, body);
}

void Simulation::set_material(int id, int volume, int material) {
  model::Bodies& bodies = model_.bodies;
  model::Deformable& body = bodies.need_deformable(id, "only a deformable body has a material for each volume id");
  const int index = bodies.index(id);
  if (material < 0 || material >= static_cast<int>(model_.bulk.size())) throw_input("body {}: bulk material {} does not exist", id, material);
  const double before = energy_of(index);
  const model::Deformation old = body.description;
  body.description.materials[volume] = material;
  try {
    rebuild_mechanics(index);
  } catch (...) {
    body.description = old;
    throw;
  }
  now_.state.energy_start += energy_of(index) - before;
  if (bodies.kind[index] != model::BodyKind::pseudo_rigid) return;
  // A pseudo-rigid body is weighed again with the densities of its materials.
  const geometry::MassProperties mass = geometry::mass_properties(*bodies.shape[index], [&](int part) {
    const auto found = body.description.materials.find(part);
    const int own = found == body.description.materials.end() ? bodies.material[index] : found->second;
    return own < 0 ? model::BulkMaterial{}.density : model_.bulk[own].density;
  });
  set_pseudo_rigid_characteristics(index, mass.mass, mass.volume, mass.center, mass.inertia());
}

void Simulation::set_time(double time) {
  if (!std::isfinite(time)) throw_input("time = {} must be finite", time);
  Clock& clock = now_.state.clock;
  clock.start_time = clock.time = time;
  clock.start_steps = clock.steps;
}

void Simulation::renew_materials() {
  model::Bodies& bodies = model_.bodies;
  for (const model::Deformable& body : bodies.deformables) {
    const int b = bodies.index(body.body);
    const double before = energy_of(b);
    rebuild_mechanics(b);
    now_.state.energy_start += energy_of(b) - before;
  }
}

void Simulation::set_round_spheres(int id, bool on) {
  model_.bodies.need_deformable(id, "only the spheres of a pseudo-rigid body can change their shape").round_spheres = on;
  world_.set_round_spheres(id, on);
  place_body(now_.state.motion, model_.bodies.index(id), 0.0);
}

void Simulation::set_selfcontact(int id, bool on) {
  model_.bodies.need_deformable(id, "pieces of a rigid body do not move against each other; self-contact is for deformable bodies").selfcontact = on;
  world_.set_selfcontact(id, on);
}

void Simulation::remove_body(int id) {
  const int i = model_.bodies.index(id);
  now_.state.energy_start -= energy_of(i);
  now_.state.removed_work += now_.state.motion.work[i];
  world_.remove_body(id);
  remove_constraints_of(id);
  now_.state.motion.remove(model_.bodies, i);
  model_.remove_body(id);
  std::erase_if(now_.stage.contacts, [id](const assembly::Contact& c) { return c.point.body_a == id || c.point.body_b == id; });
  for (assembly::Contact& c : now_.stage.contacts) {
    c.index_a = model_.bodies.index(c.point.body_a);
    c.index_b = model_.bodies.index(c.point.body_b);
  }
  now_.state.memory.forget(id);
}

void Simulation::remove_constraints_of(int body) {
  const auto& list = model_.constraints;
  for (std::size_t k = list.size(); k-- > 0;)
    if (list[k].body[0] == body || list[k].body[1] == body) remove_constraint(list[k].id);
}

int Simulation::add_constraint(model::Constraint constraint) {
  const model::Bodies& bodies = model_.bodies;
  const model::Motion& motion = now_.state.motion;
  const auto moves = [&](std::size_t side) { return constraint.body[side] >= 0 && bodies.moves(bodies.index(constraint.body[side])); };
  if (constraint.body[0] < 0 && constraint.body[1] < 0) throw_input("constraint: it needs at least one body");
  if (!moves(0) && (!moves(1) || !model::joins_points(constraint.kind)))
    throw_input("constraint: body {} is an obstacle; constrain bodies that can move, and give obstacles a prescribed motion",
                constraint.body[constraint.body[0] < 0 ? 1 : 0]);
  if (constraint.body[0] < 0) {
    std::swap(constraint.body[0], constraint.body[1]);
    std::swap(constraint.point[0], constraint.point[1]);
    constraint.direction = -constraint.direction;
    if (constraint.carrier >= 0) constraint.carrier = 1 - constraint.carrier;
  }
  if (constraint.carrier > 1 || (constraint.carrier >= 0 && constraint.body[constraint.carrier] < 0))
    throw_input("constraint: a point in the air cannot carry the direction; let the body carry it, or fix it in space");
  if (constraint.body[0] == constraint.body[1]) throw_input("constraint: body1 and body2 are the same body ({}); two bodies, or one and a point in the air, are expected", constraint.body[0]);
  for (const Vec3& point : constraint.point) check_finite("constraint", "point", point);
  const double length = constraint.direction.norm();
  if (!(length > 0.0) || !std::isfinite(length)) throw_input("constraint: direction must be a finite vector other than zero");
  constraint.direction /= length;

  const int index = bodies.index(constraint.body[0]);
  constraint.start = model::point(bodies, motion, index, constraint.point[0]);
  constraint.start_speed = constraint.direction.dot(model::point_velocity(bodies, motion, index, constraint.point[0]));
  constraint.start_speed -= constraint.value.integral(time());
  assembly::Reaction reaction;
  reaction.place[0] = constraint.start;
  if (!std::isfinite(constraint.length)) throw_input("constraint: length is {}, must be finite", constraint.length);
  if (model::joins_points(constraint.kind))
    reaction.place[1] = constraint.body[1] < 0 ? constraint.point[1] : model::point(bodies, motion, bodies.index(constraint.body[1]), constraint.point[1]);
  if (constraint.kind == model::ConstraintKind::ahead) constraint.length = constraint.direction.dot(reaction.place[1] - reaction.place[0]);
  if (constraint.carrier >= 0)
    constraint.direction = motion.rotation[bodies.index(constraint.body[constraint.carrier])].transpose() * constraint.direction;
  if (constraint.kind == model::ConstraintKind::link) {
    constraint.length = (reaction.place[1] - reaction.place[0]).norm();
    const double size = bodies.radius[index];
    if (constraint.length < 1e-9 * size) constraint.length = 0.0;
  }
  constraint.id = model_.next_constraint++;
  model_.constraints.push_back(std::move(constraint));
  now_.state.reactions.push_back(reaction);
  return model_.constraints.back().id;
}

void Simulation::add_surface_load(model::SurfaceLoad load) {
  const model::Deformable* body = model_.bodies.find_deformable(model_.bodies.index(load.body));
  if (!body) throw_input("LOAD: body {} does not deform; loads on surfaces act on finite element bodies", load.body);
  check_finite("LOAD", "direction", load.traction.vector);
  std::vector<double> trial(body->size());
  body->mechanics->add_surface_load(body->part(now_.state.motion.q), load.traction, trial);
  model_.surface_loads.push_back(std::move(load));
}

void Simulation::remove_constraint(int id) {
  now_.state.reactions.erase(now_.state.reactions.begin() + model_.remove_constraint(id));
}

void Simulation::exclude_bodies(int id1, int id2) {
  (void)model_.bodies.index(id1);
  (void)model_.bodies.index(id2);
  world_.exclude_bodies(id1, id2);
  model_.excluded_bodies.emplace_back(id1, id2);
}

void Simulation::exclude_pieces(int id1, const Vec3& point1, int id2, const Vec3& point2) {
  (void)model_.bodies.index(id1);
  (void)model_.bodies.index(id2);
  world_.exclude_pieces(id1, point1, id2, point2);
  model_.excluded_pieces.push_back({id1, id2, point1, point2});
}

void Simulation::exclude_surfaces(int surface1, int surface2) {
  world_.exclude_surfaces(surface1, surface2);
  model_.excluded_surfaces.emplace_back(surface1, surface2);
}

void Simulation::set_velocity(int id, const Vec3& linear, const Vec3& angular) {
  const int b = model_.bodies.index(id);
  const std::size_t i = b;
  check_finite("INITIAL_VELOCITY", "linear", linear);
  check_finite("INITIAL_VELOCITY", "angular", angular);
  if (!model_.bodies.moves(b)) {
    model::ObstacleMotion motion;
    for (int k = 0; k < 3; ++k) {
      motion.linear[k] = linear[k];
      motion.angular[k] = angular[k];
    }
    set_motion(id, motion, now_.state.motion.position[i]);
    return;
  }
  if (model_.bodies.held[b]) check_held(model_.bodies, b, now_.state.motion.rotation[i], linear, angular);
  now_.state.energy_start -= energy_of(b);
  model::set_velocity(model_.bodies, now_.state.motion, b, linear, angular);
  now_.state.energy_start += energy_of(b);
  now_.state.clock.foreseen = 0.0;
}

void Simulation::set_motion(int id, const model::ObstacleMotion& prescribed, const Vec3& pivot) {
  const int b = model_.bodies.index(id);
  const std::size_t i = b;
  if (model_.bodies.moves(b)) throw_input("body {}: only an obstacle can be given a prescribed motion; use SET_VELOCITY for others", id);
  check_finite("obstacle motion", "pivot", pivot);
  model_.bodies.prescribed[id] = prescribed;
  model::Motion& motion = now_.state.motion;
  const Vec3 angular = prescribed.angular_at(time());
  motion.pivot[i] = pivot;
  motion.velocity[i] = prescribed.linear_at(time()) + angular.cross(motion.position[i] - pivot);
  motion.angular[i] = motion.rotation[i].transpose() * angular;
  now_.state.clock.foreseen = 0.0;
}

void Simulation::hold(int id, std::uint8_t bits) {
  model::Bodies& bodies = model_.bodies;
  const int b = bodies.index(id);
  const std::uint8_t before = bodies.held[b];
  bodies.hold(b, bits);
  try {
    check_held(bodies, b, now_.state.motion.rotation[b], now_.state.motion.velocity[b], now_.state.motion.rotation[b] * now_.state.motion.angular[b]);
  } catch (...) {
    bodies.hold(b, before);
    throw;
  }
  now_.state.clock.foreseen = 0.0;
}

void Simulation::set_placement(int id, const Mat3& rotation, const Vec3& position) {
  const int b = model_.bodies.index(id);
  check_finite("placement", "position", position);
  if (!rotation.allFinite() || (rotation.transpose() * rotation - Mat3::Identity()).norm() > 1e-6 || rotation.determinant() < 0.0)
    throw_input("body {}: the rotation is not an orthogonal matrix with determinant 1", id);
  if (model_.bodies.held[b]) check_held(model_.bodies, b, rotation, Vec3::Zero(), Vec3::Zero());
  const double before = energy_of(b);
  model::place(model_.bodies, now_.state.motion, b, orthonormalised(rotation), position);
  now_.state.energy_start += energy_of(b) - before;
  place_body(now_.state.motion, b, 0.0);
  now_.state.clock.foreseen = 0.0;
}

void Simulation::set_characteristics(int id, double mass, double volume, const Vec3& center, const Mat3& inertia) {
  const int b = model_.bodies.index(id);
  if (model_.bodies.kind[b] == model::BodyKind::finite_element)
    throw_input("BODY_CHARS: body {} is made of finite elements, whose mesh and materials give its mass", id);
  if (model_.bodies.find_deformable(b)) {
    set_pseudo_rigid_characteristics(b, mass, volume, center, inertia);
    return;
  }
  const double before = energy_of(b);
  const Vec3 place = model::point(model_.bodies, now_.state.motion, b, center);
  model_.bodies.set_characteristics(b, mass, volume, center, inertia);
  now_.state.motion.position[b] = place;
  now_.state.energy_start += energy_of(b) - before;
}

void Simulation::set_pseudo_rigid_characteristics(int b, double mass, double volume, const Vec3& center, const Mat3& inertia) {
  model::Bodies& bodies = model_.bodies;
  const double before = energy_of(b);
  const Vec3 place = model::point(bodies, now_.state.motion, b, center), speed = model::point_velocity(bodies, now_.state.motion, b, center);
  bodies.set_characteristics(b, mass, volume, center, inertia);
  rebuild_mechanics(b);
  // The motion stays: F as it was, the new mass centre where that point is.
  const model::Deformable& body = bodies.deformable_of(b);
  Eigen::Map<Vec3>(body.part(now_.state.motion.q).data() + 9) = place;
  Eigen::Map<Vec3>(body.part(now_.state.motion.u).data() + 9) = speed;
  model::renew_mean(bodies, now_.state.motion, body);
  now_.state.energy_start += energy_of(b) - before;
  place_body(now_.state.motion, b, 0.0);
}

void Simulation::delete_departed() {
  now_.departed.clear();
  if (!model_.extents) return;
  const model::Bodies& bodies = model_.bodies;
  for (int i = 0; i < bodies.size(); ++i)
    if (bodies.moves(i) && !model_.extents->contains(now_.state.motion.position[i]))
      now_.departed.push_back(bodies.id[i]);
  for (int id : now_.departed) remove_body(id);
}

double Simulation::energy_of(int index) const {
  return model::kinetic_energy(model_.bodies, motion(), index) + model::internal_energy(model_.bodies, motion(), index);
}

double Simulation::impulse_rate() const {
  const double span = now_.state.clock.impulse_time;
  return 1.0 / (span > 0.0 ? span : settings_.step);
}

model::Inertia::Cost Simulation::factor_cost() const {
  model::Inertia::Cost sum;
  for (const auto& inertia : buffers_.factors.inertias) {
    if (!inertia) continue;
    sum.factorisations += inertia->cost().factorisations;
    sum.seconds += inertia->cost().seconds;
  }
  return sum;
}

void Simulation::fill_report(model::StepRow& report) const {
  report.step = steps();
  report.time = time();
  report.h = now_.state.clock.step;
  report.bodies = model_.bodies.size();
  report.constraints = static_cast<int>(model_.constraints.size());
  report.candidates = static_cast<int>(contacts().size());
  report.status = static_cast<std::int32_t>(solve_report().status);
  report.iterations = solve_report().iterations;
  report.residual = solve_report().residual;
  report.merit = now_.stage.merit;
  int overlaps = 0;
  double depth = 0.0;
  for (const assembly::Contact& contact : contacts()) {
    const double gap = contact.point.gap;
    const std::size_t a = contact.index_a, b = contact.index_b;
    const double size = std::min(model_.bodies.radius[a], model_.bodies.radius[b]);
    if (gap <= model::kTouching * size || !contact.R.isZero(0.0)) ++report.contacts;
    if (gap < 0.0) {
      ++overlaps;
      depth -= gap;
      report.penetration_max = std::max(report.penetration_max, -gap);
    }
  }
  report.penetration_mean = overlaps > 0 ? depth / overlaps : 0.0;
  const Energies e = energies();
  report.kinetic = e.kinetic, report.internal = e.internal, report.potential = e.potential, report.drift = e.drift;
  report.external = e.work.external, report.contact = e.work.contact, report.friction = e.work.friction, report.damping = e.work.damping;
}

}  // namespace scree::stepping
