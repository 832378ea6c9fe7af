/// Element kernels of ElasticBody, written once for any number of nodes, known at run time. Nodal arrays hold three numbers a node; inner
/// loops run along them, so that compilers vectorise without a version for each kind of element.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "elastic/block_matrix.hpp"
#include "elastic/law.hpp"
#include "elastic/shapes.hpp"

namespace scree::elastic {

inline constexpr int kMostDofs = 3 * kMostNodes;

/// Places of, or forces on, the nodes of one element.
struct Nodal {
  int nodes;
  std::array<double, kMostDofs> values;
};

[[nodiscard]] inline Nodal no_force(int nodes) {
  Nodal force;
  force.nodes = nodes;
  std::fill_n(force.values.begin(), 3 * nodes, 0.0);
  return force;
}

[[nodiscard]] inline Nodal gather(std::span<const int> nodes, std::span<const double> q) {
  Nodal x;
  x.nodes = static_cast<int>(nodes.size());
  double* to = x.values.data();
  for (const int node : nodes) to = std::copy_n(q.data() + 3 * node, 3, to);
  return x;
}

inline void scatter(std::span<const int> nodes, const Nodal& force, std::span<double> f) {
  const double* from = force.values.data();
  for (const int node : nodes)
    for (int i = 0; i < 3; ++i) f[3 * node + i] += *from++;
}

/// F = sum of x_a G_a^T over the nodes, G the referential gradients of their shape functions (theory eq. 5.2).
[[nodiscard]] inline Mat3 deformation(const Nodal& x, const double* gradients) {
  Mat3 F = Mat3::Zero();
  for (int a = 0; a < x.nodes; ++a)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) F(i, j) += x.values[3 * a + i] * gradients[3 * a + j];
  return F;
}

/// force += P G   (theory eq. 5.10), P times the point's volume.
inline void add_stress(const Mat3& P, const double* gradients, Nodal& force) {
  for (int a = 0; a < force.nodes; ++a)
    for (int i = 0; i < 3; ++i)
      force.values[3 * a + i] += P(i, 0) * gradients[3 * a] + P(i, 1) * gradients[3 * a + 1] + P(i, 2) * gradients[3 * a + 2];
}

/// Stiffness of one element, rows of 3 n numbers. Kernels write entries on and above the diagonal only.
struct ElementMatrix {
  int size;
  std::array<double, kMostDofs * kMostDofs> values;

  explicit ElementMatrix(int nodes) : size(3 * nodes) { std::fill_n(values.begin(), size * size, 0.0); }
  [[nodiscard]] double& operator()(int row, int column) { return values[row * size + column]; }
  [[nodiscard]] double operator()(int row, int column) const { return values[row * size + column]; }
};

/// Change of the six strains with each unknown of an element, a row of 3 n numbers a strain.
using StrainRows = std::array<std::array<double, kMostDofs>, 6>;

inline void strain_rows(const Mat3& F, const double* gradients, int nodes, StrainRows& B) {
  for (int a = 0; a < nodes; ++a) {
    const double x = gradients[3 * a], y = gradients[3 * a + 1], z = gradients[3 * a + 2];
    for (int i = 0; i < 3; ++i) {
      const int k = 3 * a + i;
      B[0][k] = F(i, 0) * x;
      B[1][k] = F(i, 1) * y;
      B[2][k] = F(i, 2) * z;
      B[3][k] = F(i, 0) * y + F(i, 1) * x;
      B[4][k] = F(i, 0) * z + F(i, 2) * x;
      B[5][k] = F(i, 1) * z + F(i, 2) * y;
    }
  }
}

/// local += (B^T D B + geometric part) volume, with B the strains' change with the node places (theory eq. 5.11).
inline void add_stiffness(const Mat3& F, const Vec6& S, const Mat6& D, const double* gradients, double volume, ElementMatrix& local) {
  const int size = local.size;
  StrainRows B, DB;
  strain_rows(F, gradients, size / 3, B);
  for (int s = 0; s < 6; ++s) {
    const double d0 = volume * D(s, 0), d1 = volume * D(s, 1), d2 = volume * D(s, 2), d3 = volume * D(s, 3), d4 = volume * D(s, 4), d5 = volume * D(s, 5);
    for (int k = 0; k < size; ++k) DB[s][k] = d0 * B[0][k] + d1 * B[1][k] + d2 * B[2][k] + d3 * B[3][k] + d4 * B[4][k] + d5 * B[5][k];
  }
  for (int row = 0; row < size; ++row) {
    const double b0 = B[0][row], b1 = B[1][row], b2 = B[2][row], b3 = B[3][row], b4 = B[4][row], b5 = B[5][row];
    double* to = local.values.data() + row * size;
    for (int k = row; k < size; ++k) to[k] += b0 * DB[0][k] + b1 * DB[1][k] + b2 * DB[2][k] + b3 * DB[3][k] + b4 * DB[4][k] + b5 * DB[5][k];
  }
  const Mat3 stress = volume * tensor(S);
  for (int a = 0; 3 * a < size; ++a) {
    const Vec3 Sg = stress * Vec3::Map(gradients + 3 * a);
    for (int b = a; 3 * b < size; ++b) {
      const double g = Sg.dot(Vec3::Map(gradients + 3 * b));
      for (int i = 0; i < 3; ++i) local(3 * a + i, 3 * b + i) += g;
    }
  }
}

/// K += factor local: entries above the diagonal serve both triangles, so that K is symmetric to the bit.
inline void scatter_matrix(const int* slots, const ElementMatrix& local, double factor, BlockMatrix& K) {
  const int nodes = local.size / 3;
  for (int a = 0; a < nodes; ++a) {
    for (int b = 0; b < nodes; ++b) {
      double* to = K.values.data() + 9 * static_cast<std::size_t>(slots[a * nodes + b]);
      for (int row = 3 * a; row < 3 * a + 3; ++row)
        for (int column = 3 * b; column < 3 * b + 3; ++column) *to++ += factor * (row <= column ? local(row, column) : local(column, row));
    }
  }
}

}  // namespace scree::elastic
