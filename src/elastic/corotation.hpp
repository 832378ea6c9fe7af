/// Co-rotational formulation: one rotation a body, linear elasticity in its frame (theory sec. 5.10).
#pragma once

#include <span>
#include <vector>

#include "elastic/body.hpp"

namespace scree::elastic {

/// Rotation R nearest to A in A = R B with B symmetric. A reflected A gives the nearest proper rotation.
struct Polar {
  Mat3 R, B;
};
[[nodiscard]] Polar polar(const Mat3& A);

class Corotation {
 public:
  /// With incompatible modes first-order hexahedra bend without locking (elastic/incompatible.hpp).
  explicit Corotation(const ElasticBody& body, bool incompatible = false);

  /// Constant stiffness at the reference configuration.
  [[nodiscard]] const BlockMatrix& stiffness() const { return K_; }
  /// Body rotation at q (theory eq. 5.20).
  [[nodiscard]] Mat3 rotation(std::span<const double> q) const;
  /// f = dW/dq (theory eq. 5.22), exact; the body pushes its nodes with -f. `work` holds dofs() numbers.
  void internal_force(std::span<const double> q, std::span<double> f, std::span<double> work) const;
  /// Stored energy, J.
  [[nodiscard]] double internal_energy(std::span<const double> q, std::span<double> work) const;

 private:
  struct Pose {
    Vec3 center;
    Polar polar;
  };
  [[nodiscard]] Pose pose(std::span<const double> q) const;
  /// d of theory eq. 5.20.
  void local_displacement(std::span<const double> q, const Pose& pose, std::span<double> d) const;

  BlockMatrix K_;
  std::vector<double> mass_;  ///< lumped, a node
  std::vector<Vec3> arm_;     ///< X_a - Xc
  double total_ = 0.0;
};

/// x_a <- R x_a for every node.
void rotate(const Mat3& R, std::span<double> x);

}  // namespace scree::elastic
