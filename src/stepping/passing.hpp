/// Whether what was seen at one instant stands for the motion until the next look (theory sec. 3.3).
///
/// Bodies that do not turn are kept apart by the plane of each contact, however fast they are, if the problem has a solution. One that turns may bring round a corner that was in no
/// contact; what bounces may find no room. Beside something thin, either may then come out on the other side.
#pragma once

#include <span>

#include "assembly/local_dynamics.hpp"
#include "collision/world.hpp"
#include "model/model.hpp"

namespace scree::stepping {

struct Passage {
  const model::Model& model;
  const model::Motion& motion;         ///< where the points were found
  const collision::World& world;       ///< as placed there
  const assembly::Velocities& moving;  ///< that carry bodies on
  double time = 0.0;                   ///< until the next look, s
  double slack = 0.0;                  ///< overlap that is left alone, of the smaller body's radius
};

/// True where a pair of rigid pieces cannot be shown to stay apart, up to an overlap that still shows on which side they are (theory eq. 3.23), while its bodies move and turn. All pairs that can meet have a point;
/// points in the order of collision::World::detect(). Springs may be passed.
[[nodiscard]] bool may_pass(const Passage& in, std::span<const collision::ContactPoint> points);

}  // namespace scree::stepping
