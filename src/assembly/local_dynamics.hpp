/// From bodies and contacts to the frictional contact problem:  H, W = H A^-1 H^T, B   (theory sec. 3.1).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assembly/contact.hpp"
#include "model/model.hpp"
#include "solvers/contact_problem.hpp"

namespace scree::assembly {

/// Spatial velocities of all bodies, by body index.
struct Velocities {
  std::vector<Vec3> linear;   ///< of the mass centre, m/s
  std::vector<Vec3> angular;  ///< spatial, rad/s

  void resize(std::size_t bodies) {
    linear.resize(bodies);
    angular.resize(bodies);
  }
};

/// Scaling of each moving body at mid-step: A = L L^T with L^-T = diag(linear, angular).
struct BodyScaling {
  std::vector<int> slot;       ///< body index -> body of the operator, -1 for obstacles
  std::vector<double> linear;  ///< 1 / sqrt(A_lin), by slot
  std::vector<Mat3> angular;   ///< Lam Q D^-1/2 / sqrt(1 + c h / 2), by slot: scaled -> spatial
  std::vector<int> body;       ///< slot -> body index

  /// With h the step: damping c enters as A = (1 + c h / 2) M.
  void update(const model::Bodies& bodies, double h);
  [[nodiscard]] int slots() const { return static_cast<int>(body.size()); }
};

/// Velocity of body b minus that of body a at a point, in a frame. Index -1: a point at rest.
[[nodiscard]] Vec3 relative_velocity(const model::Bodies& bodies, const Velocities& velocities, int index_a, int index_b,
                                     const Vec3& point_a, const Vec3& point_b, const Mat3& frame);

/// Write the scaled rows of one side of a block: sign * [frame / sqrt(m), (r x e_k)^T G].
void write_rows(std::span<double> rows, const Mat3& frame, const Vec3& arm, double linear, const Mat3& angular, double sign);

/// Add the block of a pair of bodies to an operator.
void add_block(solvers::BodyForm& form, const BodyScaling& scaling, const model::Bodies& bodies, int index_a, int index_b,
               const Vec3& point_a, const Vec3& point_b, const Mat3& frame);

/// Change of velocities by impulses R on the blocks of `form`.
void apply_impulses(const solvers::BodyForm& form, const BodyScaling& scaling, std::span<const double> R,
                    std::vector<double>& scratch, Velocities& velocities);

/// Add the blocks of the user's constraints: frames, places, kinds and B (with drift correction) are
/// set so that the end of the coming step obeys them (theory sec. 2.6). Bodies are at mid-step t + h/2.
void add_constraints(model::Model& model, const BodyScaling& scaling, const Velocities& free, double t, double h,
                     solvers::BodyForm& form, solvers::ContactProblem& problem);

}  // namespace scree::assembly
