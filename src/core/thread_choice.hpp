/// One thread or many, for work that is repeated and gives the same bits either way.
///
/// Threads that meet often are slower than one where other programs hold the cores they run on. Whichever is faster does the
/// work; the slower one is tried again now and then, the more rarely the longer it stays slower.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace scree {

class ThreadChoice {
 public:
  /// Should the next round be made by many threads?
  [[nodiscard]] bool many() const noexcept { return trying() ? !many_ : many_; }

  /// That round took so long, in seconds for the same amount of work.
  void took(double seconds) noexcept {
    const bool tried = trying();
    double& cost = cost_[many() ? 1 : 0];
    cost = cost < 0.0 || tried ? seconds : cost + kNewest * (seconds - cost);
    rounds_ = tried ? 0 : rounds_ + 1;
    const double mine = cost_[many_ ? 1 : 0], other = cost_[many_ ? 0 : 1];
    if (other >= 0.0 && other < kBetter * mine) {
      many_ = !many_;
      rounds_ = 0;
      patience_ = kLeast;
    } else if (tried) {
      patience_ = std::min(2 * patience_, kMost);
    }
  }

 private:
  static constexpr double kNewest = 0.5;    // weight of a round against those before
  static constexpr double kBetter = 0.95;   // equals do not take turns
  static constexpr int kLeast = 16, kMost = 1024;  // rounds until the slower one is tried again

  /// The first round is made by many, the second by one.
  [[nodiscard]] bool trying() const noexcept { return rounds_ >= (cost_[0] < 0.0 ? 1 : patience_); }

  std::array<double, 2> cost_{-1.0, -1.0};  // of one thread and of many, s; negative: not known
  bool many_ = true;
  int rounds_ = 0, patience_ = kLeast;
};

}  // namespace scree
