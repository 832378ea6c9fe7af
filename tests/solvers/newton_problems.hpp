/// Small contact problems for the tests of solvers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "solvers/contact_problem.hpp"
#include "solvers/operator.hpp"
#include "draws.hpp"

namespace scree::solvers::testing {

struct RandomOptions {
  int bodies = 6;
  int contacts = 15;
  double mu = 0.6;
  bool joints = false;        ///< every fifth block bilateral, every seventh a direction
  double unit_mass = 1.0;     ///< multiplies every mass
  double unit_velocity = 1.0; ///< multiplies the free velocity
  std::uint32_t seed = 1;
};

/// Rigid bodies with random masses, pushed together through random contacts; hyperstatic when
/// 3 contacts > 6 bodies. B = Hs v for a velocity that closes most contacts, so a solution exists.
inline ContactProblem random_problem(const RandomOptions& options) {
  std::mt19937 engine(options.seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  auto form = std::make_shared<BodyForm>();
  form->reset_rigid(options.bodies);
  std::vector<double> root(static_cast<std::size_t>(options.bodies));
  for (double& r : root) r = 1.0 / std::sqrt(options.unit_mass * std::exp(uniform(engine)));
  ContactProblem problem;
  for (int c = 0; c < options.contacts; ++c) {
    const int first = c % options.bodies;
    int second = static_cast<int>((uniform(engine) + 1.0) * 0.5 * (options.bodies + 1)) - 1;
    if (second == first) second = -1;
    const Vec3 n = (scree::testing::vector_of([&] { return uniform(engine); }) + Vec3(0.0, 0.0, 1.2)).normalized();
    const Vec3 t = n.unitOrthogonal();
    Mat3 frame;
    frame << n.transpose(), t.transpose(), n.cross(t).transpose();
    const auto sides = form->add_block(first, second);
    for (int side = 0; side < 2; ++side) {
      if (sides[static_cast<std::size_t>(side)].empty()) continue;
      const double r = root[static_cast<std::size_t>(side == 0 ? first : second)] * (side == 0 ? 1.0 : -1.0);
      const Vec3 arm = 0.3 * scree::testing::vector_of([&] { return uniform(engine); });
      Eigen::Map<Eigen::Matrix<double, 3, 6, Eigen::RowMajor>> H(sides[static_cast<std::size_t>(side)].data());
      H.leftCols<3>() = r * frame;
      H.rightCols<3>() = -2.0 * r * frame * skew(arm);
    }
    BlockKind kind = BlockKind::contact;
    if (options.joints && c % 5 == 4) kind = BlockKind::bilateral;
    if (options.joints && c % 7 == 6) kind = BlockKind::direction;
    problem.kind.push_back(kind);
    problem.mu.push_back(kind == BlockKind::contact ? options.mu : 0.0);
  }
  form->finish();
  // Free velocity of the bodies: falling, with some slip and spin.
  std::vector<double> y(static_cast<std::size_t>(form->dofs()));
  for (int b = 0; b < options.bodies; ++b)
    for (int k = 0; k < 6; ++k)
      y[static_cast<std::size_t>(6 * b + k)] =
          options.unit_velocity * ((k == 2 ? -1.0 : 0.0) + 0.4 * uniform(engine)) / root[static_cast<std::size_t>(b)];
  problem.B.resize(3 * static_cast<std::size_t>(options.contacts));
  form->gather(y, problem.B);
  problem.W = form;
  return problem;
}

[[nodiscard]] inline std::vector<double> zero(const ContactProblem& problem) { return std::vector<double>(problem.B.size(), 0.0); }

/// The same problem with W given as explicit rows.
inline ContactProblem explicit_copy(const ContactProblem& problem) {
  ContactProblem copy = problem;
  copy.W = std::make_shared<ExplicitForm>(make_explicit(dynamic_cast<const BodyForm&>(*problem.W)));
  return copy;
}

/// W as a dense matrix.
inline MatX dense(const Operator& W) {
  const auto n = static_cast<Eigen::Index>(3 * W.blocks());
  MatX matrix(n, n);
  VecX unit = VecX::Zero(n), column(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    unit(k) = 1.0;
    W.apply({unit.data(), static_cast<std::size_t>(n)}, {column.data(), static_cast<std::size_t>(n)});
    matrix.col(k) = column;
    unit(k) = 0.0;
  }
  return matrix;
}

/// The explicit problem with blocks in another order (order[i]: old index of block i).
inline ContactProblem renumbered(const ContactProblem& problem, const std::vector<int>& order) {
  const auto& W = dynamic_cast<const ExplicitForm&>(*problem.W);
  std::vector<int> position(order.size()), row_start{0}, columns;
  for (std::size_t i = 0; i < order.size(); ++i) position[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  std::vector<RowMat3> values;
  ContactProblem result;
  for (int a : order) {
    std::vector<std::pair<int, RowMat3>> row;
    for (std::size_t k = 0; k < W.columns(a).size(); ++k)
      row.emplace_back(position[static_cast<std::size_t>(W.columns(a)[k])], W.values(a)[k]);
    std::sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    for (const auto& [column, value] : row) {
      columns.push_back(column);
      values.push_back(value);
    }
    row_start.push_back(static_cast<int>(columns.size()));
    result.kind.push_back(problem.kind[static_cast<std::size_t>(a)]);
    result.mu.push_back(problem.mu[static_cast<std::size_t>(a)]);
    for (int k = 0; k < 3; ++k) result.B.push_back(problem.B[static_cast<std::size_t>(3 * a + k)]);
  }
  result.W = std::make_shared<ExplicitForm>(row_start, columns, values);
  return result;
}

/// A problem of explicit diagonal blocks from arbitrary numbers, for extreme and singular cases.
inline ContactProblem diagonal_problem(const std::vector<Mat3>& blocks, const std::vector<double>& B, double mu) {
  ContactProblem problem;
  std::vector<int> row_start{0}, columns;
  std::vector<RowMat3> values;
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    columns.push_back(static_cast<int>(a));
    values.emplace_back(blocks[a]);
    row_start.push_back(static_cast<int>(columns.size()));
  }
  problem.W = std::make_shared<ExplicitForm>(row_start, columns, values);
  problem.kind.assign(blocks.size(), BlockKind::contact);
  problem.mu.assign(blocks.size(), mu);
  problem.B = B;
  return problem;
}

}  // namespace scree::solvers::testing
