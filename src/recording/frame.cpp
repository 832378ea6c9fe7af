#include "recording/frame.hpp"

#include <algorithm>

#include "elastic/law.hpp"

namespace scree::recording {

namespace {

void append(std::vector<double>& values, const Vec3& v) { values.insert(values.end(), v.data(), v.data() + 3); }

/// Row by row.
void append(std::vector<double>& values, const Mat3& m) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) values.push_back(m(i, j));
}

std::uint8_t stored_kind(const model::Constraint& c) {
  switch (c.kind) {
    case model::ConstraintKind::fixed_point: return 1;
    case model::ConstraintKind::ahead:
    case model::ConstraintKind::fixed_direction: return 2;
    case model::ConstraintKind::velocity:
    case model::ConstraintKind::displacement:
    case model::ConstraintKind::acceleration: return 3;
    case model::ConstraintKind::link: return 4;
    default: return 5;
  }
}

io::StoredKind stored_kind(model::BodyKind kind) {
  switch (kind) {
    case model::BodyKind::rigid: return io::StoredKind::rigid;
    case model::BodyKind::pseudo_rigid: return io::StoredKind::pseudo_rigid;
    case model::BodyKind::finite_element: return io::StoredKind::finite_element;
    case model::BodyKind::obstacle: break;
  }
  return io::StoredKind::obstacle;
}

/// Points of a deformable body's shape, if they do not follow from its mean motion; returns its largest von Mises stress.
double fill_points(const model::Motion& motion, const model::Deformable& body, io::Frame& frame) {
  std::vector<Vec3> points;
  std::vector<double> mises;
  const auto q = body.part(motion.q);
  body.mechanics->drawn_points(q, points);
  for (const Vec3& x : points) append(frame.node_position, x);
  body.mechanics->drawn_points(body.part(motion.u), points);
  for (const Vec3& v : points) append(frame.node_velocity, v);
  body.mechanics->drawn_mises(q, mises);
  for (const double s : mises) frame.node_mises.push_back(static_cast<float>(s));
  if (mises.empty()) return elastic::von_mises(elastic::components(body.mechanics->stress(q, Vec3::Zero())));
  return *std::max_element(mises.begin(), mises.end());
}

void fill_bodies(const model::Bodies& bodies, const model::Motion& motion, const RowOf& row_of, io::Frame& frame) {
  for (std::size_t i = 0; i < bodies.id.size(); ++i) {
    frame.body.push_back(row_of(bodies.id[i]));
    append(frame.rotation, motion.rotation[i]);
    append(frame.position, motion.position[i]);
    append(frame.velocity, motion.velocity[i]);
    append(frame.angular, Vec3(motion.rotation[i] * motion.angular[i]));
    const int b = static_cast<int>(i);
    const model::Deformable* body = bodies.find_deformable(b);
    frame.mises.push_back(body ? static_cast<float>(fill_points(motion, *body, frame)) : 0.0f);
    for (const auto* values : {&motion.q, &motion.u}) {
      const auto part = bodies.part(b, *values);
      frame.state.insert(frame.state.end(), part.begin(), part.end());
    }
    const model::Work& w = motion.work[i];
    frame.body_energy.insert(frame.body_energy.end(), {model::kinetic_energy(bodies, motion, b), model::internal_energy(bodies, motion, b), w.external, w.contact, w.friction, w.damping});
  }
}

void fill_contacts(const stepping::Simulation& simulation, const RowOf& row_of, io::Frame& frame) {
  for (const assembly::Contact& c : simulation.contacts()) {
    frame.pair.insert(frame.pair.end(), {row_of(c.point.body_a), row_of(c.point.body_b)});
    append(frame.point, c.point.point);
    append(frame.axes, c.frame());
    frame.gap.push_back(c.point.gap);
    frame.area.push_back(c.point.area);
    append(frame.force, Vec3(c.R * simulation.impulse_rate()));
    append(frame.relative_velocity, c.U);
    frame.surface.insert(frame.surface.end(), {c.point.surface_a, c.point.surface_b});
    frame.material.push_back(c.material);
    frame.contact_kind.push_back(0);
    frame.constraint.push_back(-1);
  }
}

void fill_constraints(const stepping::Simulation& simulation, const RowOf& row_of, io::Frame& frame) {
  const auto& list = simulation.model().constraints;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const model::Constraint& c = list[k];
    const assembly::Reaction& reaction = simulation.state().reactions[k];
    // Between two points the force is on the second; every other constraint holds its body against the ground.
    if (model::joins_points(c.kind)) frame.pair.insert(frame.pair.end(), {row_of(c.body[0]), row_of(c.body[1])});
    else frame.pair.insert(frame.pair.end(), {-1, row_of(c.body[0])});
    append(frame.point, reaction.place[0]);
    append(frame.axes, reaction.frame);
    frame.gap.push_back(0.0);
    frame.area.push_back(0.0);
    append(frame.force, Vec3(reaction.impulse * simulation.impulse_rate()));
    append(frame.relative_velocity, Vec3(Vec3::Zero()));
    frame.surface.insert(frame.surface.end(), {0, 0});
    frame.material.push_back(-1);
    frame.contact_kind.push_back(stored_kind(c));
    frame.constraint.push_back(c.id);
  }
}

}  // namespace

io::BodyRow body_row(const model::Model& model, std::size_t i, std::int32_t shape) {
  const model::Bodies& bodies = model.bodies;
  io::BodyRow row;
  row.id = bodies.id[i];
  row.label = bodies.label[i];
  const int material = bodies.material[i];
  if (material >= 0 && material < static_cast<int>(model.bulk.size())) row.material = model.bulk[material].label;
  row.kind = stored_kind(bodies.kind[i]);
  row.shape = shape;
  row.volume_id = bodies.shape[i]->pieces.front().volume_id;
  row.mass = bodies.mass[i];
  row.volume = bodies.volume[i];
  row.center = bodies.center[i];
  row.tensor = bodies.inertia[i];
  if (const model::Deformable* body = bodies.find_deformable(static_cast<int>(i))) row.unknowns = static_cast<std::int32_t>(body->size());
  row.radius = bodies.radius[i];
  return row;
}

io::Frame make_frame(const stepping::Simulation& simulation, const RowOf& row_of) {
  io::Frame frame;
  frame.time = simulation.time();
  frame.step = simulation.steps();
  const stepping::Energies e = simulation.energies();
  frame.energy = {e.kinetic, e.internal, e.potential, e.work.external, e.work.contact, e.work.friction, e.work.damping};
  fill_bodies(simulation.model().bodies, simulation.motion(), row_of, frame);
  fill_contacts(simulation, row_of, frame);
  fill_constraints(simulation, row_of, frame);
  return frame;
}

}  // namespace scree::recording
