#include "solvers/gmres.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/dense.hpp"

namespace scree::solvers {
namespace {

MatX random_matrix(int n, double diagonal, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  MatX A(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) A(i, j) = normal(engine) / std::sqrt(n);
  A.diagonal().array() += diagonal;
  return A;
}

struct System {
  MatX A;
  VecX b;
  [[nodiscard]] auto apply() const {
    return [this](std::span<const double> in, std::span<double> out) {
      VectorMap(out.data(), b.size()).noalias() = A * ConstVectorMap(in.data(), b.size());
    };
  }
};

const auto kNoPreconditioner = [](std::span<const double> in, std::span<double> out) { std::copy(in.begin(), in.end(), out.begin()); };

TEST(Gmres, AgreesWithDenseSolveWithoutRestart) {
  const int n = 40;
  const System system{random_matrix(n, 2.0, 1), VecX::LinSpaced(n, -1.0, 1.0)};
  Gmres gmres;
  gmres.resize(n, n);
  std::vector<double> x(n, 0.0);
  const GmresResult result = gmres.solve(system.apply(), kNoPreconditioner, {system.b.data(), n}, x, 1e-13, n);
  const VecX exact = inverse(system.A) * system.b;
  EXPECT_LE(result.iterations, n);
  EXPECT_LT((ConstVectorMap(x.data(), n) - exact).norm(), 1e-11 * exact.norm());
}

TEST(Gmres, RestartsConvergeAndReportTheTrueResidual) {
  const int n = 60;
  const System system{random_matrix(n, 3.0, 2), VecX::Ones(n)};
  Gmres gmres;
  gmres.resize(n, 5);
  std::vector<double> x(n, 0.5);
  const GmresResult result = gmres.solve(system.apply(), kNoPreconditioner, {system.b.data(), n}, x, 1e-10, 1000);
  const double residual = (system.b - system.A * ConstVectorMap(x.data(), n)).norm();
  EXPECT_LE(residual, 2e-10);
  EXPECT_NEAR(result.residual, residual, 1e-12);
}

TEST(Gmres, PreconditionerOfTheInverseNeedsOneStep) {
  const int n = 30;
  const System system{random_matrix(n, 2.0, 3), VecX::Ones(n)};
  const MatX inverse = scree::inverse(system.A);
  const auto precondition = [&](std::span<const double> in, std::span<double> out) {
    VectorMap(out.data(), n).noalias() = inverse * ConstVectorMap(in.data(), n);
  };
  Gmres gmres;
  gmres.resize(n, 10);
  std::vector<double> x(n, 0.0);
  const GmresResult result = gmres.solve(system.apply(), precondition, {system.b.data(), n}, x, 1e-10, 100);
  EXPECT_EQ(result.iterations, 1);
}

TEST(Gmres, HonoursTheIterationLimit) {
  const int n = 50;
  const System system{random_matrix(n, 0.5, 4), VecX::Ones(n)};
  Gmres gmres;
  gmres.resize(n, 20);
  std::vector<double> x(n, 0.0);
  const GmresResult result = gmres.solve(system.apply(), kNoPreconditioner, {system.b.data(), n}, x, 0.0, 7);
  EXPECT_EQ(result.iterations, 7);
}

TEST(Gmres, SolvesConsistentSingularSystem) {
  // Rank 3 symmetric matrix, right-hand side in its range.
  const int n = 8;
  System system{MatX::Zero(n, n), VecX::Zero(n)};
  for (int k = 0; k < 3; ++k) system.A(k, k) = k + 1.0;
  system.b.head<3>().setOnes();
  Gmres gmres;
  gmres.resize(n, n);
  std::vector<double> x(n, 0.0);
  const GmresResult result = gmres.solve(system.apply(), kNoPreconditioner, {system.b.data(), n}, x, 1e-12, 50);
  EXPECT_LT(result.residual, 1e-12);
  for (double value : x) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace scree::solvers
