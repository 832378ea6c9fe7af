/// Wall-clock timing in seconds.
#pragma once

#include <chrono>

namespace scree {

class Timer {
 public:
  Timer() : start_(Clock::now()) {}
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  void restart() { start_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
};

}  // namespace scree
