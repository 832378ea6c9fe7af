#include "stepping/contact_stage.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/interrupt.hpp"
#include "core/rotation.hpp"
#include "core/threads.hpp"
#include "solvers/condense.hpp"
#include "stepping/impact.hpp"
#include "stepping/spring_dashpot.hpp"

namespace scree::stepping {

namespace {

constexpr double kMargin = 0.25;       ///< share of the tolerance AUTO aims for once it has to iterate, if that is cheap
constexpr double kNearer = 0.3;        ///< of the residual of the last impulses, below which their trend is followed: that of a structure at rest is error
constexpr double kRest = 2.0;          ///< speeds below this many tolerances of what loads cause in a step are rest
constexpr double kClosed = 1e-6;       ///< gap, relative to the smaller body, at which a contact is closed
constexpr double kUnknown = 0.1;       ///< of what a block is measured against: rounding of its impulse beyond which nothing is known of its velocity
constexpr std::size_t kMostIdle = 2;   ///< held unknowns may be so many times those in use
constexpr double kCalm = 2.0;          ///< contacts closing no faster than loads make their bodies in this many steps do not bounce
constexpr double kStruck = 1e-6;       ///< share of its bodies' speeds beyond which a contact at rest that is closed by an impact counts as struck
constexpr double kNear = 4.0;          ///< tolerances from the cone within which an impulse may belong to a contact that slips
constexpr double kStuck = 0.5;         ///< share of a body's speed at a point that sticks that shows the speed to be error
constexpr double kNormal = 0.9;        ///< the same of the normal speed at a point that slips

/// What a rigid body turns about: its mass centre; an obstacle that moves, its pivot.
const Vec3& turning_centre(const model::Bodies& bodies, const model::Motion& motion, int body) {
  const auto i = static_cast<std::size_t>(body);
  return bodies.moves(body) || !bodies.prescribed.count(bodies.id[i]) ? motion.position[i] : motion.pivot[i];
}

/// Speed that the loads of a step give a body's surface, m/s.
double load_speed(const StageInput& in, int body) {
  const auto i = static_cast<std::size_t>(body);
  if (!in.model.bodies.moves(body)) return 0.0;
  const double linear = in.settings.step * in.loads.force[i].norm() / in.model.bodies.mass[i];
  if (in.model.bodies.deforms(body)) return linear;
  return linear + in.settings.step * in.model.bodies.radius[i] * in.loads.torque[i].norm() / in.model.bodies.principal_moments[i].minCoeff();
}

/// Normal acceleration of a contact of rigid bodies by the loads, m/s^2.
double load_acceleration(const StageInput& in, const assembly::Contact& contact) {
  const model::Bodies& bodies = in.model.bodies;
  const auto of = [&](int body) -> Vec3 {
    const auto i = static_cast<std::size_t>(body);
    if (!bodies.moves(body)) return Vec3::Zero();
    const Mat3& turn = in.motion.rotation[i];
    const Vec3 spin = turn * bodies.inertia[i].ldlt().solve(in.loads.torque[i]);
    return in.loads.force[i] / bodies.mass[i] + spin.cross(contact.point.point - in.motion.position[i]);
  };
  return contact.point.normal.dot(of(contact.index_b) - of(contact.index_a));
}

/// What loads one body reaches those that it touches: the root of the mean square of a group's load speeds, m/s; where it has none, of the speeds that its blocks have to stop.
std::vector<double> group_means(std::span<const int> group, std::span<const double> load, std::span<const double> stopped) {
  const std::size_t count = group.empty() ? 0 : static_cast<std::size_t>(*std::ranges::max_element(group)) + 1;
  std::vector<double> loads(count), stops(count), blocks(count), stopping(count);
  for (std::size_t k = 0; k < group.size(); ++k) {
    loads[group[k]] += load[k] * load[k];
    blocks[group[k]] += 1.0;
    stops[group[k]] += stopped[k] * stopped[k];
    if (stopped[k] > 0.0) stopping[group[k]] += 1.0;
  }
  for (std::size_t g = 0; g < count; ++g) loads[g] = std::sqrt(loads[g] > 0.0 ? loads[g] / blocks[g] : stops[g] / std::max(1.0, stopping[g]));
  return loads;
}

/// Go on holding the unknowns of the last step, while they are not too many: as long as they hold all that are wanted, A needs no new order
/// of elimination and no second factorisation.
void keep_held(const std::vector<int>& held, std::vector<int>& wanted) {
  std::vector<int> both;
  std::ranges::set_union(held, wanted, std::back_inserter(both));
  if (both.size() <= kMostIdle * wanted.size()) wanted.swap(both);
}

auto order(const assembly::Contact& contact) {
  const collision::ContactPoint& p = contact.point;
  return std::tuple(p.body_a, p.body_b, p.piece_a, p.piece_b, p.feature);
}

/// One report of two solves.
solvers::SolveReport both(const solvers::SolveReport& first, const solvers::SolveReport& second) {
  solvers::SolveReport sum = first.status == solvers::Status::converged ? second : first;
  sum.iterations = first.iterations + second.iterations;
  sum.products = first.products + second.products;
  sum.linear_iterations = first.linear_iterations + second.linear_iterations;
  sum.fallbacks = first.fallbacks + second.fallbacks;
  sum.residual = std::max(first.residual, second.residual);
  sum.seconds = first.seconds + second.seconds;
  return sum;
}

}  // namespace

assembly::Assembler ContactStage::assembler(const StageInput& in, const assembly::Inertias& inertias) const {
  return {in.model.bodies, in.motion, scaling, inertias, grips};
}

Vec3 ContactStage::relative_velocity(const StageInput& in, const assembly::Contact& contact, const assembly::Velocities& velocities) const {
  return assembly::relative_velocity(in.model.bodies, in.motion, velocities, grips, side_a(contact), side_b(contact), contact.frame);
}

// --- build ------------------------------------------------------------------------------------------------

void ContactStage::locate(const StageInput& in, const std::vector<collision::ContactPoint>& points) {
  prepare_contacts(in, points);
  assembly::locate_constraints(in.model, in.motion, grips, constraint_sides, reactions);
}

void ContactStage::build(const StageInput& in, const std::vector<collision::ContactPoint>& points, assembly::Inertias& inertias) {
  locate(in, points);
  stops_.assign(contacts.size(), 0);
  choose_roles(in);
  released_.clear();
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
  contacts.resize(deforms ? joined_.size() : points.size());
  parallel_for(static_cast<std::ptrdiff_t>(contacts.size()), [&](std::ptrdiff_t c) {
    assembly::Contact& contact = contacts[c];
    contact = {};
    contact.point = deforms ? joined_[c].point : points[c];
    if (deforms) contact.grip_a = joined_[c].grip_a, contact.grip_b = joined_[c].grip_b;
    contact.index_a = bodies.index(contact.point.body_a);
    contact.index_b = bodies.index(contact.point.body_b);
    contact.material = in.model.surfaces.find(contact.point.surface_a, contact.point.surface_b);
    contact.frame = frame_from_normal(contact.point.normal);
    contact.arm_a = contact.point.point - turning_centre(bodies, in.motion, contact.index_a);
    contact.arm_b = contact.point.point - turning_centre(bodies, in.motion, contact.index_b);
  });
  grip_contacts(in);
  parallel_for(static_cast<std::ptrdiff_t>(contacts.size()), [&](std::ptrdiff_t c) {
    assembly::Contact& contact = contacts[c];
    contact.U_old = relative_velocity(in, contact, in.before);
    contact.U = relative_velocity(in, contact, in.free);
  });
  in.memory.recall(contacts, in.impulse_ratio);
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
    return bodies.deforms(body) ? grips.at_place(bodies, in.motion, body, in.world.local_piece(piece), x) : -1;
  };
  for (assembly::Contact& contact : contacts) {
    if (contact.grip_a < 0) contact.grip_a = grip(contact.index_a, contact.point.piece_a, contact.point.point);
    if (contact.grip_b < 0) contact.grip_b = grip(contact.index_b, contact.point.piece_b, contact.point.point);
  }
}

Role ContactStage::role_of(const StageInput& in, const assembly::Contact& contact) const {
  switch (in.level) {
    case Level::midpoint:
      return contact_role(contact, in.model.surfaces[contact.material], contact.U.x(), in.ahead, in.solver.penalty(), bounces_now(in, contact),
                          allowed_overlap(in, contact));
    case Level::places: return Role::implicit;
    case Level::velocities: break;
  }
  // The tangent cone: contacts that are closed now, or that the first problem has just closed up to its linearisation.
  const auto radius = [&](int i) { return in.model.bodies.radius[i]; };
  const bool closed = contact.R.x() > 0.0 || contact.point.gap <= kClosed * std::min(radius(contact.index_a), radius(contact.index_b));
  return closed ? Role::implicit : Role::idle;
}

void ContactStage::choose_roles(const StageInput& in) {
  role.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    role[c] = role_of(in, contacts[c]);
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
    assembly::add_block(with, side_a(contacts[c]), side_b(contacts[c]), contacts[c].frame, spring_form_, spring_blocks_);
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

void ContactStage::add_blocks(const StageInput& in, const assembly::Assembler& with) {
  problem.kind.clear();
  problem.mu.clear();
  R.clear();
  trend_.clear();
  blocks_.clear();
  implicit_.clear();
  scaling.reset(*form_);
  assembly::add_constraints(in.model, with, constraint_sides, reactions, *form_, blocks_, problem);
  for (std::size_t k = 0; k < reactions.size(); ++k) {
    const Vec3 first = in.reactions.empty() ? Vec3::Zero().eval() : Vec3(in.reactions[k].impulse * in.impulse_ratio);
    R.insert(R.end(), {first.x(), first.y(), first.z()});
  }
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (role[c] != Role::implicit) continue;
    const assembly::Contact& contact = contacts[c];
    implicit_.push_back(static_cast<int>(c));
    assembly::add_block(with, side_a(contact), side_b(contact), contact.frame, *form_, blocks_);
    problem.kind.push_back(solvers::BlockKind::contact);
    problem.mu.push_back(in.model.surfaces[contact.material].friction);
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

void ContactStage::set_velocities(const StageInput& in, const assembly::Assembler& with) {
  const std::size_t first = reactions.size();
  problem.B.resize(R.size());
  bias_.assign(R.size(), 0.0);
  ahead_.assign(R.size(), 0.0);
  bouncing_ = std::ranges::any_of(implicit_, [&](int c) { return bounces_now(in, contacts[c]); });
  for (std::size_t k = 0; k < first; ++k)
    Eigen::Map<Vec3>(problem.B.data() + 3 * k) =
        assembly::constraint_velocity(in.model.constraints[k], reactions[k], with, constraint_sides[k], pushed, in.times);
  parallel_for(static_cast<std::ptrdiff_t>(implicit_.size()), [&](std::ptrdiff_t k) {
    const assembly::Contact& contact = contacts[implicit_[k]];
    Vec3 shift = drift_ahead(in, contact);
    const bool bounce = bounces_now(in, contact);
    shift.x() = bias(in, contact, bounce);
    const std::size_t place = 3 * (first + static_cast<std::size_t>(k));
    if (bounce && in.level == Level::velocities) ahead_[place] = ahead(*bounce_of(in, contact), in.settings.step);
    Eigen::Map<Vec3>(bias_.data() + place) = shift;
    Eigen::Map<Vec3>(problem.B.data() + place) = relative_velocity(in, contact, pushed) + shift;
  });
  set_weights(in);
  apply_bonds();
}

void ContactStage::shift_free(const StageInput& in, const assembly::Inertias& inertias, std::span<const double> change) {
  for (std::size_t k = 0; k < change.size(); ++k) pushed.nodal[k] += change[k];
  set_velocities(in, assembler(in, inertias));
}

double ContactStage::allowed_overlap(const StageInput& in, const assembly::Contact& contact) const {
  // A body that touches itself may be thin: what it may overlap is a share of the pieces in touch.
  const bool self = contact.index_a == contact.index_b;
  const auto radius = [&](int body, int piece) { return self ? in.world.piece_radius(piece) : in.model.bodies.radius[body]; };
  return in.settings.slack * std::min(radius(contact.index_a, contact.point.piece_a), radius(contact.index_b, contact.point.piece_b));
}

bool ContactStage::bounces_now(const StageInput& in, const assembly::Contact& contact) const {
  const model::SurfaceMaterial& surface = in.model.surfaces[contact.material];
  if (surface.restitution == 0.0) return false;
  if (in.stop || stops_[&contact - contacts.data()]) return false;
  if (in.level != Level::midpoint) return bounce_of(in, contact).has_value();
  return bounces(contact, surface, calm_speed(in, contact));
}

double ContactStage::calm_speed(const StageInput& in, const assembly::Contact& contact) const {
  if (in.settings.restitution == RestitutionLaw::newton) return 0.0;
  return kCalm * (load_speed(in, contact.index_a) + load_speed(in, contact.index_b));
}

std::optional<Bounce> ContactStage::bounce_of(const StageInput& in, const assembly::Contact& contact) const {
  if (in.model.surfaces[contact.material].restitution == 0.0) return std::nullopt;
  const double h = in.settings.step, before = contact.U_old.x(), gap = contact.point.gap;
  std::optional<Bounce> bounce;
  if (in.lag.empty()) {
    if (before < 0.0) bounce = Bounce{0.0, -before, 0.0};
  } else {
    const double lag = std::max(in.lag[contact.index_a], in.lag[contact.index_b]);
    Approach approach{gap, before, relative_velocity(in, contact, in.free).x(), lag, h};
    // Seen from the end of the step, the gap at its start is what the bodies have moved since, and what changes velocities are the loads, not the turn.
    if (in.placed) {
      approach.gap = gap - h * relative_velocity(in, contact, *in.placed).x();
      approach.before = approach.free - (lag + 0.5 * h) * load_acceleration(in, contact);
    }
    bounce = find_bounce(approach);
    // One that the places have closed has closed, if only by the end of the step.
    const double last = approach.at_start() + h * approach.acceleration();
    if (!bounce && in.placed && last < 0.0) bounce = Bounce{h, -last, approach.acceleration()};
  }
  if (bounce && bounce->closing > calm_speed(in, contact)) return bounce;
  return std::nullopt;
}

double ContactStage::bias(const StageInput& in, const assembly::Contact& contact, bool bounce) const {
  const double e = in.model.surfaces[contact.material].restitution, h = in.settings.step;
  if (bounce && in.level == Level::midpoint) return restitution_bias(contact, in.model.surfaces[contact.material]);
  if (bounce) {
    const Bounce found = *bounce_of(in, contact);
    if (in.level == Level::places) return (std::max(0.0, contact.point.gap) - gap_after(found, e, h)) / h;
    return -e * found.closing - ahead(found, h);
  }
  if (in.level == Level::velocities) return 0.0;
  if (in.level == Level::places) return place_bias(contact, in.settings.step, relative_velocity(in, contact, in.free).x(),
                                                   {1.0, allowed_overlap(in, contact), in.settings.recovery_speed});
  return gap_bias(contact, in.ahead, {in.settings.recovery, allowed_overlap(in, contact), in.settings.recovery_speed});
}

Vec3 ContactStage::drift_ahead(const StageInput& in, const assembly::Contact& contact) const {
  // RATTLE's second problem has its geometry and its velocities at one instant; deformable bodies have no arms.
  const model::Bodies& bodies = in.model.bodies;
  const bool rigid = !bodies.deforms(contact.index_a) && !bodies.deforms(contact.index_b);
  if (in.level == Level::velocities || !rigid || in.model.surfaces[contact.material].friction == 0.0) return Vec3::Zero();
  const auto a = static_cast<std::size_t>(contact.index_a), b = static_cast<std::size_t>(contact.index_b);
  const double speed = assembly::surface_speed(bodies, in.before, contact.index_a) + assembly::surface_speed(bodies, in.before, contact.index_b);
  return tangential_bias(contact, in.before.angular[a], in.before.angular[b], in.settings.step * speed);
}

void ContactStage::set_weights(const StageInput& in) {
  // Errors of a block are measured against the speed that loads give its bodies within the step, or the speed it has to stop where that is
  // more (theory eq. 3.20, 3.21); a floor at rounding level keeps bodies that move together from being solved relative to noise.
  const std::size_t first = reactions.size(), blocks = problem.kind.size();
  const double floor = std::min(1e-14 / in.solver.aim(), 1e-2);
  std::vector<double>& speed = problem.weight;
  std::vector<double> stopped(blocks), load(blocks);
  speed.resize(blocks);
  parallel_for(static_cast<std::ptrdiff_t>(blocks), [&](std::ptrdiff_t a) {
    const auto k = static_cast<std::size_t>(a);
    const auto body = [&](std::size_t side) {
      if (k < first) return constraint_sides[k][side].body;
      const assembly::Contact& contact = contacts[implicit_[k - first]];
      return side == 0 ? contact.index_a : contact.index_b;
    };
    const double rho = solvers::block_rho(form_->diagonal()[k]);
    stopped[k] = solvers::free_impulse(Eigen::Map<const Vec3>(problem.B.data() + 3 * k), rho, problem.kind[k], problem.mu[k]).norm() / rho;
    double surface = 0.0;
    for (const int i : {body(0), body(1)}) {
      if (i < 0) continue;
      load[k] += load_speed(in, i);
      surface += assembly::surface_speed(in.model.bodies, in.free, i);
    }
    speed[k] = std::max({stopped[k], load[k], floor * surface});
  });
  const std::vector<int> group = groups();
  const std::vector<double> shared = group_means(group, load, stopped);
  double asked = 0.0;
  for (std::size_t k = 0; k < blocks; ++k) {
    speed[k] = std::max(speed[k], shared[group[k]]);
    if (stopped[k] > 0.0) asked += stopped[k] * stopped[k] / (speed[k] * speed[k]);
  }
  for (std::size_t k = 0; k < blocks; ++k) {
    const double momentum = std::max(1e-140, solvers::block_rho(form_->diagonal()[k]) * (speed[k] > 0.0 ? speed[k] : 1.0));
    problem.weight[k] = 1.0 / (momentum * momentum * std::max(1.0, asked));
  }
}

void ContactStage::apply_bonds() {
  // A bond is a constant pull on top of the cone's impulse: it moves into B   (theory eq. 3.12).
  const std::size_t first = reactions.size();
  bonds_.assign(problem.B.size(), 0.0);
  bool any = false;
  for (std::size_t k = 0; k < implicit_.size(); ++k) {
    const double bond = contacts[implicit_[k]].bond;
    bonds_[3 * (first + k)] = -bond;
    any = any || bond > 0.0;
  }
  if (!any) return;
  impulses_.resize(problem.B.size());
  form_->apply(bonds_, impulses_);
  for (std::size_t k = 0; k < problem.B.size(); ++k) problem.B[k] += impulses_[k];
}

// --- solve ------------------------------------------------------------------------------------------------

void ContactStage::solve(const StageInput& in) {
  report = {};
  report.status = solvers::Status::converged;
  extrapolate(in);
  guess = R;
  if (problem.blocks() == 0) return;
  report = solve_problem(in, R);
  refuse_unbounded();
  if (bouncing_ && in.level != Level::places && in.settings.restitution == RestitutionLaw::consistent) limit_restitution(in);
}

void ContactStage::refuse_unbounded() {
  if (report.status != solvers::Status::converged) return;
  double most = 0.0;
  for (std::size_t a = 0; a < problem.kind.size(); ++a) most = std::max(most, problem.weight[a] * Eigen::Map<const Vec3>(R.data() + 3 * a).squaredNorm());
  const double unknown = solvers::kRounding * std::sqrt(most * static_cast<double>(problem.kind.size()));
  if (unknown < kUnknown) return;
  report.status = solvers::Status::max_iterations;
  report.residual = unknown;
  report.advice = "impulses grew until velocities are lost in their rounding: obstacles or prescribed motion leave a body no room; give way, or check what moves";
}

void ContactStage::extrapolate(const StageInput& in) {
  if (trend_.empty()) return;
  const double as_it_was = solvers::measure(in.solver.stop.yardstick, problem, R);
  if (as_it_was > in.solver.aim() / kNearer) {
    for (std::size_t k = 0; k < R.size(); ++k) trend_[k] += R[k];
    for (std::size_t a = 0; a < problem.kind.size(); ++a) {
      Eigen::Map<Vec3> block(trend_.data() + 3 * a);
      block = solvers::project_on_block(block, problem.kind[a], problem.mu[a]);
    }
    if (solvers::measure(in.solver.stop.yardstick, problem, trend_) < kNearer * as_it_was) R.swap(trend_);
  }
  trend_.clear();
}

solvers::SolveReport ContactStage::solve_problem(const StageInput& in, std::vector<double>& impulses) {
  const SolverSettings& solver = in.solver;
  solvers::OptionValues options = solver.penalty() ? solvers::OptionValues{} : solver.options;
  // A warm start that still holds is kept by AUTO. One that does not is replaced by a better one than asked for, so that the
  // next steps can keep it.
  if (solver.name == "AUTO") {
    options.try_emplace("margin", kMargin);
    options.try_emplace("goal", solver.aim());
    options.try_emplace("goal_iterations", static_cast<int>(in.spare));
  }
  const auto solve_here = [&] {
    // Prescribed constraints are taken out of the rows of bodies (solvers/equalities.hpp); sweeps over them in W that end early would feed energy.
    const bool prescribed = std::ranges::any_of(problem.kind, [](solvers::BlockKind kind) { return kind == solvers::BlockKind::bilateral || kind == solvers::BlockKind::direction; });
    if (solver.name != "AUTO" && !prescribed) condense();
    const solvers::SolveReport made = solvers::solve(solver.penalty() ? "GAUSS_SEIDEL" : solver.name, problem, solver.stop, options, impulses);
    problem.W = form_;
    return made;
  };
  const std::string name = solver.penalty() ? "GAUSS_SEIDEL" : solver.name;
  const solvers::SolveReport found =
      in.division ? in.division->solve({problem, *form_, block_ranks(in), name, solver.stop, options}, solve_here, impulses) : solve_here();
  if (found.status == solvers::Status::interrupted) throw Interrupted();
  return found;
}

std::vector<int> ContactStage::block_ranks(const StageInput& in) const {
  std::vector<int> rank;
  for (std::size_t k = 0; k < reactions.size(); ++k) rank.push_back(in.division->pair_owner(in.model.constraints[k].body[0], in.model.constraints[k].body[1]));
  for (const int c : implicit_) {
    const collision::ContactPoint& point = contacts[c].point;
    rank.push_back(in.division->pair_owner(point.body_a, point.body_b));
  }
  return rank;
}

std::vector<int> ContactStage::groups() const {
  std::vector<std::array<int, 2>> sides;
  for (int a = 0; a < problem.blocks(); ++a) sides.push_back(form_->bodies_of(a));
  return impact_groups(sides, scaling.slots());
}

std::vector<int> ContactStage::pushing_groups() const {
  std::vector<std::array<int, 2>> sides;
  for (int a = 0; a < problem.blocks(); ++a)
    sides.push_back(Eigen::Map<const Vec3>(R.data() + 3 * a).isZero(0.0) ? std::array{-1, -1} : form_->bodies_of(a));
  return impact_groups(sides, scaling.slots());
}

std::vector<double> ContactStage::group_excess(const StageInput& in, std::span<const int> group) const {
  std::vector<double> excess(group.empty() ? 0 : static_cast<std::size_t>(*std::ranges::max_element(group)) + 1, 0.0);
  if (in.excess.empty()) return excess;
  std::vector<char> seen(static_cast<std::size_t>(scaling.slots()), 0);
  for (std::size_t a = 0; a < group.size(); ++a)
    for (const int slot : form_->bodies_of(static_cast<int>(a))) {
      if (slot < 0 || std::exchange(seen[slot], 1)) continue;
      excess[group[a]] += in.excess[scaling.body[slot]];
    }
  return excess;
}

std::vector<char> ContactStage::take_back_bounces(const StageInput& in) {
  std::vector<char> back(in.model.bodies.id.size(), 0);
  if (!bouncing_) return back;
  const std::size_t first = reactions.size();
  const std::vector<int> group = pushing_groups();
  std::vector<char> bounced(group.size(), 0);
  for (std::size_t k = 0; k < implicit_.size(); ++k)
    if (R[3 * (first + k)] > 0.0 && bounces_now(in, contacts[implicit_[k]])) bounced[group[first + k]] = 1;
  for (std::size_t a = 0; a < group.size(); ++a) {
    if (!bounced[group[a]]) continue;
    if (a < first) reactions[a].impulse.setZero();
    else contacts[implicit_[a - first]].R.setZero();
    for (const int slot : form_->bodies_of(static_cast<int>(a)))
      if (slot >= 0) back[scaling.body[slot]] = 1;
  }
  for (std::size_t i = 0; i < back.size(); ++i)
    if (back[i]) end.linear[i] = in.free.linear[i], end.angular[i] = in.free.angular[i];
  return back;
}

bool ContactStage::defer_struck(const StageInput& in, assembly::Inertias& inertias) {
  if (!bouncing_) return false;
  const std::size_t first = reactions.size();
  const std::vector<int> group = pushing_groups();
  std::vector<char> bounced(group.size(), 0);
  for (std::size_t k = 0; k < implicit_.size(); ++k)
    if (bounces_now(in, contacts[implicit_[k]])) bounced[group[first + k]] = 1;
  bool any = false;
  for (std::size_t k = 0; k < implicit_.size(); ++k) {
    const auto c = static_cast<std::size_t>(implicit_[k]);
    assembly::Contact& contact = contacts[c];
    if (in.model.surfaces[contact.material].restitution == 0.0 || !bounced[group[first + k]] || bounces_now(in, contact)) continue;
    // The speed at which it would close without its impulse.
    const double speed = assembly::surface_speed(in.model.bodies, in.free, contact.index_a) + assembly::surface_speed(in.model.bodies, in.free, contact.index_b);
    if (form_->diagonal()[first + k](0, 0) * R[3 * (first + k)] <= calm_speed(in, contact) + kStruck * speed) continue;
    role[c] = Role::idle;
    contact.R.setZero();
    any = true;
  }
  if (any) assemble(in, inertias);
  return any;
}

bool ContactStage::adds_energy(const StageInput& in) const {
  std::vector<double> U_free, U;
  impact_velocities(U_free, U);
  const std::vector<int> group = groups();
  const auto work = impact_work(group, U_free, {R, U}, group_excess(in, group));
  if (std::ranges::any_of(work, [&](const ImpactWork& w) { return w.creates_energy(2.0 * in.solver.stop.tolerance); })) return true;
  for (std::size_t i = 0; i < in.excess.size(); ++i) {
    const int slot = scaling.slot[i];
    const bool alone = slot < 0 || form_->incidence(slot).empty();
    if (alone && in.excess[i] > 2.0 * in.solver.stop.tolerance * in.model.bodies.mass[i] * in.free.linear[i].squaredNorm()) return true;
  }
  return false;
}

void ContactStage::impact_velocities(std::vector<double>& U_free, std::vector<double>& U) const {
  U_free.resize(R.size());
  U.resize(R.size());
  solvers::relative_velocity(problem, R, U);
  for (std::size_t k = 0; k < R.size(); ++k) {
    U_free[k] = problem.B[k] - bias_[k] - ahead_[k];
    U[k] -= bias_[k] + ahead_[k];
  }
}

void ContactStage::limit_restitution(const StageInput& in) {
  std::vector<double> U_free, U;
  impact_velocities(U_free, U);
  const std::vector<int> group = groups();
  const double tolerance = accuracy(in);
  const std::vector<double> excess = group_excess(in, group);
  const auto work = impact_work(group, U_free, {R, U}, excess);
  if (std::ranges::none_of(work, [&](const ImpactWork& w) { return w.creates_energy(tolerance); })) return;

  // The problem without restitution, and the place between its solution and Newton's.
  std::vector<double> newton = R;
  const std::vector<double> newton_B = problem.B, newton_bias = bias_;
  for (std::size_t k = 0; k < implicit_.size(); ++k) {
    const std::size_t n = 3 * (reactions.size() + k);
    const double plain = bias(in, contacts[implicit_[k]], false);
    problem.B[n] += plain - bias_[n];
    bias_[n] = plain;
  }
  report = both(report, solve_problem(in, R));
  std::vector<double> plastic_free, U_plastic;
  impact_velocities(plastic_free, U_plastic);
  const std::vector<double> shares = impact_shares(group, U_free, {R, U_plastic}, {newton, U}, excess, tolerance);
  for (std::size_t k = 0; k < R.size(); ++k) R[k] += shares[group[k / 3]] * (newton[k] - R[k]);
  problem.B = newton_B;
  bias_ = newton_bias;
}

// --- impacts passed on within a step ----------------------------------------------------------------------

bool ContactStage::passes_on(const StageInput& in) const {
  if (in.level != Level::midpoint || in.stop || acts_on_deformables() || !springs_.empty()) return false;
  return std::ranges::none_of(contacts, [](const assembly::Contact& contact) { return contact.bond > 0.0; });
}

bool ContactStage::release_struck(const StageInput& in, assembly::Inertias& inertias) {
  const std::size_t first = reactions.size();
  for (std::size_t k = 0; k < implicit_.size(); ++k) {
    const auto c = static_cast<std::size_t>(implicit_[k]);
    const assembly::Contact& contact = contacts[c];
    const std::size_t n = 3 * (first + k);
    if (in.model.surfaces[contact.material].restitution == 0.0 || bounces_now(in, contact)) continue;
    const bool apart = contact.point.gap > 0.0 || contact.U_old.x() > calm_speed(in, contact);
    if (!apart) continue;
    // One that pushed in the last step rests; one that hardly changes velocities is not struck.
    if (guess[n] > 0.0 || R[n] * form_->diagonal()[first + k](0, 0) <= calm_speed(in, contact)) continue;
    released_.push_back(static_cast<int>(c));
  }
  if (released_.empty()) return false;
  for (const int c : released_) {
    role[c] = Role::idle;
    contacts[c].R.setZero();
  }
  assemble(in, inertias);
  return true;
}

bool ContactStage::hold_calm(const StageInput& in, assembly::Inertias& inertias) {
  const auto calm = [&](int c) {
    const assembly::Contact& contact = contacts[c];
    return contact.U.x() >= -calm_speed(in, contact) && contact.point.gap + in.ahead * contact.U.x() < 0.0;
  };
  const auto back = std::stable_partition(released_.begin(), released_.end(), [&](int c) { return !calm(c); });
  if (back == released_.end()) return false;
  for (auto c = back; c != released_.end(); ++c) role[*c] = Role::implicit;
  released_.erase(back, released_.end());
  assemble(in, inertias);
  return true;
}

bool ContactStage::meets(const StageInput& in, std::size_t c) const {
  const assembly::Contact& contact = contacts[c];
  return in.level == Level::midpoint && role[c] == Role::idle && in.model.surfaces[contact.material].restitution > 0.0 &&
         contact.point.gap + in.ahead * contact.U.x() < -allowed_overlap(in, contact);
}

bool ContactStage::meets_idle(const StageInput& in) const {
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (meets(in, c)) return true;
  return false;
}

bool ContactStage::stop_met(const StageInput& in, assembly::Inertias& inertias) {
  bool any = false;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!meets(in, c)) continue;
    role[c] = Role::implicit;
    stops_[c] = 1;
    any = true;
  }
  if (any) assemble(in, inertias);
  return any;
}

void ContactStage::condense() {
  // Rows over the unknowns of deformable bodies are long; where bodies touch at few points, W itself is shorter.
  if (form_->rigid() || !solvers::condensing_pays(*form_)) return;
  if (!condensed_) condensed_ = std::make_shared<solvers::ExplicitForm>();
  condensed_->condense(*form_);
  problem.W = condensed_;
}

// --- apply ------------------------------------------------------------------------------------------------

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
  for (std::size_t k = 0; k < implicit_.size(); ++k) {
    assembly::Contact& contact = contacts[implicit_[k]];
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
    const auto i = static_cast<std::size_t>(scaling.body[s]);
    if (form_->incidence(static_cast<int>(s)).empty()) return;
    const int b = static_cast<int>(i);
    const double speed = assembly::surface_speed(bodies, end, b);
    if (speed > share * in.loads.force[i].norm() / bodies.mass[i] || !held_still(in, static_cast<int>(s), speed)) return;
    settled_[s] = 1;
  });
  parallel_for(scaling.slots(), [&](std::ptrdiff_t s) {
    if (!settled_[s]) return;
    const auto i = static_cast<std::size_t>(scaling.body[s]);
    const int b = static_cast<int>(i);
    end.linear[i].setZero();
    end.angular[i].setZero();
    if (bodies.deforms(b)) std::ranges::fill(bodies.deformable_of(b).part(end.nodal), 0.0);
  });
}

bool ContactStage::held_still(const StageInput& in, int slot, double speed) const {
  if (speed == 0.0) return true;
  const auto first = static_cast<int>(reactions.size());
  const double inside = 1.0 - std::min(0.5, kNear * accuracy(in));
  for (const int side : form_->incidence(slot)) {
    const int block = side / 2;
    if (block < first) return true;
    const assembly::Contact& contact = contacts[implicit_[block - first]];
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
  // A bond ends when its contact opens or slips, seen against the speed its own pull could cause. (An impulse
  // on the shifted cone alone does not tell: in a hyperstatic set it may lie there by choice of the solver.)
  const std::size_t first = reactions.size();
  for (std::size_t k = 0; k < implicit_.size(); ++k) {
    assembly::Contact& contact = contacts[implicit_[k]];
    if (contact.cohesive && contact.U.norm() > 1e-6 * contact.bond * form_->diagonal()[first + k].trace()) contact.cohesive = false;
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
      found->R += found->frame * (contact.frame.transpose() * contact.R);
      found->U = found->frame * (contact.frame.transpose() * contact.U);
    } else {
      contacts.push_back(contact);
    }
  }
  std::inplace_merge(contacts.begin(), contacts.begin() + known, contacts.end(), before);
  first.report = both(first.report, second.report);
}

}  // namespace scree::stepping
