/// Integration of deformable motion (theory sec. 6.3): half-steps, free velocities and the implicit schemes.
///
/// Functions do nothing in a model without deformable bodies.
#pragma once

#include "assembly/local_dynamics.hpp"
#include "stepping/rigid_motion.hpp"

namespace scree::stepping {

/// A of deformable bodies, factorised, in their order; kept from step to step.
struct Factors {
  assembly::Inertias inertias;
  std::vector<std::shared_ptr<const model::Mechanics>> owners;  ///< whose they are

  /// Make anew the operator of body d where it came or got new mechanics.
  void renew(const model::Deformable& body, std::size_t d);
};

/// The scheme of a body: DEF_LIM in place of DEF_EXP where the body is reduced, whose system is small and has no lumped masses.
[[nodiscard]] model::Scheme scheme_of(const model::Bodies& bodies, const model::Deformable& body);

/// Make or renew inertia operators where bodies came, went or got new mechanics, and form A at the present configuration (theory eq. 6.7).
void update_inertias(const model::Bodies& bodies, const model::Motion& motion, const StepForm& form, Factors& factors);

/// q <- q + h/2 u, and the mean motion of mid-step.
void first_deformable_half_step(const model::Bodies& bodies, model::Motion& motion, const StepForm& form);

/// Rates at the end of the step without impulses (theory eq. 6.8, 6.12), and A there (theory eq. 6.7): inertia operators are made or renewed where
/// bodies came, went or got new mechanics. `start` is q at the start of the step.
void free_deformable_velocities(const model::Bodies& bodies, const model::Motion& motion, const BodyLoads& loads, std::span<const double> start,
                                const StepForm& form, Factors& factors, assembly::Velocities& free);

/// What holds each deformable body against the ground.
using Supports = std::vector<std::vector<model::Support>>;

/// A of a quasi-static step at the configuration q (theory eq. 6.14), with supports. SolveError where it is not positive definite.
void factorise_static(const model::Bodies& bodies, const model::Motion& motion, std::span<const double> q, const StepForm& form, const Supports& supports,
                      assembly::Inertias& inertias);

/// free = u + A^-1 (h (f_ext - f(q + h u)) - M u): a Newton step of statics from the rates u, without impulses (theory eq. 6.16).
void static_velocities(const model::Bodies& bodies, std::span<const double> q, const BodyLoads& loads, const StepForm& form, const assembly::Inertias& inertias,
                       std::span<const double> u, std::span<double> free);

/// Solve eq. 6.8 for the rates `u` of one body with the impulses `push`, from the guess in `u`. False when Newton's method does not converge with them:
/// then `u` is one step of it away from the guess.
[[nodiscard]] bool solve_implicit_body(const model::Bodies& bodies, const model::Motion& motion, const model::Deformable& body, const BodyLoads& loads,
                         const model::Inertia& inertia, std::span<const double> start, std::span<const double> push, const StepForm& form, std::span<double> u);

/// q' = q_mid + h/2 u', and the mean motion at the end.
void second_deformable_half_step(const model::Bodies& bodies, model::Motion& motion, const assembly::Velocities& end, const StepForm& form);

/// Work of the viscous forces of one body in a step of h from q0 with rates u before and u1 after it, J, <= 0 but for rounding; `motion` is at mid-step.
[[nodiscard]] double viscous_work(const model::Bodies& bodies, const model::Motion& motion, const model::Deformable& body, double h,
                                  std::span<const double> q0, std::span<const double> u, std::span<const double> u1);

/// Largest step that the explicit bodies allow, s; infinity when there are none.
[[nodiscard]] double explicit_limit(const model::Bodies& bodies);

}  // namespace scree::stepping
