/// Scenes with finite element bodies, for tests of the time step.
#pragma once

#include "scene.hpp"

namespace scree::stepping {

/// Box of i x j x k hexahedra; its sides have the surface ids 1 to 6.
inline geometry::Mesh block(const Vec3& low, const Vec3& high, int i, int j, int k) {
  std::vector<Vec3> c;
  for (const auto& s : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, 0, 1), Vec3(1, 1, 1), Vec3(0, 1, 1)})
    c.push_back(low + s.cwiseProduct(high - low));
  const int surfaces[6] = {1, 2, 3, 4, 5, 6};
  return geometry::make_hex(std::span<const Vec3, 8>(c.data(), 8), i, j, k, 0, surfaces);
}

struct Elastic : Scene {
  Elastic(double h, const Vec3& gravity, double young, double poisson = 0.0, double density = 1000.0) : Scene(h, gravity) {
    sim.model().bulk[0].young = young;
    sim.model().bulk[0].poisson = poisson;
    sim.model().bulk[0].density = density;
  }

  int mesh(const geometry::Mesh& m, model::Scheme scheme = model::Scheme::def_imp, int order = 1) {
    model::BodySpec spec;
    spec.kind = model::BodyKind::finite_element;
    spec.shape = std::make_shared<geometry::Shape>(geometry::make_shape(m));
    spec.mass = geometry::mass_properties(*spec.shape, sim.model().bulk[0].density);
    spec.deformation.order = order;
    const int id = sim.add_body(spec);
    sim.model().bodies.scheme[at(id)] = scheme;
    return id;
  }
  void fix(int id, const Vec3& point) {
    model::Constraint constraint{.kind = model::ConstraintKind::fixed_point};
    constraint.body[0] = id;
    constraint.point[0] = point;
    sim.add_constraint(constraint);
  }
  void force(int id, const Vec3& point, const Vec3& direction, double value) {
    sim.model().forces.push_back({.body = id, .point = point, .direction = direction, .value = value});
  }

  [[nodiscard]] double total() const { return sim.energies().kinetic + sim.energies().internal; }
  /// Sum of normal contact forces, N.
  [[nodiscard]] double normal_force(double h) const {
    double sum = 0.0;
    for (const auto& contact : sim.contacts()) sum += contact.R.x() / h;
    return sum;
  }
  /// Present place of a referential point.
  [[nodiscard]] Vec3 point(int id, const Vec3& X) const { return model::point(sim.model().bodies, sim.motion(), sim.model().bodies.index(id), X); }
  [[nodiscard]] Mat3 stress(int id, const Vec3& X) const {
    const auto& bodies = sim.model().bodies;
    const auto& body = bodies.deformable_of(bodies.index(id));
    return body.mechanics->stress(body.part(sim.motion().q), X);
  }
};

}  // namespace scree::stepping
