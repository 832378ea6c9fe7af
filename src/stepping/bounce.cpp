#include "stepping/bounce.hpp"

#include <algorithm>
#include <cmath>

namespace scree::stepping {

std::optional<Bounce> find_bounce(const Approach& approach) {
  const double gap = std::max(0.0, approach.gap), v = approach.at_start(), a = approach.acceleration();
  const double square = v * v - 2.0 * a * gap;
  if (square < 0.0) return std::nullopt;
  // The first root of  gap + v t + a t^2 / 2 = 0, without cancellation.
  const double closing = std::sqrt(square);
  if (v >= 0.0 && a >= 0.0) return std::nullopt;
  const double time = v < 0.0 ? 2.0 * gap / (closing - v) : -(v + closing) / a;
  if (!(time <= approach.h)) return std::nullopt;
  return Bounce{time, closing, a};
}

double gap_after(const Bounce& bounce, double e, double h) {
  const double left = h - bounce.time;
  return std::max(0.0, left * (e * bounce.closing + 0.5 * bounce.acceleration * left));
}

double ahead(const Bounce& bounce, double h) { return bounce.acceleration * (h - bounce.time); }

}  // namespace scree::stepping
