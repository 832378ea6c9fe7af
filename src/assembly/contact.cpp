#include "assembly/contact.hpp"

#include <tuple>

namespace scree::assembly {

void ContactMemory::recall(std::vector<Contact>& contacts, double step_ratio, std::vector<bool>& known) const {
  known.assign(contacts.size(), false);
  std::size_t group = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    Contact& contact = contacts[c];
    const auto pair = std::tuple(contact.point.body_a, contact.point.body_b);
    // Entries of this pair of bodies start at `group`; pairs hold few points, so look through them.
    while (group < entries_.size() && std::tuple(entries_[group].body_a, entries_[group].body_b) < pair) ++group;
    for (std::size_t e = group; e < entries_.size() && std::tuple(entries_[e].body_a, entries_[e].body_b) == pair; ++e)
      if (entries_[e].feature == contact.point.feature) {
        contact.R = contact.frame * entries_[e].impulse * step_ratio;
        contact.cohesive = entries_[e].cohesive;
        known[c] = true;
        break;
      }
  }
}

void ContactMemory::store(const std::vector<Contact>& contacts) {
  entries_.clear();
  for (const Contact& contact : contacts)
    entries_.push_back({contact.point.body_a, contact.point.body_b, contact.point.feature,
                        contact.frame.transpose() * contact.R, contact.cohesive});
}

}  // namespace scree::assembly
