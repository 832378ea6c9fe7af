/// One row of the per-step table: the one type that a step fills, results files store and Python reads as a NumPy row.
#pragma once

#include <array>
#include <cstdint>

namespace scree::model {

/// Stages of a step, in order; also the names of their times.
enum Stage { kIntegrate, kDetect, kAssemble, kSolve, kStages };
inline constexpr std::array<const char*, kStages> kStageNames{"integrate", "detect", "assemble", "solve"};

/// Gap, relative to the radius of the smaller body, up to which a contact counts as touching.
inline constexpr double kTouching = 1e-6;

/// Plain data, without padding that would differ between machines. Energies and works in J, of all moving bodies; works since the start.
struct StepRow {
  std::int64_t step = 0;          ///< number of the step, from 1
  double time = 0.0;              ///< at its end, s
  double h = 0.0;                 ///< its length, s
  std::int32_t bodies = 0;
  std::int32_t constraints = 0;   ///< prescribed by the user
  std::int32_t candidates = 0;    ///< contact points within reach
  std::int32_t contacts = 0;      ///< those that touch (kTouching) or carry a force
  std::int32_t status = 0;        ///< solvers::Status
  std::int32_t iterations = 0;
  double residual = 0.0;
  double merit = 0.0;             ///< solvers::Yardstick::scaled_merit
  double penetration_max = 0.0, penetration_mean = 0.0;  ///< m, >= 0, before the step's impulses
  double integrate = 0.0, detect = 0.0, assemble = 0.0, solve = 0.0;  ///< wall clock of the stages, s
  double kinetic = 0.0, internal = 0.0, potential = 0.0;
  double external = 0.0, contact = 0.0, friction = 0.0, damping = 0.0;  ///< works
  double drift = 0.0;             ///< what the integrators lost or gained

  /// Wall clock of a stage, s.
  [[nodiscard]] double& seconds(int stage) { return this->*clock_of(stage); }
  [[nodiscard]] double seconds(int stage) const { return this->*clock_of(stage); }

  /// Visit what results files store of a row by name, times of stages apart: the one list of its columns.
  template <class Visit>
  static constexpr void each_stored(Visit&& visit) {
    visit("step", &StepRow::step), visit("time", &StepRow::time), visit("h", &StepRow::h), visit("bodies", &StepRow::bodies);
    visit("contacts", &StepRow::contacts), visit("iterations", &StepRow::iterations), visit("status", &StepRow::status);
    visit("residual", &StepRow::residual), visit("merit", &StepRow::merit), visit("penetration_max", &StepRow::penetration_max), visit("penetration_mean", &StepRow::penetration_mean);
  }

 private:
  [[nodiscard]] static double StepRow::*clock_of(int stage) {
    constexpr std::array<double StepRow::*, kStages> kClocks{&StepRow::integrate, &StepRow::detect, &StepRow::assemble, &StepRow::solve};
    return kClocks[stage];
  }
};

}  // namespace scree::model
