#include "stepping/forces.hpp"

#include "core/error.hpp"
#include "core/threads.hpp"

namespace scree::stepping {

namespace {

using model::Bodies;

/// A force on a point of a deformable body, shared by the unknowns that move the point.
void add_point_force(const model::Deformable& body, const model::ForceAt& given, BodyLoads& loads) {
  std::vector<model::Weight> weights;
  body.mechanics->weights(given.point, weights);
  for (const model::Weight& w : weights) Eigen::Map<Vec3>(body.part(loads.nodal).data() + 3 * w.node) += w.value * given.force;
}

/// Loads on the unknowns of deformable bodies.
void add_deformable_loads(const model::Model& model, const model::Motion& motion, double t, BodyLoads& loads) {
  const Bodies& bodies = model.bodies;
  loads.nodal.assign(motion.u.size(), 0.0);
  const Vec3 g = model.gravity.at(t);
  for (const model::Deformable& body : bodies.deformables) {
    const std::size_t i = bodies.index(body.body);
    body.mechanics->add_body_force(g, bodies.scheme[i] == model::Scheme::def_exp, body.part(loads.nodal));
  }
  for (const model::PointForce& f : model.forces) {
    const int b = bodies.index(f.body);
    const model::Deformable* body = bodies.find_deformable(b);
    if (!body) continue;
    Vec3 force = f.value.value(t) * f.direction;
    if (f.kind == model::Direction::convected) force = model::nearest_rotation(motion.rotation[b]) * force;
    add_point_force(*body, {f.point, force}, loads);
  }
  for (const model::SurfaceLoad& load : model.surface_loads) {
    const model::Deformable& body = bodies.deformable_of(bodies.index(load.body));
    model::SurfaceTraction traction = load.traction;
    traction.value = load.value.value(t);
    body.mechanics->add_surface_load(body.part(motion.q), traction, body.part(loads.nodal));
  }
  for (const model::Torque& q : model.torques) {
    const int b = bodies.index(q.body);
    const model::Deformable* body = bodies.find_deformable(b);
    if (!body) continue;
    Vec3 torque = q.value.value(t) * q.direction;
    if (q.kind == model::Direction::convected) torque = model::nearest_rotation(motion.rotation[b]) * torque;
    body->mechanics->add_torque(body->part(motion.q), torque, body->part(loads.nodal));
  }
}

void add_user_forces(const model::Model& model, const model::Motion& motion, const assembly::Velocities& velocities, double t, double h, BodyLoads& loads) {
  const Bodies& bodies = model.bodies;
  for (const model::UserForce& user : model.user_forces) {
    const std::size_t i = bodies.index(user.body);
    const Mat3& Lam = motion.rotation[i];
    const auto evaluate = [&](const Vec3& angular, const Vec3& velocity) {
      const model::UserForceValue value = user.function({Lam, motion.position[i], angular, velocity}, t, h);
      if (!is_finite(value.force) || !is_finite(value.torque) || !is_finite(value.referential_torque))
        throw_solve("force callback of body {} returned a value that is not finite at time {} s; check the function", user.body, t);
      return value;
    };
    // Predict the velocity at this instant with the force seen from half a step before, then evaluate there.
    const model::UserForceValue first = evaluate(motion.angular[i], motion.velocity[i]);
    if (const model::Deformable* body = bodies.find_deformable(static_cast<int>(i))) {
      body->mechanics->add_body_force(first.force / bodies.mass[i], bodies.scheme[i] == model::Scheme::def_exp, body->part(loads.nodal));
      body->mechanics->add_torque(body->part(motion.q), first.torque + Lam * first.referential_torque, body->part(loads.nodal));
      for (const model::ForceAt& given : first.at) add_point_force(*body, given, loads);
      continue;
    }
    const Vec3 torque = loads.torque[i] + Lam.transpose() * first.torque + first.referential_torque;
    const Vec3 v_mid = motion.velocity[i] + (0.5 * h / bodies.mass[i]) * (loads.force[i] + first.force);
    const Vec3 W_mid = Lam.transpose() * velocities.angular[i] + 0.5 * h * bodies.spin(i, torque);
    const model::UserForceValue value = evaluate(W_mid, v_mid);
    loads.force[i] += value.force;
    loads.torque[i] += Lam.transpose() * value.torque + value.referential_torque;
  }
}

}  // namespace

void evaluate_loads(const model::Model& model, const model::Motion& motion, const assembly::Velocities& velocities, double t, double h, BodyLoads& loads) {
  const Bodies& bodies = model.bodies;
  const Vec3 g = model.gravity.at(t);
  loads.force.resize(bodies.id.size());
  loads.torque.resize(bodies.id.size());
  parallel_for(bodies.size(), [&](std::ptrdiff_t b) {
    const std::size_t i = b;
    loads.force[i] = bodies.moves(static_cast<int>(b)) ? Vec3(bodies.mass[i] * g) : Vec3::Zero();
    loads.torque[i].setZero();
  });
  for (const model::PointForce& f : model.forces) {
    const std::size_t i = bodies.index(f.body);
    const Mat3& Lam = motion.rotation[i];
    Vec3 force = f.value.value(t) * f.direction;
    if (f.kind == model::Direction::convected) force = Lam * force;
    loads.force[i] += force;
    loads.torque[i] += (f.point - bodies.center[i]).cross(Lam.transpose() * force);
  }
  for (const model::Torque& q : model.torques) {
    const std::size_t i = bodies.index(q.body);
    const Vec3 torque = q.value.value(t) * q.direction;
    loads.torque[i] += q.kind == model::Direction::convected ? torque : Vec3(motion.rotation[i].transpose() * torque);
  }
  add_deformable_loads(model, motion, t, loads);
  add_user_forces(model, motion, velocities, t, h, loads);
  // What holds a motion takes the load.
  parallel_for(bodies.size(), [&](std::ptrdiff_t b) {
    const std::size_t i = b;
    if (bodies.held[i] == 0) return;
    loads.force[i].array() *= bodies.free_along(i).array();
    loads.torque[i].array() *= bodies.free_about(i).array();
  });
}

}  // namespace scree::stepping
