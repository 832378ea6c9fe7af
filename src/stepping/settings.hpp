/// What a user chooses about steps and their solver.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "collision/world.hpp"
#include "solvers/registry.hpp"

namespace scree::stepping {

/// What to do when the solver misses its tolerance.
enum class FailurePolicy { proceed, raise, callback };
inline constexpr std::array kFailureNames{"continue", "raise", "callback"};
[[nodiscard]] inline const char* to_string(FailurePolicy policy) { return kFailureNames[static_cast<std::size_t>(policy)]; }

struct SolverSettings {
  std::string name = "AUTO";        ///< a name of solvers::all_solvers(), or "EXPLICIT" for the penalty solver
  solvers::StopRule stop{.tolerance = 1e-3};   ///< what every step must meet (theory sec. 3.4)
  double goal = 1e-8;               ///< what AUTO works towards while that is cheap (its option of this name); 0, or more than the tolerance: the tolerance
  solvers::OptionValues options;
  FailurePolicy failure = FailurePolicy::proceed;
  /// Policy `callback`: return false to stop the run.
  std::function<bool(const solvers::SolveReport&)> on_failure;

  /// Visit everything but functions by name: the one list that checkpoints and descriptions use.
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    auto& stop = self.stop;
    visit("name", self.name), visit("tolerance", stop.tolerance), visit("goal", self.goal), visit("yardstick", stop.yardstick), visit("max_iterations", stop.max_iterations);
    visit("max_seconds", stop.max_seconds), visit("history", stop.history), visit("failure", self.failure), visit("options", self.options);
  }

  /// What steps work towards.
  [[nodiscard]] double aim() const { return name == "AUTO" && goal > 0.0 ? std::min(goal, stop.tolerance) : stop.tolerance; }
  /// All contacts are springs.
  [[nodiscard]] bool penalty() const { return name == "EXPLICIT"; }
};

/// How a step advances positions and velocities together.
enum class Integrator : std::uint8_t {
  moreau,  ///< midpoint scheme (theory eq. 1.3)
  shake,   ///< leapfrog whose contacts hold at the end of the step: rigid bodies, no restitution (theory sec. 2.8)
  rattle   ///< the same with a second problem for velocities: impulses converge with the step, restitution (theory sec. 2.9)
};
inline constexpr std::array kIntegratorNames{"MOREAU", "SHAKE", "RATTLE"};
static_assert(kIntegratorNames.size() == static_cast<std::size_t>(Integrator::rattle) + 1, "every integrator has a name");
/// Whether impacts may have restitution; of an integrator that does not say so they may not.
[[nodiscard]] constexpr bool bounces(Integrator integrator) { return integrator == Integrator::moreau || integrator == Integrator::rattle; }
[[nodiscard]] inline const char* to_string(Integrator integrator) { return kIntegratorNames[static_cast<std::size_t>(integrator)]; }

/// How fast bodies part after an impact (theory sec. 3.8).
enum class RestitutionLaw : std::uint8_t {
  consistent,  ///< Newton's as far as it adds no energy; contacts as slow as loads make them within two steps do not bounce
  newton       ///< as asked for by each contact, whatever the energy
};
inline constexpr std::array kRestitutionNames{"CONSISTENT", "NEWTON"};
[[nodiscard]] inline const char* to_string(RestitutionLaw law) { return kRestitutionNames[static_cast<std::size_t>(law)]; }

inline constexpr double kBySize = -1.0;  ///< a speed that follows from the scene

struct StepSettings {
  double step = 1e-3;                         ///< h, s
  Integrator integrator = Integrator::moreau;
  double recovery = 0.01;                     ///< share of an overlap driven out in one step, in [0, 1]; SHAKE and RATTLE drive out all
  double recovery_speed = kBySize;            ///< at most, m/s; kBySize: relative to the smaller body and what loads accelerate (theory sec. 3.3)
  RestitutionLaw restitution = RestitutionLaw::consistent;
  double slack = 1e-2;                        ///< overlap left alone, relative to the smaller body's radius (of self-contact: the smaller piece's)
  double unphysical_penetration = kInfinity;  ///< depth that stops the run, m
  bool quasi_static = false;                  ///< every step starts from rest (theory sec. 6.5)
  collision::Settings contact;

  /// Visit everything by name: the one list that checkpoints and descriptions use.
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit("step", self.step), visit("integrator", self.integrator), visit("recovery", self.recovery), visit("recovery_speed", self.recovery_speed);
    visit("restitution", self.restitution), visit("slack", self.slack), visit("unphysical_penetration", self.unphysical_penetration);
    visit("quasi_static", self.quasi_static);
    auto& contact = self.contact;
    visit("margin", contact.margin), visit("one_point_per_overlap", contact.one_point_per_overlap), visit("manifold_points", contact.manifold_points);
    visit("sparsify", contact.sparsify), visit("min_area", contact.min_area), visit("min_distance", contact.min_distance);
  }
};

}  // namespace scree::stepping
