/// A request to stop, for the whole process: set by a signal handler or another thread, seen by every solver within an iteration.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>

namespace scree {

namespace detail {
inline std::atomic<bool> stop_flag{false}, stop_held{false};
inline std::atomic<std::int64_t> stop_asked{0};  ///< ns; when a stop was requested, or the hold began after it
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free, "a signal handler must be able to set them");

inline std::int64_t now() noexcept { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }
}  // namespace detail

/// For how long a held request is not seen, ns.
inline constexpr std::int64_t kStopGrace = 150'000'000;

/// Ask for a stop; safe inside a signal handler. Stands until clear_stop().
inline void request_stop() noexcept {
  detail::stop_asked.store(detail::now(), std::memory_order_relaxed);
  detail::stop_flag.store(true, std::memory_order_release);
}
[[nodiscard]] inline bool stop_requested() noexcept {
  if (!detail::stop_flag.load(std::memory_order_acquire)) return false;
  return !detail::stop_held.load(std::memory_order_relaxed) || detail::now() - detail::stop_asked.load(std::memory_order_relaxed) >= kStopGrace;
}
/// While on, a request is not seen before kStopGrace has passed: for work between steps that is short as a rule and must not be left half done.
/// Returns what was.
inline bool hold_stop(bool on) noexcept {
  detail::stop_asked.store(detail::now(), std::memory_order_relaxed);
  return detail::stop_held.exchange(on, std::memory_order_relaxed);
}
/// For whoever has answered the request, before the next run.
inline void clear_stop() noexcept { detail::stop_flag.store(false, std::memory_order_relaxed); }

/// Thrown by a step that was abandoned because of a request to stop.
class Interrupted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "interrupted: the step in hand was abandoned"; }
};

}  // namespace scree
