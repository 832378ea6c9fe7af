#include "stepping/state.hpp"

#include <string_view>

#include "core/hash.hpp"

namespace scree::stepping {

namespace {

/// Adds whatever a State holds to a hash.
struct Hasher {
  StateHash hash;

  /// How far a step looked ahead is no state of bodies: one that was added and taken away again leaves none behind.
  void operator()(const char* name, const auto& value) {
    if (std::string_view(name) != "foreseen") add(value);
  }

  void add(double value) { hash.add(value); }
  void add(long value) { hash.add(static_cast<std::uint64_t>(value)); }
  void add(int value) { hash.add(static_cast<std::uint64_t>(value)); }
  void add(std::uint64_t value) { hash.add(value); }
  template <int R, int C>
  void add(const Eigen::Matrix<double, R, C>& m) { hash.add(std::span<const double>(m.data(), static_cast<std::size_t>(m.size()))); }
  void add(const model::Work& w) {
    for (const double value : {w.external, w.contact, w.friction, w.damping}) add(value);
  }
  void add(const assembly::Reaction& r) { add(r.impulse), add(r.frame), add(r.place[0]), add(r.place[1]); }
  void add(const assembly::ContactMemory::Entry& e) { add(e.body_a), add(e.body_b), add(e.feature), add(e.impulse), add(e.trend), add(e.cohesive ? 1 : 0), add(e.yields ? 1 : 0); }
  template <class T>
  void add(const std::vector<T>& values) {
    hash.add(std::uint64_t{values.size()});
    for (const T& value : values) add(value);
  }
};

}  // namespace

void Clock::advance(double h, double kick) {
  if (h != step) {
    start_time = time;
    start_steps = steps;
  }
  step = h;
  impulse_time = kick;
  ++steps;
  time = start_time + static_cast<double>(steps - start_steps) * h;
}

void State::follow(const State& last) {
  memory = {};
  const auto& [last_clock, last_motion, last_reactions, last_memory, last_energy_start, last_removed_work, last_spare] = last;
  clock = last_clock;
  motion = last_motion;
  reactions = last_reactions;
  energy_start = last_energy_start;
  removed_work = last_removed_work;
  spare = last_spare;
}

std::uint64_t State::hash() const {
  Hasher hasher;
  each(*this, hasher);
  return hasher.hash.value();
}

}  // namespace scree::stepping
