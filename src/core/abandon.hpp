/// Answers to a request to stop (core/interrupt.hpp) for work that does not look for one by itself.
#pragma once

#include <functional>

#include "core/interrupt.hpp"

namespace scree {

/// For work that cannot answer otherwise: Interrupted when a stop was requested.
inline void throw_if_stopped() {
  if (stop_requested()) throw Interrupted();
}

/// Do long work of a library that never looks for a request: in a thread of its own, while this one waits and looks. Interrupted after a request: the
/// work then goes on alone until its end, so it must own everything it touches. What it throws, this throws.
void run_abandonable(std::function<void()> work);
/// Pieces of abandoned work still going on. A process must not tear down its libraries before they have ended.
[[nodiscard]] int abandoned_work() noexcept;

}  // namespace scree
