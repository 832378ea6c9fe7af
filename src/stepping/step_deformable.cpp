/// Parts of the time step that concern deformable bodies: where blocks hold them, and the implicit scheme.
#include <algorithm>

#include "core/error.hpp"
#include "solvers/condense.hpp"
#include "stepping/simulation.hpp"
#include "stepping/step_data.hpp"

namespace scree::stepping {

namespace {
constexpr int kMostCorrections = 20;       ///< of the contact problem for the implicit scheme
constexpr std::size_t kMostIdle = 2;       ///< held unknowns may be so many times those in use
constexpr double kCorrected = 1e-10;       ///< change of velocities, relative to the fastest body, that ends them

/// Go on holding the unknowns of the last step, while they are not too many: as long as they hold all that are wanted, A needs no new order
/// of elimination and no second factorisation.
void keep_held(const std::vector<int>& held, std::vector<int>& wanted) {
  std::vector<int> both;
  std::ranges::set_union(held, wanted, std::back_inserter(both));
  if (both.size() <= kMostIdle * wanted.size()) wanted.swap(both);
}

}

assembly::Assembler Simulation::assembler() const { return {model_.bodies, data_->scaling, data_->inertias, data_->grips}; }

const assembly::BodyScaling& Simulation::problem_scaling() const { return data_->scaling; }
const assembly::Velocities& Simulation::problem_velocities() const { return data_->pushed; }

Vec3 Simulation::relative_velocity(const assembly::Contact& contact, const assembly::Velocities& velocities) const {
  return assembly::relative_velocity(model_.bodies, velocities, data_->grips, side_a(contact), side_b(contact), contact.frame);
}

void Simulation::start_from_rest() {
  model::Bodies& bodies = model_.bodies;
  for (int b = 0; b < bodies.size(); ++b) {
    if (!bodies.moves(b)) continue;
    bodies.velocity[static_cast<std::size_t>(b)].setZero();
    bodies.angular[static_cast<std::size_t>(b)].setZero();
  }
  std::ranges::fill(bodies.u, 0.0);
}

void Simulation::grip_contacts() {
  StepData& data = *data_;
  const model::Bodies& bodies = model_.bodies;
  data.grips.clear();
  if (bodies.deformables.empty()) return;
  for (assembly::Contact& contact : contacts_) {
    const Vec3& x = contact.point.point;
    if (bodies.deforms(contact.index_a)) contact.grip_a = data.grips.at_place(bodies, contact.index_a, world_.local_piece(contact.point.piece_a), x);
    if (bodies.deforms(contact.index_b)) contact.grip_b = data.grips.at_place(bodies, contact.index_b, world_.local_piece(contact.point.piece_b), x);
  }
}

void Simulation::hold_deformables() {
  StepData& data = *data_;
  const model::Bodies& bodies = model_.bodies;
  assembly::locate_constraints(model_, data.grips, data.constraint_sides);
  // Contacts that act in this step.
  data.role.resize(contacts_.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    assembly::Contact& contact = contacts_[c];
    data.role[c] = role_of(contact);
    if (data.role[c] == Role::idle || data.velocity_level) contact.R.setZero();
  }
  // Unknowns of deformable bodies that they and the constraints hold.
  data.held.resize(bodies.deformables.size());
  for (auto& nodes : data.held) nodes.clear();
  const auto hold = [&](const assembly::Side& side) {
    if (side.grip < 0) return;
    auto& nodes = data.held[static_cast<std::size_t>(bodies.deformable[static_cast<std::size_t>(side.body)])];
    for (const model::Weight& w : data.grips[side.grip]) nodes.push_back(w.node);
  };
  for (const auto& [a, b] : data.constraint_sides) hold(a), hold(b);
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    if (data.role[c] != Role::idle) hold(side_a(contacts_[c])), hold(side_b(contacts_[c]));
  for (std::size_t d = 0; d < data.held.size(); ++d) {
    auto& nodes = data.held[d];
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    keep_held(bodies.deformables[d].held, nodes);
    data.inertias[d]->choose(nodes);
  }
  data.scaling.update(bodies, data.velocity_level ? 0.0 : step_form().kick(), data.inertias);
}

void Simulation::condense() {
  // Rows over the unknowns of deformable bodies are long; where bodies touch at few points, W itself is shorter.
  if (form_->rigid() || !solvers::condensing_pays(*form_)) return;
  if (!data_->condensed) data_->condensed = std::make_shared<solvers::ExplicitForm>();
  data_->condensed->condense(*form_);
  problem_.W = data_->condensed;
}

model::Inertia::Cost Simulation::factor_cost() const {
  model::Inertia::Cost sum;
  for (const auto& inertia : data_->inertias) {
    if (!inertia) continue;
    sum.factorisations += inertia->cost().factorisations;
    sum.seconds += inertia->cost().seconds;
  }
  return sum;
}

void Simulation::correct_implicit() {
  // The contact problem is linear in the velocities, the implicit scheme is not: solve it for the bodies' true
  // velocities under the impulses found, and the contacts again with the difference, until it vanishes (theory sec. 6.4).
  StepData& data = *data_;
  const model::Bodies& bodies = model_.bodies;
  std::vector<std::size_t> implicit;
  for (std::size_t d = 0; d < bodies.deformables.size(); ++d)
    if (bodies.scheme[static_cast<std::size_t>(bodies.index(bodies.deformables[d].body))] == model::Scheme::def_imp) implicit.push_back(d);
  if (implicit.empty() || data.blocks.empty() || settings_.quasi_static) return;
  const StepForm form = step_form();
  for (int round = 0;; ++round) {
    double change = 0.0, fastest = 0.0;
    for (const std::size_t d : implicit) {
      const model::Deformable& body = bodies.deformables[d];
      const auto u = body.part(data.end.nodal), base = body.part(data.pushed.nodal);
      data.scratch.assign(u.begin(), u.end());
      solve_implicit_body(bodies, body, data.loads, *data.inertias[d], body.part(data.start.q), body.part(data.push), form, u);
      for (std::size_t k = 0; k < u.size(); ++k) {
        data.scratch[k] = u[k] - data.scratch[k];
        base[k] += data.scratch[k];
      }
      change = std::max(change, body.mechanics->fastest(data.scratch));
      fastest = std::max({fastest, body.mechanics->fastest(u), body.mechanics->fastest(body.part(bodies.u))});
    }
    if (change <= kCorrected * fastest || round == kMostCorrections) break;
    assemble();
    solve();
  }
  for (assembly::Contact& contact : contacts_) contact.U = relative_velocity(contact, data.end);
}

}  // namespace scree::stepping
