#include "solvers/law.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/error.hpp"
#include "newton_problems.hpp"
#include "solvers/local_solve.hpp"
#include "solvers/registry.hpp"

namespace scree::solvers {
namespace {

using testing::explicit_copy;
using testing::random_problem;

/// A motor of limited strength: |R_N| <= limit (N s), U_N = 0 within, U_N against R_N at the limit; R_T = 0. The limit is the parameter.
/// Nothing else is needed to add a law: this class, and the line that registers it.
class LimitedMotor final : public Law {
 public:
  std::string name() const override { return "limited motor"; }
  Vec3 project(const Vec3& trial, double limit) const noexcept override { return {std::clamp(trial.x(), -limit, limit), 0.0, 0.0}; }
  LawPoint point(const Vec3& y, double limit) const noexcept override {
    LawPoint at{project(y, limit), Mat3::Zero(), std::abs(y.x()) >= limit};
    if (!at.open) at.derivative(0, 0) = 1.0;
    return at;
  }
  double scaled_parameter(double limit, double s) const noexcept override { return limit / s; }
};

BlockKind motor() {
  static const BlockKind kind = register_law(std::make_unique<LimitedMotor>());
  return kind;
}

std::vector<BlockKind> all_kinds() { return {BlockKind::contact, BlockKind::bilateral, BlockKind::direction, motor()}; }

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  Vec3 vector() { return {normal_(random_), normal_(random_), normal_(random_)}; }
  double friction() { return std::uniform_real_distribution<double>(0.0, 1.2)(random_); }
  Mat3 mobility() {
    const Mat3 M = Mat3::NullaryExpr([&](Eigen::Index, Eigen::Index) { return normal_(random_); });
    return M * M.transpose() + 0.1 * Mat3::Identity();
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

TEST(Law, ProjectionsAreNearestPoints) {
  Draw draw(1);
  for (const BlockKind kind : all_kinds())
    for (int trial = 0; trial < 500; ++trial) {
      const double mu = draw.friction();
      const Vec3 x = draw.vector(), y = draw.vector(), p = project_on_block(x, kind, mu), q = project_on_block(y, kind, mu);
      EXPECT_LT((project_on_block(p, kind, mu) - p).norm(), 1e-15) << to_string(kind);
      // Variational inequality: no admissible point lies on the far side.
      EXPECT_LE((x - p).dot(q - p), 1e-14) << to_string(kind);
    }
}

TEST(Law, ThreeWaysToSayThatALawHolds) {
  // The exact solution of a block is a zero of the natural map and a fixed point of the law, for any step.
  Draw draw(2);
  for (const BlockKind kind : all_kinds())
    for (int trial = 0; trial < 500; ++trial) {
      const double mu = draw.friction();
      const Mat3 W = draw.mobility();
      const Vec3 q = draw.vector();
      double multiplier = 0.0;
      const Vec3 R = solve_exact(LocalBlock(W), kind, mu, q, multiplier), U = W * R + q;
      const double size = R.norm() + block_rho(W) * q.norm();
      for (const double step : {0.1, 1.0, 7.0}) {
        // Rounding grows with the condition of W, at most some hundreds here.
        EXPECT_LT(natural_map(R, modified_velocity(U, kind, mu), step * block_rho(W), kind, mu).norm(), 1e-11 * size) << to_string(kind);
        EXPECT_LT((R - law_value(R - step * U, kind, mu)).norm(), 1e-11 * (size + U.norm())) << to_string(kind);
      }
      EXPECT_LT(squared_error(R, U, block_rho(W), kind, mu), 1e-22 * size * size);
    }
}

TEST(Law, DerivativesMatchDifferences) {
  Draw draw(3);
  constexpr double h = 1e-6;
  for (const BlockKind kind : all_kinds())
    for (const bool convex : {false, true}) {
      int smooth = 0;
      for (int trial = 0; trial < 300; ++trial) {
        const double mu = draw.friction();
        const Vec3 y = draw.vector();
        const auto point = [&](const Vec3& at) { return convex ? projection_point(at, kind, mu) : law_point(at, kind, mu); };
        Mat3 forward, backward;
        for (int k = 0; k < 3; ++k) {
          forward.col(k) = (point(y + h * Vec3::Unit(k)).value - point(y).value) / h;
          backward.col(k) = (point(y).value - point(y - h * Vec3::Unit(k)).value) / h;
        }
        if ((forward - backward).norm() > 1e-3) continue;  // a kink lies between
        ++smooth;
        EXPECT_LT((0.5 * (forward + backward) - point(y).derivative).norm(), 1e-4) << to_string(kind) << " y " << y.transpose();
        EXPECT_EQ(point(y).open, point(y).derivative.isZero(0.0)) << to_string(kind);
      }
      EXPECT_GT(smooth, 250);
    }
}

/// Contacts and joints of which every third block becomes a motor too weak for some of its loads.
ContactProblem with_motors(std::uint32_t seed) {
  ContactProblem problem = random_problem({.bodies = 8, .contacts = 18, .mu = 0.4, .joints = true, .seed = seed});
  for (std::size_t a = 0; a < problem.kind.size(); a += 3) {
    problem.kind[a] = motor();
    problem.mu[a] = 0.1 + 0.05 * static_cast<double>(a);
  }
  return problem;
}

TEST(Law, ANewLawIsSolvedByEverySolverThatAsksLaws) {
  int limited = 0, held = 0;
  for (std::uint32_t seed = 1; seed <= 5; ++seed)
    for (const ContactProblem& problem : {with_motors(seed), explicit_copy(with_motors(seed))})
      for (const SolverInfo& info : all_solvers()) {
        if (!info.any_law) continue;
        std::vector<double> R(problem.B.size(), 0.0), U(R.size());
        StopRule stop;
        stop.tolerance = 1e-9;
        stop.max_iterations = 200000;
        EXPECT_EQ(solve(info.name, problem, stop, {}, R).status, Status::converged) << info.name << " seed " << seed;
        relative_velocity(problem, R, U);
        for (std::size_t a = 0; a < problem.kind.size(); a += 3) {
          // The law in its own words.
          const double limit = problem.mu[a];
          EXPECT_LE(std::abs(R[3 * a]), limit + 1e-6) << info.name;
          EXPECT_EQ(R[3 * a + 1], 0.0);
          const bool at_limit = std::abs(R[3 * a]) > limit - 1e-6;
          if (at_limit) EXPECT_LE(U[3 * a] * R[3 * a], 1e-6) << info.name;
          else EXPECT_NEAR(U[3 * a], 0.0, 1e-6) << info.name;
          (at_limit ? limited : held) += 1;
        }
      }
  EXPECT_GT(limited, 0);
  EXPECT_GT(held, 0);
}

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Law, OtherSolversRefuseItAndSayWhoDoesNot) {
  const ContactProblem problem = with_motors(1);
  int refusals = 0;
  for (const SolverInfo& info : all_solvers()) {
    if (info.any_law) continue;
    std::vector<double> R(problem.B.size(), 0.0);
    const std::string text = message([&] { (void)solve(info.name, problem, {}, {}, R); });
    EXPECT_NE(text.find("limited motor"), std::string::npos) << info.name;
    EXPECT_NE(text.find("GAUSS_SEIDEL"), std::string::npos) << info.name;
    ++refusals;
  }
  EXPECT_GT(refusals, 0);
}

TEST(Law, WhatIsNotRegisteredIsRefused) {
  (void)motor();
  EXPECT_NE(message([] { (void)register_law(std::make_unique<LimitedMotor>()); }).find("registered already"), std::string::npos);
  ContactProblem problem = random_problem({.bodies = 3, .contacts = 4, .seed = 1});
  problem.kind[2] = static_cast<BlockKind>(200);
  EXPECT_NE(message([&] { problem.validate(); }).find("kind[2] = 200"), std::string::npos);
}

}  // namespace
}  // namespace scree::solvers
