/// The motion of all bodies: places, velocities and works, all that a step changes in them. Entries follow model::Bodies.
///
/// Rigid motion:  x(X) = Lam (X - Xc) + x   with Lam the rotation and x the mass centre (theory eq. 2.1).
/// Angular velocities are referential: spatial omega = Lam W.
///
/// The state of deformable bodies is in the flat arrays q and u (theory sec. 6.1); the arrays of rigid motion hold their mean
/// motion (renew_mean), with Lam the deformation gradient of pseudo-rigid bodies and the mean rotation of finite element ones.
#pragma once

#include <vector>

#include "model/bodies.hpp"

namespace scree::model {

/// Work done on a body since the start, J.
struct Work {
  double external = 0.0;  ///< loads, bilateral constraints, moving obstacles
  double contact = 0.0;   ///< normal contact reactions
  double friction = 0.0;  ///< tangential contact reactions
  double damping = 0.0;   ///< mass- and stiffness-proportional damping

  Work& operator+=(const Work& other) {
    external += other.external;
    contact += other.contact;
    friction += other.friction;
    damping += other.damping;
    return *this;
  }
};

struct Motion {
  std::vector<Mat3> rotation;  ///< Lam
  std::vector<Vec3> position;  ///< x, m
  std::vector<Vec3> angular;   ///< W, referential, rad/s
  std::vector<Vec3> velocity;  ///< v of the mass centre, m/s
  std::vector<double> lag;     ///< W and v belong to this long before the present, s: half a step where they are those of its middle
  std::vector<Vec3> pivot;     ///< of obstacles with a prescribed motion: what they turn about, spatial, m
  std::vector<Work> work;
  std::vector<double> q, u;    ///< unknowns of all deformable bodies and their rates
  std::vector<std::vector<int>> held;  ///< by deformable body: unknowns that contacts and constraints acted on in the last step

  /// Visit every array with one entry a body, by name: the one list for bodies that come and go, checkpoints, checks and hashes.
  template <class Self, class Visit>
  static void each_array(Self& self, Visit&& visit) {
    visit("rotation", self.rotation), visit("position", self.position), visit("angular", self.angular), visit("velocity", self.velocity);
    visit("lag", self.lag), visit("pivot", self.pivot), visit("work", self.work);
  }

  /// Append the last body of `bodies`, in its referential place and at rest.
  void add(const Bodies& bodies);
  /// Remove body `i`, before `bodies` does.
  void remove(const Bodies& bodies, int i);
};

/// Current place of a referential point of a body, m, and its velocity, m/s.
[[nodiscard]] Vec3 point(const Bodies& bodies, const Motion& motion, int i, const Vec3& X);
[[nodiscard]] Vec3 point_velocity(const Bodies& bodies, const Motion& motion, int i, const Vec3& X);
/// J; of an obstacle 0.
[[nodiscard]] double kinetic_energy(const Bodies& bodies, const Motion& motion, int i);
/// Stored energy of a deformable body, J; 0 for others.
[[nodiscard]] double internal_energy(const Bodies& bodies, const Motion& motion, int i);
/// Make the mean motion of a deformable body anew from its unknowns.
void renew_mean(const Bodies& bodies, Motion& motion, const Deformable& body);
/// Put a deformable body into a state: its unknowns and their rates.
void set_unknowns(const Bodies& bodies, Motion& motion, const Deformable& body, std::span<const double> q, std::span<const double> u);

/// Turn and move body i as a whole; a deformable one keeps its mean velocities and is as it was at the reference.
void place(const Bodies& bodies, Motion& motion, int i, const Mat3& rotation, const Vec3& position);
/// Velocities of body i as a whole: of its mass centre (m/s), and angular (rad/s, spatial). They belong to the present.
void set_velocity(const Bodies& bodies, Motion& motion, int i, const Vec3& linear, const Vec3& angular);

}  // namespace scree::model
