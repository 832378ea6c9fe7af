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
#include "stepping/bounce.hpp"
#include "stepping/contact_law.hpp"
#include "stepping/stage_input.hpp"

namespace scree::stepping {

class ContactStage {
 public:
  ContactStage() : form_(std::make_shared<solvers::BodyForm>()) {}

  /// Go on with the memory of the last step's problem, which that stage loses; its contacts, reactions and report stay.
  void take_over(ContactStage& last);
  /// Where contacts and constraints are and what they hold: the first part of build().
  void locate(const StageInput& in, const std::vector<collision::ContactPoint>& points);
  /// Contacts with materials, guesses and roles; impulses of spring-dashpot contacts; the problem. `inertias` are told which unknowns of deformable
  /// bodies are in use.
  void build(const StageInput& in, const std::vector<collision::ContactPoint>& points, assembly::Inertias& inertias);
  /// Find R; the report says how well.
  void solve(const StageInput& in);
  /// Impulses into contacts, constraints and new velocities.
  void apply(const StageInput& in, const assembly::Inertias& inertias);
  /// Level `velocities`, after solve(): whether impulses, with what bodies have too much before them, add energy to a group of bodies, or to one that nothing pushes.
  [[nodiscard]] bool adds_energy(const StageInput& in) const;
  /// Change the free velocities of deformable bodies by `change` (laid out as model::Motion::u), to solve and apply again.
  void shift_free(const StageInput& in, const assembly::Inertias& inertias, std::span<const double> change);

  /// After apply(): where friction between two bodies, one of them deformable, would do positive work, because points turn around within the step, those take its law from
  /// the mean velocity of the step from now on (theory eq. 6.20). True when there are such; solve and apply again.
  [[nodiscard]] bool take_mean(const StageInput& in, const assembly::Inertias& inertias);

  /// The problem anew after roles were changed, to solve and apply again.
  void assemble(const StageInput& in, assembly::Inertias& inertias);
  /// Whether restitution acts on a contact.
  [[nodiscard]] bool bounces_now(const StageInput& in, const assembly::Contact& contact) const;

  // After build().
  std::vector<assembly::Contact> contacts;
  std::vector<Role> role;                    ///< of each contact
  std::vector<char> stops;                   ///< of each contact: it does not bounce in this step though it has restitution
  std::vector<int> implicit;                 ///< contacts of that role, in the order of their blocks
  bool bouncing = false;                     ///< restitution acts on a block
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
  double merit = 0.0;                        ///< solvers::Yardstick::scaled_merit of the solution
  int deepest_left = -1;                     ///< the deepest contact whose overlap is left since build(); -1: none

  // After apply().
  std::vector<assembly::Reaction> reactions; ///< of the model's constraints
  std::vector<double> push;                  ///< all impulses on the unknowns of deformable bodies, laid out as model::Motion::u
  assembly::Velocities end;                  ///< velocities with all impulses

  /// True when something acts on deformable bodies.
  [[nodiscard]] bool acts_on_deformables() const { return !blocks_.empty() || !spring_blocks_.empty(); }
  [[nodiscard]] bool has_springs() const { return !springs_.empty(); }
  /// The spring-dashpot contact that swings fastest, and how fast: with all of the springs on its more crowded body, 1/s.
  struct Swing {
    int contact = -1;
    double rate = 0.0;
  };
  [[nodiscard]] Swing fastest_spring(const StageInput& in) const;
  [[nodiscard]] const solvers::BodyForm& form() const { return *form_; }
  /// Whose each block is, among ranks.
  [[nodiscard]] std::vector<int> block_ranks(const Division& division, const model::Model& model) const;
  [[nodiscard]] Vec3 relative_velocity(const StageInput& in, const assembly::Contact& contact, const assembly::Velocities& velocities) const;

 private:
  void prepare_contacts(const StageInput& in, const std::vector<collision::ContactPoint>& points);
  void grip_contacts(const StageInput& in);
  void choose_roles(const StageInput& in);
  void hold_deformables(const StageInput& in, assembly::Inertias& inertias);
  void apply_springs(const StageInput& in, const assembly::Assembler& with);
  void add_blocks(const StageInput& in, const assembly::Assembler& with);
  /// Room for the problem's blocks, and for their rows where bodies are rigid.
  void reserve_blocks(const StageInput& in);
  void set_velocities(const StageInput& in, const assembly::Assembler& with);
  /// Begin where impulses lead if they change on as they did, where that is nearer to the solution (theory eq. 4.20).
  void extrapolate(const StageInput& in);
  void apply_bonds();
  void condense();
  void settle_resting_bodies(const StageInput& in);
  void break_bonds();
  void limit_restitution(const StageInput& in);
  /// Recovery of places that bodies have no room for (theory sec. 3.3).
  /// @{
  /// Before the solve: contacts that yield do not recover, and do not see how constraints take back their drift.
  void ease_yielding(const StageInput& in);
  /// After it: where taking back overlaps is impossible, or would make bodies fast, their contacts yield; solve again.
  void give_way(const StageInput& in);
  /// Groups of which more is asked than their recovery accounts for (theory eq. 3.24).
  [[nodiscard]] std::vector<char> overdriven(const StageInput& in, std::span<const int> group) const;
  /// After that: where rough contacts wedge a body between them, so that nothing obeys all that they ask for, those that push ask for rates alone; solve again.
  void loosen_wedged(const StageInput& in);
  /// Groups whose impulses grow against what contacts ask for beside rates (theory eq. 3.26).
  [[nodiscard]] std::vector<char> wedged(const StageInput& in, std::span<const int> group) const;
  void leave_overlap(int c);
  std::vector<int> mark_yielding(std::span<const int> group, std::span<const char> chosen);
  /// Velocities of all blocks when constraints take back their drift as if nothing touched, m/s.
  [[nodiscard]] std::vector<double> drift_velocities(const StageInput& in) const;
  /// @}
  [[nodiscard]] solvers::SolveReport solve_problem(const StageInput& in, std::vector<double>& impulses);
  /// What the step was solved to, between what it works towards and what it must meet.
  [[nodiscard]] double accuracy(const StageInput& in) const { return std::clamp(report.residual, in.solver.aim(), in.solver.stop.tolerance); }
  [[nodiscard]] bool held_still(const StageInput& in, int slot, double speed) const;
  /// Velocities before and after the impulses without bias, three a block.
  [[nodiscard]] std::vector<double> velocities_after() const;
  /// The two bodies of each block, -1 for none.
  [[nodiscard]] std::vector<std::array<int, 2>> block_bodies() const;
  /// Groups of blocks connected through moving bodies.
  [[nodiscard]] std::vector<int> groups() const;
  /// Energy that the bodies of each group have too much before the impulses, J.
  [[nodiscard]] std::vector<double> group_excess(const StageInput& in, std::span<const int> group) const;
  /// Whether points of deformable bodies part at the start of the step, so that the normal law holds for their mean velocity (theory eq. 6.20).
  [[nodiscard]] bool swings(const StageInput& in, const assembly::Contact& contact) const;
  /// Restitution, gap ahead or recovered overlap of a contact, m/s.
  [[nodiscard]] double bias(const StageInput& in, const assembly::Contact& contact, bool bounce) const;
  /// What takes back an overlap that turning has made (theory eq. 3.25), m/s.
  [[nodiscard]] double turned_bias(const StageInput& in, const assembly::Contact& contact) const;
  /// The same of RATTLE: what turning will do to the gap by the end of the step.
  [[nodiscard]] double turning_ahead(const StageInput& in, const assembly::Contact& contact) const;
  /// How friction's velocity changes until the instant of the new velocities, m/s, in the contact's frame.
  [[nodiscard]] Vec3 drift_ahead(const StageInput& in, const assembly::Contact& contact) const;
  /// Levels `places` and `velocities`: when and how fast a contact with restitution closes in this step, unless it is too slow to bounce.
  [[nodiscard]] std::optional<Bounce> bounce_of(const StageInput& in, const assembly::Contact& contact) const;
  [[nodiscard]] Role role_of(const StageInput& in, const assembly::Contact& contact) const;
  [[nodiscard]] assembly::Assembler assembler(const StageInput& in, const assembly::Inertias& inertias) const;

  std::vector<int> springs_;              ///< spring-dashpot contacts, in the order of their blocks
  std::shared_ptr<solvers::BodyForm> form_;  ///< W of the problem
  solvers::BodyForm spring_form_;         ///< and of spring-dashpot contacts
  std::vector<assembly::DeformableBlock> blocks_, spring_blocks_;
  std::shared_ptr<solvers::ExplicitForm> condensed_;  ///< W itself, where deformable bodies make that pay
  std::vector<double> spring_push_;       ///< impulses of springs on the unknowns of deformable bodies
  std::vector<double> bonds_;             ///< pull of bonds on the problem's blocks
  std::vector<double> trend_;             ///< how the guess changed until now, N s, three a block; empty: not at all
  std::vector<double> bias_;              ///< what B holds beside velocities, m/s, three a block
  std::vector<double> places_;            ///< what B holds to take back overlaps and drift, m/s, three a block
  std::vector<char> eased_;               ///< of each implicit contact: it yields, and B says so
  std::vector<double> before_;            ///< velocities with which impacts begin, without bias, m/s, three a block
  std::vector<char> mean_tangent_;           ///< of each contact: friction's law holds for the mean velocity of the step
  std::vector<double> ahead_;             ///< what loads add to velocities from the instant of an impact to that of the new velocities, m/s, three a block
  std::vector<char> settled_;             ///< bodies of the operator set to rest
  std::vector<assembly::GrippedPoint> joined_;  ///< points with those over faces summed up
  std::vector<double> impulses_, scratch_;
};

/// Impulses of `second`, at the same or another instant of the step, added to those of `first`; contacts that only the second has join them, in
/// order.
void add_impulses(const ContactStage& second, ContactStage& first);

}  // namespace scree::stepping
