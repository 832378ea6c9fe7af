#include "elastic/incompatible.hpp"

#include "core/dense.hpp"
#include "elastic/kernels.hpp"

namespace scree::elastic {

namespace {

constexpr int kNodes = 8, kModes = 3;
/// Small strains of unit values at functions with these referential gradients, three numbers a function.
MatX strains(const double* gradients, int functions) {
  StrainRows rows;
  strain_rows(Mat3::Identity(), gradients, functions, rows);
  MatX B(6, 3 * functions);
  for (int s = 0; s < 6; ++s)
    for (int k = 0; k < 3 * functions; ++k) B(s, k) = rows[s][k];
  return B;
}

/// What the incompatible modes take from the stiffness of element e:  K_ua K_aa^-1 K_au.
MatX softening(const ElasticBody& body, int e) {
  const auto nodes = body.mesh().element(e);
  Vec3 dN[kMostNodes];
  shape_gradients(Kind::hex8, Vec3::Zero(), dN);
  Mat3 J0 = Mat3::Zero();
  for (int a = 0; a < kNodes; ++a) J0 += body.mesh().nodes[nodes[a]] * dN[a].transpose();
  const Mat3 turn = J0.inverse().transpose();
  const double det0 = J0.determinant();
  const Mat6 D = body.law(e).tangent(Mat3::Identity());

  MatX inner = MatX::Zero(3 * kModes, 3 * kModes), mixed = MatX::Zero(3 * kModes, 3 * kNodes);
  int p = body.first_point(e);
  for (const Point& point : stiffness_rule(Kind::hex8)) {
    const double volume = body.point_volume(p), det = volume / point.weight;
    // Gradients of 1 - r^2, 1 - s^2, 1 - t^2 through the map of the middle, scaled so that they vanish in the mean.
    const Mat3 G = (det0 / det) * turn * Mat3((-2.0 * point.at).asDiagonal());
    const MatX M = strains(G.data(), kModes), DM = MatX(volume * D) * M;
    inner += M.transpose() * DM;
    mixed += DM.transpose() * strains(body.gradients(e, p), kNodes);
    ++p;
  }
  return mixed.transpose() * solve_positive(inner, mixed);
}

}  // namespace

void incompatible_stiffness(const ElasticBody& body, BlockMatrix& K) {
  body.tangent(body.mesh().positions(), K);
  std::vector<int> slots;
  for (int e = 0; e < body.mesh().elements(); ++e) {
    if (body.mesh().kinds[e] != Kind::hex8) continue;
    slots.clear();
    for (const int a : body.mesh().element(e))
      for (const int b : body.mesh().element(e)) slots.push_back(K.pattern->find(a, b));
    const MatX softer = softening(body, e);
    ElementMatrix local(kNodes);
    for (int row = 0; row < local.size; ++row)
      for (int column = row; column < local.size; ++column) local(row, column) = softer(row, column);
    scatter_matrix(slots.data(), local, -1.0, K);
  }
}

}  // namespace scree::elastic
