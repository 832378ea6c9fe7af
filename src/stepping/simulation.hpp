/// A simulation: the model, its collision world and the time step (docs/a_time_step.md).
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assembly/contact.hpp"
#include "assembly/local_dynamics.hpp"
#include "collision/world.hpp"
#include "core/archive.hpp"
#include "model/model.hpp"
#include "solvers/registry.hpp"

namespace scree::stepping {

/// What to do when the solver misses its tolerance.
enum class FailurePolicy { proceed, raise, callback };

struct SolverSettings {
  std::string name = "AUTO";        ///< a name of solvers::all_solvers(), or "EXPLICIT" for the penalty solver
  solvers::StopRule stop;
  solvers::OptionValues options;
  FailurePolicy failure = FailurePolicy::proceed;
  /// Policy `callback`: return false to stop the run.
  std::function<bool(const solvers::SolveReport&)> on_failure;
};

/// How a step advances positions and velocities together.
enum class Integrator : std::uint8_t {
  moreau,  ///< midpoint scheme (theory eq. 1.3)
  shake,   ///< leapfrog whose contacts hold at the end of the step: rigid bodies, no restitution (theory sec. 2.8)
  rattle   ///< the same with a second problem for velocities: impulses converge with the step, restitution (theory sec. 2.9)
};

struct StepSettings {
  double step = 1e-3;                         ///< h, s
  Integrator integrator = Integrator::moreau;
  double recovery = 0.01;                     ///< share of an overlap driven out in one step, in [0, 1]; SHAKE and RATTLE drive out all
  double slack = 1e-2;                        ///< overlap left alone, relative to the smaller body's radius (of self-contact: the smaller piece's)
  double unphysical_penetration = kInfinity;  ///< depth that stops the run, m
  bool quasi_static = false;                  ///< every step starts from rest (theory sec. 6.5)
  collision::Settings contact;
};

/// Stages of a step, in order; also the names in reports.
enum Stage { kIntegrate, kDetect, kAssemble, kSolve, kStages };
inline constexpr std::array<const char*, kStages> kStageNames{"integrate", "detect", "assemble", "solve"};

/// Energies and works of all moving bodies, J. Works are summed since the start.
struct Energies {
  double kinetic = 0.0;
  double internal = 0.0;   ///< stored in deformable bodies
  double potential = 0.0;  ///< of gravity at its current value, relative to the origin
  model::Work work;
  /// kinetic + internal - both at the start - all works: what the integrators lost or gained.
  double drift = 0.0;
};

/// One row of the per-step table.
struct StepReport {
  long step = 0;          ///< number of the step, from 1
  double time = 0.0;      ///< at its end, s
  int bodies = 0;
  int constraints = 0;    ///< prescribed by the user
  int candidates = 0;     ///< contact points within reach
  int contacts = 0;       ///< those that touch or carry a force
  solvers::Status status = solvers::Status::converged;
  int iterations = 0;
  double residual = 0.0;
  double penetration_max = 0.0, penetration_mean = 0.0;  ///< m, before the step's impulses
  std::array<double, kStages> seconds{};
  Energies energies;
};

struct StepForm;
enum class Role;

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
  /// Prescribed motion of an obstacle.
  void set_motion(int id, const model::ObstacleMotion& motion);
  /// Place a rigid body by hand: rotation and mass centre.
  void set_placement(int id, const Mat3& rotation, const Vec3& position);
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
  const StepReport& step();

  [[nodiscard]] model::Model& model() { return model_; }
  [[nodiscard]] const model::Model& model() const { return model_; }
  [[nodiscard]] StepSettings& settings() { return settings_; }
  [[nodiscard]] SolverSettings& solver() { return solver_; }
  [[nodiscard]] double time() const { return time_; }
  /// Go on from another time, s.
  void set_time(double time);
  [[nodiscard]] long steps() const { return steps_; }
  /// Contacts of the last step, with impulses and velocities.
  [[nodiscard]] const std::vector<assembly::Contact>& contacts() const { return contacts_; }
  [[nodiscard]] const StepReport& report() const { return report_; }
  [[nodiscard]] const solvers::SolveReport& solve_report() const { return solve_report_; }
  /// The last step's problem with its solution and the impulses the solver began with (for export); empty before the first step.
  [[nodiscard]] const solvers::ContactProblem& problem() const { return problem_; }
  [[nodiscard]] const std::vector<double>& solution() const { return R_; }
  [[nodiscard]] const std::vector<double>& guess() const { return guess_; }
  /// Of that problem: how its unknowns are scaled, and velocities without the solution's impulses.
  [[nodiscard]] const assembly::BodyScaling& problem_scaling() const;
  [[nodiscard]] const assembly::Velocities& problem_velocities() const;
  [[nodiscard]] Energies energies() const;
  /// Factorisations of deformable bodies' A so far, and what they took.
  [[nodiscard]] model::Inertia::Cost factor_cost() const;
  /// Ids of bodies deleted by the last step because they left the extents.
  [[nodiscard]] const std::vector<int>& departed() const { return departed_; }

  /// Hash of the exact bits of time, places and velocities of all bodies.
  [[nodiscard]] std::uint64_t state_hash() const;

  /// Complete state: model, contact memory, warm start. Users' functions cannot be stored: a simulation
  /// that had some must be given the same ones before load().
  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  // The stages of step(), in order; docs/a_time_step.md numbers them.
  void check_integrator() const;
  void save_start();
  void start_from_rest();
  void place_bodies();
  void prepare_contacts();
  void hold_deformables();
  void apply_penalty_contacts();
  void assemble();
  void solve();
  void condense();
  void correct_implicit();
  void restore_start();
  void account_loads();
  void account_impulses();
  void velocity_stage();
  void delete_departed();
  void fill_report();

  void place_body(int index, double reach);
  void add_to_world(int index);
  void rebuild_deformables();
  void rebuild_mechanics(int index);
  void set_pseudo_rigid_characteristics(int index, double mass, double volume, const Vec3& center, const Mat3& inertia);
  void grip_contacts();
  void add_implicit_contacts();
  /// Restitution, gap ahead or recovered overlap of a contact, m/s.
  [[nodiscard]] double bias(const assembly::Contact& contact) const;
  void apply_bonds();
  void set_scale();
  void apply_solution();
  void settle_resting_bodies();
  void exchange_problems();
  void add_velocity_impulses();
  [[nodiscard]] Role role_of(const assembly::Contact& contact) const;
  [[nodiscard]] assembly::StepTimes constraint_times() const;
  void handle_failure();
  void check_penetration() const;

  [[nodiscard]] bool penalty() const { return solver_.name == "EXPLICIT"; }
  [[nodiscard]] StepForm step_form() const;
  [[nodiscard]] assembly::Assembler assembler() const;
  [[nodiscard]] Vec3 relative_velocity(const assembly::Contact& contact, const assembly::Velocities& velocities) const;

  model::Model model_;
  collision::World world_;
  StepSettings settings_;
  SolverSettings solver_;
  double time_ = 0.0;
  double start_time_ = 0.0;     ///< time at which the present step size came into force
  long start_steps_ = 0;        ///< steps made by then
  double last_step_ = 0.0;      ///< h of the last step, 0 before the first
  long steps_ = 0;
  double energy_start_ = 0.0;   ///< kinetic and stored energy brought in from outside (initial velocities), J
  model::Work removed_work_;    ///< works of deleted bodies, J

  // Step data, kept to reuse memory.
  struct StepData;
  std::shared_ptr<StepData> data_;
  std::vector<collision::ContactPoint> points_;
  std::vector<assembly::Contact> contacts_;
  assembly::ContactMemory memory_;
  std::shared_ptr<solvers::BodyForm> form_;
  solvers::ContactProblem problem_;
  std::vector<double> R_, guess_;
  StepReport report_;
  solvers::SolveReport solve_report_;
  std::vector<int> departed_;
};

}  // namespace scree::stepping
