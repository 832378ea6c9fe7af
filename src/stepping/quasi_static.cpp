/// Quasi-static steps (theory sec. 6.5): Newton's method with constraints and contacts in its system, and steps cut where it does not converge.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "stepping/deformable_motion.hpp"
#include "stepping/simulation.hpp"

namespace scree::stepping {

namespace {

constexpr int kMostNewtonSteps = 60;      ///< of Newton's method
constexpr int kMostStepHalvings = 6;         ///< of one of its steps
constexpr double kChord = 0.25;          ///< a step that shrinks the next one to this share needs no new matrix
constexpr double kStaticEnough = 1e-8;         ///< last change of the rates, relative to the fastest
constexpr double kSolverLimit = 1e-5;    ///< the same where steps no longer shrink
constexpr double kNoise = 100.0;         ///< times rounding, likewise
constexpr double kAtRest = 1e-11;        ///< of the largest body's radius: a move that is nothing
constexpr double kReleased = 1e-4;       ///< of the work of a step: energy that is more than error
constexpr double kLeastSnap = 1e-6;      ///< of the largest body's radius: a move that may be more than error
constexpr double kConstraint = 1e3;      ///< stiffness of constraints as supports, relative to the largest entry of A
constexpr double kObstacle = 1.0;        ///< and of obstacles: with more, errors of their forces would hardly move the body, and not be seen
constexpr int kMostReleases = 10;        ///< matrices made anew because a support let go at the end
constexpr int kMostCuts = 12;            ///< halvings of a step
constexpr int kMostStaticParts = 300;          ///< attempts to make a part of it

/// Newton's method does not converge with this step.
class TooLong : public SolveError {
 public:
  using SolveError::SolveError;
};

bool presses(const assembly::Contact& contact) { return contact.R.x() > 0.0; }

/// Supports of a body by constraints that hold one point against the ground, and by obstacles that press on it.
Supports find_supports(const model::Model& model, const ContactStage& stage) {
  const model::Bodies& bodies = model.bodies;
  Supports supports(bodies.deformables.size());
  const auto add = [&](int body, int grip, const Mat3& directions, double stiffness) {
    const auto weights = stage.grips[grip];
    supports[bodies.deformable[body]].push_back({{weights.begin(), weights.end()}, directions, stiffness});
  };
  for (std::size_t k = 0; k < model.constraints.size(); ++k) {
    const model::Constraint& constraint = model.constraints[k];
    const assembly::Side& side = stage.constraint_sides[k][1];
    if (model::joins_points(constraint.kind) || side.grip < 0) continue;
    const bool full = constraint.kind == model::ConstraintKind::fixed_point;
    add(side.body, side.grip, full ? Mat3::Identity() : (constraint.direction * constraint.direction.transpose()).eval(), kConstraint);
  }
  for (const assembly::Contact& contact : stage.contacts) {
    if (!presses(contact)) continue;
    const Mat3 normal = contact.point.normal * contact.point.normal.transpose();
    if (!bodies.moves(contact.index_b) && contact.grip_a >= 0) add(contact.index_a, contact.grip_a, normal, kObstacle);
    if (!bodies.moves(contact.index_a) && contact.grip_b >= 0) add(contact.index_b, contact.grip_b, normal, kObstacle);
  }
  return supports;
}

/// Largest speed that rates `u` give any body, m/s.
double fastest(const model::Bodies& bodies, std::span<const double> u) {
  double speed = 0.0;
  for (const model::Deformable& body : bodies.deformables) speed = std::max(speed, body.mechanics->fastest(body.part(u)));
  return speed;
}

double largest_radius(const model::Bodies& bodies) {
  double radius = 0.0;
  for (const model::Deformable& body : bodies.deformables) radius = std::max(radius, bodies.radius[bodies.index(body.body)]);
  return radius;
}

}  // namespace

/// One quasi-static step as a nonlinear system: rates u, and the change that a Newton step asks for under the contacts' laws.
class StaticEquation {
 public:
  StaticEquation(Simulation& simulation, const StageInput& in, const StepForm& form, ContactStage& stage)
      : simulation_(simulation), with_(simulation.buffers_), in_(in), form_(form), stage_(stage), u_(in.motion.u.size(), 0.0),
        rounding_(kAtRest * largest_radius(in.model.bodies) / form.h) {}

  /// Rates at the end of the step are in the stage. TooLong when Newton's method does not converge.
  void solve() {
    stage_.locate(in_, with_.points);
    linearise();
    std::vector<double> trial(u_.size()), change = change_to_end(u_);
    for (int iteration = 0; iteration < kMostNewtonSteps; ++iteration) {
      const double size = fastest(in_.model.bodies, change);
      if (!std::isfinite(size)) break;
      if (converged(size)) {
        if (holds_to_end()) return;
        linearise();
        change = change_to_end(u_);
        continue;
      }
      std::vector<double> next;
      double share = 1.0, after = 0.0;
      for (int halving = 0;; ++halving, share *= 0.5) {
        if (halving > kMostStepHalvings) {
          if (size > kSolverLimit * fastest(in_.model.bodies, stage_.end.nodal) + kNoise * rounding_) throw TooLong("the line search of a quasi-static step failed");
          // What is left is the contact solver's own error.
          shift_to(u_);
          change_to_end(u_);
          return;
        }
        for (std::size_t k = 0; k < u_.size(); ++k) trial[k] = u_[k] + share * change[k];
        shift_to(trial);
        next = change_to_end(trial);
        after = fastest(in_.model.bodies, next);
        if (after <= (1.0 - 0.25 * share) * size || converged(after)) break;
      }
      u_.swap(trial);
      change.swap(next);
      if (converged(after) || after <= kChord * size) continue;
      linearise();
      change = change_to_end(u_);
    }
    throw TooLong("Newton's method of a quasi-static step did not converge");
  }

  /// Whether the step released more energy than a stable way to its end can:  E(q') - E(q) < f(q) . (q' - q)  (theory eq. 6.18).
  [[nodiscard]] bool released_energy() const {
    if (form_.h * fastest(in_.model.bodies, stage_.end.nodal) <= kLeastSnap * largest_radius(in_.model.bodies)) return false;
    double gain = 0.0, size = 0.0;
    for (const model::Deformable& body : in_.model.bodies.deformables) {
      const std::span<const double> q = body.part(in_.motion.q), u = body.part(stage_.end.nodal);
      std::vector<double> force(q.size()), end(q.begin(), q.end());
      body.mechanics->internal_force(q, force);
      double work = 0.0;
      for (std::size_t k = 0; k < q.size(); ++k) {
        end[k] += form_.h * u[k];
        work += form_.h * force[k] * u[k];
      }
      const double stored = body.mechanics->internal_energy(end) - body.mechanics->internal_energy(q);
      gain += stored - work;
      size += std::abs(stored) + std::abs(work);
    }
    return gain < -kReleased * size;
  }

  /// SolveError when the configuration at the end of the step is not stable for steps of length h.
  void check_stability(double h) {
    StepForm form = form_;
    form.h = h;
    factorise(stage_.end.nodal, form);
  }

 private:
  [[nodiscard]] bool converged(double size) const {
    const double enough = std::max(kStaticEnough, in_.solver.aim());
    return size <= enough * fastest(in_.model.bodies, stage_.end.nodal) + rounding_;
  }

  /// Whether all obstacles that were supports still press. Where one does not, its stiffness has hidden how far the body goes.
  [[nodiscard]] bool holds_to_end() {
    const bool all = std::ranges::all_of(supporting_, [&](std::size_t c) { return presses(stage_.contacts[c]); });
    return all || ++releases_ > kMostReleases;
  }

  void factorise(std::span<const double> u, const StepForm& form) {
    place_ = in_.motion.q;
    for (std::size_t k = 0; k < place_.size(); ++k) place_[k] += form_.h * u[k];
    factorise_static(in_.model.bodies, in_.motion, place_, form, find_supports(in_.model, stage_), with_.factors.inertias);
  }

  /// New matrix and contact problem at the present rates.
  void linearise() {
    supporting_.clear();
    for (std::size_t c = 0; c < stage_.contacts.size(); ++c)
      if (presses(stage_.contacts[c])) supporting_.push_back(c);
    try {
      factorise(u_, form_);
    } catch (const SolveError& error) {
      throw TooLong(error.what());
    }
    static_velocities(in_.model.bodies, in_.motion.q, with_.loads, form_, with_.factors.inertias, u_, with_.free.nodal);
    free_ = with_.free.nodal;
    const std::vector<double> R = stage_.R;
    stage_.build(in_, with_.points, with_.factors.inertias);
    if (linearised_ && R.size() == stage_.R.size()) stage_.R = R;
    linearised_ = true;
  }

  /// The contact problem of a Newton step from the rates u with the present matrix.
  void shift_to(std::span<const double> u) {
    std::vector<double> change = std::exchange(free_, std::vector<double>(u.size()));
    static_velocities(in_.model.bodies, in_.motion.q, with_.loads, form_, with_.factors.inertias, u, free_);
    for (std::size_t k = 0; k < change.size(); ++k) change[k] = free_[k] - change[k];
    stage_.shift_free(in_, with_.factors.inertias, change);
  }

  std::vector<double> change_to_end(std::span<const double> u) {
    simulation_.solve(in_, stage_);
    std::vector<double> change(u.size());
    for (std::size_t k = 0; k < u.size(); ++k) change[k] = stage_.end.nodal[k] - u[k];
    return change;
  }

  Simulation& simulation_;
  StepBuffers& with_;
  const StageInput& in_;
  StepForm form_;
  ContactStage& stage_;
  std::vector<double> u_, free_, place_;
  std::vector<std::size_t> supporting_;  ///< contacts that press as the matrix has it
  int releases_ = 0;
  double rounding_;          ///< speed that moves nothing, m/s
  bool linearised_ = false;  ///< the stage holds impulses of this step
};

void Simulation::solve_static(const StageInput& in, const StepForm& form, ContactStage& stage) {
  StaticEquation equation(*this, in, form, stage);
  equation.solve();
  // Supports that move do work of their own.
  const bool still = model_.bodies.prescribed.empty() && std::ranges::all_of(model_.constraints, [](const model::Constraint& c) {
    return c.kind == model::ConstraintKind::fixed_point || c.kind == model::ConstraintKind::fixed_direction || model::joins_points(c.kind);
  });
  if (still && equation.released_energy()) buffers_.statics.snapped = true;
  if (!buffers_.statics.cut) return;
  // A cut step goes wherever inertia lets it: say when it passes what statics alone would not hold.
  try {
    equation.check_stability(buffers_.statics.length);
  } catch (const SolveError&) {
    buffers_.statics.snapped = true;
  }
}

void Simulation::step_quasi_static() {
  const double h = settings_.step;
  const Clock before = now_.state.clock;
  buffers_.statics = {h};
  StepResult start;
  const auto restore = [&] {
    settings_.step = h;
    if (buffers_.statics.cut && now_.state.clock.steps != before.steps) now_ = std::move(start);
  };
  double done = 0.0, share = 1.0;
  std::string reason;
  for (int part = 0; done < 1.0; ++part) {
    settings_.step = share * h;
    try {
      (void)make_step(next_, settings_.step, true);
    } catch (const TooLong& error) {
      reason = error.what();
      buffers_.statics.cut = true;
      share *= 0.5;
      if (share >= std::ldexp(1.0, -kMostCuts) && part < kMostStaticParts) continue;
      restore();
      throw_solve("quasi-static step {} at time {:.6g} s did not converge, cut to {:.2g} s ({}). Is the load beyond what the structure bears, or a body held by nothing?",
                  before.steps + 1, before.time, share * h, reason);
    } catch (...) {
      restore();
      throw;
    }
    // The state before the step is kept until all of it is done.
    if (done == 0.0 && share < 1.0) {
      start = std::exchange(now_, std::move(next_));
      next_ = {};
    } else {
      std::swap(now_, next_);
    }
    done += share;
    // Longer parts again, where they end at a part of the same length.
    if (done < 1.0 && std::fmod(done, 2.0 * share) == 0.0) share *= 2.0;
  }
  settings_.step = h;
  if (buffers_.statics.cut) {
    const double impulse_time = now_.state.clock.impulse_time;
    now_.state.clock = before;
    now_.state.clock.advance(h, impulse_time);
  }
  if (buffers_.statics.snapped)
    notices_.add(fmt::format("quasi-static step {} at time {:.6g} s: the structure lost its stability and snapped to another equilibrium; forces and places on the way there are not static",
                                    before.steps + 1, now_.state.clock.time));
}

}  // namespace scree::stepping
