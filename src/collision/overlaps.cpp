#include "collision/overlaps.hpp"

#include <algorithm>

namespace scree::collision {

std::vector<Overlap> overlaps(const std::vector<ContactPoint>& contacts, double tolerance) {
  std::vector<Overlap> found;
  for (const ContactPoint& c : contacts) {
    if (!(-c.gap > tolerance)) continue;
    if (found.empty() || found.back().body_a != c.body_a || found.back().body_b != c.body_b)
      found.push_back({c.body_a, c.body_b, -c.gap, c.point});
    else if (-c.gap > found.back().depth)
      found.back().depth = -c.gap, found.back().point = c.point;
  }
  std::stable_sort(found.begin(), found.end(), [](const Overlap& p, const Overlap& q) { return p.depth > q.depth; });
  return found;
}

}  // namespace scree::collision
