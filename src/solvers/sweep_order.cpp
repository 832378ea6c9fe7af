#include "solvers/sweep_order.hpp"

#include <algorithm>
#include <numeric>

namespace scree::solvers {

namespace {

constexpr int kBlocksAChunk = 2048;
constexpr int kMaxChunks = 32;
constexpr int kLevelsAChunk = 3;   ///< thinner chunks would be all boundary

}  // namespace

void SweepOrder::update(const BodyForm& form) {
  bool same = bodies_ == form.bodies() && pairs_.size() == static_cast<std::size_t>(form.blocks());
  for (int a = 0; same && a < form.blocks(); ++a) same = pairs_[a] == form.bodies_of(a);
  if (same) return;
  bodies_ = form.bodies();
  pairs_.resize(form.blocks());
  for (int a = 0; a < form.blocks(); ++a) pairs_[a] = form.bodies_of(a);
  order_bodies(form);
  cut_chunks(form);
  make_tasks(form);
}

void SweepOrder::order_bodies(const BodyForm& form) {
  slot_.assign(bodies_, -1);
  visited_.clear();
  level_.clear();
  // Breadth first from `seed`; returns the last body reached.
  const auto spread = [&](int seed, std::size_t first) {
    visited_.resize(first);
    level_.resize(first);
    const int base = first == 0 ? 0 : level_[first - 1] + 1;
    visited_.push_back(seed);
    level_.push_back(base);
    slot_[seed] = static_cast<int>(first);
    for (std::size_t k = first; k < visited_.size(); ++k) {
      const int body = visited_[k];
      for (int entry : form.incidence(body)) {
        const int other = pairs_[entry / 2][1 - entry % 2];
        if (other < 0 || slot_[other] >= 0) continue;
        slot_[other] = static_cast<int>(visited_.size());
        visited_.push_back(other);
        level_.push_back(level_[k] + 1);
      }
    }
    return visited_.back();
  };
  for (int seed = 0; seed < bodies_; ++seed) {
    if (slot_[seed] >= 0) continue;
    const std::size_t first = visited_.size();
    const int far = spread(seed, first);
    // Large components start again from a far end: more and thinner levels.
    if (visited_.size() - first < kBlocksAChunk) continue;
    for (std::size_t k = first; k < visited_.size(); ++k) slot_[visited_[k]] = -1;
    spread(far, first);
  }
}

void SweepOrder::cut_chunks(const BodyForm& form) {
  const int levels = level_.empty() ? 1 : level_.back() + 1;
  chunks_ = std::clamp(std::min(form.blocks() / kBlocksAChunk, levels / kLevelsAChunk), 1, kMaxChunks);
  if (chunks_ > 1) chunks_ -= chunks_ % 2;   // shares of two threads come out even
  chunk_.assign(bodies_, 0);
  double total = 0.0, sum = 0.0;
  for (int body = 0; body < bodies_; ++body) total += static_cast<double>(form.incidence(body).size());
  for (std::size_t k = 0; k < visited_.size(); ++k) {
    chunk_[k] = std::min(chunks_ - 1, static_cast<int>(sum / total * chunks_));
    sum += static_cast<double>(form.incidence(visited_[k]).size());
  }
}

void SweepOrder::make_tasks(const BodyForm& form) {
  // Key of a block: its pair of chunks, equal inside a chunk.
  const auto key = [&](int low, int high) { return low * chunks_ + high; };
  std::vector<int> size(chunks_ * chunks_, 0), task(size.size(), -1);
  scratch_.resize(pairs_.size());
  for (int a = 0; a < form.blocks(); ++a) {
    const auto& pair = pairs_[a];
    int one = pair[0] >= 0 ? chunk_[slot_[pair[0]]] : -1;
    int two = pair[1] >= 0 ? chunk_[slot_[pair[1]]] : one;
    one = std::max(0, one < 0 ? two : one);
    two = std::max(0, two);
    scratch_[a] = static_cast<int>(key(std::min(one, two), std::max(one, two)));
    ++size[scratch_[a]];
  }
  // Phase 0 holds the chunks themselves; pairs get the first later phase free at both chunks.
  std::vector<int> phase(size.size(), 0);
  std::vector<std::vector<char>> busy(1);
  for (int low = 0; low < chunks_; ++low)
    for (int high = low + 1; high < chunks_; ++high) {
      if (size[key(low, high)] == 0) continue;
      std::size_t p = 1;
      while (p < busy.size() && (busy[p][low] || busy[p][high])) ++p;
      if (p == busy.size()) busy.emplace_back(chunks_, 0);
      busy[p][low] = busy[p][high] = 1;
      phase[key(low, high)] = static_cast<int>(p);
    }
  // Tasks numbered by phase, then by key.
  task_start_.assign(1, 0);
  phase_start_.assign(1, 0);
  for (std::size_t p = 0; p < busy.size(); ++p) {
    for (std::size_t k = 0; k < size.size(); ++k)
      if (size[k] > 0 && phase[k] == static_cast<int>(p)) {
        task[k] = tasks();
        task_start_.push_back(task_start_.back() + size[k]);
      }
    phase_start_.push_back(tasks());
  }
  // Blocks of a task follow the order of their bodies.
  for (int& entry : scratch_) entry = task[entry];
  std::vector<int> next(task_start_.begin(), task_start_.end() - 1);
  blocks_.resize(pairs_.size());
  std::vector<char> placed(pairs_.size(), 0);
  for (int body : visited_)
    for (int entry : form.incidence(body)) {
      const int a = entry / 2;
      if (placed[a]) continue;
      placed[a] = 1;
      blocks_[next[scratch_[a]]++] = a;
    }
  for (int a = 0; a < form.blocks(); ++a)
    if (!placed[a]) blocks_[next[scratch_[a]]++] = a;
}

}  // namespace scree::solvers
