/// The exact solution of one block (theory eq. 4.1-4.3).
#include "solvers/local_solve.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/error.hpp"
#include "solvers/law.hpp"

namespace scree::solvers {
namespace {

/// |R - proj(R - rho (U + mu |U_T| n))| relative to the impulse scale: zero at a solution and only there.
double law_error(const Mat3& W, BlockKind kind, double mu, const Vec3& q, const Vec3& R) {
  const double rho = 3.0 / W.trace();
  Vec3 U = W * R + q;
  if (kind == BlockKind::contact) U.x() += mu * std::hypot(U.y(), U.z());
  return (R - project_on_block(R - rho * U, kind, mu)).norm() / (rho * q.norm());
}

Mat3 random_spd(std::mt19937& random, double condition) {
  std::normal_distribution<double> normal;
  Mat3 M = Mat3::NullaryExpr([&](Eigen::Index, Eigen::Index) { return normal(random); });
  const Eigen::HouseholderQR<Mat3> qr(M);
  const Mat3 Q = qr.householderQ();
  return Q * Vec3(1.0, std::sqrt(condition), condition).asDiagonal() * Q.transpose();
}

TEST(LocalSolve, SolvesRandomBlocksToRounding) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> friction(0.0, 1.2);
  for (double condition : {1.0, 10.0, 1e3}) {
    for (int trial = 0; trial < 2000; ++trial) {
      const Mat3 W = random_spd(random, condition);
      const Vec3 q(normal(random), normal(random), normal(random));
      const double mu = friction(random);
      double multiplier = 0.0;
      const Vec3 R = solve_exact(LocalBlock(W), BlockKind::contact, mu, q, multiplier);
      // Rounding grows with the condition of the block.
      EXPECT_LT(law_error(W, BlockKind::contact, mu, q, R), 1e-13 * condition) << "condition " << condition << " trial " << trial;
    }
  }
}

TEST(LocalSolve, AgreesWithBruteForceOnSlip) {
  // Slip direction scanned on the circle: R = R_N (1, mu d) with U_N = 0 and U_T against d.
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  int slips = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const Mat3 W = random_spd(random, 4.0);
    const Vec3 q(-std::abs(normal(random)), 3.0 * normal(random), 3.0 * normal(random));
    const double mu = 0.3;
    double multiplier = 0.0;
    const Vec3 R = solve_exact(LocalBlock(W), BlockKind::contact, mu, q, multiplier);
    if (multiplier == 0.0) continue;
    ++slips;
    double best = kInfinity;
    Vec3 found = Vec3::Zero();
    for (int k = 0; k < 20000; ++k) {
      const double angle = 2.0 * kPi * k / 20000.0;
      const Vec3 ray(1.0, mu * std::cos(angle), mu * std::sin(angle));
      const double R_N = -q.x() / W.row(0).dot(ray);
      if (!(R_N > 0.0)) continue;
      const Vec3 U = W * (R_N * ray) + q;
      // Angle between U_T and -R_T.
      const double miss = std::abs(U.y() * ray.z() - U.z() * ray.y()) / U.tail<2>().norm();
      if (U.tail<2>().dot(ray.tail<2>()) < 0.0 && miss < best) {
        best = miss;
        found = R_N * ray;
      }
    }
    // The scan resolves angles to 2 pi / 20000.
    EXPECT_LT((found - R).norm(), 2e-3 * R.norm());
  }
  EXPECT_GT(slips, 10);
}

TEST(LocalSolve, TakesAsymmetricBlocks) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 1000; ++trial) {
    Mat3 W = random_spd(random, 5.0);
    W(0, 1) += 0.2;
    W(2, 1) -= 0.1;
    const Vec3 q(normal(random), normal(random), normal(random));
    double multiplier = 0.0;
    const Vec3 R = solve_exact(LocalBlock(W), BlockKind::contact, 0.4, q, multiplier);
    EXPECT_LT(law_error(W, BlockKind::contact, 0.4, q, R), 1e-12) << trial;
  }
}

TEST(LocalSolve, IterativeSolversAgreeWithTheExactOne) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (DiagonalSolver solver : {DiagonalSolver::semismooth_newton, DiagonalSolver::projected_gradient, DiagonalSolver::de_saxe_and_feng}) {
    int converged = 0;
    for (int trial = 0; trial < 300; ++trial) {
      const Mat3 W = random_spd(random, 3.0);
      const Vec3 q(normal(random), normal(random), normal(random));
      double multiplier = 0.0;
      Vec3 R = Vec3::Zero();
      const LocalOutcome outcome = solve_local({solver, 1e-10, 1000}, LocalBlock(W), BlockKind::contact, 0.4, q, R, multiplier);
      converged += outcome == LocalOutcome::ok;
      // Contraction factors near 0.9 leave about ten times the last change.
      EXPECT_LT(law_error(W, BlockKind::contact, 0.4, q, R), 1e-7) << to_string(solver) << " trial " << trial;
    }
    EXPECT_GT(converged, 250) << to_string(solver);
  }
}

TEST(LocalSolve, BilateralAndDirectionBlocks) {
  std::mt19937 random(5);
  const Mat3 W = random_spd(random, 10.0);
  const Vec3 q(1.0, -2.0, 0.5);
  double multiplier = 0.0;
  EXPECT_LT((W * solve_exact(LocalBlock(W), BlockKind::bilateral, 0.0, q, multiplier) + q).norm(), 1e-12);
  const Vec3 R = solve_exact(LocalBlock(W), BlockKind::direction, 0.0, q, multiplier);
  EXPECT_NEAR((W * R + q).x(), 0.0, 1e-14);
  EXPECT_EQ(R.tail<2>(), Vec2(0.0, 0.0));
}

TEST(LocalSolve, StaysFiniteWithoutMobility) {
  Mat3 line = Mat3::Zero();
  line(0, 0) = 2.0;
  Mat3 rank_one = Vec3(1.0, 0.5, 0.2) * Vec3(1.0, 0.5, 0.2).transpose();
  for (const Mat3& W : {Mat3(Mat3::Zero()), line, rank_one})
    for (BlockKind kind : {BlockKind::contact, BlockKind::bilateral, BlockKind::direction})
      for (DiagonalSolver solver : {DiagonalSolver::exact, DiagonalSolver::semismooth_newton, DiagonalSolver::projected_gradient})
        for (double mu : {0.0, 0.5}) {
          double multiplier = 0.0;
          Vec3 R = Vec3::Zero();
          solve_local({solver, 1e-10, 50}, LocalBlock(W), kind, mu, Vec3(-1.0, 1.0, 0.3), R, multiplier);
          EXPECT_TRUE(is_finite(R)) << to_string(solver);
        }
}

TEST(LocalSolve, NamesRoundTripAndWrongOnesAdvise) {
  EXPECT_EQ(diagonal_solver_from("DE_SAXE_AND_FENG"), DiagonalSolver::de_saxe_and_feng);
  try {
    (void)diagonal_solver_from("NEWTON");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("SEMISMOOTH_NEWTON"), std::string::npos);
  }
}

}  // namespace
}  // namespace scree::solvers
