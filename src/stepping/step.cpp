#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/abandon.hpp"
#include "core/error.hpp"
#include "core/throwing_loop.hpp"
#include "stepping/energy.hpp"
#include "stepping/forces.hpp"
#include "stepping/half_steps.hpp"
#include "stepping/passing.hpp"
#include "stepping/simulation.hpp"
#include "stepping/struck_contacts.hpp"

namespace scree::stepping {

namespace {

using enum model::Stage;

constexpr int kMostTakes = 8;         ///< times that contacts which do work take their law from the mean velocity of the step
constexpr int kMostCorrections = 20;  ///< of the contact problem for the implicit scheme
constexpr double kCorrected = 1e-10;  ///< change of velocities, relative to the fastest body, that ends them for DEF_IMP
constexpr double kLinearCorrected = 1e-3;  ///< the same for DEF_LIM
constexpr int kMostLooks = 40;        ///< detections in a step where impulses make bodies faster than was covered, or impacts are passed on;
constexpr int kMostRounds = 20;       ///< from this one on what is still under way is stopped
constexpr long kMostEffort = 2;       ///< times the most iterations of a solve, on a step made of parts
constexpr int kLeastEffort = 100;     ///< iterations of a part beyond that
constexpr long kMostParts = 1024;     ///< of a step in which bodies turn far
constexpr long kRoutine = 2;          ///< parts up to which nothing is said: a turn that would overlap a little too much
constexpr double kNoOverlap = 1e-9;   ///< overlap, relative to a body's radius, that SHAKE and RATTLE may leave
constexpr double kAhead = 1.5;        ///< times the speed that was not covered, for the next look
constexpr double kUnseen = 1e-6;      ///< of the radius: overlap that a quasi-static step may make beyond what was covered

void rest(const model::Bodies& bodies, model::Motion& motion) {
  for (int b = 0; b < bodies.size(); ++b) {
    if (!bodies.moves(b)) continue;
    motion.velocity[b].setZero();
    motion.angular[b].setZero();
  }
  std::ranges::fill(motion.u, 0.0);
}

/// Velocities of moving bodies belong to `lag` before the present.
void set_lag(const model::Bodies& bodies, double lag, model::Motion& motion) {
  for (int b = 0; b < bodies.size(); ++b)
    if (bodies.moves(b)) motion.lag[b] = lag;
}

/// Time over which a step's impulses act: the longest of all bodies.
double impulse_time(const model::Bodies& bodies, std::span<const double> kick, double h) {
  double longest = 0.0;
  for (int b = 0; b < bodies.size(); ++b)
    if (bodies.moves(b)) longest = std::max(longest, kick[b]);
  return longest > 0.0 ? longest : h;
}

/// Velocities with which a further round of impacts begins: those of the last one without what loads add, so that the loads' work is counted once.
void without_loads(const model::Bodies& bodies, StepBuffers& with) {
  with.rounds.struck = with.rounds.passed_on;
  for (int b = 0; b < bodies.size(); ++b) {
    const std::size_t i = b;
    if (!bodies.moves(b)) continue;
    with.rounds.struck.linear[i] -= with.free.linear[i] - with.old.linear[i];
    with.rounds.struck.angular[i] -= with.free.angular[i] - with.old.angular[i];
  }
}

}  // namespace

const model::StepRow& Simulation::step() {
  const bool statics = settings_.quasi_static && !model_.bodies.deformables.empty();
  together(division_ ? division_->team() : alone(), [&] {
    check_integrator();
    mark_built();
    settings_.step = std::min(settings_.step, explicit_limit(model_.bodies));
    divide_work();
    if (steps() == 0 && !notices_.said(Notice::overlaps)) warn_of_overlaps();
    try {
      if (statics) step_quasi_static();
      else step_in_parts();
    } catch (const Interrupted&) {
      // Factorisations may have been left half done.
      buffers_.factors = {};
      throw;
    }
    if (division_) division_->commit();
  });
  StageTimer timer(now_.report);
  delete_departed();
  fill_report(now_.report);
  // What a step leaves of its work is saved for steps that need more to reach the goal.
  constexpr double kEachStep = 300.0, kMost = 1e4;
  if (solver_.aim() < solver_.stop.tolerance) now_.state.spare = std::clamp(now_.state.spare + kEachStep - now_.stage.report.work, kEachStep, kMost);
  timer.end(kIntegrate);
  return now_.report;
}

void Simulation::step_in_parts() {
  const double h = settings_.step;
  const Clock before = now_.state.clock;
  const bool midpoint = settings_.integrator == Integrator::moreau;
  long parts = before.parts, done = 0, then = 1;
  while (parts < kMostParts && midpoint && !sees_first_half(h / static_cast<double>(parts))) parts *= 2;
  if (parts == 1 && make_step(next_, h, false)) {
    std::swap(now_, next_);
    now_.state.clock.foreseen = midpoint ? h : 0.0;
    return;
  }
  StepResult start;  // the last good step's, until all parts are done
  ContactStage sum;  // of the parts done
  model::StepRow spent;
  const long foreseen = parts;  // what was thrown by hand needs them, and nothing is told
  parts = std::max(2L, parts);
  const int most = solver_.stop.max_iterations;
  long iterations = 0;
  const auto make_part = [&](long following) {
    then = following;
    settings_.step = h / static_cast<double>(parts);
    // Problems that no solver solves are not solved in parts either: what they may cost together is bounded, and then taken as it is.
    const bool spent_all = iterations > kMostEffort * most;
    if (spent_all) solver_.stop.max_iterations = std::max(kLeastEffort, static_cast<int>(most / parts));
    const bool seen = make_step(next_, h / static_cast<double>(then), parts >= kMostParts || spent_all);
    iterations += next_.stage.report.iterations;
    for (const model::Stage stage : {kIntegrate, kDetect, kAssemble, kSolve}) spent.seconds(stage) += next_.report.seconds(stage);
    return seen;
  };
  try {
    while (done < parts) {
      // The last part leads over to longer ones, where these show enough.
      const bool last = done + 1 == parts;
      if (!(last && parts < kMostParts && make_part(parts / 2)) && !make_part(parts)) {
        parts *= 2;
        done *= 2;
      } else if (done++ == 0) {
        start = std::exchange(now_, std::move(next_));
        next_ = {};
        sum = std::exchange(now_.stage, {});
      } else {
        std::swap(now_, next_);
        add_impulses(now_.stage, sum);
      }
    }
  } catch (...) {
    settings_.step = h;
    solver_.stop.max_iterations = most;
    if (done > 0) now_ = std::move(start);
    throw;
  }
  settings_.step = h;
  solver_.stop.max_iterations = most;
  sum.end = now_.stage.end;
  now_.stage = std::move(sum);
  now_.report = spent;
  now_.state.reactions = now_.stage.reactions;
  now_.state.clock = before;
  now_.state.clock.advance(h, h);
  now_.state.clock.parts = then;
  now_.state.clock.foreseen = midpoint ? h / static_cast<double>(then) : 0.0;
  if (parts > foreseen && parts > kRoutine) warn_of_parts(parts);
}

bool Simulation::sees_first_half(double h) {
  // A midpoint step looks ahead to the middle of the next one; what was put there or thrown by hand since then goes half a step unseen.
  if (solver_.penalty() || settings_.quasi_static || h <= now_.state.clock.foreseen) return true;
  const double time = 0.5 * h;
  StepBuffers& with = buffers_;
  current_velocities(model_.bodies, now_.state.motion, with.old);
  cover(with.old, with.old);
  buffers_.cover.ahead = time;
  const auto fast = [&](int b) { return model_.bodies.moves(b) && time * with.cover.speed[b] > settings_.slack * model_.bodies.radius[b]; };
  bool any = false;
  for (int b = 0; b < model_.bodies.size(); ++b) any = any || fast(b);
  if (!any) return true;
  place_bodies(now_.state.motion);
  detect();
  if (may_pass({model_, now_.state.motion, world_, with.old, time, settings_.slack}, with.points)) return false;

  // Nor does anything get into another body that is not there yet.
  const Overlaps before = overlaps();
  model::Motion motion = now_.state.motion;
  StepForm form = step_form();
  form.h = h;
  first_half_step(model_.bodies, motion, form, with.carried);
  place_bodies(motion);
  detect();
  return std::ranges::all_of(overlaps(), [&](const auto& found) { return before.contains(found.first); });
}

Simulation::Overlaps Simulation::overlaps() const {
  Overlaps depth;
  for (const collision::ContactPoint& point : buffers_.points) {
    if (model_.surfaces[model_.surfaces.find(point.surface_a, point.surface_b)].model == model::SurfaceModel::spring_dashpot) continue;
    const auto radius = [&](int body) { return model_.bodies.radius[model_.bodies.index(body)]; };
    if (-point.gap <= settings_.slack * std::min(radius(point.body_a), radius(point.body_b))) continue;
    double& deepest = depth[{point.body_a, point.body_b}];
    deepest = std::max(deepest, -point.gap);
  }
  return depth;
}

void Simulation::divide_work() {
  if (division_ && division_->begin(model_.bodies, now_.state.motion, now_.stage.contacts)) look_at_own();
}

void Simulation::look_at_own() {
  if (division_) world_.look_at([division = division_.get()](int a, int b) { return division->pair_owner(a, b) == division->team().rank(); });
  else world_.look_at({});
}

void Simulation::detect() {
  world_.detect(settings_.contact, buffers_.points);
  if (division_) division_->join(buffers_.points);
}

bool Simulation::make_step(StepResult& next, double then, bool however) {
  const model::Bodies& bodies = model_.bodies;
  const StepForm form = step_form();
  StepBuffers& with = buffers_;
  next.report = {};
  StageTimer timer(next.report);

  next.state.follow(now_.state);
  next.stage.take_over(now_.stage);
  model::Motion& motion = next.state.motion;
  if (!form.leapfrog) synchronise(next.state);
  start_motion(next.state, form);
  timer.end(kIntegrate);
  throw_if_stopped();

  StageInput in = stage_input(motion, with.old, with.free);
  const bool rattle = settings_.integrator == Integrator::rattle;
  const double acting = impulse_time(bodies, with.kick, form.h) + (rattle ? form.new_lag() : 0.0);
  in.impulse_ratio = now_.state.clock.impulse_ratio(acting);
  in.ahead = buffers_.cover.ahead = form.first_part() == 0.0 ? form.h : 0.5 * (form.h + then);
  in.times = form.leapfrog ? assembly::StepTimes{form.t + 0.5 * form.h, form.t + form.h, form.h}
                           : assembly::StepTimes{form.t + form.h, form.t + form.first_part() + buffers_.cover.ahead, buffers_.cover.ahead};
  in.level = form.leapfrog ? Level::places : Level::midpoint;
  if (form.leapfrog) in.lag = now_.state.motion.lag;
  if (!find_impulses(in, form, next, timer, however)) return false;
  second_half_step(bodies, motion, with.loads, with.carried, with.free, rattle ? with.bounces.placed : next.stage.end, form);
  motion.held = next.stage.held;
  set_lag(bodies, form.new_lag(), motion);
  next.state.clock.advance(form.h, acting);
  if (!rattle) next.state.memory.store(next.stage.contacts);
  timer.end(kIntegrate);
  throw_if_stopped();

  if (rattle) {
    undo_bounces(next.state);
    if (!velocity_stage(next.state) && !however) return false;
    add_impulses(with.instant.stage, next.stage);
  }
  next.state.reactions = next.stage.reactions;
  timer.end(kSolve);
  throw_if_stopped();
  return true;
}

bool Simulation::find_impulses(StageInput& in, const StepForm& form, StepResult& next, StageTimer& timer, bool however) {
  StepBuffers& with = buffers_;
  model::Motion& motion = next.state.motion;
  ContactStage& stage = next.stage;
  StageInput later = stage_input(motion, with.rounds.struck, with.rounds.passed_on);
  later.reactions = {};
  later.impulse_ratio = 0.0;
  later.times = in.times;
  later.ahead = in.ahead;
  bool passed_on = false;
  const bool statics = form.quasi_static && !model_.bodies.deformables.empty();
  cover(with.old, with.free);
  if (statics) cover_static(now_.state);
  int look = 1;
  for (;; ++look) {
    StageInput& now = passed_on ? later : in;
    now.stop = look >= kMostRounds;
    place_bodies(motion);
    detect();
    timer.end(kDetect);
    throw_if_stopped();
    if (statics) {
      solve_static(in, form, stage);
    } else {
      stage.build(now, with.points, with.factors.inertias);
      timer.end(kAssemble);
      throw_if_stopped();
      solve(now, stage);
      warn_of_springs(now, stage);
    }
    if (statics || !passes_on(now, stage)) {
      if (!outran(stage.end) || look >= kMostLooks) break;
      continue;
    }
    // What was struck meets what is ahead with the velocities of this round.
    account_impulses(model_.bodies, stage, now.before, motion);
    with.rounds.passed_on = stage.end;
    without_loads(model_.bodies, with);
    if (passed_on) add_impulses(stage, with.rounds.sum);
    else std::swap(stage, with.rounds.sum);
    passed_on = true;
    cover(with.rounds.passed_on, with.rounds.passed_on);
  }
  if (!correct_implicit(in, form, stage, however)) return false;
  for (int round = 0; round < kMostTakes && !statics && stage.take_mean(in, with.factors.inertias); ++round) {
    solve(in, stage);
    if (!correct_implicit(in, form, stage, however)) return false;
  }
  if (!however && !solver_.penalty() && (look >= kMostRounds || may_pass({model_, motion, world_, stage.end, buffers_.cover.ahead, settings_.slack}, with.points))) return false;
  if (settings_.integrator == Integrator::rattle) {
    next.state.memory.store(stage.contacts);
    with.bounces.placed = stage.end;
    with.bounces.bounced = take_back_bounces(in, stage);
  }
  account_loads(model_.bodies, with.loads, now_.state.motion.q, !form.quasi_static, with.kick, in.before, stage.end, motion);
  account_impulses(model_.bodies, stage, passed_on ? later.before : in.before, motion);
  if (passed_on) {
    with.rounds.sum.end = stage.end;
    add_impulses(stage, with.rounds.sum);
    std::swap(stage, with.rounds.sum);
  }
  check_penetration(stage);
  timer.end(kSolve);
  throw_if_stopped();
  return true;
}

bool Simulation::passes_on(const StageInput& in, ContactStage& stage) {
  if (!can_pass_on(in, stage)) {
    while (stop_met(in, stage, buffers_.factors.inertias)) solve(in, stage);
    return false;
  }
  if (const std::vector<int> released = release_struck(in, stage, buffers_.factors.inertias); !released.empty()) {
    solve(in, stage);
    if (hold_calm(in, stage, released, buffers_.factors.inertias)) solve(in, stage);
  }
  return meets_idle(in, stage);
}

StepForm Simulation::step_form() const {
  return {time(), settings_.step, settings_.quasi_static, settings_.integrator != Integrator::moreau};
}

StageInput Simulation::stage_input(const model::Motion& motion, const assembly::Velocities& before, const assembly::Velocities& free) const {
  return {.model = model_, .motion = motion, .world = world_, .settings = settings_, .solver = solver_, .loads = buffers_.loads, .before = before,
          .free = free, .memory = now_.state.memory, .reactions = now_.state.reactions, .times = {}, .kick = buffers_.kick, .spare = now_.state.spare,
          .acceleration = buffers_.acceleration, .division = division_.get()};
}

void Simulation::check_integrator() const {
  if (settings_.integrator == Integrator::moreau) return;
  const char* name = to_string(settings_.integrator);
  if (settings_.quasi_static) throw_input("integrator {}: quasi-static steps have none; use MOREAU", name);
  if (!model_.bodies.deformables.empty())
    throw_input("integrator {}: body {} deforms, and only rigid bodies are integrated so; use MOREAU", name, model_.bodies.deformables.front().body);
  if (solver_.penalty()) throw_input("integrator {}: the solver EXPLICIT evaluates springs at mid-step; use MOREAU, or another solver", name);
  for (int k = -1; k < model_.surfaces.size(); ++k) {
    const model::SurfaceMaterial& surface = model_.surfaces[k];
    if (surface.model == model::SurfaceModel::spring_dashpot || surface.cohesion > 0.0)
      throw_input("integrator {}: surface material '{}' has {}; use MOREAU", name, surface.label, surface.cohesion > 0.0 ? "cohesion" : "springs");
    if (surface.restitution > 0.0 && !bounces(settings_.integrator))
      throw_input("integrator {}: surface material '{}' has restitution {}, and its impacts are inelastic; use RATTLE or MOREAU", name, surface.label, surface.restitution);
  }
}

void Simulation::start_motion(State& next, const StepForm& form) {
  const model::Bodies& bodies = model_.bodies;
  model::Motion& motion = next.motion;
  StepBuffers& with = buffers_;
  with.kick.resize(bodies.id.size());
  for (std::size_t i = 0; i < with.kick.size(); ++i) with.kick[i] = form.kick(motion.lag[i]);
  if (form.quasi_static) rest(bodies, motion);
  first_half_step(bodies, motion, form, with.carried);
  old_velocities(bodies, motion, with.carried, form, with.old);
  find_loads(next, with.old, form.load_time(), form.h);
  free_velocities(bodies, motion, with.loads, with.carried, now_.state.motion.q, form, with.factors, with.free);
  warn_of_spin();
}

void Simulation::find_loads(const State& next, const assembly::Velocities& velocities, double time, double step) {
  struct Loading {
    explicit Loading(bool& flag) : flag_(flag) { flag_ = true; }
    ~Loading() { flag_ = false; }
    bool& flag_;
  } now(loading_);
  evaluate_loads(model_, next.motion, velocities, time, step, buffers_.loads);
  double force = 0.0, mass = 0.0;
  for (int b = 0; b < model_.bodies.size(); ++b) {
    if (!model_.bodies.moves(b)) continue;
    force += buffers_.loads.force[b].norm();
    mass += model_.bodies.mass[b];
  }
  buffers_.acceleration = mass > 0.0 ? force / mass : 0.0;
  if (division_ && !model_.user_forces.empty()) division_->compare_loads(buffers_.loads.force, buffers_.loads.torque);
}

void Simulation::synchronise(State& next) {
  // A leapfrog left velocities of the middle of its last step: bring them to its end, where contacts hold them.
  const model::Bodies& bodies = model_.bodies;
  model::Motion& motion = next.motion;
  const double lag = motion.lag.empty() ? 0.0 : *std::ranges::max_element(motion.lag);
  if (lag == 0.0) return;
  StepBuffers& with = buffers_;
  current_velocities(bodies, motion, with.old);
  node_velocities(bodies, motion, with.instant.velocities);
  find_loads(next, with.instant.velocities, time(), 2.0 * lag);
  update_inertias(bodies, motion, step_form(), with.factors);
  kick_to_present(bodies, motion, with.loads, with.instant.velocities);
  cover(with.instant.velocities, with.instant.velocities);
  place_bodies(motion);
  detect();
  with.kick.assign(bodies.id.size(), 0.0);
  StageInput in = stage_input(motion, with.old, with.instant.velocities);
  in.reactions = {};
  in.level = Level::velocities;
  in.times = {time(), time() + 0.5 * settings_.step, settings_.step, false};
  with.instant.stage.build(in, with.points, with.factors.inertias);
  solve(in, with.instant.stage);
  account_loads(bodies, with.loads, motion.q, false, motion.lag, with.old, with.instant.stage.end, motion);
  account_impulses(bodies, with.instant.stage, with.old, motion);
  set_lag(bodies, 0.0, motion);
  store_node_velocities(bodies, motion, with.old, with.instant.stage.end);
}

void Simulation::undo_bounces(State& next) {
  // Bodies that bounce are where the impact leaves them; their velocities become those before it, with the same angular momentum in space.
  const model::Bodies& bodies = model_.bodies;
  StepBuffers& with = buffers_;
  with.bounces.excess.assign(bodies.id.size(), 0.0);
  if (!with.bounces.any()) return;
  node_velocities(bodies, next.motion, with.instant.velocities);
  assembly::Velocities before = with.instant.velocities;
  for (std::size_t i = 0; i < with.bounces.bounced.size(); ++i) {
    if (!with.bounces.bounced[i]) continue;
    const Mat3 &start = now_.state.motion.rotation[i], &turn = next.motion.rotation[i];
    const Vec3 momentum = start * (bodies.inertia[i] * (start.transpose() * with.free.angular[i]));
    before.linear[i] = with.free.linear[i];
    before.angular[i] = turn * bodies.spin(i, turn.transpose() * momentum);
    with.bounces.excess[i] = 0.5 * momentum.dot(before.angular[i] - with.free.angular[i]);
  }
  store_node_velocities(bodies, next.motion, with.instant.velocities, before);
}

bool Simulation::velocity_stage(State& next) {
  // The bodies are at the end of the step, with the velocities of its middle: loads and impulses there bring these to its end.
  const model::Bodies& bodies = model_.bodies;
  const double h = next.clock.step, end = time() + h;
  StepBuffers& with = buffers_;
  assembly::Velocities stored, before;
  current_velocities(bodies, next.motion, stored);
  node_velocities(bodies, next.motion, before);
  find_loads(next, before, end, h);
  with.instant.velocities = before;
  kick_to_present(bodies, next.motion, with.loads, with.instant.velocities);
  cover(with.instant.velocities, with.instant.velocities);
  place_bodies(next.motion);
  detect();
  with.kick.assign(bodies.id.size(), 0.0);
  StageInput in{.model = model_, .motion = next.motion, .world = world_, .settings = settings_, .solver = solver_, .loads = with.loads,
                .before = with.old, .free = with.instant.velocities, .memory = next.memory, .reactions = {}, .level = Level::velocities,
                .times = {end, end + 0.5 * h, h, false}, .kick = with.kick, .lag = now_.state.motion.lag, .placed = &with.bounces.placed,
                .excess = with.bounces.excess, .spare = now_.state.spare, .acceleration = with.acceleration, .division = division_.get()};
  with.instant.stage.build(in, with.points, with.factors.inertias);
  solve(in, with.instant.stage);
  for (int round = 0; round < kMostLooks && defer_struck(in, with.instant.stage, with.factors.inertias); ++round) solve(in, with.instant.stage);
  const bool fine = !with.bounces.any() || settings_.restitution == RestitutionLaw::newton || !with.instant.stage.adds_energy(in);
  account_loads(bodies, with.loads, next.motion.q, false, next.motion.lag, before, with.instant.stage.end, next.motion);
  account_impulses(bodies, with.instant.stage, before, next.motion);
  set_lag(bodies, 0.0, next.motion);
  store_node_velocities(bodies, next.motion, stored, with.instant.stage.end);
  return fine;
}

void Simulation::cover(const assembly::Velocities& first, const assembly::Velocities& second) {
  // A step moves a surface by at most h times the larger of the old and the free speed, unless impulses make it faster.
  std::vector<double>& covered = buffers_.cover.speed;
  covered.resize(model_.bodies.id.size());
  for (int b = 0; b < model_.bodies.size(); ++b)
    covered[b] = std::max(assembly::surface_speed(model_.bodies, first, b), assembly::surface_speed(model_.bodies, second, b));
}

void Simulation::cover_static(const State& last) {
  // Every step starts from rest: it will go about as far as the last one.
  for (const model::Deformable& body : model_.bodies.deformables) {
    double& covered = buffers_.cover.speed[model_.bodies.index(body.body)];
    covered = std::max(covered, kAhead * body.mechanics->fastest(body.part(last.motion.u)));
  }
}

bool Simulation::outran(const assembly::Velocities& end) {
  // Contacts beyond what was covered may have been passed: look again farther, where that is more than the overlap left alone.
  const model::Bodies& bodies = model_.bodies;
  // Statics does not let an overlap pass unseen that it would then leave alone.
  const double allowed = settings_.quasi_static ? kUnseen : settings_.integrator == Integrator::moreau ? settings_.slack : kNoOverlap;
  bool any = false;
  for (int b = 0; b < bodies.size(); ++b) {
    const std::size_t i = b;
    if (!bodies.moves(b)) continue;
    const double speed = assembly::surface_speed(bodies, end, b);
    if (buffers_.cover.ahead * (speed - buffers_.cover.speed[i]) <= allowed * bodies.radius[i]) continue;
    buffers_.cover.speed[i] = kAhead * speed;
    any = true;
  }
  return any;
}

void Simulation::place_bodies(const model::Motion& motion) {
  const model::Bodies& bodies = model_.bodies;
  for (int b = 0; b < bodies.size(); ++b) {
    const std::size_t i = b;
    if (bodies.moves(b) || bodies.prescribed.count(bodies.id[i])) place_body(motion, b, buffers_.cover.ahead * buffers_.cover.speed[i]);
  }
}

void Simulation::place_body(const model::Motion& motion, int b, double reach) {
  const model::Bodies& bodies = model_.bodies;
  const std::size_t i = b;
  if (const model::Deformable* body = bodies.find_deformable(b)) {
    thread_local std::vector<Vec3> points;
    if (body->mechanics->surface_points(body->part(motion.q), points)) {
      world_.place_points(bodies.id[i], points, reach);
      return;
    }
  }
  world_.place(bodies.id[i], motion.rotation[i], bodies.center[i], motion.position[i], reach);
}

void Simulation::solve(const StageInput& in, ContactStage& stage) {
  stage.solve(in);
  warn_of_no_room(stage);
  if (stage.report.status != solvers::Status::converged) handle_failure(stage.report);
  stage.apply(in, buffers_.factors.inertias);
}

void Simulation::handle_failure(const solvers::SolveReport& report) const {
  if (solver_.failure == FailurePolicy::proceed) return;
  const bool go_on = solver_.failure == FailurePolicy::callback && solver_.on_failure && solver_.on_failure(report);
  if (go_on) return;
  throw_solve("{} did not reach {} = {:.1e} in step {} at time {:.6g} s (residual {:.3e} after {} iterations, {}). {}", solver_.name,
              solvers::to_string(solver_.stop.yardstick), solver_.stop.tolerance, steps() + 1, time(), report.residual,
              report.iterations, solvers::to_string(report.status),
              report.advice.empty() ? "Allow more iterations, loosen the tolerance or use the solver AUTO." : report.advice);
}

bool Simulation::correct_implicit(const StageInput& in, const StepForm& form, ContactStage& stage, bool however) {
  // The contact problem is linear in the velocities, the motion of bodies is not: solve it for the bodies' true
  // velocities under the impulses found, and the contacts again with the difference, until it is small (theory sec. 6.4).
  const model::Bodies& bodies = model_.bodies;
  const model::Motion &motion = in.motion, &start = now_.state.motion;
  if (!stage.acts_on_deformables() || form.quasi_static) return true;
  const auto none = [](std::span<const double> x) { return std::ranges::all_of(x, [](double v) { return v == 0.0; }); };
  std::vector<double> change;
  std::vector<char> unsolved;
  for (int round = 0;; ++round) {
    unsolved.assign(bodies.deformables.size(), 0);
    change.assign(motion.u.size(), 0.0);
    throwing_for(static_cast<std::ptrdiff_t>(bodies.deformables.size()), [&](std::ptrdiff_t k) {
      const std::size_t d = k;
      const model::Deformable& body = bodies.deformables[d];
      const auto u = body.part(stage.end.nodal), difference = body.part(change);
      const auto push = body.part(std::as_const(stage.push));
      // Bodies that nothing touches have their velocities, and those at rest stay there.
      if (scheme_of(bodies, body) == model::Scheme::def_exp || none(push) || none(u)) return;
      throw_if_stopped();
      std::ranges::copy(u, difference.begin());
      unsolved[d] = !solve_implicit_body(bodies, motion, body, buffers_.loads, *buffers_.factors.inertias[d], body.part(start.q), push, form, u);
      for (std::size_t i = 0; i < u.size(); ++i) difference[i] = u[i] - difference[i];
    });
    double fastest = 0.0;
    for (const model::Deformable& body : bodies.deformables)
      fastest = std::max({fastest, body.mechanics->fastest(body.part(stage.end.nodal)), body.mechanics->fastest(body.part(motion.u))});
    const bool done = std::ranges::all_of(bodies.deformables, [&](const model::Deformable& body) {
      return body.mechanics->fastest(body.part(change)) <= fastest * (scheme_of(bodies, body) == model::Scheme::def_imp ? kCorrected : kLinearCorrected);
    });
    // A body whose motion is not found for impulses that are not yet right goes a step of Newton's method with them, then they are found anew.
    const bool solved = std::ranges::all_of(unsolved, [](char left) { return left == 0; });
    if ((done && solved) || !std::isfinite(fastest) || round == kMostCorrections) break;
    stage.shift_free(in, buffers_.factors.inertias, change);
    solve(in, stage);
  }
  for (assembly::Contact& contact : stage.contacts) contact.U = stage.relative_velocity(in, contact, stage.end);
  return accept_unsolved(unsolved, however);
}

bool Simulation::accept_unsolved(const std::vector<char>& unsolved, bool however) {
  const auto found = std::ranges::find(unsolved, 1);
  if (found == unsolved.end()) return true;
  if (!however) return false;
  const model::Deformable& body = model_.bodies.deformables[static_cast<std::size_t>(found - unsolved.begin())];
  if (scheme_of(model_.bodies, body) == model::Scheme::def_imp) throw_solve("body {}: the implicit scheme DEF_IMP did not converge; use a smaller step or DEF_LIM", body.body);
  notices_.say(Notice::unsolved, fmt::format("body {}: in step {} at time {:.6g} s contacts push so hard that the motion of a step of {:.3g} s is not found; its linear velocities are kept and its energy may change. Use a smaller step",
                                             body.body, steps() + 1, time(), settings_.step));
  return true;
}

void Simulation::check_penetration(const ContactStage& stage) const {
  for (const assembly::Contact& contact : stage.contacts)
    if (-contact.point.gap > settings_.unphysical_penetration)
      throw_solve("unphysical penetration: bodies {} and {} overlap by {:.3e} m at time {:.6g} s, more than the allowed {:.3e} m; use a smaller "
                  "step or a tighter tolerance", contact.point.body_a, contact.point.body_b, -contact.point.gap, time(),
                  settings_.unphysical_penetration);
}

}  // namespace scree::stepping
