/// A 64-bit hash of the exact bits of numbers, to compare states between thread counts and restarts.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include <fmt/format.h>

namespace scree {

class StateHash {
 public:
  void add(std::uint64_t word) {
    // xor-multiply-shift: every input bit reaches every output bit after two words.
    state_ ^= word + 0x9e3779b97f4a7c15ull + (state_ << 6) + (state_ >> 2);
    state_ *= 0xff51afd7ed558ccdull;
    state_ ^= state_ >> 33;
  }
  /// -0.0 and 0.0 hash alike: they compare equal and no result depends on the difference.
  void add(double value) { add(std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value)); }
  void add(std::span<const double> values) {
    for (double value : values) add(value);
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 0x5c3ee5c3ee5c3ee5ull;
};

}  // namespace scree
