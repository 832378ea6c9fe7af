/// Reduced co-rotational body: rigid motion and a few deformations in the body's frame (theory sec. 5.11).
///
///   q_a = x + R y_a,     y = X - Xc + Phi eta                                                  (theory eq. 5.25)
///
/// Its configurations are a manifold of 6 + m dimensions among all places of the nodes.
#pragma once

#include <span>
#include <vector>

#include "elastic/body.hpp"
#include "elastic/modes.hpp"

namespace scree::elastic {

class Reduction {
 public:
  Reduction(const ElasticBody& body, const Modes& modes);

  /// Where the body is; of places that are not on the manifold, the nearest rotation and the amplitudes in its frame.
  struct Pose {
    Vec3 center;
    Mat3 R;
    VecX eta;
  };
  [[nodiscard]] Pose pose(std::span<const double> q) const;
  void place(const Pose& pose, std::span<double> q) const;

  /// Six rigid motions and the modes.
  [[nodiscard]] int dofs() const { return 6 + modes(); }
  [[nodiscard]] int modes() const { return static_cast<int>(squares_.size()); }
  /// Of the fastest mode, rad/s.
  [[nodiscard]] double largest_frequency() const { return std::sqrt(squares_.maxCoeff()); }

  /// y, flat.
  void shape(const VecX& eta, std::span<double> y) const;
  /// Rows (one node's three) of the motions at a shape in the body's frame: translation, rotation, modes.
  void add_motion(std::span<const double> y, int node, const Mat3& frame, Eigen::Ref<Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>> rows) const;
  /// a M + b K of these motions at amplitudes eta (K without rotations).
  [[nodiscard]] MatX system(const VecX& eta, double a, double b) const;

  /// Work of forces r on the motions at one place (body's frame), and at a step from q0 to q1: among those is q1 - q0 (theory eq. 5.33).
  [[nodiscard]] VecX work(const Pose& at, std::span<const double> r) const;
  [[nodiscard]] VecX step_work(std::span<const double> q0, std::span<const double> q1, std::span<const double> r) const;
  /// u = the motion with these velocities in the body's frame.
  void motion(const Pose& at, const VecX& velocities, std::span<double> u) const;

  /// Stored energy, J, forces and the force of a step, as those of Corotation; exact on the manifold.
  [[nodiscard]] double internal_energy(std::span<const double> q) const;
  void internal_force(std::span<const double> q, std::span<double> f) const { step_force(q, q, 0.0, f); }
  void step_force(std::span<const double> q0, std::span<const double> q1, double viscosity, std::span<double> f) const;
  void viscous_force(std::span<const double> q, std::span<const double> u, std::span<double> f) const;

 private:
  /// The middle of a step: (I + [theta]/2) R of theory eq. 5.32, the rotation halfway, and arms of (q0 + q1)/2.
  struct Middle {
    Mat3 G, R;
    std::vector<double> arms;
  };
  [[nodiscard]] Middle middle(const Pose& from, const Pose& to) const;
  /// Nodal forces that do the work p on the modes and none on rigid motions of the middle (theory eq. 5.34).
  void spread(const Middle& at, const VecX& p, std::span<double> f) const;

  MatX shapes_, mass_shapes_;      ///< Phi and M Phi
  VecX squares_;                   ///< of the frequencies
  std::vector<double> arm_, mass_arm_;  ///< X - Xc and M (X - Xc), flat
  std::vector<double> node_mass_;  ///< row sums of M
  double total_ = 0.0;
};

}  // namespace scree::elastic
