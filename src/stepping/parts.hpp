/// What things of a model and of a state consist of, by name: the one list that checkpoints write and read, and that descriptions
/// and digests go through.
#pragma once

#include <concepts>

#include "assembly/contact.hpp"
#include "model/model.hpp"
#include "model/motion.hpp"

namespace scree::stepping {

template <class T, class Thing>
concept Is = std::same_as<std::remove_const_t<T>, Thing>;

template <Is<geometry::Sphere> T> void each_part(T& s, auto&& visit) { visit("center", s.center), visit("radius", s.radius); }
template <Is<geometry::Ellipsoid> T> void each_part(T& e, auto&& visit) { visit("center", e.center), visit("radii", e.radii), visit("axes", e.axes); }
template <Is<geometry::Polyhedron> T> void each_part(T& p, auto&& visit) {
  visit("vertices", p.vertices), visit("face_start", p.face_start), visit("face_vertices", p.face_vertices), visit("face_surface", p.face_surface);
  visit("face_neighbour", p.face_neighbour);  // planes and edges follow (geometry::complete)
}
template <Is<geometry::Mesh> T> void each_part(T& m, auto&& visit) {
  visit("nodes", m.nodes), visit("element_start", m.element_start), visit("element_nodes", m.element_nodes), visit("element_volume", m.element_volume);
  visit("surface_id", m.surface_id), visit("faces", m.faces), visit("face_surface", m.face_surface);
}
template <Is<model::SurfaceMaterial> T> void each_part(T& m, auto&& visit) {
  visit("surface1", m.surface1), visit("surface2", m.surface2), visit("default", m.is_default), visit("model", m.model), visit("label", m.label);
  visit("friction", m.friction), visit("cohesion", m.cohesion), visit("restitution", m.restitution), visit("spring", m.spring), visit("dashpot", m.dashpot), visit("power", m.power);
}
template <Is<model::BulkMaterial> T> void each_part(T& m, auto&& visit) {
  visit("model", m.model), visit("label", m.label), visit("young", m.young), visit("poisson", m.poisson), visit("density", m.density);
}
template <Is<model::Constraint> T> void each_part(T& c, auto&& visit) {
  visit("id", c.id), visit("kind", c.kind), visit("bodies", c.body), visit("points", c.point), visit("direction", c.direction), visit("value", c.value);
  visit("start", c.start), visit("start_speed", c.start_speed), visit("length", c.length), visit("carrier", c.carrier);
}
template <Is<model::PointForce> T> void each_part(T& l, auto&& visit) {
  visit("body", l.body), visit("kind", l.kind), visit("point", l.point), visit("direction", l.direction), visit("value", l.value);
}
template <Is<model::Torque> T> void each_part(T& l, auto&& visit) {
  visit("body", l.body), visit("kind", l.kind), visit("direction", l.direction), visit("value", l.value);
}
template <Is<model::SurfaceLoad> T> void each_part(T& l, auto&& visit) {
  visit("body", l.body), visit("surface", l.traction.surface), visit("convected", l.traction.convected), visit("kind", l.traction.direction);
  visit("direction", l.traction.vector), visit("value", l.value);
}
template <Is<model::ObstacleMotion> T> void each_part(T& m, auto&& visit) {
  for (int k = 0; k < 3; ++k) visit("linear", m.linear[k]), visit("angular", m.angular[k]);
}
/// Without the materials and the mesh of its description, whose mechanics are made anew.
template <Is<model::Deformable> T> void each_part(T& d, auto&& visit) {
  visit("body", d.body), visit("stiffness_damping", d.stiffness_damping), visit("round_spheres", d.round_spheres), visit("selfcontact", d.selfcontact);
  visit("order", d.description.order), visit("form", d.description.form), visit("modes", d.description.modes), visit("shapes", d.description.shapes);
}
template <Is<model::Model::PieceExclusion> T> void each_part(T& e, auto&& visit) {
  visit("body1", e.body1), visit("body2", e.body2), visit("point1", e.point1), visit("point2", e.point2);
}
template <Is<model::Work> T> void each_part(T& w, auto&& visit) {
  visit("external", w.external), visit("contact", w.contact), visit("friction", w.friction), visit("damping", w.damping);
}
template <Is<assembly::Reaction> T> void each_part(T& r, auto&& visit) { visit("impulse", r.impulse), visit("frame", r.frame), visit("place", r.place); }
template <Is<assembly::ContactMemory::Entry> T> void each_part(T& e, auto&& visit) {
  visit("body_a", e.body_a), visit("body_b", e.body_b), visit("feature", e.feature), visit("impulse", e.impulse);
  visit("trend", e.trend), visit("arm_a", e.arm_a), visit("arm_b", e.arm_b), visit("cohesive", e.cohesive), visit("yields", e.yields);
}

/// Things that have a list above.
template <class T>
concept HasParts = requires(T& thing) { each_part(thing, [](const char*, auto&) {}); };

}  // namespace scree::stepping
