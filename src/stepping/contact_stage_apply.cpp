#include <algorithm>
#include <tuple>

#include "core/threads.hpp"
#include "stepping/contact_stage.hpp"

namespace scree::stepping {

namespace {

constexpr double kRest = 2.0;          ///< speeds below this many tolerances of what loads cause in a step are rest
constexpr double kNear = 4.0;          ///< tolerances from the cone within which an impulse may belong to a contact that slips
constexpr double kLoose = 1e-6;         ///< speed, relative to what a bond's pull could cause, from which on a bond may end
constexpr double kWorst = 0.1;          ///< residual beyond which a solve tells nothing
constexpr double kStuck = 0.5;         ///< share of a body's speed at a point that sticks that shows the speed to be error
constexpr double kNormal = 0.9;        ///< the same of the normal speed at a point that slips

auto order(const assembly::Contact& contact) {
  const collision::ContactPoint& p = contact.point;
  return std::tuple(p.body_a, p.body_b, p.piece_a, p.piece_b, p.feature);
}

}  // namespace

void ContactStage::apply(const StageInput& in, const assembly::Inertias& inertias) {
  const std::size_t first = reactions.size();
  end = pushed;
  push.clear();
  if (!R.empty()) {
    impulses_.resize(R.size());
    for (std::size_t k = 0; k < R.size(); ++k) impulses_[k] = R[k] + bonds_[k];
    assembly::apply_impulses(assembler(in, inertias), *form_, blocks_, impulses_, scratch_, push, end);
    if (!in.settings.quasi_static) settle_resting_bodies(in);
  }
  // Springs and constraints push the same bodies.
  if (push.empty()) push = spring_push_;
  else for (std::size_t k = 0; k < spring_push_.size(); ++k) push[k] += spring_push_[k];
  for (std::size_t k = 0; k < first; ++k) reactions[k].impulse = Eigen::Map<const Vec3>(impulses_.data() + 3 * k);
  for (std::size_t k = 0; k < implicit.size(); ++k) {
    assembly::Contact& contact = contacts[implicit[k]];
    contact.R = Eigen::Map<const Vec3>(impulses_.data() + 3 * (first + k));
  }
  parallel_for(static_cast<std::ptrdiff_t>(contacts.size()), [&](std::ptrdiff_t c) {
    assembly::Contact& contact = contacts[c];
    contact.U = relative_velocity(in, contact, end);
  });
  break_bonds();
}

void ContactStage::settle_resting_bodies(const StageInput& in) {
  // A body whose speed is below the solver's own error, and which contacts that stick hold still, is at rest: without this, that error would
  // add up from step to step and spoil the warm start (theory sec. 3.7).
  const model::Bodies& bodies = in.model.bodies;
  const double share = kRest * accuracy(in) * in.settings.step;
  settled_.assign(static_cast<std::size_t>(scaling.slots()), 0);
  parallel_for(scaling.slots(), [&](std::ptrdiff_t s) {
    const std::size_t i = scaling.body[s];
    if (form_->incidence(static_cast<int>(s)).empty()) return;
    const int b = static_cast<int>(i);
    const double speed = assembly::surface_speed(bodies, end, b);
    if (speed > share * in.loads.force[i].norm() / bodies.mass[i] || !held_still(in, static_cast<int>(s), speed)) return;
    settled_[s] = 1;
  });
  parallel_for(scaling.slots(), [&](std::ptrdiff_t s) {
    if (!settled_[s]) return;
    const std::size_t i = scaling.body[s];
    const int b = static_cast<int>(i);
    end.linear[i].setZero();
    end.angular[i].setZero();
    std::ranges::fill(bodies.part(b, end.nodal), 0.0);
  });
}

bool ContactStage::held_still(const StageInput& in, int slot, double speed) const {
  if (speed == 0.0) return true;
  const auto first = static_cast<int>(reactions.size());
  const double inside = 1.0 - std::min(0.5, kNear * accuracy(in));
  for (const int side : form_->incidence(slot)) {
    const int block = side / 2;
    if (block < first) return true;
    const assembly::Contact& contact = contacts[implicit[block - first]];
    const Eigen::Map<const Vec3> r(R.data() + 3 * block);
    if (!(r.x() > 0.0)) continue;
    // The law lets a point that sticks have no velocity, and one that slips no normal velocity: what it has of these is error.
    const bool sticks = r.tail<2>().norm() < inside * problem.mu[block] * r.x();
    const Vec3 U = relative_velocity(in, contact, end);
    if (sticks ? U.norm() >= kStuck * speed : std::abs(U.x()) >= kNormal * speed) return true;
  }
  return false;
}

void ContactStage::break_bonds() {
  // A bond ends when its impulse lies on the shifted cone and its contact opens or slips, seen against the speed its own pull could cause and the error of the
  // solve. (The first alone does not tell: in a hyperstatic set it may lie there by choice of the solver; nor does the second: inside the cone a velocity is
  // error, and errors add up.)
  const std::size_t first = reactions.size();
  const double near = kNear * std::min(report.residual, kWorst), least = std::max(kLoose, near);
  for (std::size_t k = 0; k < implicit.size(); ++k) {
    assembly::Contact& contact = contacts[implicit[k]];
    const Eigen::Map<const Vec3> r(R.data() + 3 * (first + k));
    const bool inside = r.x() > near * contact.bond && r.tail<2>().norm() < (1.0 - near) * problem.mu[first + k] * r.x();
    if (contact.cohesive && !inside && contact.U.norm() > least * contact.bond * form_->diagonal()[first + k].trace()) contact.cohesive = false;
  }
}

void add_impulses(const ContactStage& second, ContactStage& first) {
  for (std::size_t k = 0; k < first.reactions.size(); ++k) {
    const assembly::Reaction& late = second.reactions[k];
    assembly::Reaction& sum = first.reactions[k];
    const Vec3 before = sum.frame.transpose() * sum.impulse;
    sum = late;
    sum.impulse += sum.frame * before;
  }
  const auto before = [](const assembly::Contact& p, const assembly::Contact& q) { return order(p) < order(q); };
  std::vector<assembly::Contact>& contacts = first.contacts;
  const auto known = static_cast<std::ptrdiff_t>(contacts.size());
  for (const assembly::Contact& contact : second.contacts) {
    if (contact.R.isZero(0.0)) continue;
    const auto end = contacts.begin() + known;
    const auto found = std::lower_bound(contacts.begin(), end, contact, before);
    if (found != end && order(*found) == order(contact)) {
      const Mat3 turn = contact.frame(), frame = found->frame();
      found->R += frame * (turn.transpose() * contact.R);
      found->U = frame * (turn.transpose() * contact.U);
    } else {
      contacts.push_back(contact);
    }
  }
  std::inplace_merge(contacts.begin(), contacts.begin() + known, contacts.end(), before);
  first.report = solvers::both(first.report, second.report);
  first.merit = std::max(first.merit, second.merit);
}

}  // namespace scree::stepping
