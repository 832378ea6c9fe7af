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
  /// Force of a step (theory eq. 5.30): without viscosity its work on q1 - q0 is the change of stored energy to rounding; no torque about (q0 + q1)/2.
  void step_force(std::span<const double> q0, std::span<const double> q1, double viscosity, std::span<double> f, std::span<double> work) const;
  /// Force of the rate of d with eta = 1 s.
  void viscous_force(std::span<const double> q, std::span<const double> u, std::span<double> f, std::span<double> work) const;
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
  /// Mean place with lumped masses.
  [[nodiscard]] Vec3 center(std::span<const double> q) const;
  /// Turn forces p on d (body frame) into forces on q: f_a of theory eq. 5.22, in place. `d` are displacements at that pose.
  void spread(const Pose& pose, std::span<const double> d, std::span<double> p) const;

  BlockMatrix K_;
  std::vector<double> mass_;  ///< lumped, a node
  std::vector<Vec3> arm_;     ///< X_a - Xc
  double total_ = 0.0;
};

/// x_a <- R x_a for every node.
void rotate(const Mat3& R, std::span<double> x);

}  // namespace scree::elastic
