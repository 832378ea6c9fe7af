/// Element kernels of ElasticBody, written once for any number of nodes known to the compiler.
#pragma once

#include <span>
#include <type_traits>

#include "elastic/block_matrix.hpp"
#include "elastic/law.hpp"
#include "elastic/shapes.hpp"

namespace scree::elastic {

template <int n>
using Nodal = Eigen::Matrix<double, 3, n>;
template <int n>
using Gradients = Eigen::Map<const Eigen::Matrix<double, 3, n>>;
template <int n>
using ElementMatrix = Eigen::Matrix<double, 3 * n, 3 * n, Eigen::RowMajor>;

/// work(std::integral_constant<int, node_count(kind)>).
template <class Work>
void with_nodes(Kind kind, Work&& work) {
  switch (kind) {
    case Kind::tet4: return work(std::integral_constant<int, 4>{});
    case Kind::pyramid5: return work(std::integral_constant<int, 5>{});
    case Kind::wedge6: return work(std::integral_constant<int, 6>{});
    case Kind::hex8: return work(std::integral_constant<int, 8>{});
    case Kind::tet10: return work(std::integral_constant<int, 10>{});
    case Kind::pyramid13: return work(std::integral_constant<int, 13>{});
    case Kind::wedge15: return work(std::integral_constant<int, 15>{});
    case Kind::hex20: return work(std::integral_constant<int, 20>{});
  }
}

template <int n>
Nodal<n> gather(std::span<const int> nodes, std::span<const double> q) {
  Nodal<n> x;
  for (int a = 0; a < n; ++a) x.col(a) = Vec3::Map(q.data() + 3 * nodes[a]);
  return x;
}

template <int n>
void scatter(std::span<const int> nodes, const Nodal<n>& force, std::span<double> f) {
  for (int a = 0; a < n; ++a) Vec3::Map(f.data() + 3 * nodes[a]) += force.col(a);
}

/// force += P G volume   (theory eq. 5.10).
template <int n>
void add_force(const Law& law, const Nodal<n>& x, const double* gradients, double volume, Nodal<n>& force) {
  const Gradients<n> G(gradients);
  const Mat3 F = x * G.transpose();
  const Mat3 P = volume * F * tensor(law.stress(F.transpose() * F));
  force.noalias() += P * G;
}

/// The same with the energy-consistent stress (theory eq. 5.13).
template <int n>
void add_mean_force(const Law& law, const Nodal<n>& x0, const Nodal<n>& x1, const double* gradients, double volume, Nodal<n>& force) {
  const Gradients<n> G(gradients);
  const Mat3 F0 = x0 * G.transpose(), F1 = x1 * G.transpose();
  const Mat3 P = 0.5 * volume * (F0 + F1) * tensor(mean_stress(law, F0.transpose() * F0, F1.transpose() * F1));
  force.noalias() += P * G;
}

/// local += (B^T D B + geometric part) volume, with B the strains' change with the node places (theory eq. 5.11).
template <int n>
void add_stiffness(const Mat3& F, const Vec6& S, const Mat6& D, const double* gradients, double volume, ElementMatrix<n>& local) {
  const Gradients<n> G(gradients);
  Eigen::Matrix<double, 6, 3 * n> B;
  for (int a = 0; a < n; ++a) {
    const double x = G(0, a), y = G(1, a), z = G(2, a);
    for (int i = 0; i < 3; ++i) {
      double* b = B.data() + 6 * (3 * a + i);
      b[0] = F(i, 0) * x;
      b[1] = F(i, 1) * y;
      b[2] = F(i, 2) * z;
      b[3] = F(i, 0) * y + F(i, 1) * x;
      b[4] = F(i, 0) * z + F(i, 2) * x;
      b[5] = F(i, 1) * z + F(i, 2) * y;
    }
  }
  const Eigen::Matrix<double, 6, 3 * n> DB = (volume * D) * B;
  local.noalias() += B.transpose() * DB;
  const Eigen::Matrix<double, 3, n> SG = (volume * tensor(S)) * G;
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      const double g = G.col(a).dot(SG.col(b));
      for (int i = 0; i < 3; ++i) local(3 * a + i, 3 * b + i) += g;
    }
  }
}

template <int n>
void scatter_matrix(const int* slots, const ElementMatrix<n>& local, BlockMatrix& K) {
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      double* to = K.values.data() + 9 * static_cast<std::size_t>(slots[a * n + b]);
      // Entry (i, j) above the diagonal serves both triangles, so that K is symmetric to the bit.
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          const int row = 3 * a + i, column = 3 * b + j;
          to[3 * i + j] += row <= column ? local(row, column) : local(column, row);
        }
      }
    }
  }
}

}  // namespace scree::elastic
