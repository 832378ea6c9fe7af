/// What a user chooses about steps and their solver.
#pragma once

#include <functional>
#include <string>

#include "collision/world.hpp"
#include "solvers/registry.hpp"

namespace scree::stepping {

/// What to do when the solver misses its tolerance.
enum class FailurePolicy { proceed, raise, callback };

struct SolverSettings {
  std::string name = "AUTO";        ///< a name of solvers::all_solvers(), or "EXPLICIT" for the penalty solver
  solvers::StopRule stop;
  solvers::OptionValues options;
  FailurePolicy failure = FailurePolicy::proceed;
  /// Policy `callback`: return false to stop the run.
  std::function<bool(const solvers::SolveReport&)> on_failure;

  /// All contacts are springs.
  [[nodiscard]] bool penalty() const { return name == "EXPLICIT"; }
};

/// How a step advances positions and velocities together.
enum class Integrator : std::uint8_t {
  moreau,  ///< midpoint scheme (theory eq. 1.3)
  shake,   ///< leapfrog whose contacts hold at the end of the step: rigid bodies, no restitution (theory sec. 2.8)
  rattle   ///< the same with a second problem for velocities: impulses converge with the step, restitution (theory sec. 2.9)
};

/// How fast bodies part after an impact (theory sec. 3.8).
enum class RestitutionLaw : std::uint8_t {
  consistent,  ///< Newton's as far as it adds no energy; contacts as slow as loads make them within two steps do not bounce
  newton       ///< as asked for by each contact, whatever the energy
};

struct StepSettings {
  double step = 1e-3;                         ///< h, s
  Integrator integrator = Integrator::moreau;
  double recovery = 0.01;                     ///< share of an overlap driven out in one step, in [0, 1]; SHAKE and RATTLE drive out all
  double recovery_speed = 0.1;                ///< at most, m/s
  RestitutionLaw restitution = RestitutionLaw::consistent;
  double slack = 1e-2;                        ///< overlap left alone, relative to the smaller body's radius (of self-contact: the smaller piece's)
  double unphysical_penetration = kInfinity;  ///< depth that stops the run, m
  bool quasi_static = false;                  ///< every step starts from rest (theory sec. 6.5)
  collision::Settings contact;
};

}  // namespace scree::stepping
