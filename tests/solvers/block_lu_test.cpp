#include "solvers/block_lu.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace scree::solvers {
namespace {

/// alpha I + D W of a random pattern: D a block each, W = H H^T of few columns, so that W reaches far and is semidefinite.
template <int N>
struct RandomMatrix {
  using Block = typename BlockLu<N>::Block;
  std::vector<int> row_start{0}, columns;
  std::vector<Block> values;
  std::vector<char> plain;
  MatX dense;

  RandomMatrix(int rows, int links, double plain_share, unsigned seed) : plain(static_cast<std::size_t>(rows), 0) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    MatX H = MatX::Zero(N * rows, 2 * links);
    for (int link = 0; link < links; ++link) {
      const int near = link % rows;
      for (const int row : {near, (near + 1) % rows, static_cast<int>(random() % static_cast<unsigned>(rows))})
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < 2; ++j) H(N * row + i, 2 * link + j) = number(random);
    }
    const MatX W = H * H.transpose();
    dense = MatX::Zero(N * rows, N * rows);
    for (int a = 0; a < rows; ++a) {
      plain[static_cast<std::size_t>(a)] = number(random) < 2.0 * plain_share - 1.0;
      Block D = Block::Zero();
      for (int i = 0; i < N; ++i) D(i, i) = 1.5 + number(random);
      D(0, N - 1) = 0.3 * number(random);
      for (int b = 0; b < rows; ++b) {
        const Block w = W.block<N, N>(N * a, N * b);
        if (w.isZero(0.0) && a != b) continue;
        Block value = plain[static_cast<std::size_t>(a)] ? Block::Zero().eval() : Block(D * w);
        if (a == b) value.diagonal().array() += 0.1;
        columns.push_back(b);
        values.push_back(value);
        dense.block<N, N>(N * a, N * b) = value;
      }
      row_start.push_back(static_cast<int>(columns.size()));
    }
  }
};

template <int N>
void expect_solved(int rows, int links, double plain_share, unsigned seed) {
  RandomMatrix<N> matrix(rows, links, plain_share, seed);
  BlockLu<N> lu;
  lu.analyse(matrix.row_start, matrix.columns, BlockLu<N>::Fill::complete);
  // Factors of another matrix of the same pattern leave nothing behind.
  auto twice = matrix.values;
  for (auto& value : twice) value *= 2.0;
  ASSERT_TRUE(lu.factor(twice, matrix.plain));
  ASSERT_TRUE(lu.factor(matrix.values, matrix.plain));
  const VecX b = VecX::LinSpaced(N * rows, -1.0, 2.0);
  VecX x = b;
  lu.solve({x.data(), static_cast<std::size_t>(x.size())}, {x.data(), static_cast<std::size_t>(x.size())});
  // Rounding times the condition, at most some 1e4 here.
  EXPECT_LT((matrix.dense * x - b).norm(), 1e-10 * b.norm()) << N << " " << rows << " " << links << " " << seed;
}

TEST(BlockLu, SolvesRandomSparseSystems) {
  for (unsigned seed = 1; seed <= 12; ++seed)
    for (const int rows : {1, 2, 7, 40, 90}) {
      expect_solved<3>(rows, rows / 2 + 1, 0.0, seed);
      expect_solved<3>(rows, 2 * rows, 0.4, seed);
      expect_solved<6>(rows, rows, 0.2, seed);
    }
}

TEST(BlockLu, SaysWhenAMatrixIsSingular) {
  RandomMatrix<3> matrix(12, 20, 0.0, 3);
  BlockLu<3> lu;
  lu.analyse(matrix.row_start, matrix.columns, BlockLu<3>::Fill::complete);
  ASSERT_TRUE(lu.factor(matrix.values, matrix.plain));
  for (int k = matrix.row_start[5]; k < matrix.row_start[6]; ++k) matrix.values[static_cast<std::size_t>(k)].setZero();
  EXPECT_FALSE(lu.factor(matrix.values, matrix.plain));
  matrix.values[0](0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(lu.factor(matrix.values, matrix.plain));
}

TEST(BlockLu, RepeatsItsBits) {
  const RandomMatrix<3> matrix(60, 90, 0.3, 5);
  std::vector<double> first(180), second(180);
  const std::vector<double> b(180, 1.0);
  for (auto* x : {&first, &second}) {
    BlockLu<3> lu;
    lu.analyse(matrix.row_start, matrix.columns, BlockLu<3>::Fill::complete);
    ASSERT_TRUE(lu.factor(matrix.values, matrix.plain));
    lu.solve(b, *x);
  }
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace scree::solvers
