/// Integration of deformable motion (theory sec. 6.3): half-steps, free velocities and the implicit scheme.
///
/// Functions do nothing in a model without deformable bodies.
#pragma once

#include "assembly/local_dynamics.hpp"
#include "stepping/rigid_motion.hpp"

namespace scree::stepping {

/// Make or renew inertia operators where bodies came, went or got new mechanics, and form A at mid-step (theory eq. 6.7).
void update_inertias(const model::Bodies& bodies, const StepForm& form, assembly::Inertias& inertias, std::vector<std::shared_ptr<const model::Mechanics>>& owners);

/// q <- q + h/2 u, and the mean motion of mid-step.
void first_deformable_half_step(model::Bodies& bodies, const StepForm& form);

/// Rates at the end of the step without impulses (theory eq. 6.8, 6.10). `start` is q at the start of the step.
void free_deformable_velocities(const model::Bodies& bodies, const BodyLoads& loads, const assembly::Inertias& inertias,
                                std::span<const double> start, const StepForm& form, assembly::Velocities& free);

/// Solve eq. 6.10 for the rates `u` of one implicit body with the impulses `push`, from the guess in `u`. SolveError when Newton's method does not
/// converge.
void solve_implicit_body(const model::Bodies& bodies, const model::Deformable& body, const BodyLoads& loads, const model::Inertia& inertia,
                         std::span<const double> start, std::span<const double> push, const StepForm& form, std::span<double> u);

/// q' = q_mid + h/2 u', and the mean motion at the end.
void second_deformable_half_step(model::Bodies& bodies, const assembly::Velocities& end, const StepForm& form);

/// Largest step that the explicit bodies allow, s; infinity when there are none.
[[nodiscard]] double explicit_limit(const model::Bodies& bodies);

}  // namespace scree::stepping
