/// An impact at its own instant within a leapfrog step (theory sec. 2.9).
#pragma once

#include <optional>

namespace scree::stepping {

/// How the gap of a contact moves in a step without its impulse: a parabola, since the loads are constant.
struct Approach {
  double gap = 0.0;    ///< at the start of the step, m
  double before = 0.0, free = 0.0;  ///< normal velocities of the last step and of this one, m/s, which belong to
  double lag = 0.0;    ///< this time before the start, s,
  double h = 0.0;      ///< and to the middle of this step, whose length this is, s

  [[nodiscard]] double acceleration() const { return (free - before) / (lag + 0.5 * h); }
  [[nodiscard]] double at_start() const { return before + lag * acceleration(); }
};

/// The instant at which a gap closes.
struct Bounce {
  double time = 0.0;       ///< after the start of the step, s
  double closing = 0.0;    ///< normal speed there, m/s, >= 0
  double acceleration = 0.0;  ///< of the gap by loads, m/s^2
};

/// When, if at all, the gap closes within the step (eq. 2.30); an overlap that closes further does so at its start.
[[nodiscard]] std::optional<Bounce> find_bounce(const Approach& approach);

/// Gap at the end of the step after a bounce with restitution e (eq. 2.31), m, not negative.
[[nodiscard]] double gap_after(const Bounce& bounce, double e, double h);

/// What loads add to the normal velocity from the bounce to the end of the step, m/s.
[[nodiscard]] double ahead(const Bounce& bounce, double h);

}  // namespace scree::stepping
