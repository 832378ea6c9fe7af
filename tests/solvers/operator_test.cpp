#include "solvers/operator.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "newton_problems.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/generators.hpp"
#include "solvers/islands.hpp"
#include "solvers/shifted_factor.hpp"
#include "solvers/sweeper.hpp"

namespace scree::solvers {
namespace {

std::vector<double> some_vector(std::size_t size) {
  std::vector<double> x(size);
  for (std::size_t k = 0; k < size; ++k) x[k] = std::sin(1.0 + 0.7 * static_cast<double>(k));
  return x;
}

ContactProblem small() {
  PackingOptions options;
  options.across = 3;
  options.up = 3;
  options.ellipsoids = true;
  return make_packing(options);
}

/// Mixed numbers of degrees of freedom, one body touching itself through two blocks.
BodyForm mixed_form() {
  BodyForm form;
  const int dofs[] = {6, 12, 3};
  form.reset(dofs);
  int counter = 0;
  for (const auto& pair : {std::array{0, 1}, std::array{1, 2}, std::array{-1, 0}, std::array{2, -1}, std::array{1, 1}}) {
    const auto sides = form.add_block(pair[0], pair[1]);
    for (const auto& side : sides)
      for (double& entry : side) entry = std::cos(1.3 * ++counter);
  }
  form.finish();
  return form;
}

TEST(Operator, BodyFormEqualsItsExplicitForm) {
  const ContactProblem packing = small();
  const BodyForm mixed = mixed_form();
  for (const BodyForm* form : {static_cast<const BodyForm*>(packing.W.get()), &mixed}) {
    const ExplicitForm rows = make_explicit(*form);
    const auto R = some_vector(3 * static_cast<std::size_t>(form->blocks()));
    std::vector<double> U(R.size()), V(R.size());
    form->apply(R, U);
    rows.apply(R, V);
    for (std::size_t k = 0; k < U.size(); ++k) EXPECT_NEAR(U[k], V[k], 1e-12);
    for (int a = 0; a < form->blocks(); ++a) {
      // A block between a body and itself couples its two sides, which the diagonal of the body form leaves out.
      const auto& pair = form->bodies_of(a);
      if (pair[0] == pair[1]) continue;
      EXPECT_LT((form->diagonal()[static_cast<std::size_t>(a)] - rows.diagonal()[static_cast<std::size_t>(a)]).norm(), 1e-12);
    }
    EXPECT_LT(rows.asymmetry(), 1e-14);
  }
}

TEST(Operator, IsSymmetricAndPositive) {
  const ContactProblem problem = small();
  auto x = some_vector(problem.B.size()), y = x;
  for (std::size_t k = 0; k < y.size(); ++k) y[k] = std::cos(2.1 * static_cast<double>(k));
  std::vector<double> Wx(x.size()), Wy(x.size());
  problem.W->apply(x, Wx);
  problem.W->apply(y, Wy);
  double xWy = 0.0, yWx = 0.0, xWx = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xWy += x[k] * Wy[k];
    yWx += y[k] * Wx[k];
    xWx += x[k] * Wx[k];
  }
  EXPECT_NEAR(xWy, yWx, 1e-12 * std::abs(xWx));
  EXPECT_GT(xWx, 0.0);
}

TEST(Operator, SameBitsForAnyThreadCount) {
  PackingOptions options;
  options.across = 10;
  options.up = 10;
  const ContactProblem problem = make_packing(options);
  const auto R = some_vector(problem.B.size());
  std::vector<double> one(R.size()), two(R.size());
  set_threads(1);
  problem.W->apply(R, one);
  set_threads(2);
  problem.W->apply(R, two);
  set_threads(omp_get_num_procs());
  EXPECT_EQ(one, two);
}

TEST(Operator, RestrictionKeepsRowsAndNumbersBodies) {
  const BodyForm form = mixed_form();
  std::vector<int> map;
  const int blocks[] = {1, 3};
  const BodyForm part = form.restricted(blocks, map);
  EXPECT_EQ(part.bodies(), 2);
  EXPECT_EQ(map, (std::vector<int>{-1, 0, 1}));
  EXPECT_EQ(part.diagonal()[0], form.diagonal()[1]);
  EXPECT_EQ(part.bodies_of(1), (std::array{1, -1}));
}

/// What solvers ask of an operator, the same of both forms.
class BothForms : public ::testing::Test {
 protected:
  void SetUp() override {
    bodies_ = testing::random_problem({.bodies = 7, .contacts = 16, .mu = 0.5, .joints = true, .seed = 11});
    rows_ = testing::explicit_copy(bodies_);
  }
  ContactProblem bodies_, rows_;
};

TEST_F(BothForms, RestrictToTheSameOperator) {
  const int blocks[] = {1, 4, 5, 9, 15};
  const MatX whole = testing::dense(*rows_.W);
  for (const ContactProblem* problem : {&bodies_, &rows_}) {
    const MatX part = testing::dense(*problem->W->restricted(blocks));
    for (Eigen::Index i = 0; i < 5; ++i)
      for (Eigen::Index j = 0; j < 5; ++j)
        EXPECT_LT((part.block<3, 3>(3 * i, 3 * j) - whole.block<3, 3>(3 * blocks[i], 3 * blocks[j])).norm(), 1e-14 * whole.norm());
  }
}

TEST_F(BothForms, LinkWhatTheyCouple) {
  // Blocks joined by a chain of links are those that a power of |W| joins.
  const MatX W = testing::dense(*rows_.W);
  for (const ContactProblem* problem : {&bodies_, &rows_}) {
    Islands islands;
    islands.find(*problem->W);
    std::vector<int> island(16, -1);
    for (int i = 0; i < islands.count(); ++i)
      for (int a : islands.blocks(i)) island[static_cast<std::size_t>(a)] = i;
    for (int a = 0; a < 16; ++a)
      for (int b = 0; b < 16; ++b)
        if (W.block<3, 3>(3 * a, 3 * b).norm() > 0.0) {
          EXPECT_EQ(island[a], island[b]);
        }
  }
}

TEST_F(BothForms, FactorTheShiftedMatrix) {
  std::vector<double> scale = block_scaling(*bodies_.W);
  for (double& s : scale) s = std::sqrt(s);
  VecX s(48);
  for (Eigen::Index k = 0; k < 48; ++k) s[k] = scale[static_cast<std::size_t>(k / 3)];
  const std::vector<double> b = some_vector(48);
  const Eigen::Map<const VecX> right(b.data(), 48);
  for (const ContactProblem* problem : {&bodies_, &rows_}) {
    const auto factor = problem->W->make_shifted_factor(scale);
    for (const double sigma : {1e-3, 0.1, 10.0}) {
      ASSERT_TRUE(factor->factor(sigma));
      std::vector<double> x(48);
      factor->solve(b, x);
      const Eigen::Map<const VecX> solved(x.data(), 48);
      const VecX error = s.asDiagonal() * (testing::dense(*rows_.W) * VecX(s.asDiagonal() * solved)) + sigma * solved - right;
      EXPECT_LT(error.norm(), 1e-10 * right.norm()) << sigma;   // rounding divided by the least sigma
    }
  }
}

TEST_F(BothForms, SweepAlike) {
  std::vector<double> one(48), two(48);
  const std::vector<double> start(48, 0.0);
  const auto first = bodies_.W->make_sweeper({}), second = rows_.W->make_sweeper({});
  first->begin(bodies_, start);
  second->begin(rows_, start);
  // Rows of W are swept in single precision, 6e-8 of what R has moved; some ten rows add up.
  for (int k = 0; k < 20; ++k) {
    const SweepRule rule{k > 1 ? 0.5 : 0.0, 1.0, k % 2 == 1};
    const double change = first->sweep(rule).change, residual = first->squared_residual();
    EXPECT_NEAR(second->sweep(rule).change, change, 1e-6 * (1.0 + change));
    EXPECT_NEAR(second->squared_residual(), residual, 1e-6 * (1.0 + residual));
  }
  first->get(one);
  second->get(two);
  for (std::size_t k = 0; k < 48; ++k) EXPECT_NEAR(one[k], two[k], 1e-6);
}

TEST_F(BothForms, SweepToTheEndInDoublePrecision) {
  // What single precision loses is taken back by refreshes, which nobody asks for here.
  for (const ContactProblem* problem : {&bodies_, &rows_}) {
    std::vector<double> R(48, 0.0);
    const auto sweeper = problem->W->make_sweeper({});
    sweeper->begin(*problem, R);
    for (int k = 0; k < 4000; ++k) sweeper->sweep({});
    sweeper->get(R);
    EXPECT_LT(measure(Yardstick::residual, *problem, R), 1e-13);
    EXPECT_NEAR(std::sqrt(sweeper->squared_residual()), 0.0, 1e-13);
  }
}

TEST_F(BothForms, CondenseOnlyWhatIsNotRows) {
  ExplicitForm rows;
  ASSERT_TRUE(bodies_.W->condense_into(rows, 1e3));
  EXPECT_LT((testing::dense(rows) - testing::dense(*rows_.W)).norm(), 1e-14 * testing::dense(rows).norm());
  EXPECT_FALSE(bodies_.W->condense_into(rows, 1e-3));
  EXPECT_FALSE(rows_.W->condense_into(rows, 1e3));
}

TEST(Operator, MissingDiagonalCountsAsZeroAndAsymmetryIsSeen) {
  const ExplicitForm W({0, 1, 2}, {1, 1}, {RowMat3::Identity(), RowMat3::Identity()});
  EXPECT_EQ(W.diagonal()[0], Mat3(Mat3::Zero()));
  EXPECT_DOUBLE_EQ(W.asymmetry(), 1.0);
  EXPECT_THROW(ExplicitForm({0, 2}, {0}, {RowMat3::Identity()}), InputError);
}

TEST(ContactProblem, ValidationNamesTheCulprit) {
  ContactProblem problem = small();
  EXPECT_NO_THROW(problem.validate());
  problem.mu[5] = -0.1;
  try {
    problem.validate();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("mu[5]"), std::string::npos);
  }
  problem.mu[5] = 0.1;
  problem.B[7] = std::nan("");
  EXPECT_THROW(problem.validate(), InputError);
  problem.B.pop_back();
  EXPECT_THROW(problem.validate(), InputError);
}

TEST(ContactProblem, ScaleOfTheResidual) {
  // What approaches counts, with as much of its slip as friction could stop.
  ContactProblem problem = small();
  const std::vector<double> rho = block_scaling(*problem.W);
  double sum = 0.0;
  for (std::size_t a = 0; a < rho.size(); ++a) {
    const double stopped = std::max(0.0, -problem.B[3 * a]), slip = std::hypot(problem.B[3 * a + 1], problem.B[3 * a + 2]);
    const double held = std::min(slip, problem.mu[a] * stopped);
    sum += rho[a] * (stopped * stopped + held * held);
  }
  EXPECT_NEAR(residual_scale(problem), std::sqrt(sum), 1e-13 * std::sqrt(sum));
  // Weights of the problem's own go before.
  problem.weight.assign(rho.size(), 3.0);
  EXPECT_EQ(residual_weights(problem), problem.weight);
  problem.weight.pop_back();
  EXPECT_THROW(problem.validate(), InputError);
}

}  // namespace
}  // namespace scree::solvers
