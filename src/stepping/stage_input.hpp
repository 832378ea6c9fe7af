/// What a contact problem of a step is made from, and the speeds and lengths by which its contacts are judged.
#pragma once

#include <cstdint>
#include <span>

#include "assembly/contact.hpp"
#include "assembly/local_dynamics.hpp"
#include "collision/world.hpp"
#include "model/model.hpp"
#include "stepping/division.hpp"
#include "stepping/rigid_motion.hpp"
#include "stepping/settings.hpp"

namespace scree::stepping {

/// What a problem asks for.
enum class Level : std::uint8_t {
  midpoint,   ///< bodies are at mid-step: restitution, gaps ahead and a share of overlaps at its end (theory sec. 3.3)
  places,     ///< bodies are at the start: no overlap at the end of the step (theory sec. 2.8)
  velocities  ///< closed contacts do not close further, or fly apart by restitution (theory sec. 2.9)
};

/// What a stage reads. Its owner keeps it alive until apply() is done.
struct StageInput {
  const model::Model& model;
  const model::Motion& motion;            ///< where bodies are now
  const collision::World& world;          ///< as placed there, after detect()
  const StepSettings& settings;
  const SolverSettings& solver;
  const BodyLoads& loads;
  const assembly::Velocities& before;     ///< what restitution looks back to
  const assembly::Velocities& free;       ///< without impulses of this stage
  const assembly::ContactMemory& memory;  ///< impulses to begin with
  std::span<const assembly::Reaction> reactions;  ///< the same of constraints; empty: none
  double impulse_ratio = 1.0;             ///< by which those are scaled
  Level level = Level::midpoint;
  assembly::StepTimes times;              ///< of constraints
  double ahead = 0.0;                     ///< level `midpoint`: time until geometry is looked at again, s
  bool stop = false;                      ///< nothing bounces, what is ahead is stopped
  std::span<const double> kick;           ///< time over which velocities change, s, by body
  std::span<const double> lag = {};       ///< of a leapfrog: how long before its start the velocities `before` are, s, by body
  const assembly::Velocities* placed = nullptr;  ///< level `velocities`: those that moved bodies during the step; null: nothing bounces at an instant of its own
  std::span<const double> excess = {};    ///< level `velocities`: energy of `free` above that of the same bodies before their impact, J, by body
  double spare = 0.0;                     ///< work for the solver's goal, in sweeps
  double acceleration = 0.0;              ///< of all bodies by loads in the mean, m/s^2
  Division* division = nullptr;           ///< of the work among ranks; none: all is done here
};

/// Speed that the loads of a step give a body's surface, m/s.
[[nodiscard]] double load_speed(const StageInput& in, int body);

/// Normal acceleration of a contact of rigid bodies by the loads, m/s^2.
[[nodiscard]] double load_acceleration(const StageInput& in, const assembly::Contact& contact);

/// Closing speed up to which a contact rests whatever its restitution, m/s.
[[nodiscard]] double calm_speed(const StageInput& in, const assembly::Contact& contact);

/// Speed up to which overlaps are driven out, m/s.
[[nodiscard]] double recovery_speed(const StageInput& in, const assembly::Contact& contact);

/// Overlap left alone, m.
[[nodiscard]] double allowed_overlap(const StageInput& in, const assembly::Contact& contact);

}  // namespace scree::stepping
