/// Half-steps and free velocities of all bodies: rigid ones, deformable ones and obstacles behind one function a stage.
#pragma once

#include "stepping/deformable_motion.hpp"
#include "stepping/rigid_motion.hpp"

namespace scree::stepping {

/// To where geometry is evaluated, with the velocities at the start (theory eq. 2.4, 2.7).
inline void first_half_step(const model::Bodies& bodies, model::Motion& motion, const StepForm& form, CarriedMomentum& carried) {
  first_rigid_half_step(bodies, motion, form, carried);
  first_deformable_half_step(bodies, motion, form);
}

/// New velocities by loads alone (theory eq. 2.9, 6.8, 6.12), and A of deformable bodies. `start` is q at the start of the step.
inline void free_velocities(const model::Bodies& bodies, const model::Motion& motion, const BodyLoads& loads, const CarriedMomentum& carried,
                            std::span<const double> start, const StepForm& form, Factors& factors, assembly::Velocities& free) {
  free_rigid_velocities(bodies, motion, loads, carried, form, free);
  free_deformable_velocities(bodies, motion, loads, start, form, factors, free);
}

/// From there to the end. `free` and `end` are velocities before and after the constraint impulses.
inline void second_half_step(const model::Bodies& bodies, model::Motion& motion, const BodyLoads& loads, const CarriedMomentum& carried,
                             const assembly::Velocities& free, const assembly::Velocities& end, const StepForm& form) {
  second_rigid_half_step(bodies, motion, loads, carried, free, end, form);
  second_deformable_half_step(bodies, motion, end, form);
}

}  // namespace scree::stepping
