#include <gtest/gtest.h>
#include <omp.h>

#include <random>

#include "core/panel_product.hpp"

namespace scree {
namespace {

MatX random_matrix(int rows, int columns, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return MatX::NullaryExpr(rows, columns, [&] { return uniform(engine); });
}

// Long sums are cut into parts: the same ones for any number of threads.
TEST(Products, SameBitsForAnyNumberOfThreads) {
  const int before = omp_get_max_threads();
  for (const int depth : {40, 300, 700, 2000}) {
    const MatX A = random_matrix(150, depth, 1), B = random_matrix(depth, 130, 2);
    omp_set_num_threads(1);
    const MatX one = multiply(A, B), transposed = multiply_by_transposed(A, MatX(B.transpose()));
    for (const int threads : {2, 3, 8}) {
      omp_set_num_threads(threads);
      EXPECT_EQ(one, multiply(A, B)) << depth << " terms, " << threads << " threads";
      EXPECT_EQ(transposed, multiply_by_transposed(A, MatX(B.transpose()))) << depth << " terms, " << threads << " threads";
    }
  }
  omp_set_num_threads(before);
}

TEST(Products, OfPanelsAgreeWithThoseOfMatrices) {
  std::mt19937 engine(3);
  for (int round = 0; round < 60; ++round) {
    const int rows = 1 + static_cast<int>(engine() % 90), columns = 1 + static_cast<int>(engine() % 40), depth = 1 + static_cast<int>(engine() % 70), stride = 100;
    const MatX A = random_matrix(stride, depth, round), B = random_matrix(stride, depth, round + 100);
    MatX C(rows, columns);
    multiply_by_transposed(Panel(A.data(), rows, depth, Eigen::OuterStride<>(stride)), Panel(B.data(), columns, depth, Eigen::OuterStride<>(stride)), C.data());
    const MatX expected = MatX(A.topRows(rows)) * MatX(B.topRows(columns)).transpose();
    // Sums of `depth` products of numbers below 1, in two orders.
    EXPECT_LT((C - expected).cwiseAbs().maxCoeff(), depth * depth * 2.3e-16) << rows << " x " << columns << ", " << depth << " terms";
  }
}

// Vectors of two lanes and of four, tiles of other shapes, sums cut where the cache asks for it: the same sums.
TEST(Products, OfPanelsHaveTheBitsOfPlainLoops) {
  std::vector<panel::ProductKernel*> kernels{panel::plain_kernel()};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && panel::avx2_kernel()) kernels.push_back(panel::avx2_kernel());
#endif
  std::mt19937 engine(4);
  for (int round = 0; round < 40; ++round) {
    const int m = 1 + static_cast<int>(engine() % 60), n = 1 + static_cast<int>(engine() % 40), depth = static_cast<int>(engine() % (round % 4 ? 50 : 600));
    const MatX A = random_matrix(m + 3, std::max(depth, 1), round), B = random_matrix(n + 5, std::max(depth, 1), round + 100);
    for (panel::ProductKernel* kernel : kernels) {
      MatX C = MatX::Constant(m, n, 7.0);
      kernel(A.data(), m + 3, m, B.data(), n + 5, n, depth, C.data());
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
          double sum = 0.0;
          for (int k = 0; k < depth; ++k) {
            const volatile double term = A(i, k) * B(j, k);
            sum += term;
          }
          ASSERT_EQ(sum, C(i, j)) << m << " x " << n << ", " << depth << " terms";
        }
    }
  }
}

}  // namespace
}  // namespace scree
