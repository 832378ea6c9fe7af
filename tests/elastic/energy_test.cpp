/// Free motion with the energy-consistent force (theory eq. 5.12-5.14, theory eq. 6.13).
#include <gtest/gtest.h>

#include "../long_form.hpp"
#include "elastic/factor.hpp"
#include "meshes.hpp"

namespace scree::elastic::testing {
namespace {

/// M (u' - u) = -h f(q, q'), q' = q + h (u + u')/2, by Newton steps with the tangent of the middle.
struct FreeMotion {
  const ElasticBody& body;
  std::vector<double> q, u;
  Factor factor;
  BlockMatrix K = body.make_matrix(), A = body.make_matrix();

  FreeMotion(const ElasticBody& b, std::vector<double> start, std::vector<double> velocity) : body(b), q(std::move(start)), u(std::move(velocity)) {
    factor.analyse(body.pattern());
  }
  void step(double h) {
    std::vector<double> next(q), change(q.size(), 0.0), f(q.size()), residual(q.size());
    for (std::size_t i = 0; i < q.size(); ++i) next[i] += h * u[i];
    double first = 0.0;
    for (int iteration = 0; iteration < 30; ++iteration) {
      body.step_force(q, next, 0.0, f);
      // In terms of w = u' - u:  M w + h f = 0, q' = q + h u + h w / 2.
      for (std::size_t i = 0; i < q.size(); ++i) change[i] = 2.0 * (next[i] - q[i] - h * u[i]) / h;
      body.mass().multiply(change, residual);
      for (std::size_t i = 0; i < q.size(); ++i) residual[i] += h * f[i];
      const double norm = vec(residual).norm();
      if (iteration == 0) {
        first = norm;
        for (std::size_t i = 0; i < q.size(); ++i) change[i] = 0.5 * (q[i] + next[i]);
        body.tangent(change, K);
        A.combine(1.0, body.mass(), 0.25 * h * h, K);
        factor.factorise(A);
      }
      if (norm <= 1e-14 * first) break;
      factor.solve(residual, residual);
      for (std::size_t i = 0; i < q.size(); ++i) next[i] -= 0.5 * h * residual[i];
    }
    for (std::size_t i = 0; i < q.size(); ++i) u[i] = 2.0 * (next[i] - q[i]) / h - u[i];
    q.swap(next);
  }
  [[nodiscard]] double energy() const { return body.kinetic_energy(u) + body.internal_energy(q); }
  [[nodiscard]] Vec3 angular_momentum() const {
    std::vector<double> p(q.size());
    body.mass().multiply(u, p);
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < q.size(); k += 3) sum += Vec3::Map(q.data() + k).cross(Vec3::Map(p.data() + k));
    return sum;
  }
};

TEST(Energy, RotatingBarKeepsItForThousandsOfSteps) {
  for (const char* law : {"KIRCHHOFF", "NEO_HOOKEAN"}) {
    const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(4, 1, 1), 4, 1, 1, Cells::hexahedra), 1, 100.0, 0.3, 1.0, law);
    const Vec3 center = body.mass_properties().center, spin(0.2, 0.3, 1.0);
    std::vector<double> u(body.dofs());
    for (int n = 0; n < body.nodes(); ++n) Vec3::Map(u.data() + 3 * n) = spin.cross(body.mesh().nodes[n] - center);
    FreeMotion motion(body, body.mesh().positions(), u);
    const double before = motion.energy();
    const Vec3 momentum = motion.angular_momentum();
    double worst = 0.0, most_strain = 0.0;
    // The wave needs 0.1 s for an element; the step is half of that, a turn takes about 120.
    const int steps = (law[0] == 'K' ? 2500 : 500) * (long_form() ? 4 : 1);
    for (int step = 0; step < steps; ++step) {
      motion.step(0.05);
      if (step % 100 == 99) worst = std::max(worst, std::abs(motion.energy() - before) / before);
      most_strain = std::max(most_strain, step < 200 ? body.internal_energy(motion.q) / before : 0.0);
    }
    EXPECT_LT(worst, 1e-8) << law;
    EXPECT_LT((motion.angular_momentum() - momentum).norm(), 1e-8 * momentum.norm()) << law;
    // It does stretch: the test would be empty for a rigid bar.
    EXPECT_GT(most_strain, 1e-3) << law;
  }
}

}  // namespace
}  // namespace scree::elastic::testing
