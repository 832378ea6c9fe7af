/// Bodies that come and go: every array keeps to its body, ids are never given twice.
#include "model/bodies.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/error.hpp"
#include "geometry/build.hpp"
#include "model/model.hpp"
#include "model/motion.hpp"

namespace scree::model {
namespace {

BodySpec ball(double radius, const std::string& label) {
  const auto shape = geometry::make_sphere({radius, 0, 0}, radius, 0, 0);
  BodySpec spec;
  spec.shape = std::make_shared<geometry::Shape>(shape);
  spec.mass = geometry::mass_properties(shape, 1000.0);
  spec.label = label;
  return spec;
}

TEST(Bodies, EveryArrayFollowsItsBodyThroughRandomAddsAndRemoves) {
  std::mt19937 random(3);
  Bodies bodies;
  Motion motion;
  std::map<int, double> radii;  // what must be there, by id
  int given = 0;
  for (int k = 0; k < 600; ++k) {
    if (radii.empty() || random() % 3) {
      const double radius = 0.1 + 1e-3 * k;
      const int id = bodies.add(ball(radius, "ball " + std::to_string(k)));
      motion.add(bodies);
      EXPECT_EQ(id, given++);
      motion.velocity.back() = Vec3::Constant(radius);
      radii[id] = radius;
    } else {
      auto gone = radii.begin();
      std::advance(gone, random() % radii.size());
      motion.remove(bodies, bodies.index(gone->first));
      bodies.remove(gone->first);
      EXPECT_THROW((void)bodies.index(gone->first), InputError);
      radii.erase(gone);
    }
    ASSERT_EQ(bodies.size(), static_cast<int>(radii.size()));
    Bodies::each_array(bodies, [&](const char* name, const auto& values) { EXPECT_EQ(values.size(), radii.size()) << name; });
    Motion::each_array(motion, [&](const char* name, const auto& values) { EXPECT_EQ(values.size(), radii.size()) << name; });
  }
  for (const auto& [id, radius] : radii) {
    const auto i = static_cast<std::size_t>(bodies.index(id));
    EXPECT_EQ(bodies.id[i], id);
    EXPECT_NEAR(bodies.radius[i], radius, 1e-15);
    EXPECT_NEAR(bodies.mass[i], 1000.0 * 4.0 / 3.0 * kPi * radius * radius * radius, 1e-9);
    EXPECT_EQ(motion.velocity[i].x(), radius);
    EXPECT_EQ(motion.position[i].x(), radius);
  }
}

TEST(Bodies, CharacteristicsMustBePhysical) {
  Bodies bodies;
  bodies.add(ball(0.1, "ball"));
  Mat3 inertia = Vec3(1, 2, 2.5).asDiagonal();
  bodies.set_characteristics(0, 3.0, 0.1, Vec3::UnitX(), inertia);
  EXPECT_LT((bodies.principal_axes[0] * bodies.principal_moments[0].asDiagonal() * bodies.principal_axes[0].transpose() - inertia).norm(), 1e-15);
  EXPECT_THROW(bodies.set_characteristics(0, 0.0, 0.1, Vec3::Zero(), inertia), InputError);
  EXPECT_THROW(bodies.set_characteristics(0, 1.0, 0.1, Vec3::Zero(), -inertia), InputError);
  inertia(0, 1) = 0.5;  // not symmetric
  EXPECT_THROW(bodies.set_characteristics(0, 1.0, 0.1, Vec3::Zero(), inertia), InputError);
  EXPECT_EQ(bodies.mass[0], 3.0);
}

TEST(Model, RemovingABodyTakesItsLoadsAlong) {
  Model model;
  Motion motion;
  for (int k = 0; k < 3; ++k) model.bodies.add(ball(0.1, ""));
  for (int k = 0; k < 3; ++k) {
    model.forces.push_back({.body = k});
    model.torques.push_back({.body = k});
    model.user_forces.push_back({k, {}});
  }
  model.excluded_bodies = {{0, 1}, {0, 2}};
  model.remove_body(1);
  EXPECT_EQ(model.forces.size(), 2u);
  EXPECT_EQ(model.torques.size(), 2u);
  EXPECT_EQ(model.user_forces.size(), 2u);
  for (const auto& force : model.forces) EXPECT_NE(force.body, 1);
  for (const auto& [a, b] : model.excluded_bodies) EXPECT_TRUE(a != 1 && b != 1);
}

}  // namespace
}  // namespace scree::model
