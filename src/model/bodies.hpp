/// Bodies as structure of arrays. Index = place in the arrays (changes when bodies are removed),
/// id = stable name (never reused).
///
/// Rigid motion:  x(X) = Lam (X - Xc) + x   with Lam the rotation and x the mass centre (theory eq. 2.1).
/// Angular velocities are referential: spatial omega = Lam W.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/vec.hpp"
#include "geometry/mass.hpp"
#include "geometry/shape.hpp"
#include "model/time_series.hpp"

namespace scree::model {

enum class BodyKind : std::uint8_t { rigid, obstacle };

/// Integrators of rigid rotations (theory sec. 2.4).
enum class Scheme : std::uint8_t {
  rig_pos,  ///< explicit, positive energy drift
  rig_neg,  ///< explicit, negative energy drift, exact momentum (default)
  rig_imp   ///< semi-explicit, no drift, exact momentum
};

/// Prescribed motion of an obstacle: velocity `linear` plus rotation `angular` (rad/s) about the spatial
/// point `pivot`.
struct ObstacleMotion {
  TimeSeries linear[3];
  TimeSeries angular[3];
  Vec3 pivot = Vec3::Zero();

  [[nodiscard]] Vec3 linear_at(double t) const { return {linear[0].value(t), linear[1].value(t), linear[2].value(t)}; }
  [[nodiscard]] Vec3 angular_at(double t) const { return {angular[0].value(t), angular[1].value(t), angular[2].value(t)}; }
};

/// What it takes to make a body.
struct BodySpec {
  BodyKind kind = BodyKind::rigid;
  std::shared_ptr<const geometry::Shape> shape;
  geometry::MassProperties mass;  ///< of the shape with its material's density
  int material = 0;               ///< bulk material index
  std::string label;
};

/// Work done on a body since the start, J.
struct Work {
  double external = 0.0;  ///< loads, bilateral constraints, moving obstacles
  double contact = 0.0;   ///< normal contact reactions
  double friction = 0.0;  ///< tangential contact reactions
  double damping = 0.0;   ///< mass-proportional damping

  Work& operator+=(const Work& other) {
    external += other.external;
    contact += other.contact;
    friction += other.friction;
    damping += other.damping;
    return *this;
  }
};

struct Bodies {
  // Identity.
  std::vector<int> id;
  std::vector<BodyKind> kind;
  std::vector<Scheme> scheme;
  std::vector<std::string> label;
  std::vector<int> material;
  std::vector<std::shared_ptr<const geometry::Shape>> shape;

  // Referential constants.
  std::vector<double> mass;             ///< kg
  std::vector<double> volume;           ///< m^3
  std::vector<double> damping;          ///< mass-proportional coefficient, 1/s
  std::vector<double> radius;           ///< farthest point of the shape from the mass centre, m
  std::vector<Vec3> center;             ///< Xc, m
  std::vector<Mat3> inertia;            ///< J about Xc, kg m^2
  std::vector<Mat3> principal_axes;     ///< Q:  J = Q diag(D) Q^T
  std::vector<Vec3> principal_moments;  ///< D, kg m^2

  // State.
  std::vector<Mat3> rotation;   ///< Lam
  std::vector<Vec3> position;   ///< x, m
  std::vector<Vec3> angular;    ///< W, referential, rad/s
  std::vector<Vec3> velocity;   ///< v of the mass centre, m/s
  std::vector<Work> work;

  std::unordered_map<int, ObstacleMotion> motion;  ///< by id, obstacles that move

  [[nodiscard]] int size() const { return static_cast<int>(id.size()); }
  [[nodiscard]] bool moves(int i) const { return kind[static_cast<std::size_t>(i)] == BodyKind::rigid; }

  /// Append a body in its referential place, at rest; returns its id.
  int add(const BodySpec& spec);
  /// Remove by id, keeping the order of the others.
  void remove(int body_id);
  /// Index of an id; InputError when there is no such body.
  [[nodiscard]] int index(int body_id) const;
  [[nodiscard]] bool has(int body_id) const { return find(body_id) >= 0; }

  /// Override mass, volume, centre and inertia (kept: the body's current place). InputError when the mass is not positive
  /// or the inertia tensor is not symmetric positive definite.
  void set_characteristics(int i, double new_mass, double new_volume, const Vec3& new_center, const Mat3& new_inertia);

  /// Current place of a referential point, and its velocity.
  [[nodiscard]] Vec3 point(int i, const Vec3& X) const;
  [[nodiscard]] Vec3 point_velocity(int i, const Vec3& X) const;
  [[nodiscard]] double kinetic_energy(int i) const;

  /// Set the next id to be given (after arrays were filled by hand, ids ascending).
  void set_next_id(int next_id) { next_id_ = next_id; }
  [[nodiscard]] int next_id() const { return next_id_; }

 private:
  [[nodiscard]] int find(int body_id) const;   ///< index, or -1

  int next_id_ = 0;
};

}  // namespace scree::model
