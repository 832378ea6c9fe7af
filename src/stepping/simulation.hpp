/// A simulation: the model, its collision world and the time step (docs/a_time_step.md).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collision/world.hpp"
#include "core/archive.hpp"
#include "model/model.hpp"
#include "model/step_row.hpp"
#include "stepping/description.hpp"
#include "stepping/division.hpp"
#include "stepping/notices.hpp"
#include "stepping/settings.hpp"
#include "stepping/step_buffers.hpp"

namespace scree::stepping {

/// Energies and works of all moving bodies, J. Works are summed since the start.
struct Energies {
  double kinetic = 0.0;
  double internal = 0.0;   ///< stored in deformable bodies
  double potential = 0.0;  ///< of gravity at its current value, relative to the origin
  model::Work work;
  /// kinetic + internal - both at the start - all works: what the integrators lost or gained.
  double drift = 0.0;
};

class Simulation {
 public:
  explicit Simulation(double step);

  // Building. Every call checks its input before it changes anything.
  int add_body(const model::BodySpec& spec);          ///< returns the body's id
  void remove_body(int id);
  /// Load on a surface of a finite element body; InputError when it has no face of that id.
  void add_surface_load(model::SurfaceLoad load);
  int add_constraint(model::Constraint constraint);   ///< returns the constraint's id
  void remove_constraint(int id);
  void exclude_bodies(int id1, int id2);
  void exclude_pieces(int id1, const Vec3& point1, int id2, const Vec3& point2);
  void exclude_surfaces(int surface1, int surface2);
  /// Linear velocity of the mass centre and spatial angular velocity. An obstacle moves on with them for ever.
  void set_velocity(int id, const Vec3& linear, const Vec3& angular);
  /// Prescribed motion of an obstacle; it turns about the spatial point `pivot`, m, which moves with its linear velocity.
  void set_motion(int id, const model::ObstacleMotion& prescribed, const Vec3& pivot);
  /// Place a rigid body by hand: rotation and mass centre.
  void set_placement(int id, const Mat3& rotation, const Vec3& position);
  /// Hold motions of a rigid body (bits of model::Bodies::held): those along and about the axes that are not moving, and whose axes are where the reference has them.
  void hold(int id, std::uint8_t bits);
  void set_characteristics(int id, double mass, double volume, const Vec3& center, const Mat3& inertia);
  /// Give the parts of a deformable body with this volume id a bulk material of the model.
  void set_material(int id, int volume, int material);
  /// Let deformable bodies see changed bulk materials.
  void renew_materials();
  /// Whether spheres of a pseudo-rigid body keep their shape (default) or become ellipsoids.
  void set_round_spheres(int id, bool on);
  /// Contact between pieces of a deformable body that are not neighbours (off by default).
  void set_selfcontact(int id, bool on);

  /// Advance by one step. Throws SolveError under the policy `raise` or on unphysical penetration, InputError when the integrator
  /// does not take what is in the model; the state is then that of the end of the last good step.
  const model::StepRow& step();

  /// Divide the work of steps among ranks; all of them hold the same simulation and call the same functions of it.
  void divide(std::shared_ptr<Division> division);
  [[nodiscard]] const Division* division() const { return division_.get(); }

  [[nodiscard]] model::Model& model() { return model_; }
  [[nodiscard]] const model::Model& model() const { return model_; }
  /// The last good step's; to functions that a step calls for their forces, the instant those forces belong to.
  [[nodiscard]] const State& state() const { return loading_ ? next_.state : now_.state; }
  [[nodiscard]] const model::Motion& motion() const { return state().motion; }
  /// To be changed with care: q and u of a deformable body through model::set_unknowns().
  [[nodiscard]] model::Motion& motion() { return loading_ ? next_.state.motion : now_.state.motion; }
  [[nodiscard]] StepSettings& settings() { return settings_; }
  [[nodiscard]] const StepSettings& settings() const { return settings_; }
  [[nodiscard]] SolverSettings& solver() { return solver_; }
  [[nodiscard]] double time() const { return now_.state.clock.time; }
  /// Go on from another time, s.
  void set_time(double time);
  [[nodiscard]] long steps() const { return now_.state.clock.steps; }
  /// What turns impulses of the last step into mean forces, 1/s.
  [[nodiscard]] double impulse_rate() const;
  /// Contacts of the last step, with impulses and velocities.
  [[nodiscard]] const std::vector<assembly::Contact>& contacts() const { return now_.stage.contacts; }
  [[nodiscard]] const model::StepRow& report() const { return now_.report; }
  [[nodiscard]] const solvers::SolveReport& solve_report() const { return now_.stage.report; }
  /// The last step's problem with guess, solution, scaling and free velocities (for export); empty before the first step and after one that failed.
  [[nodiscard]] const ContactStage& stage() const { return now_.stage; }
  [[nodiscard]] Energies energies() const;
  /// Factorisations of deformable bodies' A so far, and what they took.
  [[nodiscard]] model::Inertia::Cost factor_cost() const;
  /// What a user should know about the steps made since the last call: bodies that overlap at the start, spins too fast for the step.
  [[nodiscard]] std::vector<std::string> take_warnings() { return notices_.take(); }
  /// Ids of bodies deleted by the last step because they left the extents.
  [[nodiscard]] const std::vector<int>& departed() const { return now_.departed; }

  /// Hash of the exact bits of the state.
  [[nodiscard]] std::uint64_t state_hash() const { return now_.state.hash(); }

  /// What to do where a model was not built as the one of a checkpoint.
  enum class Changes {
    refused,  ///< InputError names the first difference
    accepted  ///< bodies, materials, loads and their state are the checkpoint's, settings and functions this simulation's
  };
  /// Everything as plain data: model, settings, contact memory, warm start, and what had been built when the first step was made.
  /// Users' functions cannot be stored: a simulation that had some must be given the same ones before load().
  void save(Archive& archive) const;
  /// The model must have been built as the checkpoint's, or have no bodies. InputError or FileError leave everything as it was.
  void load(const Archive& archive, Changes changes = Changes::refused);
  /// The refusals of load() alone.
  void check_same(const Archive& archive) const;
  /// What is built is built: changes from here on belong to the run, as they do after the first step.
  void mark_built();

 private:
  // The stages of step(), in order; docs/a_time_step.md numbers them. They read the last step's result and write the next one.
  void check_integrator() const;
  /// One step, or one part of it, of settings().step; another of `then` (s) is to follow. False, unless it is to be made `however`, where
  /// bodies turn too far in it for its contacts to show what they meet.
  [[nodiscard]] bool make_step(StepResult& next, double then, bool however);
  /// A step, made of shorter ones where bodies turn far beside thin ones, or have no room to bounce (theory sec. 3.3).
  void step_in_parts();
  /// Whether the first half of a midpoint step of h (s) passes nothing that the last one did not look at.
  [[nodiscard]] bool sees_first_half(double h);
  /// The deepest overlap of each pair of bodies among the points found that is more than is left alone, m; springs are meant to overlap.
  using Overlaps = std::map<std::pair<int, int>, double>;
  [[nodiscard]] Overlaps overlaps() const;
  void divide_work();
  void look_at_own();
  void detect();
  void synchronise(State& next);
  void start_motion(State& next, const StepForm& form);
  void find_loads(const State& next, const assembly::Velocities& velocities, double time, double step);
  void cover(const assembly::Velocities& first, const assembly::Velocities& second);
  void cover_static(const State& last);
  [[nodiscard]] bool outran(const assembly::Velocities& end);
  void place_bodies(const model::Motion& motion);
  [[nodiscard]] bool find_impulses(StageInput& in, const StepForm& form, StepResult& next, StageTimer& timer, bool however);
  void solve(const StageInput& in, ContactStage& stage);
  [[nodiscard]] bool passes_on(const StageInput& in, ContactStage& stage);
  bool correct_implicit(const StageInput& in, const StepForm& form, ContactStage& stage, bool however);
  void undo_bounces(State& next);
  /// A quasi-static step, cut into shorter ones where Newton's method does not converge.
  void step_quasi_static();
  void solve_static(const StageInput& in, const StepForm& form, ContactStage& stage);
  /// False where its impulses add energy, because the step turned the bodies too far.
  [[nodiscard]] bool velocity_stage(State& next);
  void delete_departed();
  void fill_report(model::StepRow& report) const;

  [[nodiscard]] Description built() const;
  void check_built(const Description& checkpoint) const;
  void place_body(const model::Motion& motion, int index, double reach);
  void add_to_world(int index);
  void remove_constraints_of(int body);
  void rebuild_deformables();
  void rebuild_mechanics(int index);
  void set_pseudo_rigid_characteristics(int index, double mass, double volume, const Vec3& center, const Mat3& inertia);
  void handle_failure(const solvers::SolveReport& report) const;
  void check_penetration(const ContactStage& stage) const;
  void warn_of_overlaps();
  void warn_of_springs(const StageInput& in, const ContactStage& stage);
  void warn_of_parts(long parts);
  void warn_of_no_room(const ContactStage& stage);
  /// One entry a deformable body.
  bool accept_unsolved(const std::vector<char>& unsolved, bool however);
  void warn_of_spin();
  [[nodiscard]] StageInput stage_input(const model::Motion& motion, const assembly::Velocities& before, const assembly::Velocities& free) const;
  [[nodiscard]] StepForm step_form() const;
  [[nodiscard]] double energy_of(int index) const;

  model::Model model_;
  collision::World world_;
  StepSettings settings_;
  SolverSettings solver_;
  StepResult now_;    ///< of the last good step, or as built
  StepResult next_;   ///< the one being made; its memory is reused
  StepBuffers buffers_;
  bool loading_ = false;  ///< loads are being evaluated
  std::shared_ptr<Division> division_;  ///< none: this rank is alone
  std::optional<Description> built_;  ///< when the first step was made
  Notices notices_;
  friend class StaticEquation;
};

}  // namespace scree::stepping
