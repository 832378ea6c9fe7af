#include "stepping/struck_contacts.hpp"

#include <algorithm>

#include "stepping/impact.hpp"

namespace scree::stepping {

namespace {

constexpr double kStruck = 1e-6;       ///< share of its bodies' speeds beyond which a contact at rest that is closed by an impact counts as struck

/// Groups of blocks whose impulse is not zero; each of the others is a group of its own.
std::vector<int> pushing_groups(const ContactStage& stage) {
  std::vector<std::array<int, 2>> sides;
  for (int a = 0; a < stage.problem.blocks(); ++a)
    sides.push_back(Eigen::Map<const Vec3>(stage.R.data() + 3 * a).isZero(0.0) ? std::array{-1, -1} : stage.form().bodies_of(a));
  return impact_groups(sides, stage.scaling.slots());
}

void leave_out(ContactStage& stage, int c) {
  stage.role[c] = Role::idle;
  stage.contacts[c].R.setZero();
}

/// Whether a contact left out would overlap by more than is left alone.
bool meets(const StageInput& in, const ContactStage& stage, std::size_t c) {
  const assembly::Contact& contact = stage.contacts[c];
  return in.level == Level::midpoint && stage.role[c] == Role::idle && in.model.surfaces[contact.material].restitution > 0.0 &&
         contact.point.gap + in.ahead * contact.U.x() < -allowed_overlap(in, contact);
}

}  // namespace

bool can_pass_on(const StageInput& in, const ContactStage& stage) {
  if (in.level != Level::midpoint || in.stop || stage.acts_on_deformables() || stage.has_springs()) return false;
  return std::ranges::none_of(stage.contacts, [](const assembly::Contact& contact) { return contact.bond > 0.0; });
}

std::vector<int> release_struck(const StageInput& in, ContactStage& stage, assembly::Inertias& inertias) {
  std::vector<int> released;
  const std::size_t first = stage.reactions.size();
  for (std::size_t k = 0; k < stage.implicit.size(); ++k) {
    const int c = stage.implicit[k];
    const assembly::Contact& contact = stage.contacts[c];
    const std::size_t n = 3 * (first + k);
    if (in.model.surfaces[contact.material].restitution == 0.0 || stage.bounces_now(in, contact)) continue;
    const bool apart = contact.point.gap > 0.0 || contact.U_old.x() > calm_speed(in, contact);
    if (!apart) continue;
    // One that pushed in the last step rests; one that hardly changes velocities is not struck.
    if (stage.guess[n] > 0.0 || stage.R[n] * stage.form().diagonal()[first + k](0, 0) <= calm_speed(in, contact)) continue;
    released.push_back(c);
  }
  if (released.empty()) return released;
  for (const int c : released) leave_out(stage, c);
  stage.assemble(in, inertias);
  return released;
}

bool hold_calm(const StageInput& in, ContactStage& stage, std::vector<int> released, assembly::Inertias& inertias) {
  const auto calm = [&](int c) {
    const assembly::Contact& contact = stage.contacts[c];
    return contact.U.x() >= -calm_speed(in, contact) && contact.point.gap + in.ahead * contact.U.x() < 0.0;
  };
  const auto back = std::stable_partition(released.begin(), released.end(), [&](int c) { return !calm(c); });
  if (back == released.end()) return false;
  for (auto c = back; c != released.end(); ++c) stage.role[*c] = Role::implicit;
  stage.assemble(in, inertias);
  return true;
}

bool meets_idle(const StageInput& in, const ContactStage& stage) {
  for (std::size_t c = 0; c < stage.contacts.size(); ++c)
    if (meets(in, stage, c)) return true;
  return false;
}

bool stop_met(const StageInput& in, ContactStage& stage, assembly::Inertias& inertias) {
  bool any = false;
  for (std::size_t c = 0; c < stage.contacts.size(); ++c) {
    if (!meets(in, stage, c)) continue;
    stage.role[c] = Role::implicit;
    stage.stops[c] = 1;
    any = true;
  }
  if (any) stage.assemble(in, inertias);
  return any;
}

bool defer_struck(const StageInput& in, ContactStage& stage, assembly::Inertias& inertias) {
  if (!stage.bouncing) return false;
  const std::size_t first = stage.reactions.size();
  const std::vector<int> group = pushing_groups(stage);
  std::vector<char> bounced(group.size(), 0);
  for (std::size_t k = 0; k < stage.implicit.size(); ++k)
    if (stage.bounces_now(in, stage.contacts[stage.implicit[k]])) bounced[group[first + k]] = 1;
  bool any = false;
  for (std::size_t k = 0; k < stage.implicit.size(); ++k) {
    const int c = stage.implicit[k];
    const assembly::Contact& contact = stage.contacts[c];
    if (in.model.surfaces[contact.material].restitution == 0.0 || !bounced[group[first + k]] || stage.bounces_now(in, contact)) continue;
    // The speed at which it would close without its impulse.
    const double speed = assembly::surface_speed(in.model.bodies, in.free, contact.index_a) + assembly::surface_speed(in.model.bodies, in.free, contact.index_b);
    if (stage.form().diagonal()[first + k](0, 0) * stage.R[3 * (first + k)] <= calm_speed(in, contact) + kStruck * speed) continue;
    leave_out(stage, c);
    any = true;
  }
  if (any) stage.assemble(in, inertias);
  return any;
}

std::vector<char> take_back_bounces(const StageInput& in, ContactStage& stage) {
  std::vector<char> back(in.model.bodies.id.size(), 0);
  if (!stage.bouncing) return back;
  const std::size_t first = stage.reactions.size();
  const std::vector<int> group = pushing_groups(stage);
  std::vector<char> bounced(group.size(), 0);
  for (std::size_t k = 0; k < stage.implicit.size(); ++k)
    if (stage.R[3 * (first + k)] > 0.0 && stage.bounces_now(in, stage.contacts[stage.implicit[k]])) bounced[group[first + k]] = 1;
  for (std::size_t a = 0; a < group.size(); ++a) {
    if (!bounced[group[a]]) continue;
    if (a < first) stage.reactions[a].impulse.setZero();
    else stage.contacts[stage.implicit[a - first]].R.setZero();
    for (const int slot : stage.form().bodies_of(static_cast<int>(a)))
      if (slot >= 0) back[stage.scaling.body[slot]] = 1;
  }
  for (std::size_t i = 0; i < back.size(); ++i)
    if (back[i]) stage.end.linear[i] = in.free.linear[i], stage.end.angular[i] = in.free.angular[i];
  return back;
}

}  // namespace scree::stepping
