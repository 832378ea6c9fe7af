/// Small scenes for tests of the time step.
#pragma once

#include <gtest/gtest.h>

#include "core/rotation.hpp"
#include "geometry/build.hpp"
#include "geometry/mass.hpp"
#include "geometry/transform.hpp"
#include "stepping/simulation.hpp"

namespace scree::stepping {

struct Scene {
  Simulation sim;

  explicit Scene(double h, const Vec3& gravity = Vec3::Zero(), double tolerance = 1e-10) : sim(h) {
    if (gravity.norm() > 0.0) {
      sim.model().gravity.direction = gravity.normalized();
      sim.model().gravity.value = gravity.norm();
    }
    sim.solver().name = "AUTO";
    sim.solver().stop.tolerance = tolerance;
    sim.solver().goal = 0.0;
    sim.model().bulk.push_back({.label = "bulk"});
  }

  void surface(double friction, double restitution = 0.0) {
    model::SurfaceMaterial material{.is_default = true, .label = "default"};
    material.friction = friction;
    material.restitution = restitution;
    sim.model().surfaces.add(material);
  }

  int add(const geometry::Shape& shape, model::BodyKind kind, double density = 1000.0) {
    model::BodySpec spec;
    spec.kind = kind;
    spec.shape = std::make_shared<geometry::Shape>(shape);
    spec.mass = geometry::mass_properties(shape, density);
    return sim.add_body(spec);
  }
  int rigid(const geometry::Shape& shape, double density = 1000.0) { return add(shape, model::BodyKind::rigid, density); }
  int obstacle(const geometry::Shape& shape) { return add(shape, model::BodyKind::obstacle); }
  int ball(const Vec3& center, double radius, double mass) {
    return rigid(geometry::make_sphere(center, radius, 0, 0), mass / (4.0 / 3.0 * kPi * radius * radius * radius));
  }
  int box(const Vec3& low, const Vec3& high, double density = 1000.0) { return rigid(geometry::make_box(low, high, 0, 0), density); }
  int floor(double half = 10.0, double depth = 1.0) {
    return obstacle(geometry::make_box({-half, -half, -depth}, {half, half, 0.0}, 0, 0));
  }

  void run(int steps) {
    for (int k = 0; k < steps; ++k) sim.step();
  }

  [[nodiscard]] std::size_t at(int id) const { return static_cast<std::size_t>(sim.model().bodies.index(id)); }
  [[nodiscard]] Vec3 position(int id) const { return sim.motion().position[at(id)]; }
  [[nodiscard]] Vec3 velocity(int id) const { return sim.motion().velocity[at(id)]; }
  [[nodiscard]] Mat3 rotation(int id) const { return sim.motion().rotation[at(id)]; }
  /// Spatial angular velocity.
  [[nodiscard]] Vec3 spin(int id) const { return rotation(id) * sim.motion().angular[at(id)]; }
};

/// Save a scene and let it go on; one that goes on from what was saved comes to the same bits.
inline void expect_same_after_restart(Scene& whole, int steps) {
  Archive archive;
  whole.sim.save(archive);
  whole.run(steps);
  Scene resumed(1.0);
  resumed.sim.load(archive);
  resumed.run(steps);
  EXPECT_EQ(resumed.sim.state_hash(), whole.sim.state_hash());
  EXPECT_EQ(resumed.sim.energies().drift, whole.sim.energies().drift);
}

}  // namespace scree::stepping
