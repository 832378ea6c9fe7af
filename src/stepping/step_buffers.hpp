/// What a step makes, and what it needs on the way.
#pragma once

#include <algorithm>
#include <vector>

#include "core/timer.hpp"
#include "model/step_row.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/deformable_motion.hpp"
#include "stepping/state.hpp"

namespace scree::stepping {

/// Adds wall time to the stages of a row.
class StageTimer {
 public:
  explicit StageTimer(model::StepRow& row) : row_(row) {}
  void end(model::Stage stage) {
    row_.seconds(stage) += timer_.seconds();
    timer_.restart();
  }

 private:
  model::StepRow& row_;
  Timer timer_;
};

/// What a step makes.
struct StepResult {
  State state;
  ContactStage stage;   ///< its contacts and their problem
  model::StepRow report;
  std::vector<int> departed;  ///< ids of bodies deleted because they left the extents
};

/// How far detection looks: Simulation::cover, and outran where impulses make bodies faster.
struct Coverage {
  std::vector<double> speed;  ///< up to which surfaces are covered, m/s, by body
  double ahead = 0.0;         ///< time from where the step looks at geometry to where the next one does, s
};

/// Impacts passed on from body to body within a step (theory sec. 3.8), by find_impulses.
struct Rounds {
  ContactStage sum;                ///< of the earlier rounds
  assembly::Velocities passed_on;  ///< velocities they leave,
  assembly::Velocities struck;     ///< and these without what loads add
};

/// Bodies that an impact with restitution moves in a step of RATTLE.
struct Bounces {
  assembly::Velocities placed;  ///< velocities that move bodies during the step (find_impulses)
  std::vector<char> bounced;    ///< whether it is one, by body (find_impulses)
  std::vector<double> excess;   ///< energy that turning it to the end of the step adds, J, by body (undo_bounces)

  [[nodiscard]] bool any() const { return std::ranges::any_of(bounced, [](char b) { return b != 0; }); }
};

/// The problem of velocities at an instant between two steps of a leapfrog (theory sec. 2.9), by synchronise and velocity_stage.
struct Instant {
  assembly::Velocities velocities;
  ContactStage stage;
};

/// A quasi-static step asked for, and what became of it (step_quasi_static, solve_static).
struct StaticStep {
  double length = 0.0;   ///< s
  bool cut = false;      ///< it is being made of shorter ones,
  bool snapped = false;  ///< and has passed an unstable configuration
};

/// Intermediate quantities of a step, kept to reuse memory: nothing here outlives a step but factorised inertias. In brackets who writes it.
struct StepBuffers {
  std::vector<double> kick;       ///< time between old and new velocities, s, by body (start_motion; 0 at an instant)
  CarriedMomentum carried;        ///< angular momentum carried to where geometry is evaluated (first_half_step)
  assembly::Velocities old;       ///< at the start, rotated to where geometry is evaluated (old_velocities)
  BodyLoads loads;                ///< there (find_loads)
  double acceleration = 0.0;      ///< of all bodies by them in the mean, m/s^2 (find_loads)
  assembly::Velocities free;      ///< new ones, by loads alone (free_velocities)
  Factors factors;                ///< of deformable bodies' A (free_velocities, update_inertias, factorise_static)
  Coverage cover;
  std::vector<collision::ContactPoint> points;  ///< found (detect)
  Rounds rounds;
  Bounces bounces;
  Instant instant;
  StaticStep statics;
};

}  // namespace scree::stepping
