/// Constraints the user prescribes. Each becomes one block of three unknowns.
#pragma once

#include <array>
#include <cstdint>

#include "core/vec.hpp"
#include "model/time_series.hpp"

namespace scree::model {

enum class ConstraintKind : std::uint8_t {
  fixed_point,      ///< a point of a body does not move
  fixed_direction,  ///< a point does not move along a spatial direction
  velocity,         ///< velocity of a point along a direction is given, m/s
  displacement,     ///< displacement along a direction is given, m
  acceleration,     ///< acceleration along a direction is given, m/s^2
  link,             ///< two points keep their distance (zero distance: they stay together)
  at_least,         ///< two points stay at least `length` apart
  at_most,          ///< two points stay at most `length` apart: a rope
  above,            ///< along a direction the second point is at least `length` ahead of the first
  below,            ///< along a direction the second point is at most `length` ahead of the first
  ahead             ///< along a direction the second point stays `length` ahead of the first: it moves in a plane
};

/// True for constraints between two points; the others hold one point against the ground.
[[nodiscard]] constexpr bool joins_points(ConstraintKind kind) { return kind >= ConstraintKind::link; }
/// True for those that can only push one way.
[[nodiscard]] constexpr bool one_sided(ConstraintKind kind) { return kind > ConstraintKind::link && kind < ConstraintKind::ahead; }

struct Constraint {
  int id = -1;  ///< stable name
  ConstraintKind kind = ConstraintKind::fixed_point;
  std::array<int, 2> body{-1, -1};       ///< ids; -1: a point in the air (between two points only, body[0] always exists)
  std::array<Vec3, 2> point{Vec3::Zero(), Vec3::Zero()};  ///< referential points (spatial for a point in the air)
  Vec3 direction = Vec3::UnitZ();        ///< unit; spatial, or referential of the body that carries it
  int carrier = -1;                      ///< 0 or 1: the direction of above, below or ahead turns with this body; -1: it is spatial
  TimeSeries value = 0.0;
  Vec3 start = Vec3::Zero();             ///< place of point[0] when the constraint was made, m
  double start_speed = 0.0;              ///< its speed along the direction then, m/s (acceleration)
  double length = 0.0;                   ///< of a link or limit, m
};

}  // namespace scree::model
