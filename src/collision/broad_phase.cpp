#include "collision/broad_phase.hpp"

#include <algorithm>

#include "core/threads.hpp"

namespace scree::collision {

namespace {

constexpr double kSkin = 0.04;         // of a piece's largest extent, on each side
constexpr int kRebuildFraction = 6;    // build anew when more than 1/6 of all pieces are strays
constexpr std::ptrdiff_t kPairChunk = 4096;  // grid entries a task

PiecePair make_pair_of(const PieceStore& store, int p, int q) {
  const int a = std::min(p, q), b = std::max(p, q);
  return {static_cast<std::uint64_t>(store.slot_of(a)) << 32 | static_cast<std::uint64_t>(store.slot_of(b)), a, b};
}

bool inside(const Box& inner, double grown, const Box& outer) {
  bool in = true;
  for (int axis = 0; axis < 3; ++axis)
    in = in & (inner.low[axis] - grown >= outer.low[axis]) & (inner.high[axis] + grown <= outer.high[axis]);
  return in;
}

}  // namespace

const std::vector<PiecePair>& BroadPhase::update(const PieceStore& store, const PairRules& rules, double margin) {
  if (!built_) {
    build(store, rules, margin);
    return pairs_;
  }
  find_escaped(store, margin);
  if (escaped_.empty()) return pairs_;
  if (static_cast<std::ptrdiff_t>(strays_.size()) * kRebuildFraction > store.pieces())
    build(store, rules, margin);
  else
    amend(store, rules, margin);
  return pairs_;
}

Box BroadPhase::fat_box(const PieceStore& store, int piece, double margin) const {
  const BodyEntry& body = store.body(store.slot_of(piece));
  Box box = store.box(piece);
  const double skin = body.moving ? kSkin * box.extent().maxCoeff() : 0.0;
  box.grow(0.5 * margin + body.reach + skin);
  return box;
}

void BroadPhase::find_escaped(const PieceStore& store, double margin) {
  escaped_.clear();
  for (int slot = 0; slot < store.bodies(); ++slot) {
    const BodyEntry& body = store.body(slot);
    const double grown = 0.5 * margin + body.reach;
    for (int piece = body.first; piece < body.first + body.count; ++piece) {
      const bool same_kind = !round_[piece] || store.kind(piece) == Kind::sphere;
      if ((same_kind && inside(store.box(piece), grown, fat_[piece])) || !store.exposed(piece)) continue;
      escaped_.push_back(piece);
      if (!stale_[piece]) strays_.push_back(piece);
      stale_[piece] = 1;
    }
  }
}

bool BroadPhase::keep(const PieceStore& store, const PairRules& rules, int p, int q) const {
  if (round_[p] & round_[q]) {
    // Within its fat box a sphere moves by no more than the diagonal of the growth.
    const Ball &a = store.ball(p), &b = store.ball(q);
    const double growth = (store.box(p).low.x() - fat_[p].low.x()) + (store.box(q).low.x() - fat_[q].low.x());
    const double reach = a.radius + b.radius + 1.7321 * growth;
    if ((a.center - b.center).squaredNorm() > reach * reach) return false;
  }
  return rules.allowed(store, p, q);
}

void BroadPhase::build(const PieceStore& store, const PairRules& rules, double margin) {
  const int count = store.pieces();
  fat_.resize(count);
  round_.resize(count);
  stale_.assign(count, 0);
  left_.assign(count, 0);
  strays_.clear();
  everything_.clear();
  for (int piece = 0; piece < count; ++piece) {
    fat_[piece] = fat_box(store, piece, margin);
    round_[piece] = store.kind(piece) == Kind::sphere;
    if (store.exposed(piece)) everything_.push_back(piece);
  }
  grid_.build(fat_, everything_);

  // Pairs a chunk of entries at a time, then in order.
  const std::ptrdiff_t chunks = (grid_.size() + kPairChunk - 1) / kPairChunk;
  if (static_cast<std::ptrdiff_t>(chunks_.size()) < chunks) chunks_.resize(chunks);
  parallel_for(
      chunks,
      [&](std::ptrdiff_t c) {
        std::vector<PiecePair>& found = chunks_[c];
        found.clear();
        const int first = static_cast<int>(c * kPairChunk);
        const int last = static_cast<int>(std::min<std::ptrdiff_t>(grid_.size(), first + kPairChunk));
        grid_.pairs(first, last, [&](int p, int q) {
          if (keep(store, rules, p, q)) found.push_back(make_pair_of(store, p, q));
        });
      },
      1);
  fresh_.clear();
  for (std::ptrdiff_t c = 0; c < chunks; ++c) fresh_.insert(fresh_.end(), chunks_[c].begin(), chunks_[c].end());
  sort_pairs(store);
  pairs_.swap(fresh_);
  built_ = true;
}

void BroadPhase::amend(const PieceStore& store, const PairRules& rules, double margin) {
  for (const int piece : escaped_) {
    fat_[piece] = fat_box(store, piece, margin);
    round_[piece] = store.kind(piece) == Kind::sphere;
    left_[piece] = 1;
  }
  stray_grid_.build(fat_, strays_);

  // New pairs of each escaped piece: with those at rest in the grid, and with other strays.
  fresh_.clear();
  for (const int piece : escaped_) {
    const auto add = [&](int other) {
      if (keep(store, rules, piece, other)) fresh_.push_back(make_pair_of(store, piece, other));
    };
    grid_.query(fat_[piece], [&](int other) {
      if (!stale_[other]) add(other);
    });
    stray_grid_.query(fat_[piece], [&](int other) {
      if (other != piece && (!left_[other] || piece < other)) add(other);
    });
  }
  std::sort(fresh_.begin(), fresh_.end());

  // Drop the old pairs of escaped pieces and merge the new ones in.
  std::erase_if(pairs_, [&](const PiecePair& pair) { return left_[pair.a] | left_[pair.b]; });
  merged_.resize(pairs_.size() + fresh_.size());
  std::merge(pairs_.begin(), pairs_.end(), fresh_.begin(), fresh_.end(), merged_.begin());
  pairs_.swap(merged_);
  for (const int piece : escaped_) left_[piece] = 0;
}

void BroadPhase::sort_pairs(const PieceStore& store) {
  // Counting sort by the first body, then each short bucket by itself.
  bucket_.assign(store.bodies() + 1, 0);
  for (const PiecePair& pair : fresh_) ++bucket_[(pair.bodies >> 32) + 1];
  for (std::size_t i = 1; i < bucket_.size(); ++i) bucket_[i] += bucket_[i - 1];
  merged_.resize(fresh_.size());
  for (const PiecePair& pair : fresh_) merged_[bucket_[pair.bodies >> 32]++] = pair;
  fresh_.swap(merged_);
  int first = 0;
  for (int slot = 0; slot < store.bodies(); ++slot) {
    std::sort(fresh_.begin() + first, fresh_.begin() + bucket_[slot]);
    first = bucket_[slot];
  }
}

}  // namespace scree::collision
