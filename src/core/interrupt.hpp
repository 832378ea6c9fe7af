/// A request to stop, for the whole process: set by a signal handler or another thread, seen by every solver within an iteration.
#pragma once

#include <atomic>
#include <exception>

namespace scree {

namespace detail {
inline std::atomic<bool> stop_flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must be able to set the flag");
}  // namespace detail

/// Ask for a stop; safe inside a signal handler. Stands until clear_stop().
inline void request_stop() noexcept { detail::stop_flag.store(true, std::memory_order_relaxed); }
[[nodiscard]] inline bool stop_requested() noexcept { return detail::stop_flag.load(std::memory_order_relaxed); }
/// For whoever has answered the request, before the next run.
inline void clear_stop() noexcept { detail::stop_flag.store(false, std::memory_order_relaxed); }

/// Thrown by a step that was abandoned because of a request to stop.
class Interrupted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "interrupted: the step in hand was abandoned"; }
};

}  // namespace scree
