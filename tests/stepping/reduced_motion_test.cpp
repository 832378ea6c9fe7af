/// Reduced bodies ('BC-MODAL', and 'BC-RO' of given shapes) that are held: energy stays below the work done (theory sec. 5.11).
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "elastic_scene.hpp"

namespace scree::stepping {
namespace {

using model::Scheme;

/// Draws in the order they are written.
struct ReducedDraw {
  std::mt19937 random;
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
  double power(double low, double high) { return std::pow(10.0, uniform(low, high)); }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }
  Vec3 vector(double low, double high) {
    return Vec3{uniform(low, high), uniform(low, high), uniform(low, high)};
  }
};

/// A bar of any size under gravity, held at any number of points, some of them the same or along one line.
struct HeldBar : Elastic {
  int id = 0;
  Vec3 size;
  std::vector<Vec3> points;
  std::string what;

  HeldBar(ReducedDraw& draw, double h, double young) : Elastic(h, {0, 0, -10}, young, 0.2) {
    size = {1.0, draw.uniform(0.03, 0.4), draw.uniform(0.03, 0.4)};
    const int cells[3] = {draw.whole(3, 6), draw.whole(1, 2), draw.whole(1, 2)};
    const int dofs = 3 * (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1), modes = std::min(draw.whole(1, 30), dofs - 6);
    model::BodySpec spec;
    spec.kind = model::BodyKind::finite_element;
    spec.shape = std::make_shared<geometry::Shape>(geometry::make_shape(block({0, 0, 0}, size, cells[0], cells[1], cells[2])));
    spec.mass = geometry::mass_properties(*spec.shape, 1000.0);
    spec.deformation.form = "BC-MODAL";
    spec.deformation.modes = modes;
    const bool given = draw.whole(0, 1) == 1;
    if (given)
      for (int k = 0; k < modes * dofs; ++k) spec.deformation.shapes.push_back(draw.uniform(-1.0, 1.0));
    id = sim.add_body(spec);
    const Scheme scheme = static_cast<Scheme>(draw.whole(0, 2));
    sim.model().bodies.scheme[at(id)] = scheme;
    const double damping = draw.whole(0, 1) == 0 ? 0.0 : draw.uniform(0.0, h);
    sim.model().bodies.deformables[0].stiffness_damping = damping;
    const int count = draw.whole(1, 8), where = draw.whole(0, 2);
    for (int k = 0; k < count; ++k) {
      const Vec3 random = draw.vector(0.0, 1.0).cwiseProduct(size);
      const Vec3 corner(0.0, (k & 1) ? size.y() : 0.0, (k & 2) ? size.z() : 0.0), line(0.25 * k, 0.0, 0.0);
      points.push_back(where == 0 ? random : where == 1 ? corner : line.cwiseMin(size));
      fix(id, points.back());
    }
    what = fmt::format("{} modes ({}), {} points {}, h {:g}, E {:g}, damping {:g}, scheme {}, size {:.3f} {:.3f}", modes, given ? "given" : "natural", count, where, h, young,
                       damping, static_cast<int>(scheme), size.y(), size.z());
  }
};

TEST(ReducedMotion, HeldAnyhowItsEnergyIsBoundedByTheWorkDone) {
  ReducedDraw draw{std::mt19937(5)};
  for (int k = 0; k < 40; ++k) {
    const double h = draw.power(-4, -2), young = draw.power(5, 11);
    HeldBar scene(draw, h, young);
    SCOPED_TRACE(scene.what);
    double most = 0.0, drift = 0.0;
    const double weight = 10.0 * scene.sim.model().bodies.mass[0], potential = scene.sim.energies().potential;
    for (int step = 0; step < 60; ++step) {
      scene.sim.step();
      const Energies now = scene.sim.energies();
      most = std::max(most, now.kinetic + now.internal + now.potential - potential);
      drift = std::max(drift, std::abs(now.drift));
      if (!(most < weight)) break;
    }
    // Beyond the fall: points are led back to their places after each step, in the fastest swings with h omega = 0.06 to (h omega)^2 / 4.
    EXPECT_LT(most, 1e-3 * weight);
    EXPECT_LT(drift, 1e-5 * weight);
    for (const Vec3& X : scene.points) EXPECT_LT((scene.point(scene.id, X) - X).norm(), 1e-3);
    EXPECT_TRUE(scene.sim.take_warnings().empty());
  }
}

}  // namespace
}  // namespace scree::stepping
