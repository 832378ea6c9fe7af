/// Buffers of a time step, kept between steps so that memory is reused. docs/a_time_step.md says which
/// stage writes what.
#pragma once

#include <unordered_map>
#include <vector>

#include "assembly/local_dynamics.hpp"
#include "stepping/contact_law.hpp"
#include "stepping/rigid_motion.hpp"
#include "stepping/simulation.hpp"

namespace scree::stepping {

struct Simulation::StepData {
  BodyLoads loads;                   ///< at mid-step
  CarriedMomentum carried;           ///< angular momentum carried to mid-step
  assembly::Velocities old;          ///< at the start, rotated to mid-step
  assembly::Velocities free;         ///< at the end, by loads alone
  assembly::Velocities pushed;       ///< and with the spring-dashpot impulses
  assembly::Velocities end;          ///< and with all impulses
  assembly::BodyScaling scaling;     ///< of A at mid-step
  std::vector<bool> known;           ///< contact seen in the last step
  std::vector<Role> role;            ///< of each contact
  std::vector<int> implicit;         ///< implicit contacts, in the order of their blocks
  std::vector<int> penalty;          ///< spring-dashpot contacts, in the order of their blocks
  solvers::BodyForm penalty_form;    ///< their operator
  std::vector<double> impulses;      ///< of one form's blocks
  std::vector<double> bonds;         ///< pull of bonds on the problem's blocks
  std::vector<double> scratch;

  // Places at the start of the step, to return to when it fails.
  struct Start {
    std::vector<Mat3> rotation;
    std::vector<Vec3> position;
    std::unordered_map<int, model::ObstacleMotion> motion;
  } start;
};

}  // namespace scree::stepping
