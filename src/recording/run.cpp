#include "recording/run.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/timer.hpp"

namespace scree::recording {

Advance advance(stepping::Simulation& simulation, long steps, double seconds) {
  Advance made;
  const Timer timer;
  for (long k = 0; k < steps; ++k) {
    try {
      made.rows.push_back(simulation.step());
    } catch (...) {
      made.error = std::current_exception();
      break;
    }
    if (timer.seconds() >= seconds) break;
  }
  return made;
}

void run(stepping::Simulation& simulation, double duration, double output, Recorder& recorder) {
  if (!(duration >= 0.0) || !std::isfinite(duration)) throw_input("run: duration = {} s; it must be finite and not negative", duration);
  if (!(output >= 0.0) || !std::isfinite(output)) throw_input("run: output = {} s; it must be finite and not negative", output);
  const double start = simulation.time(), end = start + duration;
  const auto ahead = [&](double when) { return simulation.time() < when - kEventSlack * simulation.settings().step; };
  // Frames lie at start + k output; one an instant.
  double next = start;
  const auto record = [&] {
    if (recorder.last_time() != simulation.time()) recorder.add_frame(simulation);
    const double step = simulation.settings().step;
    next = output > 0.0 ? start + output * (std::floor((simulation.time() - start + kEventSlack * step) / output) + 1.0) : simulation.time();
  };
  record();
  while (ahead(end)) {
    const double steps = std::ceil((std::min(next, end) - simulation.time()) / simulation.settings().step - kEventSlack);
    const Advance made = advance(simulation, static_cast<long>(std::clamp(steps, 1.0, 1e9)), kInfinity);
    recorder.add_steps(made.rows);
    if (made.error) {
      recorder.flush();
      std::rethrow_exception(made.error);
    }
    if (!ahead(next)) record();
  }
  record();
  recorder.flush();
}

}  // namespace scree::recording
