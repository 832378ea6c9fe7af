/// Stresses of a finite element body (theory sec. 5.8): Cauchy, Pa, in the order xx, yy, zz, xy, xz, yz.
#pragma once

#include <span>
#include <vector>

#include "elastic/body.hpp"
#include "elastic/place.hpp"

namespace scree::elastic {

/// Deformation gradient at a place of the mesh (theory eq. 5.2).
[[nodiscard]] Mat3 deformation_at(const ElasticBody& body, std::span<const double> q, const Place& place);
/// Cauchy stress there (theory eq. 5.18). Discontinuous between elements.
[[nodiscard]] Vec6 stress_at(const ElasticBody& body, std::span<const double> q, const Place& place);

/// Smoothed stress at the nodes: quadrature point values extrapolated within each element, then averaged over the elements
/// around a node by their volumes.
class StressSmoother {
 public:
  explicit StressSmoother(const ElasticBody& body);
  /// Fills `stress`, one value a node. `body` must be the one given above.
  void evaluate(const ElasticBody& body, std::span<const double> q, std::vector<Vec6>& stress) const;
  /// The smoothed field at a place: nodal values under the shape functions of the corners.
  [[nodiscard]] static Vec6 at(const ElasticBody& body, std::span<const Vec6> stress, const Place& place);

 private:
  std::vector<MatX> extrapolate_;    ///< nodes x quadrature points, for each kind
  std::vector<double> node_volume_;  ///< volume of the elements around each node
  std::vector<double> element_volume_;
};

}  // namespace scree::elastic
