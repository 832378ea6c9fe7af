/// The run loop: steps until an event, and a whole run with its frames.
#pragma once

#include <exception>
#include <vector>

#include "recording/recorder.hpp"

namespace scree::recording {

/// Steps that were made, and the error that stopped them, if any: what went well is never lost.
struct Advance {
  std::vector<model::StepRow> rows;
  std::exception_ptr error;
};

/// Advance by at most `steps` steps, ending early once `seconds` of wall clock have passed.
[[nodiscard]] Advance advance(stepping::Simulation& simulation, long steps, double seconds);

/// Share of a step by which an event may lie ahead and still count as reached: rounding of sums of steps.
inline constexpr double kEventSlack = 1e-6;

/// Simulate `duration` seconds with a frame every `output` seconds (0: every step), the first and the last instant included. An error of a step is
/// thrown after everything made before it was recorded.
void run(stepping::Simulation& simulation, double duration, double output, Recorder& recorder);

}  // namespace scree::recording
