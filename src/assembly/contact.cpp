#include "assembly/contact.hpp"

#include <algorithm>
#include <tuple>

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
        contact.R = contact.R_last = contact.frame * entries[e].impulse * step_ratio;
        contact.trend = contact.frame * entries[e].trend * step_ratio;
        contact.seen = true;
        contact.travel_a = std::min(1.0, step_ratio) * (contact.arm_a - entries[e].arm_a);
        contact.travel_b = std::min(1.0, step_ratio) * (contact.arm_b - entries[e].arm_b);
        contact.cohesive = entries[e].cohesive;
        break;
      }
  }
}

void ContactMemory::store(const std::vector<Contact>& contacts) {
  entries.clear();
  for (const Contact& contact : contacts)
    entries.push_back({contact.point.body_a, contact.point.body_b, contact.point.feature, contact.frame.transpose() * contact.R,
                       contact.frame.transpose() * (contact.seen ? Vec3(contact.R - contact.R_last) : Vec3::Zero().eval()), contact.arm_a, contact.arm_b,
                       contact.cohesive});
}

void ContactMemory::forget(int body) {
  std::erase_if(entries, [body](const Entry& e) { return e.body_a == body || e.body_b == body; });
}

}  // namespace scree::assembly
