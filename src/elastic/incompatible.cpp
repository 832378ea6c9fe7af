#include "elastic/incompatible.hpp"

#include "elastic/kernels.hpp"

namespace scree::elastic {

namespace {

constexpr int kNodes = 8, kModes = 3;
using NodeStrains = Eigen::Matrix<double, 6, 3 * kNodes>;
using ModeStrains = Eigen::Matrix<double, 6, 3 * kModes>;

/// Small strains of unit values at functions with these referential gradients.
template <int n>
Eigen::Matrix<double, 6, 3 * n> strains(const Eigen::Matrix<double, 3, n>& G) {
  Eigen::Matrix<double, 6, 3 * n> B = Eigen::Matrix<double, 6, 3 * n>::Zero();
  for (int a = 0; a < n; ++a) {
    const double x = G(0, a), y = G(1, a), z = G(2, a);
    B.template block<6, 3>(0, 3 * a) << x, 0, 0, 0, y, 0, 0, 0, z, y, x, 0, z, 0, x, 0, z, y;
  }
  return B;
}

/// What the incompatible modes take from the stiffness of element e:  K_ua K_aa^-1 K_au.
ElementMatrix<kNodes> softening(const ElasticBody& body, int e) {
  const auto nodes = body.mesh().element(e);
  Vec3 dN[kMostNodes];
  shape_gradients(Kind::hex8, Vec3::Zero(), dN);
  Mat3 J0 = Mat3::Zero();
  for (int a = 0; a < kNodes; ++a) J0 += body.mesh().nodes[static_cast<std::size_t>(nodes[static_cast<std::size_t>(a)])] * dN[a].transpose();
  const Mat3 turn = J0.inverse().transpose();
  const double det0 = J0.determinant();
  const Mat6 D = body.law(e).tangent(Mat3::Identity());

  Eigen::Matrix<double, 3 * kModes, 3 * kModes> inner = Eigen::Matrix<double, 3 * kModes, 3 * kModes>::Zero();
  Eigen::Matrix<double, 3 * kModes, 3 * kNodes> mixed = Eigen::Matrix<double, 3 * kModes, 3 * kNodes>::Zero();
  int p = body.first_point(e);
  for (const Point& point : stiffness_rule(Kind::hex8)) {
    const double volume = body.point_volume(p), det = volume / point.weight;
    // Gradients of 1 - r^2, 1 - s^2, 1 - t^2 through the map of the middle, scaled so that they vanish in the mean.
    const Mat3 G = (det0 / det) * turn * Mat3((-2.0 * point.at).asDiagonal());
    const ModeStrains M = strains<kModes>(G);
    const ModeStrains DM = volume * D * M;
    inner += M.transpose() * DM;
    mixed += DM.transpose() * strains<kNodes>(Gradients<kNodes>(body.gradients(e, p)));
    ++p;
  }
  return mixed.transpose() * inner.ldlt().solve(mixed);
}

}  // namespace

void incompatible_stiffness(const ElasticBody& body, BlockMatrix& K) {
  body.tangent(body.mesh().positions(), K);
  std::vector<int> slots;
  for (int e = 0; e < body.mesh().elements(); ++e) {
    if (body.mesh().kinds[static_cast<std::size_t>(e)] != Kind::hex8) continue;
    slots.clear();
    for (const int a : body.mesh().element(e))
      for (const int b : body.mesh().element(e)) slots.push_back(K.pattern->find(a, b));
    scatter_matrix<kNodes>(slots.data(), -softening(body, e), K);
  }
}

}  // namespace scree::elastic
