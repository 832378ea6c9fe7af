/// The two sides of a block: which body, where, and how the point hangs on a deformable body's unknowns.
#pragma once

#include <span>
#include <vector>

#include "core/vec.hpp"
#include "model/motion.hpp"

namespace scree::assembly {

/// Spatial velocities of all bodies, by body index, and rates of deformable bodies.
struct Velocities {
  std::vector<Vec3> linear;   ///< of the mass centre, m/s
  std::vector<Vec3> angular;  ///< spatial, rad/s
  std::vector<double> nodal;  ///< u of deformable bodies, laid out as model::Motion::u

  void resize(std::size_t bodies) {
    linear.resize(bodies);
    angular.resize(bodies);
  }
};

/// Weights of the points at which blocks hold deformable bodies, filled anew every step.
class Grips {
 public:
  void clear() {
    start_.assign(1, 0);
    weights_.clear();
  }
  /// Grip of the material point that is at the spatial point x now; -1: the body does not deform.
  int at_place(const model::Bodies& bodies, const model::Motion& motion, int body, int piece, const Vec3& x);
  /// Grip of a referential point, likewise.
  int at_reference(const model::Bodies& bodies, int body, const Vec3& X);
  /// Grip of given weights; -1: there are none.
  int of(std::span<const model::Weight> weights);
  [[nodiscard]] std::span<const model::Weight> operator[](int grip) const {
    const std::size_t k = grip;
    return {weights_.data() + start_[k], start_[k + 1] - start_[k]};
  }

 private:
  int close();
  std::vector<std::size_t> start_{0};
  std::vector<model::Weight> weights_;
};

/// One side of a block.
struct Side {
  int body = -1;               ///< index; -1: the ground, at rest
  int grip = -1;               ///< of a deformable body
  Vec3 point = Vec3::Zero();   ///< spatial
};

/// Velocity of the point of a side.
[[nodiscard]] inline Vec3 side_velocity(const model::Bodies& bodies, const model::Motion& motion, const Velocities& velocities, const Grips& grips, const Side& side) {
  if (side.body < 0) return Vec3::Zero();
  const std::size_t i = side.body;
  if (side.grip < 0) return velocities.linear[i] + velocities.angular[i].cross(side.point - motion.position[i]);
  const double* u = velocities.nodal.data() + bodies.deformable_of(side.body).first;
  Vec3 sum = Vec3::Zero();
  for (const model::Weight& w : grips[side.grip]) sum += w.value * Eigen::Map<const Vec3>(u + 3 * w.node);
  return sum;
}

/// Velocity of side b minus that of side a, in a frame.
[[nodiscard]] inline Vec3 relative_velocity(const model::Bodies& bodies, const model::Motion& motion, const Velocities& velocities,
                                            const Grips& grips, const Side& a, const Side& b, const Mat3& frame) {
  return frame * (side_velocity(bodies, motion, velocities, grips, b) - side_velocity(bodies, motion, velocities, grips, a));
}

/// Largest speed of any point of a body's surface (a bound), m/s.
[[nodiscard]] double surface_speed(const model::Bodies& bodies, const Velocities& velocities, int body);

}  // namespace scree::assembly
