/// The yardsticks: residual, merit, and that of Siconos (theory eq. 3.11).
#include "solvers/yardstick.hpp"
#include "draws.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/error.hpp"
#include "solvers/auto.hpp"
#include "solvers/generators.hpp"
#include "solvers/local_solve.hpp"

namespace scree::solvers {
namespace {

/// One block with W = diag(2, 4, 4).
ContactProblem one_block(const Vec3& B, double mu, BlockKind kind = BlockKind::contact) {
  ContactProblem problem;
  const RowMat3 W = Vec3(2.0, 4.0, 4.0).asDiagonal();
  problem.W = std::make_shared<ExplicitForm>(std::vector<int>{0, 1}, std::vector<int>{0}, std::vector<RowMat3>{W});
  problem.kind = {kind};
  problem.mu = {mu};
  problem.B = {B.x(), B.y(), B.z()};
  return problem;
}

constexpr Yardstick kExact[] = {Yardstick::residual, Yardstick::merit, Yardstick::siconos};

void expect_solved(const ContactProblem& problem, const std::vector<double>& R) {
  for (Yardstick y : kExact) EXPECT_LT(measure(y, problem, R), 1e-15) << to_string(y);
}

TEST(Yardstick, VanishesAtClosedForms) {
  expect_solved(one_block({1.0, 2.0, 0.0}, 0.5), {0.0, 0.0, 0.0});                   // separating
  expect_solved(one_block({-2.0, 0.4, 0.0}, 0.5), {1.0, -0.1, 0.0});                 // sticking
  expect_solved(one_block({-2.0, 8.0, 6.0}, 0.5), {1.0, -0.4, -0.3});                // sliding against (0.8, 0.6)
  expect_solved(one_block({-2.0, 8.0, 6.0}, 0.0), {1.0, 0.0, 0.0});                  // frictionless
  expect_solved(one_block({2.0, 8.0, -4.0}, 0.0, BlockKind::bilateral), {-1.0, -2.0, 1.0});
  expect_solved(one_block({2.0, 8.0, -4.0}, 0.0, BlockKind::direction), {-1.0, 0.0, 0.0});
}

TEST(Yardstick, SeesEveryViolation) {
  const ContactProblem sliding = one_block({-2.0, 8.0, 6.0}, 0.5);
  for (const std::vector<double>& wrong : {std::vector<double>{1.0, 0.4, 0.3},     // friction along the motion
                                           std::vector<double>{1.0, -0.8, -0.6},   // outside the cone
                                           std::vector<double>{0.5, -0.2, -0.15},  // still approaching
                                           std::vector<double>{1.2, -0.48, -0.36}, // pushed apart
                                           std::vector<double>{-1.0, 0.0, 0.0}})   // pulling
    for (Yardstick y : kExact) EXPECT_GT(measure(y, sliding, wrong), 1e-3) << to_string(y);
}

TEST(Yardstick, ConvexRelaxationHasItsOwn) {
  // Sliding in the relaxed law lifts off: U_N = mu |U_T|. W = diag(2, 4, 4), R = r (1, -mu, 0), 2 r + B_N = mu (B_T - 4 mu r).
  const double mu = 0.5, B_N = -2.0, B_T = 8.0;
  const double r = (mu * B_T - B_N) / (2.0 + 4.0 * mu * mu);
  const ContactProblem problem = one_block({B_N, B_T, 0.0}, mu);
  const std::vector<double> R{r, -mu * r, 0.0};
  EXPECT_LT(measure(Yardstick::ccp, problem, R), 1e-15);
  EXPECT_GT(measure(Yardstick::residual, problem, R), 1e-2);
}

TEST(Yardstick, RestIsSolved) {
  const ContactProblem rest = one_block(Vec3::Zero(), 0.5);
  expect_solved(rest, {0.0, 0.0, 0.0});
  EXPECT_EQ(measure(Yardstick::residual, rest, std::vector<double>{1.0, 0.0, 0.0}), kInfinity);
}

/// A packing and an iterate part of the way to its solution.
struct Unfinished {
  ContactProblem problem;
  std::vector<double> R;
};

Unfinished unfinished() {
  PackingOptions options;
  options.across = 4;
  options.up = 3;
  options.shear = 0.1;
  Unfinished c{make_packing(options), {}};
  c.R.assign(c.problem.B.size(), 0.0);
  AutoOptions stop;
  stop.max_iterations = 15;
  AutoWorkspace work;
  solve_auto(c.problem, stop, c.R, work);
  return c;
}

/// The same blocks with rows, B and R scaled: lengths by `length`, times by `time`, masses by `mass`.
Unfinished in_units(const Unfinished& from, double length, double time, double mass) {
  const auto& form = static_cast<const BodyForm&>(*from.problem.W);
  Unfinished to = from;
  BodyForm scaled;
  scaled.reset_rigid(form.bodies());
  for (int a = 0; a < form.blocks(); ++a) {
    const auto sides = scaled.add_block(form.bodies_of(a)[0], form.bodies_of(a)[1]);
    for (int side = 0; side < 2; ++side) {
      const auto rows = form.rows(a, side);
      for (std::size_t k = 0; k < rows.size(); ++k) sides[static_cast<std::size_t>(side)][k] = rows[k] / std::sqrt(mass);
    }
  }
  scaled.finish();
  to.problem.W = std::make_shared<BodyForm>(std::move(scaled));
  for (double& b : to.problem.B) b *= length / time;
  for (double& r : to.R) r *= mass * length / time;
  return to;
}

TEST(Yardstick, DoesNotDependOnUnits) {
  const Unfinished si = unfinished();
  for (const Yardstick y : {Yardstick::residual, Yardstick::scaled_merit, Yardstick::ccp}) {
    const double value = measure(y, si.problem, si.R);
    EXPECT_GT(value, 1e-8);
    for (const double mass : {1e-6, 1e3}) {
      const Unfinished other = in_units(si, 1e3, 7.0, mass);
      EXPECT_NEAR(measure(y, other.problem, other.R), value, 1e-10 * value) << to_string(y);
    }
  }
}

TEST(Yardstick, MeritOfTheReportIsInKilograms) {
  // Where 3 / tr W is a kilogram both are the same; friction that pushes a slow ball of grams along is seen by `merit` alone.
  ContactProblem kilogram = one_block({-0.02, 0.5, 0.0}, 0.5);
  const RowMat3 W = Vec3(0.8, 1.1, 1.1).asDiagonal();
  kilogram.W = std::make_shared<ExplicitForm>(std::vector<int>{0, 1}, std::vector<int>{0}, std::vector<RowMat3>{W});
  const std::vector<double> wrong{0.025, 0.0125, 0.0};
  EXPECT_NEAR(measure(Yardstick::scaled_merit, kilogram, wrong), measure(Yardstick::merit, kilogram, wrong), 1e-15);
  const double gram = 1e-6;
  kilogram.W = std::make_shared<ExplicitForm>(std::vector<int>{0, 1}, std::vector<int>{0}, std::vector<RowMat3>{RowMat3(W / gram)});
  const std::vector<double> light{wrong[0] * gram, wrong[1] * gram, 0.0};
  EXPECT_GT(measure(Yardstick::scaled_merit, kilogram, light), 1e-4);
  EXPECT_LT(measure(Yardstick::merit, kilogram, light), 1e-8);
}

TEST(Yardstick, MeritOfAStepSeesSmallBodiesBesideHeavyOnes) {
  // Two blocks apart, the heavy one exact, the light one not stopped at all.
  ContactProblem two;
  const RowMat3 heavy = Vec3(1e-3, 1e-3, 1e-3).asDiagonal(), light = Vec3(1e4, 1e4, 1e4).asDiagonal();
  two.W = std::make_shared<ExplicitForm>(std::vector<int>{0, 1, 2}, std::vector<int>{0, 1}, std::vector<RowMat3>{heavy, light});
  two.kind = {BlockKind::contact, BlockKind::contact};
  two.mu = {0.5, 0.5};
  two.B = {-0.02, 0.0, 0.0, -0.02, 0.0, 0.0};
  const std::vector<double> R{20.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  EXPECT_LT(measure(Yardstick::scaled_merit, two, R), 1e-6);  // an energy of both
  two.weight = {1e-6 / (0.02 * 0.02 * 2.0), 1e8 / (0.02 * 0.02 * 2.0)};  // eq. 3.21
  const double residual = measure(Yardstick::residual, two, R);
  EXPECT_NEAR(residual, std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(measure(Yardstick::scaled_merit, two, R), 1e-2 * residual * residual, 1e-12);
  EXPECT_LT(measure(Yardstick::scaled_merit, two, std::vector<double>{20.0, 0.0, 0.0, 2e-6, 0.0, 0.0}), 1e-20);
}

TEST(Yardstick, DoesNotDependOnTangentsOrNumbering) {
  const Unfinished given = unfinished();
  const auto& form = static_cast<const BodyForm&>(*given.problem.W);
  // Blocks in reverse order, each with its tangents turned by its own angle.
  BodyForm turned;
  turned.reset_rigid(form.bodies());
  Unfinished to;
  for (int k = 0; k < form.blocks(); ++k) {
    const int a = form.blocks() - 1 - k;
    Mat3 Q = Mat3::Identity();
    Q.block<2, 2>(1, 1) = Eigen::Rotation2Dd(0.3 * a).toRotationMatrix();
    const auto sides = turned.add_block(form.bodies_of(a)[0], form.bodies_of(a)[1]);
    for (int side = 0; side < 2; ++side) {
      const auto rows = form.rows(a, side);
      if (rows.empty()) continue;
      using Rows = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;
      Eigen::Map<Rows>(sides[static_cast<std::size_t>(side)].data()) = Q * Eigen::Map<const Rows>(rows.data());
    }
    to.problem.kind.push_back(given.problem.kind[static_cast<std::size_t>(a)]);
    to.problem.mu.push_back(given.problem.mu[static_cast<std::size_t>(a)]);
    const Vec3 B = Q * Eigen::Map<const Vec3>(given.problem.B.data() + 3 * a), R = Q * Eigen::Map<const Vec3>(given.R.data() + 3 * a);
    to.problem.B.insert(to.problem.B.end(), B.data(), B.data() + 3);
    to.R.insert(to.R.end(), R.data(), R.data() + 3);
  }
  turned.finish();
  to.problem.W = std::make_shared<BodyForm>(std::move(turned));
  for (Yardstick y : {Yardstick::residual, Yardstick::merit, Yardstick::scaled_merit, Yardstick::siconos, Yardstick::ccp}) {
    const double value = measure(y, given.problem, given.R);
    EXPECT_NEAR(measure(y, to.problem, to.R), value, 1e-9 * value) << to_string(y);
  }
}

TEST(Yardstick, DoingNothingIsOne) {
  const Unfinished c = unfinished();
  EXPECT_NEAR(measure(Yardstick::residual, c.problem, std::vector<double>(c.R.size(), 0.0)), 1.0, 1e-14);
}

TEST(Yardstick, ErrorsLeadToPairsThatObeyTheLaw) {
  // R - e and U - e / rho obey Coulomb's law exactly, whatever R, U and mu are: that is what a small residual promises.
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const double mu : {0.0, 0.3, 2.0, 1e4, 1e9, kInfinity})
    for (int trial = 0; trial < 300; ++trial) {
      const double rho = std::exp(3.0 * uniform(engine));
      const auto draw = [&] { return uniform(engine); };
      const Vec3 R = scree::testing::vector_of(draw), U = scree::testing::vector_of(draw);
      const Vec3 e = law_error(R, U, rho, BlockKind::contact, mu), r = R - e, u = U - e / rho;
      const double size = r.norm() + rho * u.norm();
      EXPECT_GE(r.x(), 0.0);
      EXPECT_GE(u.x(), -1e-14 * (1.0 + size));
      EXPECT_LT(r.x() * std::abs(u.x()) * rho, 1e-14 * size * size);
      const double limit = r.x() > 0.0 ? mu * r.x() : 0.0, push = r.tail<2>().norm();
      EXPECT_LE(push, limit + 1e-14 * size);
      // Slip is against the push, and only at the limit.
      EXPECT_LT((push * u.tail<2>() + u.tail<2>().norm() * r.tail<2>()).norm() * rho, 1e-13 * size * size);
      const bool sticks = r.x() > 0.0 && push < limit * (1.0 - 1e-12);
      EXPECT_LT(sticks ? rho * u.tail<2>().norm() : 0.0, 1e-12 * size);
    }
}

TEST(Yardstick, FrictionAndSlipHideNothing) {
  // A block that falls at full speed, whatever it slides at and however rough it is: nothing has been done, and the figure says so.
  for (const double mu : {0.5, 10.0, 1e5, 1e8, 1e12, kInfinity})
    for (const double slip : {0.01, 3.0, 1e5}) {
      const ContactProblem falling = one_block({-0.02, slip, 0.0}, mu);
      EXPECT_NEAR(measure(Yardstick::residual, falling, std::vector<double>(3, 0.0)), 1.0, 1e-14);
      // A tenth of the weight missing is about a tenth.
      double multiplier = 0.0;
      const Vec3 R = 0.9 * solve_exact(LocalBlock(falling.W->diagonal()[0]), BlockKind::contact, std::min(mu, 1e12), Vec3(-0.02, slip, 0.0), multiplier);
      EXPECT_GT(measure(Yardstick::residual, falling, std::vector<double>{R.x(), R.y(), R.z()}), 0.02) << mu << ' ' << slip;
    }
}

TEST(Yardstick, TangentialImpulseNeedsPressure) {
  // A contact that opens must not hold on by friction, however little presses it and however rough it is.
  for (const double mu : {1e6, 1e9, kInfinity}) {
    const ContactProblem open = one_block({1.0, 0.4, 0.0}, mu);
    EXPECT_GT(measure(Yardstick::residual, open, std::vector<double>{1e-12, -0.1, 0.0}), 1e-2);
  }
}

TEST(Yardstick, NamesRoundTrip) {
  for (Yardstick y : {Yardstick::residual, Yardstick::merit, Yardstick::scaled_merit, Yardstick::siconos, Yardstick::ccp}) EXPECT_EQ(yardstick_from(to_string(y)), y);
  EXPECT_THROW((void)yardstick_from("residue"), InputError);
}

}  // namespace
}  // namespace scree::solvers
