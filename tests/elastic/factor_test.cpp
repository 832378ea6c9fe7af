#include "elastic/factor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "core/dense.hpp"
#include "core/error.hpp"
#include "core/threads.hpp"
#include "meshes.hpp"

namespace scree::elastic::testing {
namespace {

BlockMatrix system_matrix(const ElasticBody& body, double stiffness) {
  BlockMatrix K = body.make_matrix(), A = body.make_matrix();
  body.tangent(body.mesh().positions(), K);
  A.combine(1.0, body.mass(), stiffness, K);
  return A;
}

MatX dense(const BlockMatrix& A) {
  MatX D(A.dofs(), A.dofs());
  std::vector<double> x(A.dofs(), 0.0), y(A.dofs());
  for (int j = 0; j < A.dofs(); ++j) {
    x[j] = 1.0;
    A.multiply(x, y);
    D.col(j) = vec(y);
    x[j] = 0.0;
  }
  return D;
}

TEST(Factor, SolvesAndScalesAsTheDenseInverseDoes) {
  for (Cells cells : {Cells::hexahedra, Cells::mixed}) {
    for (int order : {1, 2}) {
      const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3::Ones(), 3, 3, 3, cells, 0.1), order);
      const BlockMatrix A = system_matrix(body, 0.1);
      const MatX inverse = scree::inverse(dense(A));
      for (const std::vector<int>& last : {std::vector<int>{}, std::vector<int>{5, 2, 40, 17}, std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}) {
        Factor factor;
        factor.analyse(body.pattern(), last);
        EXPECT_FALSE(factor.ready());
        factor.factorise(A);
        const auto b = shaken(body, 1.0);
        std::vector<double> x(b);
        factor.solve(x, x);
        EXPECT_LT((inverse * vec(b) - vec(x)).norm(), 1e-11 * vec(x).norm());
        // W of unit rows at the last dofs is their block of the inverse.
        const int size = factor.last_dofs();
        std::vector<double> rows(static_cast<std::size_t>(size) * size, 0.0);
        for (int k = 0; k < size; ++k) rows[static_cast<std::size_t>(k) * size + k] = 1.0;
        factor.scale(rows, size);
        const Eigen::Map<const MatX> Hs(rows.data(), size, size);
        const MatX W = Hs.transpose() * Hs;
        for (int i = 0; i < size; ++i) {
          for (int j = 0; j < size; ++j) EXPECT_NEAR(W(i, j), inverse(3 * last[i / 3] + i % 3, 3 * last[j / 3] + j % 3), 1e-11 * inverse.norm());
        }
      }
    }
  }
}

TEST(Factor, ContactRowsGiveTheDelassusOperator) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(2, 1, 1), 4, 2, 2, Cells::hexahedra), 1);
  const BlockMatrix A = system_matrix(body, 1.0);
  const Locator locator(body.mesh());
  const std::vector<Vec3> points{{0.3, 0.4, 0.0}, {1.7, 0.2, 0.0}, {1.0, 0.5, 0.0}};
  std::vector<Weights> contacts;
  std::vector<int> last;
  for (const Vec3& X : points) {
    contacts.push_back(weights(body.mesh(), locator.locate(body.mesh(), X)));
    for (int a = 0; a < contacts.back().count; ++a) {
      if (contacts.back().weight[a] != 0.0 && std::find(last.begin(), last.end(), contacts.back().node[a]) == last.end()) last.push_back(contacts.back().node[a]);
    }
  }
  Factor factor;
  factor.analyse(body.pattern(), last);
  factor.factorise(A);
  EXPECT_TRUE(factor.covers(last));
  const std::size_t size = factor.last_dofs();
  std::vector<double> rows(9 * size, 0.0);
  Mat3 frame;
  frame << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  for (int c = 0; c < 3; ++c)
    for (int a = 0; a < contacts[c].count; ++a) {
      if (contacts[c].weight[a] == 0.0) continue;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) rows[(3 * c + i) * size + 3 * factor.last_index(contacts[c].node[a]) + j] -= contacts[c].weight[a] * frame(i, j);
    }
  factor.scale(rows, 9);
  // Against unit impulses pushed through the sparse solve.
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < 3; ++i) {
      std::vector<double> f(body.dofs(), 0.0);
      contacts[c].add_force(-frame.row(i).transpose(), f);
      factor.solve(f, f);
      for (int d = 0; d < 3; ++d) {
        const Vec3 U = -frame * contacts[d].at(f);
        for (int j = 0; j < 3; ++j) {
          const double W = Eigen::Map<const VecX>(rows.data() + (3 * c + i) * size, size).dot(Eigen::Map<const VecX>(rows.data() + (3 * d + j) * size, size));
          EXPECT_NEAR(W, U[j], 1e-12);
        }
      }
    }
  }
}

TEST(Factor, SameBitsForAnyThreadsAndReusedAnalysis) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3::Ones(), 8, 8, 8, Cells::hexahedra), 1);
  const BlockMatrix A = system_matrix(body, 1.0), B = system_matrix(body, 2.0);
  std::vector<int> last;
  for (int n = 0; n < 81; ++n) last.push_back(n);
  const auto b = shaken(body, 1.0);
  std::vector<double> rows[2], x[2];
  const int before = threads();
  for (int run = 0; run < 2; ++run) {
    set_threads(run == 0 ? 1 : 3);
    Factor factor;
    factor.analyse(body.pattern(), last);
    if (run == 1) factor.factorise(B);  // other numbers in between leave no trace
    factor.factorise(A);
    rows[run].assign(static_cast<std::size_t>(factor.last_dofs()) * 200, 0.0);
    for (int c = 0; c < 200; ++c) rows[run][static_cast<std::size_t>(c) * factor.last_dofs() + c] = 1.0;
    factor.scale(rows[run], 200);
    x[run].resize(b.size());
    factor.solve(b, x[run]);
  }
  set_threads(before);
  EXPECT_EQ(rows[0], rows[1]);
  EXPECT_EQ(x[0], x[1]);
}

/// A library that takes over a signal, if only for a while, takes it from whoever else waits for it.
TEST(Factor, LeavesSignalsToOthers) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3::Ones(), 14, 14, 14, Cells::hexahedra), 1);
  std::atomic<bool> ended{false};
  int looks = 0, taken = 0;
  std::thread watcher([&] {
    for (; !ended; ++looks) {
      for (const int number : {SIGTERM, SIGINT, SIGABRT, SIGHUP}) {
        struct sigaction now {};
        ::sigaction(number, nullptr, &now);
        taken += now.sa_handler != SIG_DFL;
      }
      std::this_thread::yield();
    }
  });
  Factor factor;
  factor.analyse(body.pattern());
  ended = true;
  watcher.join();
  EXPECT_GT(looks, 10);
  EXPECT_EQ(taken, 0);
}

TEST(Factor, RefusesWhatIsNotPositiveDefinite) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3::Ones(), 2, 2, 2, Cells::hexahedra), 1);
  Factor factor;
  factor.analyse(body.pattern());
  EXPECT_THROW(factor.factorise(system_matrix(body, -10.0)), SolveError);
  EXPECT_FALSE(factor.ready());
  BlockMatrix A = system_matrix(body, 1.0);
  A.values[0] = std::nan("");
  EXPECT_THROW(factor.factorise(A), SolveError);
  factor.factorise(system_matrix(body, 1.0));
  EXPECT_TRUE(factor.ready());
  EXPECT_THROW(factor.analyse(body.pattern(), std::vector<int>{3, 3}), InputError);
}

}  // namespace
}  // namespace scree::elastic::testing
