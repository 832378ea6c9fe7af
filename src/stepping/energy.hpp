/// The energy ledger (theory sec. 2.7): work of loads and impulses on each body, J, added to model::Motion::work.
#pragma once

#include <span>

#include "stepping/contact_stage.hpp"

namespace scree::stepping {

/// Loads and damping act over `kick` (s, by body) while velocities go from `old` to `end`. `start` is q at the start of the step; `viscous` says whether
/// deformable bodies are damped by their viscosity.
void account_loads(const model::Bodies& bodies, const BodyLoads& loads, std::span<const double> start, bool viscous, std::span<const double> kick,
                   const assembly::Velocities& old, const assembly::Velocities& end, model::Motion& motion);

/// Impulses of a stage while velocities go from `old` to its end.
void account_impulses(const model::Bodies& bodies, const ContactStage& stage, const assembly::Velocities& old, model::Motion& motion);

}  // namespace scree::stepping
