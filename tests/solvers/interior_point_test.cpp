#include "solvers/interior_point.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/dense.hpp"
#include "newton_problems.hpp"
#include "solvers/conjugate_gradient.hpp"
#include "solvers/grain_pile.hpp"
#include "solvers/interior_point_system.hpp"
#include "solvers/jordan_block.hpp"
#include "solvers/registry.hpp"

namespace scree::solvers {
namespace {

using testing::random_problem;

Vec3 random_interior(std::mt19937& engine) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const Vec3 t(0.0, uniform(engine), uniform(engine));
  return t + Vec3(t.norm() + 0.05 + 0.5 * (1.0 + uniform(engine)), 0.0, 0.0);
}

TEST(JordanBlock, QuotientInvertsProduct) {
  std::mt19937 engine(1);
  for (int k = 0; k < 50; ++k) {
    const Vec3 lambda = random_interior(engine), z = random_interior(engine) - Vec3(1.0, 0.3, 0.0);
    EXPECT_LT((jordan_quotient(lambda, jordan_product(lambda, z)) - z).norm(), 1e-12);
  }
}

TEST(JordanBlock, ScalingMapsThePairToOnePoint) {
  std::mt19937 engine(2);
  for (int k = 0; k < 50; ++k) {
    const Vec3 x = random_interior(engine), y = random_interior(engine);
    const NesterovTodd F(x, y);
    EXPECT_LT((F.apply(x) - F.apply_inverse(y)).norm(), 1e-12);
    EXPECT_LT((F.apply_inverse(F.apply(x)) - x).norm(), 1e-12);
    EXPECT_LT((F.inverse_square() * F.apply(F.apply(x)) - x).norm(), 1e-11);
  }
}

TEST(JordanBlock, StepEndsOnTheBoundary) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  int inside = 0, cut = 0;
  for (int k = 0; k < 300; ++k) {
    const Vec3 x = random_interior(engine), d(uniform(engine), uniform(engine), uniform(engine));
    const double t = step_to_boundary(x, d, 1.0);
    const auto is_inside = [&](double share) {
      const Vec3 z = x + share * t * d;
      return z.x() > std::hypot(z.y(), z.z());
    };
    EXPECT_TRUE(is_inside(1.0 - 1e-9));
    if (t < 1.0) {
      EXPECT_FALSE(is_inside(1.0 + 1e-9));
      ++cut;
    } else {
      ++inside;
    }
  }
  EXPECT_GT(cut, 50);
  EXPECT_GT(inside, 50);
}

TEST(ConjugateGradient, AgreesWithDenseSolve) {
  const int n = 40;
  const MatX root = MatX::Random(n, n);
  const MatX A = root * root.transpose() + MatX::Identity(n, n);
  const VecX b = VecX::LinSpaced(n, -1.0, 1.0);
  const auto apply = [&](std::span<const double> in, std::span<double> out) { VectorMap(out.data(), n) = A * ConstVectorMap(in.data(), n); };
  const auto jacobi = [&](std::span<const double> in, std::span<double> out) {
    VectorMap(out.data(), n) = ConstVectorMap(in.data(), n).cwiseQuotient(A.diagonal());
  };
  ConjugateGradient cg;
  cg.resize(n);
  std::vector<double> x(n);
  cg.solve(apply, jacobi, {b.data(), n}, x, 1e-12, 500);
  const VecX exact = solve_positive(A, b);
  EXPECT_LT((ConstVectorMap(x.data(), n) - exact).norm(), 1e-10 * exact.norm());
}

TEST(InteriorPointSystem, AllFormsAgreeWithDense) {
  // One cone, one half-line, one equation in turn; masked components must stay zero.
  const ContactProblem body = random_problem({.bodies = 6, .contacts = 15});
  std::mt19937 engine(4);
  std::vector<BarrierBlock> blocks(15);
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    BarrierBlock& block = blocks[a];
    block.free = a % 3 == 1 ? 1 : 3;
    if (block.free == 1) {
      block.d(0) = 0.3;
      block.inverse(0, 0) = 1.0 / 0.3;
    } else {
      block.d.setConstant(0.1);
      block.a = random_interior(engine);
      block.inverse = block.matrix().inverse();
    }
  }
  ScaledProblem scaled(body);
  MatX A = testing::dense(*body.W);
  VecX r = VecX::LinSpaced(45, -1.0, 2.0);
  for (int i = 0; i < 15; ++i)
    for (int j = 0; j < 15; ++j)
      A.block<3, 3>(3 * i, 3 * j) *= scaled.scale()[static_cast<std::size_t>(i)] * scaled.scale()[static_cast<std::size_t>(j)];
  for (int i = 0; i < 15; ++i) {
    const BarrierBlock& block = blocks[static_cast<std::size_t>(i)];
    A.block<3, 3>(3 * i, 3 * i) += block.matrix();
    for (int c = 3 * i + block.free; c < 3 * i + 3; ++c) {
      A.row(c).setZero();
      A.col(c).setZero();
      A(c, c) = 1.0;
      r(c) = 0.0;
    }
  }
  const VecX exact = inverse(A) * r;
  const ContactProblem rows = testing::explicit_copy(body);
  for (const ContactProblem* problem : {&body, &rows}) {
    ScaledProblem own(*problem);
    for (const auto& system : {own.problem().W->make_krylov_barrier(own, 500), own.problem().W->make_direct_barrier(own)}) {
      ASSERT_TRUE(system->prepare(blocks, 1.0));
      VecX d(45);
      system->solve({r.data(), 45}, 1e-13, {d.data(), 45});
      EXPECT_LT((d - exact).norm(), 1e-9 * exact.norm());
    }
  }
}

/// Spheres that cannot turn, 4.5 contacts each: W has a quarter of full rank.
ContactProblem dense_pile(int grains, int across, std::uint64_t seed) {
  GrainPileOptions pile;
  pile.grains = grains;
  pile.radius = 0.012;
  pile.spread = 0.3;
  pile.density = 2600.0;
  pile.mu = 0.25;
  pile.settling_mu = 0.0;
  pile.rotating = false;
  pile.vessel_width = 2.8 * 0.012 * across;
  pile.settling_step = 5e-3;
  pile.settling_steps = 100;
  pile.reach = 0.5;
  pile.seed = seed;
  return make_grain_pile(pile);
}

TEST(InteriorPoint, ConjugateGradientsKeepUpOnDensePiles) {
  // Direct factors need no Krylov steps; conjugate gradients on the rows of contacts need 23000 to 1e-2 for three times as many spheres, and stall beyond.
  const ContactProblem problem = dense_pile(200, 5, 1);
  EXPECT_GT(problem.blocks(), 4 * 200);
  for (const double tolerance : {1e-2, 5e-4}) {
    InteriorPointOptions options;
    options.formulation = Formulation::convex;
    options.tolerance = tolerance;
    std::vector<double> R(problem.B.size(), 0.0);
    const SolveReport report = solve_interior_point(problem, options, R);
    EXPECT_EQ(report.status, Status::converged) << tolerance;
    EXPECT_LE(measure(Yardstick::ccp, problem, R), tolerance);
    EXPECT_LT(report.linear_iterations, 3000);
  }
}

TEST(InteriorPoint, MatrixFreeReachesHighAccuracyOnDensePiles) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const ContactProblem problem = dense_pile(80, 4, seed);
    std::vector<double> U[2];
    for (const BarrierSolver linear : {BarrierSolver::krylov, BarrierSolver::direct}) {
      InteriorPointOptions options;
      options.linear_solver = linear;
      options.formulation = Formulation::convex;
      options.tolerance = 1e-6;
      options.max_iterations = 2000;
      std::vector<double> R(problem.B.size(), 0.0);
      const SolveReport report = solve_interior_point(problem, options, R);
      EXPECT_EQ(report.status, Status::converged) << seed;
      EXPECT_LE(measure(Yardstick::ccp, problem, R), options.tolerance) << seed;
      auto& velocity = U[linear == BarrierSolver::direct];
      velocity.resize(R.size());
      relative_velocity(problem, R, velocity);
    }
    // Velocities of the relaxation are unique: they agree within some hundred times the residual.
    const ConstVectorMap one(U[0].data(), U[0].size()), two(U[1].data(), U[1].size());
    EXPECT_LT((one - two).norm(), 1e-3 * two.norm()) << seed;
  }
}

InteriorPointOptions options_of(BarrierSolver linear_solver, Formulation formulation, double tolerance) {
  InteriorPointOptions options;
  options.linear_solver = linear_solver;
  options.formulation = formulation;
  options.tolerance = tolerance;
  return options;
}

TEST(InteriorPoint, SolvesEveryFormulationInBothForms) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const ContactProblem body = random_problem({.bodies = 8, .contacts = 24, .joints = seed % 2 == 0, .seed = seed});
    for (const ContactProblem& problem : {body, testing::explicit_copy(body)})
      for (const BarrierSolver linear : {BarrierSolver::krylov, BarrierSolver::direct})
        for (const Formulation law : {Formulation::coulomb, Formulation::convex, Formulation::frictionless}) {
          // The bare path is good for 1e-4; see interior_point.hpp.
          const InteriorPointOptions options = options_of(linear, law, 1e-4);
          std::vector<double> R(problem.B.size(), 0.0);
          const SolveReport report = solve_interior_point(problem, options, R);
          ContactProblem judged = problem;
          if (law == Formulation::frictionless) std::fill(judged.mu.begin(), judged.mu.end(), 0.0);
          EXPECT_EQ(report.status, Status::converged) << "seed " << seed << " law " << to_string(law);
          EXPECT_LE(measure(law == Formulation::convex ? Yardstick::ccp : Yardstick::residual, judged, R), 1e-4);
        }
  }
}

TEST(InteriorPoint, PolishReachesHighAccuracy) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const ContactProblem problem = random_problem({.bodies = 8, .contacts = 30, .joints = seed % 2 == 0, .seed = seed});
    for (const Formulation law : {Formulation::coulomb, Formulation::convex}) {
      InteriorPointOptions options = options_of(BarrierSolver::direct, law, 1e-10);
      options.polish = true;
      options.max_iterations = 2000;
      std::vector<double> R(problem.B.size(), 0.0);
      EXPECT_EQ(solve_interior_point(problem, options, R).status, Status::converged) << "seed " << seed;
      EXPECT_LE(measure(law == Formulation::convex ? Yardstick::ccp : Yardstick::residual, problem, R), 1e-10);
    }
  }
}

TEST(InteriorPoint, FrictionlessAgreesWithConvexAtZeroFriction) {
  const ContactProblem problem = random_problem({.bodies = 6, .contacts = 12, .mu = 0.0, .seed = 7});
  std::vector<double> R(36, 0.0), S(36, 0.0), U(36), V(36);
  solve_interior_point(problem, options_of(BarrierSolver::direct, Formulation::frictionless, 1e-7), R);
  solve_interior_point(problem, options_of(BarrierSolver::direct, Formulation::convex, 1e-7), S);
  relative_velocity(problem, R, U);
  relative_velocity(problem, S, V);
  for (std::size_t k = 0; k < U.size(); k += 3) EXPECT_NEAR(U[k], V[k], 1e-5);
}

TEST(InteriorPoint, RespectsLimitsAndCertifiedStart) {
  const ContactProblem problem = random_problem({.bodies = 8, .contacts = 24});
  InteriorPointOptions options = options_of(BarrierSolver::direct, Formulation::coulomb, 1e-4);
  options.max_iterations = 2;
  std::vector<double> R(problem.B.size(), 0.0);
  SolveReport report = solve_interior_point(problem, options, R);
  EXPECT_EQ(report.status, Status::max_iterations);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_FALSE(report.advice.empty());
  options.max_iterations = 200;
  ASSERT_EQ(solve_interior_point(problem, options, R).status, Status::converged);
  const std::vector<double> kept = R;
  report = solve_interior_point(problem, options, R);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(R, kept);
}

TEST(InteriorPoint, ExtremeProblemsStayFinite) {
  const Mat3 huge = 1e120 * Mat3::Identity(), tiny = 1e-120 * Mat3::Identity();
  Mat3 rank_one = Mat3::Zero();
  rank_one(0, 0) = 1.0;
  const std::vector<std::vector<Mat3>> cases{{Mat3::Zero(), Mat3::Identity()}, {huge, tiny}, {rank_one, Mat3(-Mat3::Identity())}};
  for (const auto& blocks : cases)
    for (const double mu : {0.0, 0.7, 1e6})
      for (const BarrierSolver linear : {BarrierSolver::krylov, BarrierSolver::direct}) {
        const ContactProblem problem = testing::diagonal_problem(blocks, {-1.0, 0.5, 0.0, -1e3, 2.0, 1e-300}, mu);
        InteriorPointOptions options = options_of(linear, Formulation::coulomb, 1e-8);
        options.max_iterations = 60;
        options.polish = true;
        std::vector<double> R(6, 0.0);
        solve_interior_point(problem, options, R);
        for (double r : R) EXPECT_TRUE(std::isfinite(r));
      }
}

TEST(InteriorPoint, IsRegisteredUnderBothNames) {
  const ContactProblem problem = random_problem({.bodies = 5, .contacts = 10});
  StopRule stop;
  stop.tolerance = 1e-4;
  for (const std::string name : {"IPM", "IPM_DIRECT"}) {
    std::vector<double> R(problem.B.size(), 0.0);
    EXPECT_EQ(solve(name, problem, stop, {{"polish", false}}, R).status, Status::converged);
  }
}

}  // namespace
}  // namespace scree::solvers
