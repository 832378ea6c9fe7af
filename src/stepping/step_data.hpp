/// Buffers of a time step, kept between steps so that memory is reused. docs/a_time_step.md says which
/// stage writes what.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "assembly/local_dynamics.hpp"
#include "stepping/contact_law.hpp"
#include "stepping/deformable_motion.hpp"
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
  assembly::Inertias inertias;       ///< A of deformable bodies
  std::vector<std::shared_ptr<const model::Mechanics>> owners;  ///< whose inertias these are
  assembly::Grips grips;             ///< points on deformable bodies
  std::vector<std::array<assembly::Side, 2>> constraint_sides;
  std::vector<std::vector<int>> held;  ///< unknowns that blocks act on, a deformable body
  std::vector<assembly::DeformableBlock> blocks, penalty_blocks;  ///< with deformable bodies
  std::vector<Vec3> surface_points;  ///< of one deformable body
  std::shared_ptr<solvers::ExplicitForm> condensed;  ///< W itself, where deformable bodies make that pay
  std::vector<double> push;          ///< impulses on the unknowns of deformable bodies
  std::vector<bool> known;           ///< contact seen in the last step
  std::vector<Role> role;            ///< of each contact
  std::vector<int> implicit;         ///< implicit contacts, in the order of their blocks
  std::vector<int> penalty;          ///< spring-dashpot contacts, in the order of their blocks
  solvers::BodyForm penalty_form;    ///< their operator
  std::vector<double> impulses;      ///< of one form's blocks
  std::vector<double> bonds;         ///< pull of bonds on the problem's blocks
  std::vector<double> scratch;

  // The second problem of RATTLE (theory sec. 2.9). While it is set up and solved, what is kept here is the first one's.
  bool velocity_level = false;
  struct Other {
    std::vector<assembly::Contact> contacts;
    std::shared_ptr<solvers::BodyForm> form = std::make_shared<solvers::BodyForm>();
    solvers::ContactProblem problem;
    std::vector<double> R;
    solvers::SolveReport report;
  } other;
  assembly::ContactMemory position_impulses;  ///< of the first problem
  assembly::Velocities begin;                 ///< at the start of the step

  // Places at the start of the step, to return to when it fails.
  struct Start {
    std::vector<Mat3> rotation;
    std::vector<Vec3> position;
    std::vector<double> q;
    std::vector<Vec3> linear, angular;  ///< velocities, where a step changes them before it can fail: quasi-static and RATTLE
    std::vector<double> u;
    std::vector<model::Work> work;
    std::unordered_map<int, model::ObstacleMotion> motion;
  } start;
};

}  // namespace scree::stepping
