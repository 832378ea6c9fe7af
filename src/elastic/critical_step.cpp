#include "elastic/critical_step.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/abandon.hpp"
#include "core/dense.hpp"
#include "core/error.hpp"
#include "elastic/factor.hpp"
#include "elastic/kernels.hpp"

namespace scree::elastic {

namespace {
constexpr int kMostIterations = 200;
constexpr double kAccuracy = 1e-3;  ///< of the square of the frequency
constexpr double kTighter = 0.1;    ///< accuracy asked for next where the bound found is not one

/// Whether no eigenvalue of M^-1 K, M lumped, is above `square`: then square M - K has a Cholesky factor.
bool bounds_all(const ElasticBody& body, const BlockMatrix& K, double square) {
  BlockMatrix rest = body.make_matrix();
  rest.combine(square, body.lumped_mass(), -1.0, K);
  Factor factor;
  factor.analyse(body.pattern());
  try {
    factor.factorise(rest);
  } catch (const SolveError&) {
    return false;
  }
  return true;
}
}  // namespace

double largest_frequency(const ElasticBody& body, const BlockMatrix& K) {
  const int n = body.dofs();
  VecX scale(n);
  for (int i = 0; i < n; ++i) scale[i] = 1.0 / std::sqrt(body.lumped_mass()[i / 3]);
  std::vector<double> x(n), y(n);
  const int most = std::min(kMostIterations, n);
  MatX basis(n, most + 1);
  std::mt19937_64 random(1);
  for (int i = 0; i < n; ++i) basis(i, 0) = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
  basis.col(0).normalize();
  VecX diagonal(most), off(most);
  double accuracy = kAccuracy;
  for (int k = 0; k < most; ++k) {
    throw_if_stopped();
    VecX::Map(x.data(), n) = scale.cwiseProduct(basis.col(k));
    K.multiply(x, y);
    VecX w = scale.cwiseProduct(VecX::Map(y.data(), n));
    diagonal[k] = w.dot(basis.col(k));
    // Twice is enough to stay orthogonal to all before.
    for (int pass = 0; pass < 2; ++pass) w -= basis.leftCols(k + 1) * (basis.leftCols(k + 1).transpose() * w);
    off[k] = w.norm();
    const SymmetricEigen ritz = tridiagonal_eigen(diagonal.head(k + 1), off.head(k));
    const double largest = ritz.values[k], error = off[k] * std::abs(ritz.vectors(k, k));
    // Vectors that are almost orthogonal to the fastest mode settle on the one below it at first.
    if (largest > 0.0 && (k + 1 == n || (k >= 8 && error <= accuracy * largest))) {
      if (bounds_all(body, K, largest + error)) return std::sqrt(largest + error);
      accuracy *= kTighter;
    }
    if (off[k] <= 1e-14 * std::abs(largest)) break;
    basis.col(k + 1) = w / off[k];
  }
  return element_frequency_bound(body);
}

double element_frequency_bound(const ElasticBody& body) {
  const FiniteMesh& mesh = body.mesh();
  const auto q = mesh.positions();
  // Any positive split of the nodes' masses over their elements gives a bound; volumes split them well.
  std::vector<double> around(mesh.nodes.size(), 0.0), volume(mesh.elements(), 0.0);
  for (int e = 0; e < mesh.elements(); ++e) {
    for (int p = body.first_point(e); p < body.first_point(e) + body.points(e); ++p) volume[e] += body.point_volume(p);
    for (int n : mesh.element(e)) around[n] += volume[e];
  }
  double largest = 0.0;
  for (int e = 0; e < mesh.elements(); ++e) {
    if (volume[e] == 0.0) continue;
    const auto nodes = mesh.element(e);
    const ElementMatrix K = body.element_tangent(e, q);
    MatX scaled(K.size, K.size);
    const auto scale = [&](int k) { return 1.0 / std::sqrt(body.lumped_mass()[nodes[k / 3]] * volume[e] / around[nodes[k / 3]]); };
    for (int row = 0; row < K.size; ++row)
      for (int column = row; column < K.size; ++column) scaled(column, row) = scale(row) * K(row, column) * scale(column);
    largest = std::max(largest, symmetric_eigenvalues(scaled)[K.size - 1]);
  }
  return std::sqrt(largest);
}

double critical_step(const ElasticBody& body, std::span<const double> q, double eta) {
  BlockMatrix K = body.make_matrix();
  body.tangent(q, K);
  const double omega = largest_frequency(body, K);
  return (std::sqrt(eta * eta * omega * omega + 4.0) - eta * omega) / omega;
}

}  // namespace scree::elastic
