/// Impacts passed on: which contacts act after what the impacts of this very step set in motion (theory sec. 2.9, 3.8).
///
/// Each function looks at a stage that is solved and applied, and changes the roles of its contacts; where it says so, solve and apply again.
#pragma once

#include <vector>

#include "stepping/contact_stage.hpp"

namespace scree::stepping {

/// Whether impacts can be passed on within the step: springs, bonds and deformable bodies belong to the whole of it.
[[nodiscard]] bool can_pass_on(const StageInput& in, const ContactStage& stage);

/// Leave out contacts ahead that have restitution and stop what an impact of this very step drives at them: they do not stop it, they bounce, once it is
/// known how fast they are met. Returns them; where there are any, solve again.
[[nodiscard]] std::vector<int> release_struck(const StageInput& in, ContactStage& stage, assembly::Inertias& inertias);

/// Of these, take back what is met too slowly to bounce. True where there are some: solve again.
[[nodiscard]] bool hold_calm(const StageInput& in, ContactStage& stage, std::vector<int> released, assembly::Inertias& inertias);

/// Whether a contact left out would overlap by more than is left alone: bodies then meet it within this step, with the velocities found.
[[nodiscard]] bool meets_idle(const StageInput& in, const ContactStage& stage);

/// Take in such contacts; they stop what meets them. True where there are some: solve again.
[[nodiscard]] bool stop_met(const StageInput& in, ContactStage& stage, assembly::Inertias& inertias);

/// Level `velocities`: contacts at rest that an impact closes within this step bounce in the next one, off the velocities it leaves: take them out. True
/// where there are any: solve again.
[[nodiscard]] bool defer_struck(const StageInput& in, ContactStage& stage, assembly::Inertias& inertias);

/// Level `places`: bodies that an impact with restitution moves in this step, alone or through others. Their impulses moved them to where the impact
/// leaves them; its velocities are found by the problem of velocities, so that here the impulses are taken back and `end` is `free`.
[[nodiscard]] std::vector<char> take_back_bounces(const StageInput& in, ContactStage& stage);

}  // namespace scree::stepping
