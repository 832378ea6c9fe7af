/// Integration of rigid motion (theory sec. 2.3, 2.4, 2.8): half-steps of places, free velocities, and the
/// rotation schemes.
#pragma once

#include <vector>

#include "assembly/local_dynamics.hpp"
#include "core/threads.hpp"
#include "model/model.hpp"

namespace scree::stepping {

/// How a step moves things in time.
struct StepForm {
  double t = 0.0, h = 0.0;   ///< start and length, s
  bool quasi_static = false;  ///< every step starts from rest (theory sec. 6.5)
  bool leapfrog = false;      ///< geometry at the start, new velocities belong to the middle (theory sec. 2.8)

  /// Time from the start to where geometry is evaluated, and from there to the end, s.
  [[nodiscard]] double first_part() const { return quasi_static || leapfrog ? 0.0 : 0.5 * h; }
  [[nodiscard]] double second_part() const { return h - first_part(); }
  /// Of a body whose velocities belong to `lag` before the start (model::Motion): time from there to where geometry is evaluated, s.
  [[nodiscard]] double carry(double lag) const { return quasi_static ? 0.0 : leapfrog ? lag : 0.5 * h; }
  /// And to its new velocities, s.
  [[nodiscard]] double kick(double lag) const { return leapfrog ? lag + 0.5 * h : h; }
  /// Instants of the loads and of the new velocities, s.
  [[nodiscard]] double load_time() const { return leapfrog ? t : quasi_static ? t + h : t + 0.5 * h; }
  [[nodiscard]] double velocity_time() const { return leapfrog ? t + 0.5 * h : t + h; }
  /// How long before the end of the step its new velocities are, s.
  [[nodiscard]] double new_lag() const { return leapfrog ? 0.5 * h : 0.0; }
};

/// Loads on bodies at mid-step, by body index: spatial force at the mass centre and referential torque.
struct BodyLoads {
  std::vector<Vec3> force;   ///< N
  std::vector<Vec3> torque;  ///< N m, referential
  std::vector<double> nodal;  ///< on the unknowns of deformable bodies, laid out as model::Motion::u
};

/// Angular momentum carried to mid-step, referential, by body index (eq. 2.8).
using CarriedMomentum = std::vector<Vec3>;

/// work(i) for the indices of rigid bodies, in any order.
template <class Work>
void for_rigid(const model::Bodies& bodies, Work&& work) {
  parallel_for(static_cast<std::ptrdiff_t>(bodies.rigid.size()), [&](std::ptrdiff_t r) { work(static_cast<std::size_t>(bodies.rigid[r])); });
}

/// Move rigid bodies to mid-step with their velocities at the start (eq. 2.4, 2.7); obstacles follow their
/// prescribed motion at time t.
void first_rigid_half_step(const model::Bodies& bodies, model::Motion& motion, const StepForm& form, CarriedMomentum& carried);

/// Velocities of rigid bodies at the end of the step without constraints (eq. 2.9), angular ones in spatial form. Damping acts on the mean of
/// old and new velocity. Obstacles get their prescribed velocities at the instant of the new ones.
void free_rigid_velocities(const model::Bodies& bodies, const model::Motion& motion, const BodyLoads& loads, const CarriedMomentum& carried,
                     const StepForm& form, assembly::Velocities& free);

/// Spatial velocities of all bodies as stored (angular: Lam W at the current rotation).
void current_velocities(const model::Bodies& bodies, const model::Motion& motion, assembly::Velocities& velocities);

/// Spatial velocities of all bodies before the step's impulses, in the mid-step configuration: those stored, but Lam J^-1 P for angular ones where
/// impulses act on the carried momentum (RIG_EXACT, RIG_IMP), and obstacles' prescribed velocities at the start.
void old_velocities(const model::Bodies& bodies, const model::Motion& motion, const CarriedMomentum& carried, const StepForm& form,
                    assembly::Velocities& velocities);

/// Move rigid bodies and obstacles from mid-step to the end with their new velocities and store these (eq. 2.10-2.12).
/// `free` and `end` are spatial velocities before and after the constraint impulses. A leapfrog moves by the whole step (eq. 2.22).
void second_rigid_half_step(const model::Bodies& bodies, model::Motion& motion, const BodyLoads& loads, const CarriedMomentum& carried,
                      const assembly::Velocities& free, const assembly::Velocities& end, const StepForm& form);

/// Spatial velocities of all bodies with the angular momentum of the instant they belong to carried to the present (eq. 2.26).
void node_velocities(const model::Bodies& bodies, const model::Motion& motion, assembly::Velocities& velocities);
/// Add what loads and damping do to these from that instant to the present.
void kick_to_present(const model::Bodies& bodies, const model::Motion& motion, const BodyLoads& loads, assembly::Velocities& velocities);
/// Store present velocities as those that carry the same momentum at the instant they belong to; bodies where `end` is `before` keep theirs to the
/// bit.
void store_node_velocities(const model::Bodies& bodies, model::Motion& motion, const assembly::Velocities& before, const assembly::Velocities& end);

}  // namespace scree::stepping
