/// One step's report as a row of a NumPy table.
#pragma once

#include <cstdint>

#include "stepping/simulation.hpp"

namespace scree::python {

struct StepRow {
  std::int64_t step;
  double time, h;
  std::int32_t bodies, constraints, candidates, contacts, status, iterations;
  double residual, penetration_max, penetration_mean;
  double integrate, detect, assemble, solve;
  double kinetic, internal, potential, external, contact, friction, damping, drift;
};

[[nodiscard]] inline StepRow to_row(const stepping::StepReport& r) {
  const stepping::Energies& e = r.energies;
  return {r.step, r.time, r.h, r.bodies, r.constraints, r.candidates, r.contacts, static_cast<std::int32_t>(r.status), r.iterations,
          r.residual, r.penetration_max, r.penetration_mean,
          r.seconds[stepping::kIntegrate], r.seconds[stepping::kDetect], r.seconds[stepping::kAssemble], r.seconds[stepping::kSolve],
          e.kinetic, e.internal, e.potential, e.work.external, e.work.contact, e.work.friction, e.work.damping, e.drift};
}

}  // namespace scree::python
