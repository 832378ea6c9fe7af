#include "solvers/body_space.hpp"

#include <gtest/gtest.h>

#include <random>

#include "newton_problems.hpp"
#include "core/threads.hpp"
#include "solvers/block_lu.hpp"

namespace scree::solvers {
namespace {

MatX dense_rows(const BodyForm& form) {
  MatX H = MatX::Zero(3 * form.blocks(), form.dofs());
  for (int a = 0; a < form.blocks(); ++a)
    for (int side = 0; side < 2; ++side) {
      const int body = form.bodies_of(a)[static_cast<std::size_t>(side)];
      if (body < 0) continue;
      H.block(3 * a, form.dof_start(body), 3, form.body_dofs(body)) +=
          Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>(form.rows(a, side).data(), 3, form.body_dofs(body));
    }
  return H;
}

std::vector<Mat3> random_weights(int blocks, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Mat3> G;
  for (int a = 0; a < blocks; ++a) {
    Mat3 root;
    for (int k = 0; k < 9; ++k) root(k / 3, k % 3) = uniform(engine);
    G.emplace_back(a % 4 == 3 ? Mat3::Zero() : Mat3(100.0 * root * root.transpose()));
  }
  return G;
}

void expect_dense_agreement(const BodyForm& form, BodySpace& space, unsigned seed) {
  const std::vector<Mat3> G = random_weights(form.blocks(), seed);
  const MatX H = dense_rows(form);
  MatX A = MatX::Identity(form.dofs(), form.dofs());
  for (int a = 0; a < form.blocks(); ++a)
    A += H.middleRows(3 * a, 3).transpose() * G[static_cast<std::size_t>(a)] * H.middleRows(3 * a, 3);
  ASSERT_TRUE(space.factor(G));
  const VecX b = VecX::LinSpaced(form.dofs(), -1.0, 2.0);
  VecX x(form.dofs());
  const auto n = static_cast<std::size_t>(form.dofs());
  space.solve({b.data(), n}, {x.data(), n});
  // Backward stable: the residual is rounding of |A| |x|.
  EXPECT_LT((A * x - b).norm(), 1e-13 * (A.norm() * x.norm() + b.norm()));
}

TEST(BodySpace, AgreesWithDenseForRigidBodies) {
  const ContactProblem problem = testing::random_problem({.bodies = 9, .contacts = 31});
  const auto& form = dynamic_cast<const BodyForm&>(*problem.W);
  BodySpace space;
  space.analyse(form);
  EXPECT_EQ(space.rows(), 54);
  for (unsigned seed = 1; seed <= 3; ++seed) expect_dense_agreement(form, space, seed);
}

TEST(BodySpace, AgreesWithDenseForMixedDegreesOfFreedomAndSelfContact) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  BodyForm form;
  const std::vector<int> dofs{6, 12, 3, 24};
  form.reset(dofs);
  const std::vector<std::array<int, 2>> pairs{{0, 1}, {3, 1}, {2, -1}, {3, 3}, {-1, 0}, {1, 3}, {3, 0}};
  for (const auto& pair : pairs) {
    const auto sides = form.add_block(pair[0], pair[1]);
    for (const auto& side : sides)
      for (double& value : side) value = uniform(engine);
  }
  form.finish();
  BodySpace space;
  space.analyse(form);
  expect_dense_agreement(form, space, 7);
}

TEST(BodySpace, AgreesWithDenseForAnyNumberOfBodies) {
  // From panels of one body to panels of several strips, in islands and in one piece.
  std::mt19937 engine(8);
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const int bodies = 1 + static_cast<int>(engine() % 70), contacts = bodies * (1 + static_cast<int>(engine() % 6));
    const ContactProblem problem = testing::random_problem({.bodies = bodies, .contacts = contacts, .seed = seed});
    BodySpace space;
    const auto& form = dynamic_cast<const BodyForm&>(*problem.W);
    space.analyse(form);
    expect_dense_agreement(form, space, seed);
  }
}

TEST(BodySpace, RefusesIndefiniteWeights) {
  const ContactProblem problem = testing::random_problem({.bodies = 4, .contacts = 8});
  const auto& form = dynamic_cast<const BodyForm&>(*problem.W);
  BodySpace space;
  space.analyse(form);
  std::vector<Mat3> G(8, Mat3(-100.0 * Mat3::Identity()));
  EXPECT_FALSE(space.factor(G));
  G.assign(8, Mat3::Identity());
  EXPECT_TRUE(space.factor(G));
}

TEST(BodySpace, SameBitsForAnyThreadCount) {
  const ContactProblem problem = testing::random_problem({.bodies = 300, .contacts = 1500});
  const auto& form = dynamic_cast<const BodyForm&>(*problem.W);
  const std::vector<Mat3> G = random_weights(form.blocks(), 11);
  const auto n = static_cast<std::size_t>(form.dofs());
  std::vector<double> b(n, 1.0), one(n), two(n);
  const int before = threads();
  for (int count : {1, 2}) {
    set_threads(count);
    BodySpace space;
    space.analyse(form);
    ASSERT_TRUE(space.factor(G));
    space.solve(b, count == 1 ? one : two);
  }
  set_threads(before);
  EXPECT_EQ(one, two);
}

TEST(BlockLu, AgreesWithDenseLu) {
  // alpha I + D W with unsymmetric D and some open rows, as Newton meets it.
  const ContactProblem problem = testing::explicit_copy(testing::random_problem({.bodies = 8, .contacts = 30}));
  const auto& W = dynamic_cast<const ExplicitForm&>(*problem.W);
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<int> row_start{0}, columns;
  std::vector<Mat3> values;
  std::vector<char> open;
  MatX A = MatX::Zero(90, 90);
  const MatX dense_W = testing::dense(W);
  for (int a = 0; a < W.blocks(); ++a) {
    const bool is_open = a % 3 == 1;
    Mat3 D = Mat3::Zero();
    if (!is_open) {
      D.diagonal() << 1.0, uniform(engine), uniform(engine);
      D(1, 0) = uniform(engine);
    }
    open.push_back(is_open ? 1 : 0);
    for (std::size_t k = 0; k < W.columns(a).size(); ++k) {
      const int b = W.columns(a)[k];
      columns.push_back(b);
      values.emplace_back(D * W.values(a)[k] + (a == b ? 1e-3 : 0.0) * Mat3::Identity());
      A.block<3, 3>(3 * a, 3 * b) = values.back();
    }
    row_start.push_back(static_cast<int>(columns.size()));
  }
  BlockLu<3> lu;
  lu.analyse(row_start, columns, BlockLu<3>::Fill::complete);
  ASSERT_TRUE(lu.factor(values, open));
  const VecX b = VecX::LinSpaced(90, -1.0, 1.0);
  VecX x(90);
  lu.solve({b.data(), 90}, {x.data(), 90});
  EXPECT_LT((A * x - b).norm(), 1e-11 * (A.norm() * x.norm() + b.norm()));
}

}  // namespace
}  // namespace scree::solvers
