#include "assembly/contact.hpp"

#include <algorithm>
#include <tuple>

#include "core/reserve.hpp"

namespace scree::assembly {

void ContactMemory::recall(std::vector<Contact>& contacts, double step_ratio) const {
  std::size_t group = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    Contact& contact = contacts[c];
    const auto pair = std::tuple(contact.point.body_a, contact.point.body_b);
    // Entries of this pair of bodies start at `group`; pairs hold few points, so look through them.
    while (group < entries.size() && std::tuple(entries[group].body_a, entries[group].body_b) < pair) ++group;
    for (std::size_t e = group; e < entries.size() && std::tuple(entries[e].body_a, entries[e].body_b) == pair; ++e)
      if (entries[e].feature == contact.point.feature) {
        const Mat3 frame = contact.frame();
        contact.R = contact.R_last = frame * entries[e].impulse * step_ratio;
        contact.trend = frame * entries[e].trend * step_ratio;
        contact.seen = true;
        contact.travel_a = std::min(1.0, step_ratio) * (contact.arm_a - entries[e].arm_a);
        contact.travel_b = std::min(1.0, step_ratio) * (contact.arm_b - entries[e].arm_b);
        contact.cohesive = entries[e].cohesive;
        contact.yields = entries[e].yields;
        break;
      }
  }
}

void ContactMemory::store(const std::vector<Contact>& contacts) {
  reserve_anew(entries, contacts.size());
  for (const Contact& contact : contacts) {
    const Mat3 frame = contact.frame();
    entries.push_back({contact.point.body_a, contact.point.body_b, contact.point.feature, frame.transpose() * contact.R,
                       frame.transpose() * (contact.seen ? Vec3(contact.R - contact.R_last) : Vec3::Zero().eval()), contact.arm_a, contact.arm_b,
                       contact.cohesive, contact.yields});
  }
}

void ContactMemory::forget(int body) {
  std::erase_if(entries, [body](const Entry& e) { return e.body_a == body || e.body_b == body; });
}

}  // namespace scree::assembly
