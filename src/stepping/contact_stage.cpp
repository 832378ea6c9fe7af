#include "stepping/contact_stage.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/reserve.hpp"
#include "core/threads.hpp"
#include "stepping/block_weights.hpp"
#include "stepping/spring_dashpot.hpp"

namespace scree::stepping {

namespace {

constexpr double kFollows = 1e-9;      ///< share of a normal along which a body can move, below which it does not follow
constexpr std::size_t kMostIdle = 2;   ///< held unknowns may be so many times those in use

/// What a rigid body turns about: its mass centre; an obstacle that moves, its pivot.
const Vec3& turning_centre(const model::Bodies& bodies, const model::Motion& motion, int body) {
  const std::size_t i = body;
  return bodies.moves(body) || !bodies.prescribed.count(bodies.id[i]) ? motion.position[i] : motion.pivot[i];
}

/// Axis normal to the plane in which both bodies of a contact move, and the contact's normal lies; -1: there is none.
std::int8_t common_plane(const model::Bodies& bodies, const assembly::Contact& contact) {
  const auto stays = [&](int body, int axis) {
    const std::uint8_t plane = static_cast<std::uint8_t>(1 << axis | (7 ^ 1 << axis) << 3);
    return !bodies.moves(body) || (bodies.held[body] & plane) == plane;
  };
  for (int axis = 0; axis < 3; ++axis)
    if (contact.point.normal[axis] == 0.0 && stays(contact.index_a, axis) && stays(contact.index_b, axis)) return static_cast<std::int8_t>(axis);
  return -1;
}

/// Whether neither body can move its point along the normal: what it may do is held.
bool nothing_follows(const StageInput& in, const assembly::Contact& contact) {
  const model::Bodies& bodies = in.model.bodies;
  const auto follows = [&](int body) {
    const std::size_t i = body;
    if (!bodies.moves(body)) return false;
    if (bodies.held[i] == 0) return true;
    const Vec3 along = contact.point.normal.cwiseProduct(bodies.free_along(i));
    const Vec3 arm = (contact.point.point - in.motion.position[i]) / bodies.radius[i];
    return along.squaredNorm() + arm.cross(contact.point.normal).cwiseProduct(bodies.free_about(i)).squaredNorm() > kFollows * kFollows;
  };
  return !follows(contact.index_a) && !follows(contact.index_b);
}

/// Go on holding the unknowns of the last step, while they are not too many: as long as they hold all that are wanted, A needs no new order
/// of elimination and no second factorisation.
void keep_held(const std::vector<int>& held, std::vector<int>& wanted) {
  std::vector<int> both;
  std::ranges::set_union(held, wanted, std::back_inserter(both));
  if (both.size() <= kMostIdle * wanted.size()) wanted.swap(both);
}

/// Pairs of bodies that a ball joins, by id, ascending.
std::vector<std::pair<int, int>> ball_pairs(const model::Model& model) {
  std::vector<std::pair<int, int>> pairs;
  for (const model::Constraint& c : model.constraints)
    if (c.kind == model::ConstraintKind::link && c.length == 0.0 && c.body[1] >= 0) pairs.push_back(std::minmax(c.body[0], c.body[1]));
  std::ranges::sort(pairs);
  return pairs;
}

/// Bodies that a ball joins and that were in each other when their contact was first seen: they are meant to be.
bool built_into(const StageInput& in, const std::vector<std::pair<int, int>>& joined, const assembly::Contact& contact) {
  const std::pair<int, int> pair = std::minmax(contact.point.body_a, contact.point.body_b);
  return (contact.yields || !contact.seen) && std::ranges::binary_search(joined, pair) && contact.point.gap < -allowed_overlap(in, contact);
}

}  // namespace

assembly::Assembler ContactStage::assembler(const StageInput& in, const assembly::Inertias& inertias) const {
  return {in.model.bodies, in.motion, scaling, inertias, grips};
}

Vec3 ContactStage::relative_velocity(const StageInput& in, const assembly::Contact& contact, const assembly::Velocities& velocities) const {
  return assembly::relative_velocity(in.model.bodies, in.motion, velocities, grips, side_a(contact), side_b(contact), contact.frame());
}

void ContactStage::take_over(ContactStage& last) {
  form_ = std::exchange(last.form_, std::make_shared<solvers::BodyForm>());
  problem = std::exchange(last.problem, {});
  for (const auto list : {&ContactStage::R, &ContactStage::guess, &ContactStage::trend_, &ContactStage::bias_, &ContactStage::places_, &ContactStage::before_, &ContactStage::ahead_,
                          &ContactStage::bonds_, &ContactStage::impulses_, &ContactStage::scratch_})
    this->*list = std::exchange(last.*list, {});
}

void ContactStage::locate(const StageInput& in, const std::vector<collision::ContactPoint>& points) {
  prepare_contacts(in, points);
  assembly::locate_constraints(in.model, in.motion, grips, constraint_sides, reactions);
}

void ContactStage::build(const StageInput& in, const std::vector<collision::ContactPoint>& points, assembly::Inertias& inertias) {
  locate(in, points);
  for (auto* marks : {&stops, &mean_tangent_}) marks->assign(contacts.size(), 0);
  choose_roles(in);
  assemble(in, inertias);
}

void ContactStage::assemble(const StageInput& in, assembly::Inertias& inertias) {
  hold_deformables(in, inertias);
  scaling.update(in.model.bodies, in.motion, in.kick, inertias);
  const assembly::Assembler with = assembler(in, inertias);
  apply_springs(in, with);
  add_blocks(in, with);
  set_velocities(in, with);
}

void ContactStage::prepare_contacts(const StageInput& in, const std::vector<collision::ContactPoint>& points) {
  const model::Bodies& bodies = in.model.bodies;
  grips.clear();
  const bool deforms = !bodies.deformables.empty();
  if (deforms) assembly::join_faces(bodies, in.motion, in.world, points, grips, joined_);
  resize_anew(contacts, deforms ? joined_.size() : points.size());
  parallel_for(static_cast<std::ptrdiff_t>(contacts.size()), [&](std::ptrdiff_t c) {
    assembly::Contact& contact = contacts[c];
    contact = {};
    contact.point = deforms ? joined_[c].point : points[c];
    if (deforms) contact.grip_a = joined_[c].grip_a, contact.grip_b = joined_[c].grip_b;
    contact.index_a = bodies.index(contact.point.body_a);
    contact.index_b = bodies.index(contact.point.body_b);
    contact.material = in.model.surfaces.find(contact.point.surface_a, contact.point.surface_b);
    contact.arm_a = contact.point.point - turning_centre(bodies, in.motion, contact.index_a);
    contact.arm_b = contact.point.point - turning_centre(bodies, in.motion, contact.index_b);
    contact.across = common_plane(bodies, contact);
  });
  grip_contacts(in);
  parallel_for(static_cast<std::ptrdiff_t>(contacts.size()), [&](std::ptrdiff_t c) {
    assembly::Contact& contact = contacts[c];
    contact.U_old = relative_velocity(in, contact, in.before);
    contact.U = relative_velocity(in, contact, in.free);
  });
  in.memory.recall(contacts, in.impulse_ratio);
  for (assembly::Contact& contact : contacts) contact.yields = contact.yields && contact.point.gap < 0.0;
  // Contacts that touch for the first time are bonded where their material is cohesive.
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    assembly::Contact& contact = contacts[c];
    const model::SurfaceMaterial& material = in.model.surfaces[contact.material];
    if (!contact.seen) contact.cohesive = material.cohesion > 0.0 && contact.point.gap <= 0.0;
    contact.bond = contact.cohesive ? material.cohesion * contact.point.area * in.settings.step : 0.0;
  }
}

void ContactStage::grip_contacts(const StageInput& in) {
  const model::Bodies& bodies = in.model.bodies;
  if (bodies.deformables.empty()) return;
  const auto grip = [&](int body, int piece, const Vec3& x) {
    return grips.at_place(bodies, in.motion, body, in.world.local_piece(piece), x);
  };
  for (assembly::Contact& contact : contacts) {
    if (contact.grip_a < 0) contact.grip_a = grip(contact.index_a, contact.point.piece_a, contact.point.point);
    if (contact.grip_b < 0) contact.grip_b = grip(contact.index_b, contact.point.piece_b, contact.point.point);
  }
}

void ContactStage::choose_roles(const StageInput& in) {
  role.resize(contacts.size());
  deepest_left = -1;
  const std::vector<std::pair<int, int>> joined = ball_pairs(in.model);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const bool built = built_into(in, joined, contacts[c]);
    if (built) leave_overlap(static_cast<int>(c));
    role[c] = built || nothing_follows(in, contacts[c]) ? Role::idle : role_of(in, contacts[c]);
    if (role[c] == Role::idle || in.level == Level::velocities) contacts[c].R.setZero();
  }
}

void ContactStage::hold_deformables(const StageInput& in, assembly::Inertias& inertias) {
  const model::Bodies& bodies = in.model.bodies;
  held.resize(bodies.deformables.size());
  if (held.empty()) return;
  for (auto& nodes : held) nodes.clear();
  const auto hold = [&](const assembly::Side& side) {
    if (side.grip < 0) return;
    auto& nodes = held[bodies.deformable[side.body]];
    for (const model::Weight& w : grips[side.grip]) nodes.push_back(w.node);
  };
  for (const auto& [a, b] : constraint_sides) hold(a), hold(b);
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (role[c] != Role::idle) hold(side_a(contacts[c])), hold(side_b(contacts[c]));
  for (std::size_t d = 0; d < held.size(); ++d) {
    auto& nodes = held[d];
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    keep_held(in.motion.held[d], nodes);
    inertias[d]->choose(nodes);
  }
}

void ContactStage::apply_springs(const StageInput& in, const assembly::Assembler& with) {
  springs_.clear();
  spring_blocks_.clear();
  spring_push_.clear();
  pushed = in.free;
  scaling.reset(spring_form_);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (role[c] != Role::penalty) continue;
    springs_.push_back(static_cast<int>(c));
    assembly::add_block(with, side_a(contacts[c]), side_b(contacts[c]), contacts[c].frame(), spring_form_, spring_blocks_);
  }
  if (springs_.empty()) return;

  // Evaluate all of them from the same free velocities, then apply.
  assembly::finish_blocks(with, spring_form_);
  impulses_.resize(3 * springs_.size());
  for (std::size_t k = 0; k < springs_.size(); ++k) {
    assembly::Contact& contact = contacts[springs_[k]];
    const model::SurfaceMaterial& material = in.model.surfaces[contact.material];
    if (material.spring == 0.0 && material.dashpot == 0.0)
      throw_input("surface material '{}': contacts are springs here (model SPRING_DASHPOT, or the solver EXPLICIT), and it has neither spring nor dashpot; give it spring=... N/m", material.label);
    const SpringDashpot law{material.spring, material.dashpot, material.friction, material.cohesion * contact.point.area, material.power};
    contact.R = spring_dashpot_impulse(law, spring_form_.diagonal()[k], contact.U, contact.U_old, contact.point.gap, in.settings.step,
                                       contact.R.tail<2>(), contact.cohesive);
    Eigen::Map<Vec3>(impulses_.data() + 3 * k) = contact.R;
  }
  assembly::apply_impulses(with, spring_form_, spring_blocks_, impulses_, scratch_, spring_push_, pushed);
}

ContactStage::Swing ContactStage::fastest_spring(const StageInput& in) const {
  std::vector<int> crowd(in.model.bodies.id.size(), 0);
  for (const int c : springs_) ++crowd[contacts[c].index_a], ++crowd[contacts[c].index_b];
  const auto on = [&](int body) { return in.model.bodies.moves(body) ? crowd[body] : 1; };
  Swing fastest;
  for (std::size_t k = 0; k < springs_.size(); ++k) {
    const assembly::Contact& contact = contacts[springs_[k]];
    const model::SurfaceMaterial& material = in.model.surfaces[contact.material];
    const double stiffness = material.spring * material.power * std::pow(std::max(0.0, -contact.point.gap), material.power - 1.0);
    const double rate = std::sqrt(stiffness * spring_form_.diagonal()[k](0, 0) * std::max(on(contact.index_a), on(contact.index_b)));
    if (rate > fastest.rate) fastest = {springs_[k], rate};
  }
  return fastest;
}

void ContactStage::add_blocks(const StageInput& in, const assembly::Assembler& with) {
  problem.kind.clear();
  problem.mu.clear();
  R.clear();
  trend_.clear();
  blocks_.clear();
  implicit.clear();
  scaling.reset(*form_);
  reserve_blocks(in);
  assembly::add_constraints(in.model, with, constraint_sides, reactions, *form_, blocks_, problem);
  for (std::size_t k = 0; k < reactions.size(); ++k) {
    const Vec3 first = in.reactions.empty() ? Vec3::Zero().eval() : Vec3(in.reactions[k].impulse * in.impulse_ratio);
    R.insert(R.end(), {first.x(), first.y(), first.z()});
  }
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (role[c] != Role::implicit) continue;
    const assembly::Contact& contact = contacts[c];
    implicit.push_back(static_cast<int>(c));
    assembly::add_block(with, side_a(contact), side_b(contact), contact.frame(), *form_, blocks_);
    problem.kind.push_back(solvers::BlockKind::contact);
    problem.mu.push_back(solvers::bounded_parameter(solvers::BlockKind::contact, in.model.surfaces[contact.material].friction));
    R.insert(R.end(), {contact.R.x() + contact.bond, contact.R.y(), contact.R.z()});
    // Impulses found in this step already are a better guess than any trend, and steps of statics are steps of loads.
    if (in.settings.quasi_static || contact.trend.isZero(0.0) || contact.R != contact.R_last) continue;
    trend_.resize(R.size(), 0.0);
    Eigen::Map<Vec3>(trend_.data() + R.size() - 3) = contact.trend;
  }
  if (!trend_.empty()) trend_.resize(R.size(), 0.0);
  assembly::finish_blocks(with, *form_);
  problem.W = form_;
}

void ContactStage::reserve_blocks(const StageInput& in) {
  std::size_t blocks = constraint_sides.size(), sides = 2 * blocks;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (role[c] != Role::implicit) continue;
    ++blocks;
    for (const int body : {contacts[c].index_a, contacts[c].index_b}) sides += in.model.bodies.moves(body);
  }
  form_->reserve(blocks, 18 * sides);
  reserve_anew(R, 3 * blocks);
  reserve_anew(implicit, blocks - constraint_sides.size());
  reserve_anew(problem.kind, blocks);
  reserve_anew(problem.mu, blocks);
}

void ContactStage::set_velocities(const StageInput& in, const assembly::Assembler& with) {
  const std::size_t first = reactions.size();
  resize_anew(problem.B, R.size());
  bias_.assign(R.size(), 0.0);
  ahead_.assign(R.size(), 0.0);
  places_.assign(R.size(), 0.0);
  eased_.assign(implicit.size(), 0);
  bouncing = std::ranges::any_of(implicit, [&](int c) { return bounces_now(in, contacts[c]); });
  for (std::size_t k = 0; k < first; ++k)
    Eigen::Map<Vec3>(problem.B.data() + 3 * k) =
        assembly::constraint_velocity(in.model.constraints[k], reactions[k], with, constraint_sides[k], pushed, in.times);
  for (std::size_t k = 0; k < first; ++k)
    Eigen::Map<Vec3>(places_.data() + 3 * k) = assembly::constraint_drift(in.model.constraints[k], reactions[k], in.times);
  before_ = problem.B;
  // In the midpoint scheme an impact begins with the velocities at t: what loads add within the step is their work, not the impact's.
  if (bouncing && in.level == Level::midpoint)
    for (std::size_t k = 0; k < first; ++k)
      Eigen::Map<Vec3>(before_.data() + 3 * k) =
          assembly::constraint_velocity(in.model.constraints[k], reactions[k], with, constraint_sides[k], in.before, in.times);
  parallel_for(static_cast<std::ptrdiff_t>(implicit.size()), [&](std::ptrdiff_t k) {
    const assembly::Contact& contact = contacts[implicit[k]];
    Vec3 shift = drift_ahead(in, contact);
    const bool bounce = bounces_now(in, contact);
    shift.x() = bias(in, contact, bounce);
    const std::size_t place = 3 * (first + static_cast<std::size_t>(k));
    // What a turn has overlapped is taken back no faster than it came: that is no recovery.
    if (!bounce && shift.x() < turned_bias(in, contact)) places_[place] = shift.x();
    if (!bounce && swings(in, contact)) shift.x() += contact.U_old.x();
    if (mean_tangent_[implicit[k]]) shift.tail<2>() += contact.U_old.tail<2>();
    if (bounce && in.level == Level::velocities) ahead_[place] = ahead(*bounce_of(in, contact), in.settings.step);
    Eigen::Map<Vec3>(bias_.data() + place) = shift;
    const Vec3 U_free = relative_velocity(in, contact, pushed);
    Eigen::Map<Vec3>(problem.B.data() + place) = U_free + shift;
    Eigen::Map<Vec3>(before_.data() + place) = in.level == Level::midpoint ? contact.U_old : Vec3(U_free - Eigen::Map<const Vec3>(ahead_.data() + place));
  });
  weigh_blocks(in, block_bodies(), groups(), problem);
  apply_bonds();
}

std::vector<std::array<int, 2>> ContactStage::block_bodies() const {
  std::vector<std::array<int, 2>> bodies;
  bodies.reserve(problem.kind.size());
  for (const auto& [a, b] : constraint_sides) bodies.push_back({a.body, b.body});
  for (const int c : implicit) bodies.push_back({contacts[c].index_a, contacts[c].index_b});
  return bodies;
}

void ContactStage::shift_free(const StageInput& in, const assembly::Inertias& inertias, std::span<const double> change) {
  for (std::size_t k = 0; k < change.size(); ++k) pushed.nodal[k] += change[k];
  set_velocities(in, assembler(in, inertias));
}

void ContactStage::apply_bonds() {
  // A bond is a constant pull on top of the cone's impulse: it moves into B   (theory eq. 3.12).
  const std::size_t first = reactions.size();
  bonds_.assign(problem.B.size(), 0.0);
  bool any = false;
  for (std::size_t k = 0; k < implicit.size(); ++k) {
    const double bond = contacts[implicit[k]].bond;
    bonds_[3 * (first + k)] = -bond;
    any = any || bond > 0.0;
  }
  if (!any) return;
  impulses_.resize(problem.B.size());
  form_->apply(bonds_, impulses_);
  for (std::size_t k = 0; k < problem.B.size(); ++k) problem.B[k] += impulses_[k];
}

}  // namespace scree::stepping
