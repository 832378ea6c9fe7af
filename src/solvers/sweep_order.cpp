#include "solvers/sweep_order.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace scree::solvers {

namespace {

constexpr int kBlocksAChunk = 2048;
constexpr int kMaxChunks = 32;
constexpr int kLevelsAChunk = 3;   ///< thinner chunks would be all boundary

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void SweepOrder::update(const BodyForm& form) {
  bool same = bodies_ == form.bodies() && pairs_.size() == at(form.blocks());
  for (int a = 0; same && a < form.blocks(); ++a) same = pairs_[at(a)] == form.bodies_of(a);
  if (same) return;
  bodies_ = form.bodies();
  pairs_.resize(at(form.blocks()));
  for (int a = 0; a < form.blocks(); ++a) pairs_[at(a)] = form.bodies_of(a);
  order_bodies(form);
  cut_chunks(form);
  make_tasks(form);
}

void SweepOrder::order_bodies(const BodyForm& form) {
  slot_.assign(at(bodies_), -1);
  visited_.clear();
  level_.clear();
  // Breadth first from `seed`; returns the last body reached.
  const auto spread = [&](int seed, std::size_t first) {
    visited_.resize(first);
    level_.resize(first);
    const int base = first == 0 ? 0 : level_[first - 1] + 1;
    visited_.push_back(seed);
    level_.push_back(base);
    slot_[at(seed)] = static_cast<int>(first);
    for (std::size_t k = first; k < visited_.size(); ++k) {
      const int body = visited_[k];
      for (int entry : form.incidence(body)) {
        const int other = pairs_[at(entry / 2)][at(1 - entry % 2)];
        if (other < 0 || slot_[at(other)] >= 0) continue;
        slot_[at(other)] = static_cast<int>(visited_.size());
        visited_.push_back(other);
        level_.push_back(level_[k] + 1);
      }
    }
    return visited_.back();
  };
  for (int seed = 0; seed < bodies_; ++seed) {
    if (slot_[at(seed)] >= 0) continue;
    const std::size_t first = visited_.size();
    const int far = spread(seed, first);
    // Large components start again from a far end: more and thinner levels.
    if (visited_.size() - first < kBlocksAChunk) continue;
    for (std::size_t k = first; k < visited_.size(); ++k) slot_[at(visited_[k])] = -1;
    spread(far, first);
  }
}

void SweepOrder::cut_chunks(const BodyForm& form) {
  const int levels = level_.empty() ? 1 : level_.back() + 1;
  chunks_ = std::clamp(std::min(form.blocks() / kBlocksAChunk, levels / kLevelsAChunk), 1, kMaxChunks);
  chunk_.assign(at(bodies_), 0);
  double total = 0.0, sum = 0.0;
  for (int body = 0; body < bodies_; ++body) total += static_cast<double>(form.incidence(body).size());
  for (std::size_t k = 0; k < visited_.size(); ++k) {
    chunk_[k] = std::min(chunks_ - 1, static_cast<int>(sum / total * chunks_));
    sum += static_cast<double>(form.incidence(visited_[k]).size());
  }
}

void SweepOrder::make_tasks(const BodyForm& form) {
  // Key of a block: its chunk, or its pair of chunks.
  std::map<std::array<int, 2>, int> pair_size;
  scratch_.resize(pairs_.size());
  std::vector<std::array<int, 2>> keys(pairs_.size());
  for (int a = 0; a < form.blocks(); ++a) {
    const auto& pair = pairs_[at(a)];
    const int one = pair[0] >= 0 ? chunk_[at(slot_[at(pair[0])])] : -1;
    const int two = pair[1] >= 0 ? chunk_[at(slot_[at(pair[1])])] : one;
    const int low = std::max(0, std::min(one < 0 ? two : one, two)), high = std::max({0, one, two});
    keys[at(a)] = {low, high};
    ++pair_size[{low, high}];
  }
  // Phase 0 holds the chunks themselves; pairs get the first later phase free at both chunks.
  std::map<std::array<int, 2>, int> phase;
  std::vector<std::vector<bool>> busy(1);
  int phases = 1;
  for (const auto& [key, size] : pair_size) {
    int p = 0;
    if (key[0] != key[1])
      for (p = 1; p < phases && (busy[at(p)][at(key[0])] || busy[at(p)][at(key[1])]); ++p) {}
    if (p == phases) {
      ++phases;
      busy.emplace_back(at(chunks_), false);
    }
    if (p > 0) busy[at(p)][at(key[0])] = busy[at(p)][at(key[1])] = true;
    phase[key] = p;
  }
  // Tasks numbered by phase, then by key.
  std::map<std::array<int, 2>, int> task;
  task_start_.assign(1, 0);
  phase_start_.assign(1, 0);
  for (int p = 0; p < phases; ++p) {
    for (const auto& [key, size] : pair_size)
      if (phase[key] == p) {
        task[key] = tasks();
        task_start_.push_back(task_start_.back() + size);
      }
    phase_start_.push_back(tasks());
  }
  // Blocks of a task follow the order of their bodies.
  for (int a = 0; a < form.blocks(); ++a) scratch_[at(a)] = task[keys[at(a)]];
  std::vector<int> next(task_start_.begin(), task_start_.end() - 1);
  blocks_.resize(pairs_.size());
  std::vector<char> placed(pairs_.size(), 0);
  for (int body : visited_)
    for (int entry : form.incidence(body)) {
      const int a = entry / 2;
      if (placed[at(a)]) continue;
      placed[at(a)] = 1;
      blocks_[at(next[at(scratch_[at(a)])]++)] = a;
    }
  for (int a = 0; a < form.blocks(); ++a)
    if (!placed[at(a)]) blocks_[at(next[at(scratch_[at(a)])]++)] = a;
}

}  // namespace scree::solvers
