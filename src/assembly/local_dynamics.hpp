/// From bodies and contacts to the frictional contact problem:  H, W = H A^-1 H^T, B   (theory sec. 3.1).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assembly/contact.hpp"
#include "assembly/sides.hpp"
#include "model/model.hpp"
#include "solvers/contact_problem.hpp"

namespace scree::assembly {

/// Inertia operators of deformable bodies, by their place in model::Bodies::deformables.
using Inertias = std::vector<std::unique_ptr<model::Inertia>>;

/// Scaling of each moving body at mid-step: A = L L^T; of a rigid one L^-T = diag(linear, angular).
struct BodyScaling {
  std::vector<int> slot;       ///< body index -> body of the operator, -1 for obstacles
  std::vector<Vec3> linear;    ///< 1 / sqrt(A_lin) along x, y, z, by slot: 0 where motions are held, and of deformable bodies, whose inertia has the scaling
  std::vector<Mat3> angular;   ///< Lam Q D^-1/2 / sqrt(1 + c h / 2), by slot: scaled -> spatial
  std::vector<int> body;       ///< slot -> body index
  std::vector<int> dofs;       ///< scaled degrees of freedom, by slot; empty when all bodies are rigid

  /// With `kick` the time over which each body's velocity changes, s, by body: damping c enters as A = (1 + c kick / 2) M. The
  /// inertias have chosen their unknowns.
  void update(const model::Bodies& bodies, const model::Motion& motion, std::span<const double> kick, const Inertias& inertias);
  [[nodiscard]] int slots() const { return static_cast<int>(body.size()); }
  /// Start an operator over these bodies.
  void reset(solvers::BodyForm& form) const;
};

/// A block with a deformable body, remembered to spread its impulse.
struct DeformableBlock {
  int block = 0;
  Side a, b;
  Mat3 frame = Mat3::Identity();
};

/// What assembles blocks: bodies, their scaling, and how points hang on deformable ones.
struct Assembler {
  const model::Bodies& bodies;
  const model::Motion& motion;
  const BodyScaling& scaling;
  const Inertias& inertias;
  const Grips& grips;
};

/// Write the scaled rows of one side of a block: sign * [frame / sqrt(m), (r x e_k)^T G].
void write_rows(std::span<double> rows, const Mat3& frame, const Vec3& arm, const Vec3& linear, const Mat3& angular, double sign);

/// Add the block of a pair of bodies to an operator. Two sides on one body (self-contact) become one.
void add_block(const Assembler& with, const Side& a, const Side& b, const Mat3& frame, solvers::BodyForm& form,
               std::vector<DeformableBlock>& deformable);

/// Scale the rows of deformable bodies, all those of a body at once, and finish the operator.
void finish_blocks(const Assembler& with, solvers::BodyForm& form);

/// Impulses on the unknowns of deformable bodies: push = H^T R, laid out as model::Motion::u.
void deformable_impulses(const Assembler& with, std::span<const DeformableBlock> blocks, std::span<const double> R, std::vector<double>& push);

/// Change of velocities by impulses R on the blocks of `form`; `push` receives deformable_impulses().
void apply_impulses(const Assembler& with, const solvers::BodyForm& form, std::span<const DeformableBlock> blocks, std::span<const double> R,
                    std::vector<double>& scratch, std::vector<double>& push, Velocities& velocities);

/// Places, frames and sides of the user's constraints in the current configuration: the first side belongs to point 0 of a link, and is
/// the ground for every other kind.
void locate_constraints(const model::Model& model, const model::Motion& motion, Grips& grips, std::vector<std::array<Side, 2>>& sides,
                        std::vector<Reaction>& reactions);

/// Instants a constraint refers to.
struct StepTimes {
  double end;    ///< of the new velocities, s
  double reach;  ///< time at which the velocity has carried the points to where they belong, s
  double h;      ///< s
  bool places = true;  ///< false: constrain velocities alone, without correction of drift (theory sec. 2.9)
};

/// Add the blocks of the user's constraints and their kinds.
void add_constraints(const model::Model& model, const Assembler& with, std::span<const std::array<Side, 2>> sides,
                     std::span<const Reaction> reactions, solvers::BodyForm& form, std::vector<DeformableBlock>& deformable,
                     solvers::ContactProblem& problem);

/// B of such a constraint: its points' relative velocity less the one it asks for, with drift correction, so that the end of the coming step
/// obeys it (theory sec. 2.6). Bodies are at mid-step.
[[nodiscard]] Vec3 constraint_velocity(const model::Constraint& constraint, const Reaction& reaction, const Assembler& with,
                                       const std::array<Side, 2>& sides, const Velocities& free, const StepTimes& times);

/// What of that B takes back drift: it vanishes where the points are in their places, m/s.
[[nodiscard]] Vec3 constraint_drift(const model::Constraint& constraint, const Reaction& reaction, const StepTimes& times);

}  // namespace scree::assembly
