/// Hertz contact through the time step: contact detection, quasi-static steps, AUTO.
#include <gtest/gtest.h>

#include <cmath>

#include "elastic_scene.hpp"

namespace scree::stepping {
namespace {

constexpr double kSide = 0.9, kRound = 2.0, kPoisson = 0.3, kStep = 1.0;   ///< block, radius of its tip

constexpr double kRadii[] = {0.11, 0.12, 0.13, 0.14, 0.15};   ///< of contact; the patch grows from node to node, so one alone says little

struct Pressed {
  double error = 0.0;       ///< of the contact radius, root mean square over the loads
  double imbalance = 0.0;   ///< of contact force and load, the largest
  int iterations = 0;       ///< of AUTO, the most in a step
};

/// Force that presses a sphere of radius R on a rigid plane to the contact radius a:  4 E* a^3 / 3 R  (E = 1).
double hertz_force(double a) { return 4.0 / 3.0 / (1.0 - kPoisson * kPoisson) * a * a * a / kRound; }

/// Quarter of a block with the bottom z = r^2 / 2 R around the tip and flat beyond, cells growing twelvefold away from it.
geometry::Mesh paraboloid(int cells) {
  std::vector<Vec3> corners;
  for (const auto& s : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, 0, 1), Vec3(1, 1, 1), Vec3(0, 1, 1)}) corners.push_back(kSide * s);
  const int surfaces[6] = {1, 2, 3, 4, 5, 6};
  std::vector<double> sizes;
  for (int k = 0; k < cells; ++k) sizes.push_back(std::pow(12.0, static_cast<double>(k) / (cells - 1)));
  geometry::Mesh mesh = geometry::make_hex(std::span<const Vec3, 8>(corners.data(), 8), cells, cells, cells, 0, surfaces, sizes, sizes, sizes);
  for (Vec3& X : mesh.nodes) X.z() += 0.5 / kRound * std::min(0.16, X.x() * X.x() + X.y() * X.y()) * (1.0 - X.z() / kSide);
  return mesh;
}

/// Nodes on the planes of symmetry stay there.
void hold_symmetry(Elastic& scene, const geometry::Mesh& mesh, int id) {
  for (const Vec3& X : mesh.nodes)
    for (int axis = 0; axis < 2; ++axis) {
      if (std::abs(X[axis]) > 1e-12) continue;
      model::Constraint held{.kind = model::ConstraintKind::fixed_direction};
      held.body[0] = id;
      held.point[0] = X;
      held.direction = axis == 0 ? Vec3::UnitX() : Vec3::UnitY();
      scene.sim.add_constraint(held);
    }
}

/// The top is pushed down with the pressure of growing forces, each for two steps.
Pressed press(int cells) {
  // A light body: each step forgets all but m / (m + h^2 k), below half a percent, of the distance from equilibrium.
  Elastic scene(kStep, Vec3::Zero(), 1.0, kPoisson, 1e-3);
  scene.sim.settings().quasi_static = true;
  scene.sim.solver().stop.tolerance = 1e-8;
  scene.surface(0.0);
  scene.floor(2.0, 0.5);
  const geometry::Mesh mesh = paraboloid(cells);
  const int id = scene.mesh(mesh, model::Scheme::def_lim);
  hold_symmetry(scene, mesh, id);
  model::SurfaceLoad load;
  load.body = id;
  load.traction.surface = 6;
  load.traction.direction = model::SurfaceTraction::Direction::vector;
  load.traction.vector = -Vec3::UnitZ();
  scene.sim.add_surface_load(load);
  Pressed pressed;
  for (const double radius : kRadii) {
    const double F = hertz_force(radius);
    scene.sim.model().surface_loads[0].value = 0.25 * F / (kSide * kSide);
    for (int step = 0; step < 2; ++step) pressed.iterations = std::max(pressed.iterations, scene.sim.step().iterations);
    double moment = 0.0, sum = 0.0;
    for (const auto& contact : scene.sim.contacts()) {
      sum += contact.R.x();
      moment += contact.R.x() * contact.point.point.head<2>().squaredNorm();
    }
    // <r^2> = 2 a^2 / 5 for Hertz' pressure.
    const double error = std::sqrt(2.5 * moment / sum) / radius - 1.0;
    pressed.error += error * error / std::size(kRadii);
    pressed.imbalance = std::max(pressed.imbalance, std::abs(4.0 * sum / kStep / F - 1.0));
  }
  pressed.error = std::sqrt(pressed.error);
  return pressed;
}

TEST(HertzThroughTheStepper, ContactRadiusConvergesToTheClosedForm) {
  double previous = 1.0;
  for (const int cells : {5, 7, 10}) {
    const Pressed found = press(cells);
    RecordProperty("error_" + std::to_string(cells), std::to_string(found.error));
    RecordProperty("iterations_" + std::to_string(cells), std::to_string(found.iterations));
    // What is left of the way to equilibrium after two steps of a fifth of the load.
    EXPECT_LT(found.imbalance, 1e-3) << cells;
    EXPECT_LT(found.error, previous) << cells;
    // Sweeps and some twenty Newton steps a round, not the thousands of a first-order method.
    EXPECT_LT(found.iterations, 500) << cells;
    previous = found.error;
  }
  // Lowest-order elements of a fifth of the contact radius: 3 % at the finest mesh.
  EXPECT_LT(previous, 0.03);
}

}  // namespace
}  // namespace scree::stepping
