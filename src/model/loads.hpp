/// Loads: gravity, point forces, torques, and forces computed by the user.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "core/vec.hpp"
#include "model/mechanics.hpp"
#include "model/time_series.hpp"

namespace scree::model {

enum class Direction : std::uint8_t {
  spatial,   ///< fixed in space
  convected  ///< turns with the body
};

/// Acceleration of gravity: a unit direction times a value, m/s^2.
struct Gravity {
  Vec3 direction = -Vec3::UnitZ();
  TimeSeries value = 0.0;

  [[nodiscard]] Vec3 at(double t) const { return direction * value.value(t); }
};

/// Force on a referential point of a body: value (N) times a unit direction.
struct PointForce {
  int body = -1;  ///< id
  Direction kind = Direction::spatial;
  Vec3 point = Vec3::Zero();
  Vec3 direction = Vec3::UnitZ();
  TimeSeries value = 0.0;
};

/// Torque on a rigid body, N m.
struct Torque {
  int body = -1;  ///< id
  Direction kind = Direction::spatial;
  Vec3 direction = Vec3::UnitZ();
  TimeSeries value = 0.0;
};

/// Load on the faces of a surface id of a finite element body: `value` (Pa) times the direction.
struct SurfaceLoad {
  int body = -1;  ///< id
  SurfaceTraction traction;
  TimeSeries value = 0.0;
};

/// A force on one point of a body.
struct ForceAt {
  Vec3 point;  ///< referential, m
  Vec3 force;  ///< spatial, N
};

/// What a user's force function returns.
struct UserForceValue {
  Vec3 force = Vec3::Zero();               ///< spatial, at the mass centre, N
  Vec3 torque = Vec3::Zero();              ///< spatial, N m
  Vec3 referential_torque = Vec3::Zero();  ///< referential, N m
  std::vector<ForceAt> at = {};            ///< on points of a deformable body; rigid ones use the resultants alone
};

/// Configuration and velocity handed to a user's force function.
struct RigidState {
  Mat3 rotation;
  Vec3 position;
  Vec3 angular;   ///< referential
  Vec3 velocity;
};

struct UserForce {
  int body = -1;  ///< id
  std::function<UserForceValue(const RigidState&, double time, double step)> function;
};

}  // namespace scree::model
