#include "core/dense.hpp"

#include <random>

#include <gtest/gtest.h>

namespace scree {
namespace {

class Dense : public ::testing::Test {
 protected:
  MatX matrix(Eigen::Index rows, Eigen::Index cols) {
    MatX A(rows, cols);
    for (Eigen::Index k = 0; k < A.size(); ++k) A.data()[k] = normal_(random_);
    return A;
  }
  MatX orthogonal(Eigen::Index n) { return OrthogonalFactor(matrix(n, n), 1e-14).Q(); }
  MatX symmetric(const VecX& values) {
    const MatX Q = orthogonal(values.size());
    const MatX A = Q * values.asDiagonal() * Q.transpose();
    return 0.5 * (A + A.transpose());
  }

  std::mt19937 random_{7};
  std::normal_distribution<double> normal_;
};

// Backward stable methods: errors of a few n epsilon of the largest entry.
double bound(Eigen::Index n) { return 40.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon(); }

TEST_F(Dense, EigenvaluesAreThoseTheMatrixWasMadeOf) {
  for (const Eigen::Index n : {1, 2, 3, 4, 9, 24, 60, 150})
    for (const double scale : {1e-160, 1.0, 1e150})
      for (const int kind : {0, 1, 2}) {  // spread, many equal, over fourteen decades
        VecX values(n);
        for (Eigen::Index k = 0; k < n; ++k) {
          const double x = static_cast<double>(k) / static_cast<double>(n);
          values[k] = scale * (kind == 0 ? x - 0.3 : kind == 1 ? std::floor(3.0 * x) : std::pow(10.0, -14.0 * (1.0 - x)));
        }
        const MatX A = symmetric(values);
        const SymmetricEigen eigen = symmetric_eigen(A);
        const double allowed = bound(n) * std::max(scale, values.cwiseAbs().maxCoeff());
        EXPECT_LT((eigen.values - values).cwiseAbs().maxCoeff(), allowed) << n << " " << kind;
        EXPECT_LT((eigen.vectors.transpose() * eigen.vectors - MatX::Identity(n, n)).cwiseAbs().maxCoeff(), bound(n));
        EXPECT_LT((eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose() - A).cwiseAbs().maxCoeff(), allowed);
        MatX lower = A;
        for (Eigen::Index j = 1; j < n; ++j)
          for (Eigen::Index i = 0; i < j; ++i) lower(i, j) = 1e300;
        EXPECT_EQ(symmetric_eigenvalues(lower), eigen.values) << "only the lower triangle is read";
      }
}

TEST_F(Dense, TridiagonalOfTheStringHasItsKnownFrequencies) {
  const Eigen::Index n = 40;
  const SymmetricEigen eigen = tridiagonal_eigen(VecX::Constant(n, 2.0), VecX::Constant(n - 1, -1.0));
  for (Eigen::Index k = 0; k < n; ++k) {
    const double s = 2.0 * std::sin(0.5 * kPi * static_cast<double>(k + 1) / static_cast<double>(n + 1));
    EXPECT_NEAR(eigen.values[k], s * s, bound(n));
  }
  EXPECT_EQ(tridiagonal_eigen(VecX::Constant(1, 3.0), VecX(0)).values[0], 3.0);
}

TEST_F(Dense, SingularValuesOfAnyRankAndScale) {
  for (int trial = 0; trial < 300; ++trial) {
    Vec3 values(1.0, std::pow(10.0, -(trial % 17)), 0.0);
    values[2] = trial % 3 == 0 ? 0.0 : values[1] * std::pow(10.0, -(trial % 5));
    if (trial % 11 == 0) values[1] = values[2] = 0.0;
    const double scale = trial % 2 == 0 ? 1e-200 : 1e9;
    const Mat3 U = orthogonal(3), V = orthogonal(3), A = scale * (U * values.asDiagonal() * V.transpose());
    const Svd3 parts = svd(A);
    EXPECT_LT((parts.values / scale - values).cwiseAbs().maxCoeff(), bound(3));
    EXPECT_GE(parts.values[0], parts.values[1]);
    EXPECT_GE(parts.values[1], parts.values[2]);
    EXPECT_LT((parts.U * (parts.values / scale).asDiagonal() * parts.V.transpose() - A / scale).cwiseAbs().maxCoeff(), bound(3));
    EXPECT_LT((parts.V.transpose() * parts.V - Mat3::Identity()).cwiseAbs().maxCoeff(), bound(3));
    EXPECT_LT((parts.U.transpose() * parts.U - Mat3::Identity()).cwiseAbs().maxCoeff(), bound(3)) << values.transpose();
  }
  const Svd3 none = svd(Mat3::Zero());
  EXPECT_LT((none.U.transpose() * none.U - Mat3::Identity()).norm(), 1e-15);
  EXPECT_EQ(none.values, Vec3::Zero());
}

TEST_F(Dense, SystemsAreSolved) {
  for (int trial = 0; trial < 200; ++trial) {
    const double scale = std::pow(10.0, trial % 60 - 30);
    const Mat3 G = matrix(3, 3);
    const Vec3 x = matrix(3, 1);
    // |A x - b| is what a backward stable method keeps small.
    EXPECT_LT((G * solve_linear(scale * G, scale * (G * x)) - G * x).norm(), bound(3) * G.norm() * (1.0 + solve_linear(G, G * x).norm()));
    const Mat3 P = G * G.transpose();
    EXPECT_LT((P * solve_positive(Mat3(scale * P), Vec3(scale * (P * x))) - P * x).norm(), bound(3) * P.norm() * x.norm());
    const Mat2 P2 = P.topLeftCorner<2, 2>();
    const Vec2 x2 = x.head<2>();
    EXPECT_LT((P2 * solve_positive(P2, Vec2(P2 * x2)) - P2 * x2).norm(), bound(3) * P2.norm() * x2.norm());
    const Eigen::Index n = 1 + trial % 20;
    const MatX H = matrix(n, n), Q = H * H.transpose(), X = matrix(n, 3);
    EXPECT_LT((Q * solve_positive(MatX(scale * Q), MatX(scale * Q * X)) - Q * X).norm(), bound(n) * Q.norm() * X.norm());
  }
}

TEST_F(Dense, CholeskyTellsWhatIsNotPositive) {
  for (int trial = 0; trial < 100; ++trial) {
    const Mat3 G = matrix(3, 3), P = G * G.transpose() + 0.1 * Mat3::Identity();
    const std::optional<Mat3> inverse = inverse_cholesky(P);
    ASSERT_TRUE(inverse);
    EXPECT_LT((*inverse * P * inverse->transpose() - Mat3::Identity()).norm(), 1e3 * bound(3));
    EXPECT_EQ((*inverse)(0, 1), 0.0);
    EXPECT_FALSE(inverse_cholesky(P - (symmetric_eigenvalues(P)[0] * 1.001) * Mat3::Identity()));
  }
  EXPECT_FALSE(inverse_cholesky(Mat3::Zero()));
  EXPECT_FALSE(inverse_cholesky(Mat3::Constant(std::nan(""))));
}

TEST_F(Dense, DirectionsWithoutStiffnessGetNothing) {
  const Mat3 A = Vec3(2.0, 0.0, 4.0).asDiagonal();
  EXPECT_EQ(solve_positive(A, Vec3(2.0, 0.0, 2.0)), Vec3(1.0, 0.0, 0.5));
  EXPECT_EQ(solve_positive(Mat3(Mat3::Zero()), Vec3(Vec3::Zero())), Vec3::Zero());
}

TEST_F(Dense, FactorsOfAnyRankSolveForTheLeastNorm) {
  for (int trial = 0; trial < 400; ++trial) {
    const Eigen::Index rows = 1 + trial % 13, columns = 1 + trial / 13 % 11, most = std::min(rows, columns), rank = trial % (most + 1);
    const double scale = std::pow(10.0, trial % 80 - 40);
    const MatX A = rank == 0 ? MatX::Zero(rows, columns).eval() : MatX(scale * (matrix(rows, rank) * matrix(rank, columns)));
    const OrthogonalFactor factor(A, 1e-10);
    ASSERT_EQ(factor.rank(), rank) << rows << " x " << columns;
    const MatX Q = factor.Q(), inverse = pseudo_inverse(A);
    EXPECT_LT((Q.transpose() * Q - MatX::Identity(rows, rows)).norm(), bound(rows));
    // The four equations that define Moore and Penrose's inverse, in units of A.
    const double norm = std::max(A.norm(), 1e-300), growth = bound(rows + columns) * std::max(1.0, norm * inverse.norm());
    EXPECT_LT((A * inverse * A - A).norm(), growth * norm);
    EXPECT_LT((inverse * A * inverse - inverse).norm(), growth * std::max(inverse.norm(), 1e-300));
    EXPECT_LT((A * inverse - (A * inverse).transpose()).norm(), growth);
    EXPECT_LT((inverse * A - (inverse * A).transpose()).norm(), growth);
    const VecX b = matrix(rows, 1), c = matrix(columns, 1);
    EXPECT_LT((factor.solve(b) - inverse * b).norm(), growth * std::max(inverse.norm(), 1e-300) * b.norm());
    EXPECT_LT((factor.solve_transposed(c) - inverse.transpose() * c).norm(), growth * std::max(inverse.norm(), 1e-300) * c.norm());
  }
}

TEST_F(Dense, RanksAreFoundBesideSmallPivots) {
  // Columns that are nearly what others span: a rank is told by the smallest pivot, whatever their order.
  for (int trial = 0; trial < 100; ++trial) {
    const Eigen::Index n = 2 + trial % 20;
    MatX A = orthogonal(n);
    const double part = std::pow(10.0, -2 - trial % 12);
    A.col(trial % n) = A.col((trial + 1) % n) + part * A.col(trial % n);
    EXPECT_EQ(OrthogonalFactor(A, 0.1 * part).rank(), n) << part;
    EXPECT_EQ(OrthogonalFactor(A, 10.0 * part).rank(), n - 1) << part;
  }
}

TEST_F(Dense, UpperFactorHasTheProductsOfItsMatrix) {
  for (int trial = 0; trial < 100; ++trial) {
    const Eigen::Index columns = 1 + trial % 9, rows = columns + trial % 7;
    const MatX A = matrix(rows, columns), R = qr_upper(A);
    EXPECT_LT((R.transpose() * R - A.transpose() * A).norm(), bound(rows) * A.squaredNorm());
    for (Eigen::Index j = 0; j < columns; ++j)
      for (Eigen::Index i = j + 1; i < columns; ++i) EXPECT_EQ(R(i, j), 0.0);
  }
}

}  // namespace
}  // namespace scree
