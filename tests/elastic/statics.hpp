/// Linear static solves for the tests: prescribed places at some dofs, loads at the others.
#pragma once

#include <functional>
#include <vector>

#include "elastic/factor.hpp"
#include "elastic/incompatible.hpp"
#include "elastic/place.hpp"
#include "elastic/stress.hpp"
#include "meshes.hpp"

namespace scree::elastic::testing {

struct Statics {
  const ElasticBody& body;
  bool incompatible = false;  ///< with the modes of elastic/incompatible.hpp
  std::vector<char> fixed = std::vector<char>(body.dofs(), 0);
  std::vector<double> displacement = std::vector<double>(body.dofs(), 0.0);
  std::vector<double> load = std::vector<double>(body.dofs(), 0.0);

  /// Hold component i of the nodes that `where` picks at the given displacement.
  void hold(const std::function<bool(const Vec3&)>& where, int i, const std::function<double(const Vec3&)>& value = [](const Vec3&) { return 0.0; }) {
    for (int n = 0; n < body.nodes(); ++n) {
      if (!where(body.mesh().nodes[n])) continue;
      fixed[3 * n + i] = 1;
      displacement[3 * n + i] = value(body.mesh().nodes[n]);
    }
  }
  /// Displacements of the linear problem K u = load.
  [[nodiscard]] std::vector<double> solve() const {
    BlockMatrix K = body.make_matrix();
    if (incompatible) incompatible_stiffness(body, K);
    else body.tangent(body.mesh().positions(), K);
    std::vector<double> known(body.dofs(), 0.0), right(body.dofs()), u(body.dofs());
    for (int i = 0; i < body.dofs(); ++i) known[i] = fixed[i] ? displacement[i] : 0.0;
    K.multiply(known, right);
    const double diagonal = K.values[9 * static_cast<std::size_t>(K.pattern->find(0, 0))];
    for (int i = 0; i < body.dofs(); ++i) right[i] = fixed[i] ? diagonal * displacement[i] : load[i] - right[i];
    K.constrain(fixed, diagonal);
    Factor factor;
    factor.analyse(body.pattern());
    factor.factorise(K);
    factor.solve(right, u);
    return u;
  }
};

/// Linear stress at a place, from small displacements u.
inline Vec6 linear_stress(const ElasticBody& body, const std::vector<double>& u, const Place& place) {
  const Mat3 G = deformation_at(body, u, place);
  const Vec6 strain(G(0, 0), G(1, 1), G(2, 2), G(0, 1) + G(1, 0), G(0, 2) + G(2, 0), G(1, 2) + G(2, 1));
  return body.law(place.element).tangent(Mat3::Identity()) * strain;
}

/// Root mean square over the volume of the difference between the field of u and an exact one.
inline double field_error(const ElasticBody& body, const std::vector<double>& u, const std::function<Vec3(const Vec3&)>& exact) {
  double sum = 0.0, volume = 0.0;
  Vec3 dN[kMostNodes];
  for (int e = 0; e < body.mesh().elements(); ++e) {
    for (const Point& p : mass_rule(body.mesh().kinds[e])) {
      const Place place{e, p.at};
      const Vec3 X = point(body.mesh(), place);
      shape_gradients(body.mesh().kinds[e], p.at, dN);
      Mat3 J = Mat3::Zero();
      for (std::size_t a = 0; a < body.mesh().element(e).size(); ++a) J += body.mesh().nodes[body.mesh().element(e)[a]] * dN[a].transpose();
      const double dV = p.weight * J.determinant();
      sum += dV * (weights(body.mesh(), place).at(u) - exact(X)).squaredNorm();
      volume += dV;
    }
  }
  return std::sqrt(sum / volume);
}

}  // namespace scree::elastic::testing
