/// Integration of rigid motion (theory sec. 2.3, 2.4): half-steps of places, free velocities, and the
/// three rotation schemes.
#pragma once

#include <vector>

#include "assembly/local_dynamics.hpp"
#include "model/model.hpp"

namespace scree::stepping {

/// How a step moves things in time.
struct StepForm {
  double t = 0.0, h = 0.0;   ///< start and length, s
  bool quasi_static = false;  ///< every step starts from rest (theory sec. 6.5)

  /// Time from the start to where geometry is evaluated, and from there to the end, s.
  [[nodiscard]] double first_part() const { return quasi_static ? 0.0 : 0.5 * h; }
  [[nodiscard]] double second_part() const { return h - first_part(); }
};

/// Loads on bodies at mid-step, by body index: spatial force at the mass centre and referential torque.
struct BodyLoads {
  std::vector<Vec3> force;   ///< N
  std::vector<Vec3> torque;  ///< N m, referential
  std::vector<double> nodal;  ///< on the unknowns of deformable bodies, laid out as model::Bodies::u
};

/// Angular momentum carried to mid-step,  P = exp(-h/2 W) J W, by body index (eq. 2.8).
using CarriedMomentum = std::vector<Vec3>;

/// Move rigid bodies to mid-step with their velocities at the start (eq. 2.4, 2.7); obstacles follow their
/// prescribed motion at time t.
void first_half_step(model::Bodies& bodies, const StepForm& form, CarriedMomentum& carried);

/// Velocities of rigid bodies at the end of the step without constraints (eq. 2.9), angular ones in spatial form. Damping acts on the mean of
/// old and new velocity. Obstacles get their prescribed velocities at t + h.
void free_velocities(const model::Bodies& bodies, const BodyLoads& loads, const CarriedMomentum& carried, double t, double h,
                     assembly::Velocities& free);

/// Spatial velocities of all bodies as stored (angular: Lam W at the current rotation).
void current_velocities(const model::Bodies& bodies, assembly::Velocities& velocities);

/// Move rigid bodies and obstacles from mid-step to the end with their new velocities and store these (eq. 2.10-2.12).
/// `free` and `end` are spatial velocities before and after the constraint impulses.
void second_half_step(model::Bodies& bodies, const BodyLoads& loads, const CarriedMomentum& carried,
                      const assembly::Velocities& free, const assembly::Velocities& end, const StepForm& form);

}  // namespace scree::stepping
