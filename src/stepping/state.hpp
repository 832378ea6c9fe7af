/// All that a step may change. A step makes the next State and swaps; one that fails drops it.
#pragma once

#include <vector>

#include "assembly/contact.hpp"
#include "model/motion.hpp"

namespace scree::stepping {

/// Time and steps.
struct Clock {
  double time = 0.0;          ///< s
  long steps = 0;             ///< made so far
  double start_time = 0.0;    ///< time at which the present step size came into force, s
  long start_steps = 0;       ///< steps made by then
  double step = 0.0;          ///< h of the last step, s; 0 before the first
  double impulse_time = 0.0;  ///< over which its impulses acted, s; 0 before the first
  long parts = 1;             ///< that the next step is to be made of,
  double foreseen = 0.0;      ///< and the length of the first of them to whose middle the last midpoint step looked ahead, s; 0: none did, or bodies were put or thrown by hand since

  /// Count a step of h whose impulses act over `kick`.
  void advance(double h, double kick);
  /// Impulses of a step that act over `kick` relative to those of the last one.
  [[nodiscard]] double impulse_ratio(double kick) const { return impulse_time > 0.0 ? kick / impulse_time : 1.0; }
};

struct State {
  Clock clock;
  model::Motion motion;
  std::vector<assembly::Reaction> reactions;  ///< of the model's constraints, in their order
  assembly::ContactMemory memory;
  double energy_start = 0.0;    ///< kinetic and stored energy brought in from outside (initial velocities), J
  model::Work removed_work;     ///< works of deleted bodies, J
  double spare = 1e4;           ///< work, in sweeps, that may be spent on the solver's goal (theory sec. 3.4)

  /// Visit everything by name: the one list that checkpoints and hashes use.
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    auto& clock = self.clock;
    visit("time", clock.time), visit("steps", clock.steps), visit("start_time", clock.start_time), visit("start_steps", clock.start_steps);
    visit("step", clock.step), visit("impulse_time", clock.impulse_time), visit("parts", clock.parts), visit("foreseen", clock.foreseen);
    model::Motion::each_array(self.motion, visit);
    visit("q", self.motion.q), visit("u", self.motion.u), visit("held", self.motion.held);
    visit("reactions", self.reactions), visit("memory", self.memory.entries);
    visit("energy_start", self.energy_start), visit("removed_work", self.removed_work), visit("spare", self.spare);
  }

  /// Begin a step from the last one's state. Contact memory is left empty: a step stores it anew, and is long done with its problem by then.
  void follow(const State& last);

  /// Hash of the exact bits of all of it.
  [[nodiscard]] std::uint64_t hash() const;
};

}  // namespace scree::stepping
