#include "core/error.hpp"
#include "core/rotation.hpp"
#include "core/threads.hpp"
#include "core/timer.hpp"
#include "stepping/forces.hpp"
#include "stepping/simulation.hpp"
#include "stepping/spring_dashpot.hpp"
#include "stepping/step_data.hpp"

namespace scree::stepping {

namespace {
constexpr double kMargin = 0.25;  ///< share of the tolerance AUTO aims for once it has to iterate, if that is cheap
constexpr double kRest = 2.0;     ///< speeds below this many tolerances of what loads cause in a step are rest
}

const StepReport& Simulation::step() {
  check_integrator();
  settings_.step = std::min(settings_.step, explicit_limit(model_.bodies));
  const double h = settings_.step;
  if (h != last_step_) {
    start_time_ = time_;
    start_steps_ = steps_;
  }
  const StepForm form = step_form();
  StepData& data = *data_;
  model::Bodies& bodies = model_.bodies;
  Timer timer;
  report_ = {};
  data.velocity_level = false;
  const auto stage = [&](Stage name) {
    report_.seconds[name] += timer.seconds();
    timer.restart();
  };

  save_start();
  try {
    if (form.quasi_static) start_from_rest();
    first_half_step(bodies, form, data.carried);
    first_deformable_half_step(bodies, form);
    current_velocities(bodies, data.old);
    evaluate_loads(model_, form.load_time(), h, data.loads);
    update_inertias(bodies, form, data.inertias, data.owners);
    free_velocities(bodies, data.loads, data.carried, form, data.free);
    free_deformable_velocities(bodies, data.loads, data.inertias, data.start.q, form, data.free);
    stage(kIntegrate);

    place_bodies();
    world_.detect(settings_.contact, points_);
    stage(kDetect);

    prepare_contacts();
    hold_deformables();
    apply_penalty_contacts();
    assemble();
    stage(kAssemble);

    solve();
    correct_implicit();
    check_penetration();
    stage(kSolve);

    account_loads();
    account_impulses();
    second_half_step(bodies, data.loads, data.carried, data.free, data.end, form);
    second_deformable_half_step(bodies, data.end, form);
    stage(kIntegrate);

    if (settings_.integrator == Integrator::rattle) velocity_stage();
    stage(kSolve);
    for (std::size_t d = 0; d < data.held.size(); ++d) bodies.deformables[d].held = data.held[d];
  } catch (...) {
    restore_start();
    throw;
  }
  last_step_ = h;
  ++steps_;
  time_ = start_time_ + static_cast<double>(steps_ - start_steps_) * h;
  memory_.store(contacts_);
  add_velocity_impulses();
  delete_departed();
  fill_report();
  stage(kIntegrate);
  return report_;
}

void Simulation::save_start() {
  // Only what a step changes before it can fail: places and velocities.
  auto& start = data_->start;
  const model::Bodies& bodies = model_.bodies;
  start.rotation = bodies.rotation;
  start.position = bodies.position;
  start.motion = bodies.motion;
  start.q = bodies.q;
  if (!settings_.quasi_static && settings_.integrator != Integrator::rattle) return;
  start.linear = bodies.velocity;
  start.angular = bodies.angular;
  start.u = bodies.u;
  start.work = bodies.work;
}

void Simulation::restore_start() {
  const auto& start = data_->start;
  model::Bodies& bodies = model_.bodies;
  bodies.rotation = start.rotation;
  bodies.position = start.position;
  bodies.motion = start.motion;
  bodies.q = start.q;
  if (settings_.quasi_static || settings_.integrator == Integrator::rattle) {
    bodies.velocity = start.linear;
    bodies.angular = start.angular;
    bodies.u = start.u;
    bodies.work = start.work;
  }
  for (const model::Deformable& body : bodies.deformables) bodies.mirror(bodies.index(body.body));
}

void Simulation::place_bodies() {
  const double h = settings_.step;
  const StepData& data = *data_;
  const model::Bodies& bodies = model_.bodies;
  for (int b = 0; b < bodies.size(); ++b) {
    const auto i = static_cast<std::size_t>(b);
    if (!bodies.moves(b) && !bodies.motion.count(bodies.id[i])) continue;
    // A step moves the surface by at most h times the larger of the old and the free speed.
    const double speed = std::max(assembly::surface_speed(bodies, data.old, b), assembly::surface_speed(bodies, data.free, b));
    place_body(b, h * speed);
  }
}

void Simulation::place_body(int b, double reach) {
  const model::Bodies& bodies = model_.bodies;
  const auto i = static_cast<std::size_t>(b);
  if (bodies.deforms(b)) {
    const model::Deformable& body = bodies.deformable_of(b);
    if (body.mechanics->surface_points(body.part(bodies.q), data_->surface_points)) {
      world_.place_points(bodies.id[i], data_->surface_points, reach);
      return;
    }
  }
  world_.place(bodies.id[i], bodies.rotation[i], bodies.center[i], bodies.position[i], reach);
}

void Simulation::prepare_contacts() {
  const model::Bodies& bodies = model_.bodies;
  StepData& data = *data_;
  contacts_.resize(points_.size());
  parallel_for(static_cast<std::ptrdiff_t>(points_.size()), [&](std::ptrdiff_t c) {
    assembly::Contact& contact = contacts_[static_cast<std::size_t>(c)];
    contact = {};
    contact.point = points_[static_cast<std::size_t>(c)];
    contact.index_a = bodies.index(contact.point.body_a);
    contact.index_b = bodies.index(contact.point.body_b);
    contact.material = model_.surfaces.find(contact.point.surface_a, contact.point.surface_b);
    contact.frame = frame_from_normal(contact.point.normal);
  });
  grip_contacts();
  parallel_for(static_cast<std::ptrdiff_t>(points_.size()), [&](std::ptrdiff_t c) {
    assembly::Contact& contact = contacts_[static_cast<std::size_t>(c)];
    contact.U_old = relative_velocity(contact, data.velocity_level ? data.begin : data.old);
    contact.U = relative_velocity(contact, data.free);
  });
  if (data.velocity_level) data.position_impulses.recall(contacts_, 1.0, data.known);
  else memory_.recall(contacts_, last_step_ > 0.0 ? settings_.step / last_step_ : 1.0, data.known);
  // Contacts that touch for the first time are bonded where their material is cohesive.
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    assembly::Contact& contact = contacts_[c];
    const model::SurfaceMaterial& material = model_.surfaces[contact.material];
    if (!data.known[c]) contact.cohesive = material.cohesion > 0.0 && contact.point.gap <= 0.0;
    contact.bond = contact.cohesive ? material.cohesion * contact.point.area * settings_.step : 0.0;
  }
}

void Simulation::apply_penalty_contacts() {
  StepData& data = *data_;
  const double h = settings_.step;
  const assembly::Assembler with = assembler();
  data.penalty.clear();
  data.penalty_blocks.clear();
  data.scaling.reset(data.penalty_form);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (data.role[c] != Role::penalty) continue;
    data.penalty.push_back(static_cast<int>(c));
    assembly::add_block(with, side_a(contacts_[c]), side_b(contacts_[c]), contacts_[c].frame, data.penalty_form, data.penalty_blocks);
  }
  data.pushed = data.free;
  if (data.penalty.empty()) return;

  // Evaluate all of them from the same free velocities, then apply.
  assembly::finish_blocks(with, data.penalty_form);
  data.impulses.resize(3 * data.penalty.size());
  for (std::size_t k = 0; k < data.penalty.size(); ++k) {
    assembly::Contact& contact = contacts_[static_cast<std::size_t>(data.penalty[k])];
    const model::SurfaceMaterial& material = model_.surfaces[contact.material];
    const SpringDashpot law{material.spring, material.dashpot, material.friction, material.cohesion * contact.point.area};
    contact.R = spring_dashpot_impulse(law, data.penalty_form.diagonal()[k], contact.U, contact.U_old, contact.point.gap, h,
                                       contact.R.tail<2>(), contact.cohesive);
    Eigen::Map<Vec3>(data.impulses.data() + 3 * k) = contact.R;
  }
  assembly::apply_impulses(with, data.penalty_form, data.penalty_blocks, data.impulses, data.scratch, data.push, data.pushed);
}

void Simulation::assemble() {
  StepData& data = *data_;
  problem_.kind.clear();
  problem_.mu.clear();
  problem_.B.clear();
  R_.clear();
  data.blocks.clear();
  data.scaling.reset(*form_);
  assembly::add_constraints(model_, assembler(), data.constraint_sides, data.pushed, constraint_times(), *form_, data.blocks, problem_);
  const double ratio = last_step_ > 0.0 ? settings_.step / last_step_ : 1.0;
  for (const model::Constraint& c : model_.constraints) {
    const Vec3 guess = c.impulse * ratio;
    R_.insert(R_.end(), {guess.x(), guess.y(), guess.z()});
  }
  add_implicit_contacts();
  assembly::finish_blocks(assembler(), *form_);
  set_scale();
  apply_bonds();
}

void Simulation::add_implicit_contacts() {
  StepData& data = *data_;
  const assembly::Assembler with = assembler();
  data.implicit.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (data.role[c] != Role::implicit) continue;
    const assembly::Contact& contact = contacts_[c];
    const model::SurfaceMaterial& material = model_.surfaces[contact.material];
    data.implicit.push_back(static_cast<int>(c));
    assembly::add_block(with, side_a(contact), side_b(contact), contact.frame, *form_, data.blocks);
    Vec3 B = relative_velocity(contact, data.pushed);
    B.x() += bias(contact);
    problem_.kind.push_back(solvers::BlockKind::contact);
    problem_.mu.push_back(material.friction);
    problem_.B.insert(problem_.B.end(), {B.x(), B.y(), B.z()});
    R_.insert(R_.end(), {contact.R.x() + contact.bond, contact.R.y(), contact.R.z()});
  }
}

double Simulation::bias(const assembly::Contact& contact) const {
  const model::SurfaceMaterial& surface = model_.surfaces[contact.material];
  if (data_->velocity_level) return surface.restitution * std::min(0.0, contact.U_old.x());
  if (settings_.integrator != Integrator::moreau) return contact.point.gap / settings_.step;
  // A body that touches itself may be thin: what it may overlap is a share of the pieces in touch.
  const bool self = contact.index_a == contact.index_b;
  const auto radius = [&](int body, int piece) { return self ? world_.piece_radius(piece) : model_.bodies.radius[static_cast<std::size_t>(body)]; };
  const double allowed = settings_.slack * std::min(radius(contact.index_a, contact.point.piece_a), radius(contact.index_b, contact.point.piece_b));
  return normal_bias(contact, surface, settings_.step, settings_.recovery, allowed);
}

void Simulation::set_scale() {
  // Gaps ahead are left out, so that contacts far from closing do not flatter the residual; and a floor
  // at rounding level keeps bodies that move together from being solved relative to noise.
  const StepData& data = *data_;
  const std::size_t first = model_.constraints.size();
  const double floor = std::min(1e-14 / solver_.stop.tolerance, 1e-2);
  const double sum = parallel_sum(static_cast<std::ptrdiff_t>(problem_.kind.size()), [&](std::ptrdiff_t a) {
    const auto k = static_cast<std::size_t>(a);
    const double trace = form_->diagonal()[k].trace();
    const double rho = trace > 0.0 ? 3.0 / trace : 1.0;
    Vec3 B(problem_.B[3 * k], problem_.B[3 * k + 1], problem_.B[3 * k + 2]);
    double speed = B.norm();
    if (k >= first) {
      const assembly::Contact& contact = contacts_[static_cast<std::size_t>(data.implicit[k - first])];
      if (contact.point.gap > 0.0) B.x() -= bias(contact);
      speed = assembly::surface_speed(model_.bodies, data.free, contact.index_a) + assembly::surface_speed(model_.bodies, data.free, contact.index_b);
    }
    return rho * (B.squaredNorm() + floor * floor * speed * speed);
  });
  problem_.scale = std::sqrt(sum);
}

void Simulation::apply_bonds() {
  // A bond is a constant pull on top of the cone's impulse: it moves into B   (theory eq. 3.12).
  StepData& data = *data_;
  const std::size_t first = model_.constraints.size();
  data.bonds.assign(problem_.B.size(), 0.0);
  bool any = false;
  for (std::size_t k = 0; k < data.implicit.size(); ++k) {
    const double bond = contacts_[static_cast<std::size_t>(data.implicit[k])].bond;
    data.bonds[3 * (first + k)] = -bond;
    any = any || bond > 0.0;
  }
  if (!any) return;
  data.impulses.resize(problem_.B.size());
  form_->apply(data.bonds, data.impulses);
  for (std::size_t k = 0; k < problem_.B.size(); ++k) problem_.B[k] += data.impulses[k];
}

void Simulation::solve() {
  problem_.W = form_;
  solve_report_ = {};
  solve_report_.status = solvers::Status::converged;
  if (problem_.blocks() == 0) {
    apply_solution();
    return;
  }
  guess_ = R_;
  solvers::OptionValues options = penalty() ? solvers::OptionValues{} : solver_.options;
  if (solver_.name == "AUTO") {
    // Islands at rest: a warm start that still holds is kept. One that does not is replaced by a better one than
    // asked for, so that the next steps can keep it.
    solve_report_.residual = solvers::measure(solver_.stop.yardstick, problem_, R_);
    solve_report_.stage = "warm start";
    options.try_emplace("margin", kMargin);
  }
  if (solver_.name != "AUTO" || solve_report_.residual > solver_.stop.tolerance) {
    if (solver_.name != "AUTO") condense();
    solve_report_ = solvers::solve(penalty() ? "GAUSS_SEIDEL" : solver_.name, problem_, solver_.stop, options, R_);
    problem_.W = form_;
  }
  if (solve_report_.status != solvers::Status::converged) handle_failure();
  apply_solution();
}

void Simulation::handle_failure() {
  if (solver_.failure == FailurePolicy::proceed) return;
  const bool go_on = solver_.failure == FailurePolicy::callback && solver_.on_failure && solver_.on_failure(solve_report_);
  if (go_on) return;
  throw_solve("{} did not reach {} = {:.1e} in step {} at time {:.6g} s (residual {:.3e} after {} iterations, {}). {}", solver_.name,
              solvers::to_string(solver_.stop.yardstick), solver_.stop.tolerance, steps_ + 1, time_, solve_report_.residual,
              solve_report_.iterations, solvers::to_string(solve_report_.status),
              solve_report_.advice.empty() ? "Allow more iterations, loosen the tolerance or use the solver AUTO." : solve_report_.advice);
}

void Simulation::settle_resting_bodies() {
  // A supported body whose speed is below the solver's own error is at rest: without this, that error would
  // add up from step to step and spoil the warm start (theory sec. 3.7).
  StepData& data = *data_;
  const model::Bodies& bodies = model_.bodies;
  const double share = kRest * solver_.stop.tolerance * settings_.step;
  parallel_for(data.scaling.slots(), [&](std::ptrdiff_t s) {
    const auto i = static_cast<std::size_t>(data.scaling.body[static_cast<std::size_t>(s)]);
    if (form_->incidence(static_cast<int>(s)).empty()) return;
    const int b = static_cast<int>(i);
    if (assembly::surface_speed(bodies, data.end, b) > share * data.loads.force[i].norm() / bodies.mass[i]) return;
    data.end.linear[i].setZero();
    data.end.angular[i].setZero();
    if (bodies.deforms(b)) std::ranges::fill(bodies.deformable_of(b).part(data.end.nodal), 0.0);
  });
}

void Simulation::check_penetration() const {
  for (const assembly::Contact& contact : contacts_)
    if (-contact.point.gap > settings_.unphysical_penetration)
      throw_solve("unphysical penetration: bodies {} and {} overlap by {:.3e} m at time {:.6g} s, more than the allowed {:.3e} m; use a smaller "
                  "step or a tighter tolerance", contact.point.body_a, contact.point.body_b, -contact.point.gap, time_,
                  settings_.unphysical_penetration);
}

void Simulation::apply_solution() {
  StepData& data = *data_;
  const std::size_t first = model_.constraints.size();
  data.end = data.pushed;
  if (!R_.empty()) {
    data.impulses.resize(R_.size());
    for (std::size_t k = 0; k < R_.size(); ++k) data.impulses[k] = R_[k] + data.bonds[k];
    assembly::apply_impulses(assembler(), *form_, data.blocks, data.impulses, data.scratch, data.push, data.end);
    settle_resting_bodies();
  }
  for (std::size_t k = 0; k < first; ++k) model_.constraints[k].impulse = Eigen::Map<const Vec3>(data.impulses.data() + 3 * k);
  for (std::size_t k = 0; k < data.implicit.size(); ++k) {
    assembly::Contact& contact = contacts_[static_cast<std::size_t>(data.implicit[k])];
    contact.R = Eigen::Map<const Vec3>(data.impulses.data() + 3 * (first + k));
  }
  parallel_for(static_cast<std::ptrdiff_t>(contacts_.size()), [&](std::ptrdiff_t c) {
    assembly::Contact& contact = contacts_[static_cast<std::size_t>(c)];
    contact.U = relative_velocity(contact, data.end);
  });
  // A bond ends when its contact opens or slips, seen against the speed its own pull could cause. (An impulse
  // on the shifted cone alone does not tell: in a hyperstatic set it may lie there by choice of the solver.)
  for (std::size_t k = 0; k < data.implicit.size(); ++k) {
    assembly::Contact& contact = contacts_[static_cast<std::size_t>(data.implicit[k])];
    if (contact.cohesive && contact.U.norm() > 1e-6 * contact.bond * form_->diagonal()[first + k].trace()) contact.cohesive = false;
  }
}

}  // namespace scree::stepping
