/// Signals that ask the process to end, seen while the engine works and Python does not.
#pragma once

#include "core/interrupt.hpp"

namespace scree::python {

/// While it lives, SIGINT, SIGTERM and SIGHUP that Python has a handler for also request a stop (core/interrupt.hpp), which the engine answers
/// within a fraction of a second; Python's handler runs when Python has its turn. Only the outermost one in the main thread does anything. The
/// interpreter must be held where it begins and ends.
class SignalWatch {
 public:
  /// second_ends: the second signal ends the process at once.
  explicit SignalWatch(bool second_ends = false);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Let Python's handlers answer: what they raise is thrown.
  void call_handlers() const;
  /// The same; and KeyboardInterrupt where a stop stands that was requested before this watch.
  void raise_stop() const;

 private:
  bool watching_ = false;
};

/// Do long work that looks for requests to stop by itself (core/abandon.hpp). After one, what Python's handlers raise is thrown: KeyboardInterrupt, as a rule.
template <class Work>
auto stoppable(Work&& work) {
  const SignalWatch watch;
  try {
    return work();
  } catch (const Interrupted&) {
    watch.raise_stop();
    throw;
  }
}

}  // namespace scree::python
