/// Parts of the time step that depend on the integrator: instants, roles of contacts, and the second problem of RATTLE (theory sec. 2.8, 2.9).
#include <algorithm>
#include <tuple>

#include "core/error.hpp"
#include "stepping/simulation.hpp"
#include "stepping/step_data.hpp"

namespace scree::stepping {

namespace {

/// Gap, relative to the smaller body, at which a contact is closed.
constexpr double kClosed = 1e-6;

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

auto order(const assembly::Contact& contact) {
  const collision::ContactPoint& p = contact.point;
  return std::tuple(p.body_a, p.body_b, p.piece_a, p.piece_b, p.feature);
}

}  // namespace

StepForm Simulation::step_form() const {
  const bool leapfrog = settings_.integrator != Integrator::moreau;
  return {time_, settings_.step, settings_.quasi_static, leapfrog, leapfrog && steps_ == 0};
}

void Simulation::check_integrator() const {
  if (settings_.integrator == Integrator::moreau) return;
  const char* name = settings_.integrator == Integrator::shake ? "SHAKE" : "RATTLE";
  if (settings_.quasi_static) throw_input("integrator {}: quasi-static steps have none; use MOREAU", name);
  if (!model_.bodies.deformables.empty())
    throw_input("integrator {}: body {} deforms, and only rigid bodies are integrated so; use MOREAU", name, model_.bodies.deformables.front().body);
  if (penalty()) throw_input("integrator {}: the solver EXPLICIT evaluates springs at mid-step; use MOREAU, or another solver", name);
  for (int k = -1; k < model_.surfaces.size(); ++k) {
    const model::SurfaceMaterial& surface = model_.surfaces[k];
    if (surface.model == model::SurfaceModel::spring_dashpot || surface.cohesion > 0.0)
      throw_input("integrator {}: surface material '{}' has {}; use MOREAU", name, surface.label, surface.cohesion > 0.0 ? "cohesion" : "springs");
    if (surface.restitution > 0.0 && settings_.integrator == Integrator::shake)
      throw_input("integrator SHAKE: surface material '{}' has restitution {}, and its impacts are inelastic; use RATTLE or MOREAU", surface.label, surface.restitution);
  }
}

assembly::StepTimes Simulation::constraint_times() const {
  const double h = settings_.step;
  if (data_->velocity_level) return {time_ + h, time_ + 1.5 * h, h, false};
  if (settings_.integrator != Integrator::moreau) return {time_ + 0.5 * h, time_ + h, h};
  return {time_ + h, time_ + (settings_.quasi_static ? 1.0 : 1.5) * h, h};
}

Role Simulation::role_of(const assembly::Contact& contact) const {
  if (settings_.integrator == Integrator::moreau)
    return contact_role(contact, model_.surfaces[contact.material], contact.U.x(), settings_.step, penalty());
  if (!data_->velocity_level) return Role::implicit;
  // The tangent cone: contacts that are closed now, or that the first problem has just closed up to its linearisation.
  const auto radius = [&](int i) { return model_.bodies.radius[static_cast<std::size_t>(i)]; };
  const bool closed = contact.R.x() > 0.0 || contact.point.gap <= kClosed * std::min(radius(contact.index_a), radius(contact.index_b));
  return closed ? Role::implicit : Role::idle;
}

void Simulation::exchange_problems() {
  auto& other = data_->other;
  std::swap(contacts_, other.contacts);
  std::swap(form_, other.form);
  std::swap(problem_, other.problem);
  std::swap(R_, other.R);
  std::swap(solve_report_, other.report);
}

void Simulation::velocity_stage() {
  StepData& data = *data_;
  model::Bodies& bodies = model_.bodies;
  data.position_impulses.store(contacts_);
  std::vector<Vec3> pulls;
  for (model::Constraint& c : model_.constraints) {
    pulls.push_back(c.frame.transpose() * c.impulse);
    c.impulse.setZero();
  }

  // The bodies are at the end of the step, with the velocities of its middle.
  exchange_problems();
  data.velocity_level = true;
  std::swap(data.begin, data.old);
  node_velocities(bodies, settings_.step, data.old);
  data.free = data.old;
  place_bodies();
  world_.detect(settings_.contact, points_);
  prepare_contacts();
  hold_deformables();
  data.pushed = data.free;
  assemble();
  solve();
  account_impulses();
  store_node_velocities(bodies, settings_.step, data.old, data.end);

  // What is reported are the impulses of both.
  for (std::size_t k = 0; k < model_.constraints.size(); ++k) model_.constraints[k].impulse += model_.constraints[k].frame * pulls[k];
  data.velocity_level = false;
  exchange_problems();
  solve_report_ = both(solve_report_, data.other.report);
}

void Simulation::add_velocity_impulses() {
  if (settings_.integrator != Integrator::rattle) return;
  const auto before = [](const assembly::Contact& p, const assembly::Contact& q) { return order(p) < order(q); };
  const std::size_t known = contacts_.size();
  for (const assembly::Contact& contact : data_->other.contacts) {
    if (contact.R.isZero(0.0)) continue;
    const auto end = contacts_.begin() + static_cast<std::ptrdiff_t>(known);
    const auto found = std::lower_bound(contacts_.begin(), end, contact, before);
    if (found != end && order(*found) == order(contact)) {
      found->R += found->frame * (contact.frame.transpose() * contact.R);
      found->U = found->frame * (contact.frame.transpose() * contact.U);
    } else {
      contacts_.push_back(contact);
    }
  }
  std::inplace_merge(contacts_.begin(), contacts_.begin() + static_cast<std::ptrdiff_t>(known), contacts_.end(), before);
}

}  // namespace scree::stepping
