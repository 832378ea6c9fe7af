/// Hertz contact: a paraboloid pressed on a rigid plane, by the scaled contact rows of the factor.
#include <algorithm>

#include <gtest/gtest.h>

#include "core/dense.hpp"
#include "elastic/loads.hpp"
#include "statics.hpp"

namespace scree::elastic::testing {
namespace {

struct Hertz {
  double force, radius;
};

/// Cell sizes that grow by a factor of 12 in total.
std::vector<double> growing(int cells) {
  std::vector<double> sizes;
  for (int k = 0; k < cells; ++k) sizes.push_back(std::pow(12.0, static_cast<double>(k) / (cells - 1)));
  return sizes;
}

/// R >= 0, gap + W R >= 0, complementary: guess the active contacts, solve, correct the guess.
VecX contact_forces(const MatX& W, const VecX& gap) {
  const Eigen::Index n = gap.size();
  std::vector<char> active(n);
  for (Eigen::Index i = 0; i < n; ++i) active[i] = gap[i] < 0.0;
  VecX R = VecX::Zero(n);
  for (int round = 0; round < 50; ++round) {
    std::vector<Eigen::Index> list;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (active[i]) list.push_back(i);
    }
    MatX part(list.size(), list.size());
    VecX right(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      right[i] = -gap[list[i]];
      for (std::size_t j = 0; j < list.size(); ++j) part(i, j) = W(list[i], list[j]);
    }
    const VecX forces = solve_positive(part, right);
    R.setZero();
    for (std::size_t i = 0; i < list.size(); ++i) R[list[i]] = forces[i];
    const VecX open = gap + W * R;
    bool changed = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      const char next = active[i] ? R[i] > 0.0 : open[i] < -1e-12;
      changed = changed || next != active[i];
      active[i] = next;
    }
    if (!changed) return R;
  }
  ADD_FAILURE() << "the active contacts do not settle";
  return R;
}

/// Quarter of a block with the bottom z = r^2 / 2 R, its top pushed down by the depth given.
Hertz press(int cells, int order, double depth) {
  const double R = 1.0, L = 0.9;
  std::vector<Vec3> c;
  for (const auto& s : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, 0, 1), Vec3(1, 1, 1), Vec3(0, 1, 1)}) c.push_back(L * s);
  const int surfaces[6] = {1, 2, 3, 4, 5, 6};
  const auto sizes = growing(cells);
  geometry::Mesh mesh = geometry::make_hex(std::span<const Vec3, 8>(c.data(), 8), cells, cells, cells, 0, surfaces, sizes, sizes, sizes);
  for (Vec3& X : mesh.nodes) X.z() += (X.x() * X.x() + X.y() * X.y()) / (2 * R) * (1 - X.z() / L);
  const ElasticBody body = make_body(mesh, order, 1.0, 0.3);
  Statics problem{body};
  problem.hold([](const Vec3& X) { return std::abs(X.x()) < 1e-12; }, 0);
  problem.hold([](const Vec3& X) { return std::abs(X.y()) < 1e-12; }, 1);
  problem.hold([&](const Vec3& X) { return X.z() > L - 1e-9; }, 2, [&](const Vec3&) { return -depth; });
  const auto u = problem.solve();
  // Bottom nodes near the axis may touch.
  std::vector<int> last;
  for (const BoundaryFace& face : body.mesh().boundary) {
    if (face.surface != 1) continue;
    for (int n : face.nodes())
      if (body.mesh().nodes[n].head<2>().norm() < 0.35) last.push_back(n);
  }
  std::ranges::sort(last);
  last.erase(std::unique(last.begin(), last.end()), last.end());
  BlockMatrix K = body.make_matrix();
  body.tangent(body.mesh().positions(), K);
  K.constrain(problem.fixed, 1.0);
  Factor factor;
  factor.analyse(body.pattern(), last);
  factor.factorise(K);
  const int size = factor.last_dofs(), contacts = static_cast<int>(last.size());
  std::vector<double> rows(static_cast<std::size_t>(size) * contacts, 0.0);
  VecX gap(contacts);
  for (int k = 0; k < contacts; ++k) {
    rows[static_cast<std::size_t>(k) * size + 3 * k + 2] = 1.0;
    gap[k] = body.mesh().nodes[last[k]].z() + u[3 * last[k] + 2];
  }
  factor.scale(rows, contacts);
  const Eigen::Map<const MatX> Hs(rows.data(), size, contacts);
  const VecX forces = contact_forces(Hs.transpose() * Hs, gap);
  double sum = 0.0, moment = 0.0;
  for (int k = 0; k < contacts; ++k) sum += forces[k], moment += forces[k] * body.mesh().nodes[last[k]].head<2>().squaredNorm();
  // <r^2> = 2 a^2 / 5 for Hertz' pressure.
  return {4 * sum, std::sqrt(2.5 * moment / sum)};
}

TEST(Hertz, ContactRadiusFitsTheForceAndConverges) {
  const double star = 1.0 / (1 - 0.3 * 0.3);
  double previous = 1.0;
  for (int cells : {6, 9, 13}) {
    const Hertz found = press(cells, 1, 0.02);
    const double exact = std::cbrt(3 * found.force / (4 * star));
    const double error = std::abs(found.radius / exact - 1);
    RecordProperty("error", std::to_string(error));
    EXPECT_GT(exact, 0.09);
    EXPECT_LT(error, previous) << cells;
    previous = error;
  }
  EXPECT_LT(previous, 0.03);
}

}  // namespace
}  // namespace scree::elastic::testing
