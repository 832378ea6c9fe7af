/// One contact problem of a step as a value: build it from bodies and contact points, solve it, apply its impulses.
///
/// A Moreau step makes one, RATTLE two, and implicit bodies repeat solve and apply with other free velocities
/// (docs/a_time_step.md). Everything is overwritten by build(); memory is reused.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assembly/contact.hpp"
#include "assembly/face_contacts.hpp"
#include "assembly/local_dynamics.hpp"
#include "collision/world.hpp"
#include "model/model.hpp"
#include "stepping/bounce.hpp"
#include "stepping/contact_law.hpp"
#include "stepping/division.hpp"
#include "stepping/rigid_motion.hpp"
#include "stepping/settings.hpp"

namespace scree::stepping {

/// What a problem asks for.
enum class Level : std::uint8_t {
  midpoint,   ///< bodies are at mid-step: restitution, gaps ahead and a share of overlaps at its end (theory sec. 3.3)
  places,     ///< bodies are at the start: no overlap at the end of the step (theory sec. 2.8)
  velocities  ///< closed contacts do not close further, or fly apart by restitution (theory sec. 2.9)
};

/// What a stage reads. Its owner keeps it alive until apply() is done.
struct StageInput {
  const model::Model& model;
  const model::Motion& motion;            ///< where bodies are now
  const collision::World& world;          ///< as placed there, after detect()
  const StepSettings& settings;
  const SolverSettings& solver;
  const BodyLoads& loads;
  const assembly::Velocities& before;     ///< what restitution looks back to
  const assembly::Velocities& free;       ///< without impulses of this stage
  const assembly::ContactMemory& memory;  ///< impulses to begin with
  std::span<const assembly::Reaction> reactions;  ///< the same of constraints; empty: none
  double impulse_ratio = 1.0;             ///< by which those are scaled
  Level level = Level::midpoint;
  assembly::StepTimes times;              ///< of constraints
  double ahead = 0.0;                     ///< level `midpoint`: time until geometry is looked at again, s
  bool stop = false;                      ///< nothing bounces, what is ahead is stopped
  std::span<const double> kick;           ///< time over which velocities change, s, by body
  std::span<const double> lag = {};       ///< of a leapfrog: how long before its start the velocities `before` are, s, by body
  const assembly::Velocities* placed = nullptr;  ///< level `velocities`: those that moved bodies during the step; null: nothing bounces at an instant of its own
  std::span<const double> excess = {};    ///< level `velocities`: energy of `free` above that of the same bodies before their impact, J, by body
  double spare = 0.0;                     ///< iterations for the solver's goal
  Division* division = nullptr;           ///< of the work among ranks; none: all is done here
};

class ContactStage {
 public:
  ContactStage() : form_(std::make_shared<solvers::BodyForm>()) {}

  /// Where contacts and constraints are and what they hold: the first part of build().
  void locate(const StageInput& in, const std::vector<collision::ContactPoint>& points);
  /// Contacts with materials, guesses and roles; impulses of spring-dashpot contacts; the problem. `inertias` are told which unknowns of deformable
  /// bodies are in use.
  void build(const StageInput& in, const std::vector<collision::ContactPoint>& points, assembly::Inertias& inertias);
  /// Find R; the report says how well.
  void solve(const StageInput& in);
  /// Impulses into contacts, constraints and new velocities.
  void apply(const StageInput& in, const assembly::Inertias& inertias);
  /// Leave out contacts ahead that have restitution and stop what an impact of this very step drives at them: they do not stop it, they bounce, once it is
  /// known how fast they are met (theory sec. 3.8). True where there are some; solve and apply again.
  [[nodiscard]] bool release_struck(const StageInput& in, assembly::Inertias& inertias);
  /// Of these, take back what is met too slowly to bounce. True where there are some; solve and apply again.
  [[nodiscard]] bool hold_calm(const StageInput& in, assembly::Inertias& inertias);
  /// Whether impacts can be passed on within the step: springs, bonds and deformable bodies belong to the whole of it.
  [[nodiscard]] bool passes_on(const StageInput& in) const;
  /// Whether a contact left out would overlap by more than is left alone: bodies then meet it within this step, with the velocities found.
  [[nodiscard]] bool meets_idle(const StageInput& in) const;
  /// Take in such contacts; they stop what meets them. True where there are some; solve and apply again.
  [[nodiscard]] bool stop_met(const StageInput& in, assembly::Inertias& inertias);
  /// Level `places`: bodies that an impact with restitution moves in this step, alone or through others. Their impulses moved them to where the impact
  /// leaves them; its velocities are found by the problem of velocities, so that here the impulses are taken back and `end` is `free`.
  [[nodiscard]] std::vector<char> take_back_bounces(const StageInput& in);
  /// Level `velocities`, after solve(): contacts at rest that an impact closes within this step bounce in the next one, off the velocities it leaves: take
  /// them out. True where there are any: solve again.
  [[nodiscard]] bool defer_struck(const StageInput& in, assembly::Inertias& inertias);
  /// Level `velocities`, after solve(): whether impulses, with what bodies have too much before them, add energy to a group of bodies, or to one that nothing pushes.
  [[nodiscard]] bool adds_energy(const StageInput& in) const;
  /// Change the free velocities of deformable bodies by `change` (laid out as model::Motion::u), to solve and apply again.
  void shift_free(const StageInput& in, const assembly::Inertias& inertias, std::span<const double> change);

  // After build().
  std::vector<assembly::Contact> contacts;
  std::vector<Role> role;                    ///< of each contact
  assembly::Grips grips;                     ///< points on deformable bodies
  std::vector<std::array<assembly::Side, 2>> constraint_sides;
  std::vector<std::vector<int>> held;        ///< unknowns that blocks act on, a deformable body
  assembly::BodyScaling scaling;             ///< of A
  assembly::Velocities pushed;               ///< free velocities with the spring-dashpot impulses
  solvers::ContactProblem problem;
  std::vector<double> guess;                 ///< R to begin with

  // After solve().
  std::vector<double> R;                     ///< N s, three a block: constraints, then implicit contacts
  solvers::SolveReport report;

  // After apply().
  std::vector<assembly::Reaction> reactions; ///< of the model's constraints
  std::vector<double> push;                  ///< all impulses on the unknowns of deformable bodies, laid out as model::Motion::u
  assembly::Velocities end;                  ///< velocities with all impulses

  /// True when something acts on deformable bodies.
  [[nodiscard]] bool acts_on_deformables() const { return !blocks_.empty() || !spring_blocks_.empty(); }
  [[nodiscard]] Vec3 relative_velocity(const StageInput& in, const assembly::Contact& contact, const assembly::Velocities& velocities) const;

 private:
  void assemble(const StageInput& in, assembly::Inertias& inertias);
  /// Closing speed up to which a contact rests whatever its restitution, m/s.
  [[nodiscard]] double calm_speed(const StageInput& in, const assembly::Contact& contact) const;
  void prepare_contacts(const StageInput& in, const std::vector<collision::ContactPoint>& points);
  void grip_contacts(const StageInput& in);
  void choose_roles(const StageInput& in);
  void hold_deformables(const StageInput& in, assembly::Inertias& inertias);
  void apply_springs(const StageInput& in, const assembly::Assembler& with);
  void add_blocks(const StageInput& in, const assembly::Assembler& with);
  void set_velocities(const StageInput& in, const assembly::Assembler& with);
  void set_weights(const StageInput& in);
  /// Begin where impulses lead if they change on as they did, where that is nearer to the solution (theory eq. 4.20).
  void extrapolate(const StageInput& in);
  /// A step whose impulses are so large that their rounding hides every error of velocities was not solved.
  void refuse_unbounded();
  void apply_bonds();
  void condense();
  void settle_resting_bodies(const StageInput& in);
  void break_bonds();
  void limit_restitution(const StageInput& in);
  [[nodiscard]] solvers::SolveReport solve_problem(const StageInput& in, std::vector<double>& impulses);
  /// What the step was solved to, between what it works towards and what it must meet.
  [[nodiscard]] double accuracy(const StageInput& in) const { return std::clamp(report.residual, in.solver.aim(), in.solver.stop.tolerance); }
  [[nodiscard]] bool held_still(const StageInput& in, int slot, double speed) const;
  /// Velocities before and after the impulses without bias, three a block.
  void impact_velocities(std::vector<double>& U_free, std::vector<double>& U) const;
  [[nodiscard]] std::vector<int> groups() const;
  /// The same over blocks whose impulse is not zero; each of the others is a group of its own.
  [[nodiscard]] std::vector<int> pushing_groups() const;
  /// Energy that the bodies of each group have too much before the impulses, J.
  [[nodiscard]] std::vector<double> group_excess(const StageInput& in, std::span<const int> group) const;
  /// Whose each block is, among ranks.
  [[nodiscard]] std::vector<int> block_ranks(const StageInput& in) const;
  /// Restitution, gap ahead or recovered overlap of a contact, m/s.
  [[nodiscard]] double bias(const StageInput& in, const assembly::Contact& contact, bool bounce) const;
  /// How friction's velocity changes until the instant of the new velocities, m/s, in the contact's frame.
  [[nodiscard]] Vec3 drift_ahead(const StageInput& in, const assembly::Contact& contact) const;
  /// Levels `places` and `velocities`: when and how fast a contact with restitution closes in this step, unless it is too slow to bounce.
  [[nodiscard]] std::optional<Bounce> bounce_of(const StageInput& in, const assembly::Contact& contact) const;
  /// Whether restitution acts on a contact.
  [[nodiscard]] bool bounces_now(const StageInput& in, const assembly::Contact& contact) const;
  /// Overlap left alone, m.
  [[nodiscard]] double allowed_overlap(const StageInput& in, const assembly::Contact& contact) const;
  [[nodiscard]] Role role_of(const StageInput& in, const assembly::Contact& contact) const;
  [[nodiscard]] assembly::Assembler assembler(const StageInput& in, const assembly::Inertias& inertias) const;

  [[nodiscard]] bool meets(const StageInput& in, std::size_t c) const;

  std::vector<int> released_;             ///< contacts that await the next round of impacts
  std::vector<char> stops_;               ///< contacts that do not bounce in this step though they have restitution
  std::vector<int> implicit_;             ///< implicit contacts, in the order of their blocks
  std::vector<int> springs_;              ///< spring-dashpot contacts, in the order of their blocks
  std::shared_ptr<solvers::BodyForm> form_;  ///< W of the problem
  solvers::BodyForm spring_form_;         ///< and of spring-dashpot contacts
  std::vector<assembly::DeformableBlock> blocks_, spring_blocks_;
  std::shared_ptr<solvers::ExplicitForm> condensed_;  ///< W itself, where deformable bodies make that pay
  std::vector<double> spring_push_;       ///< impulses of springs on the unknowns of deformable bodies
  std::vector<double> bonds_;             ///< pull of bonds on the problem's blocks
  std::vector<double> trend_;             ///< how the guess changed until now, N s, three a block; empty: not at all
  std::vector<double> bias_;              ///< what B holds beside velocities, m/s, three a block
  std::vector<double> ahead_;             ///< what loads add to velocities from the instant of an impact to that of the new velocities, m/s, three a block
  bool bouncing_ = false;                 ///< restitution acts on a block
  std::vector<char> settled_;             ///< bodies of the operator set to rest
  std::vector<assembly::GrippedPoint> joined_;  ///< points with those over faces summed up
  std::vector<double> impulses_, scratch_;
};

/// Impulses of `second`, at the same or another instant of the step, added to those of `first`; contacts that only the second has join them, in
/// order.
void add_impulses(const ContactStage& second, ContactStage& first);

}  // namespace scree::stepping
