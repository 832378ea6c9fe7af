#include "collision/world.hpp"

#include <algorithm>
#include <unordered_map>

#include "collision/broad_phase.hpp"
#include "collision/narrow_phase.hpp"
#include "collision/pair_rules.hpp"
#include "collision/piece_store.hpp"
#include "collision/seams.hpp"
#include "collision/sparsify.hpp"
#include "core/abandon.hpp"
#include "core/error.hpp"
#include "core/throwing_loop.hpp"
#include "core/timer.hpp"

namespace scree::collision {

namespace {

constexpr std::ptrdiff_t kNarrowChunk = 512;       // pairs a task
constexpr std::size_t kLongList = 10000;            ///< points whose list gives back what it does not need
constexpr std::ptrdiff_t kThreadedPairs = 1024;    // threads pay from here on,
constexpr std::ptrdiff_t kThreadedSpheres = 32768;  // or from here when all pieces are spheres

/// Mix three numbers into one whose every bit depends on every bit of them.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t h = a * 0x9e3779b97f4a7c15ull;
  for (const std::uint64_t word : {b, c}) {
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93ull + word;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9ull;
  }
  return h ^ (h >> 32);
}

/// Slots of bodies by id: an array for small ids, a hash map beyond.
class SlotMap {
 public:
  [[nodiscard]] int find(int id) const {
    if (id >= 0 && id < static_cast<int>(dense_.size())) return dense_[id];
    if (id < kDense) return -1;
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? -1 : found->second;
  }
  void set(int id, int slot) {
    if (id >= kDense) {
      sparse_[id] = slot;
      return;
    }
    if (id >= static_cast<int>(dense_.size())) dense_.resize(id + 1, -1);
    dense_[id] = slot;
  }
  void clear() {
    dense_.clear();
    sparse_.clear();
  }

 private:
  static constexpr int kDense = 1 << 24;
  std::vector<int> dense_;
  std::unordered_map<int, int> sparse_;
};

}  // namespace

struct World::Impl {
  PieceStore store;
  PairRules rules;
  BroadPhase broad;
  SlotMap slots;
  bool changed = false;  ///< bodies were added or removed since the last detect
  int live_pieces = 0;
  Statistics statistics;

  struct Task {
    std::vector<ContactPoint> contacts;
    NarrowScratch scratch;
    Manifold manifold;
  };
  std::vector<Task> tasks;
  SeamScratch seam_scratch;
  SparsifyScratch sparsify_scratch;

  int slot(int body, const char* what) const {
    const int found = slots.find(body);
    if (found < 0) throw_input("{}: body {} is not in the collision world; add it first", what, body);
    return found;
  }
  void settle();
  void narrow(const Settings& settings, const PiecePair& pair, Task& task, std::vector<ContactPoint>& contacts) const;
  void narrow_all(const Settings& settings, const std::vector<PiecePair>& pairs, std::vector<ContactPoint>& contacts);
};

/// Order bodies by id after additions and removals.
void World::Impl::settle() {
  if (!changed) return;
  store.sort();
  slots.clear();
  for (int slot = 0; slot < store.bodies(); ++slot) slots.set(store.body(slot).id, slot);
  broad.reset();
  changed = false;
}

/// Contact points of one pair.
void World::Impl::narrow(const Settings& settings, const PiecePair& pair, Task& task,
                         std::vector<ContactPoint>& contacts) const {
  const int slot_a = static_cast<int>(pair.bodies >> 32), slot_b = static_cast<int>(pair.bodies & 0xffffffffu);
  const BodyEntry& body_a = store.body(slot_a);
  const BodyEntry& body_b = store.body(slot_b);
  const NarrowOptions options{settings.margin + body_a.reach + body_b.reach, settings.one_point_per_overlap,
                              settings.manifold_points, slot_a == slot_b ? 0 : std::max(body_a.face_degree, body_b.face_degree)};
  Manifold& manifold = task.manifold;
  manifold.count = 0;
  manifold.weighted = false;
  if (store.kind(pair.a) == Kind::sphere && store.kind(pair.b) == Kind::sphere) {
    if (!touch_spheres(store.ball(pair.a), store.ball(pair.b), options.limit, manifold)) return;
    manifold.surface_a = store.surface(pair.a);
    manifold.surface_b = store.surface(pair.b);
  } else if (!touch(store, pair.a, pair.b, options, task.scratch, manifold)) {
    return;
  }
  if (!rules.surfaces_allowed(manifold.surface_a, manifold.surface_b)) return;

  const std::size_t first = contacts.size();
  for (int k = 0; k < manifold.count; ++k) {
    const Touch& touch = manifold.points[k];
    const std::uint64_t pieces = static_cast<std::uint64_t>(pair.a - body_a.first) << 32 |
                                 static_cast<std::uint64_t>(pair.b - body_b.first);
    contacts.push_back({pair.a, pair.b, body_a.id, body_b.id, mixed(pieces, touch.feature, 1), touch.point,
                        manifold.normal, touch.gap, touch.area, manifold.surface_a, manifold.surface_b, manifold.weighted});
  }
  if (manifold.count > 1)
    std::sort(contacts.begin() + first, contacts.end(),
              [](const ContactPoint& p, const ContactPoint& q) { return p.feature < q.feature; });
}

/// All pairs in their order; several threads fill one list a chunk of pairs, joined in order.
void World::Impl::narrow_all(const Settings& settings, const std::vector<PiecePair>& pairs,
                             std::vector<ContactPoint>& contacts) {
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(pairs.size());
  const std::ptrdiff_t chunks = (count + kNarrowChunk - 1) / kNarrowChunk;
  contacts.clear();
  if (static_cast<std::ptrdiff_t>(tasks.size()) < std::max<std::ptrdiff_t>(chunks, 1)) tasks.resize(std::max<std::ptrdiff_t>(chunks, 1));
  if (threads() == 1 || count < (store.all_spheres() ? kThreadedSpheres : kThreadedPairs)) {
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      throw_if_stopped();
      narrow(settings, pairs[i], tasks[0], contacts);
    }
    return;
  }
  throwing_for(chunks, [&](std::ptrdiff_t c) {
    Task& task = tasks[c];
    task.contacts.clear();
    const std::ptrdiff_t last = std::min(count, (c + 1) * kNarrowChunk);
    for (std::ptrdiff_t i = c * kNarrowChunk; i < last; ++i) {
      throw_if_stopped();
      narrow(settings, pairs[i], task, task.contacts);
    }
  });
  for (std::ptrdiff_t c = 0; c < chunks; ++c)
    contacts.insert(contacts.end(), tasks[c].contacts.begin(), tasks[c].contacts.end());
}

World::World() : impl_(std::make_unique<Impl>()) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

void World::add_body(int body, const geometry::Shape& shape, bool moving) {
  if (body < 0) throw_input("collision world: body id {} is negative", body);
  if (impl_->slots.find(body) >= 0) throw_input("collision world: body {} is there already; remove it first", body);
  const int slot = impl_->store.add(body, shape, moving);
  impl_->slots.set(body, slot);
  impl_->live_pieces += static_cast<int>(shape.pieces.size());
  impl_->changed = true;
}

void World::remove_body(int body) {
  const int slot = impl_->slot(body, "remove_body");
  impl_->live_pieces -= impl_->store.body(slot).count;
  impl_->store.remove(slot);
  impl_->slots.set(body, -1);
  impl_->rules.forget_body(body);
  impl_->changed = true;
}

void World::place(int body, const Mat3& F, const Vec3& reference, const Vec3& position, double reach) {
  const int slot = impl_->slot(body, "place");
  if (!F.allFinite() || !is_finite(position) || !is_finite(reference) || !(reach >= 0.0 && reach < kInfinity))
    throw_input("place: body {} has a placement that is not finite, or a negative reach {}", body, reach);
  impl_->store.body(slot).reach = reach;
  impl_->store.place(slot, F, reference, position);
}

void World::place_points(int body, std::span<const Vec3> points, double reach) {
  const int slot = impl_->slot(body, "place_points");
  const int expected = impl_->store.points(slot);
  if (static_cast<int>(points.size()) != expected)
    throw_input("place_points: body {} has {} points, {} were given", body, expected, points.size());
  for (const Vec3& x : points)
    if (!is_finite(x)) throw_input("place_points: body {} has a point that is not finite", body);
  if (!(reach >= 0.0 && reach < kInfinity)) throw_input("place_points: body {} has the reach {}", body, reach);
  impl_->store.body(slot).reach = reach;
  impl_->store.place_points(slot, points);
}

int World::points(int body) const { return impl_->store.points(impl_->slot(body, "points")); }

void World::exclude_bodies(int body_a, int body_b) {
  impl_->rules.exclude_bodies(body_a, body_b);
  impl_->broad.reset();
}

void World::exclude_pieces(int body_a, const Vec3& point_a, int body_b, const Vec3& point_b) {
  const auto containing = [&](int body, const Vec3& point) {
    const BodyEntry& entry = impl_->store.body(impl_->slot(body, "exclude_pieces"));
    for (int local = 0; local < entry.count; ++local)
      if (impl_->store.contains(entry.first + local, point)) return local;
    throw_input("exclude_pieces: no piece of body {} properly contains the point ({}, {}, {}); points are referential", body,
                point.x(), point.y(), point.z());
  };
  impl_->rules.exclude_pieces(body_a, containing(body_a, point_a), body_b, containing(body_b, point_b));
  impl_->broad.reset();
}

void World::exclude_surfaces(int surface_a, int surface_b) { impl_->rules.exclude_surfaces(surface_a, surface_b); }

void World::look_at(std::function<bool(int body_a, int body_b)> pairs) {
  impl_->rules.look_at(std::move(pairs));
  impl_->broad.reset();
}

void World::set_selfcontact(int body, bool on) {
  impl_->store.body(impl_->slot(body, "set_selfcontact")).selfcontact = on;
  impl_->broad.reset();
}

void World::set_round_spheres(int body, bool on) { impl_->store.body(impl_->slot(body, "set_round_spheres")).round_spheres = on; }

void World::set_face_degree(int body, int degree) { impl_->store.body(impl_->slot(body, "set_face_degree")).face_degree = degree; }

void World::detect(const Settings& settings, std::vector<ContactPoint>& contacts) {
  if (!(settings.margin >= 0.0 && settings.margin < kInfinity))
    throw_input("contact detection: margin {} must be >= 0 and finite", settings.margin);
  if (settings.manifold_points < 1 || settings.manifold_points > kMaxManifold)
    throw_input("contact detection: manifold_points {} is outside 1..{}", settings.manifold_points, kMaxManifold);
  if (!(settings.sparsify >= 0.0 && settings.sparsify <= 1.0))
    throw_input("contact detection: sparsify {} is outside [0, 1]", settings.sparsify);
  Timer timer;
  impl_->settle();
  const std::vector<PiecePair>& pairs = impl_->broad.update(impl_->store, impl_->rules, settings.margin);
  impl_->statistics.broad_seconds = timer.seconds();
  impl_->statistics.candidate_pairs = static_cast<long>(pairs.size());

  timer.restart();
  impl_->narrow_all(settings, pairs, contacts);
  drop_seam_contacts(impl_->store, contacts, impl_->seam_scratch);
  sparsify(impl_->store, {settings.sparsify, settings.min_area, settings.min_distance}, contacts, impl_->sparsify_scratch);
  // Long lists are kept to their size, not to twice of it.
  if (contacts.size() > kLongList && contacts.capacity() > contacts.size() + contacts.size() / 4) contacts.shrink_to_fit();
  impl_->statistics.narrow_seconds = timer.seconds();
}

int World::pieces() const { return impl_->live_pieces; }

int World::local_piece(int piece) const {
  if (piece < 0 || piece >= impl_->store.pieces()) throw_input("local_piece: there is no piece {}", piece);
  return impl_->store.local(piece);
}

const Vec3& World::piece_centre(int piece) const {
  if (piece < 0 || piece >= impl_->store.pieces()) throw_input("piece_centre: there is no piece {}", piece);
  return impl_->store.ball(piece).center;
}

double World::piece_radius(int piece) const {
  if (piece < 0 || piece >= impl_->store.pieces()) throw_input("piece_radius: there is no piece {}", piece);
  return impl_->store.ball(piece).radius;
}

double World::piece_width(int piece) const {
  if (piece < 0 || piece >= impl_->store.pieces()) throw_input("piece_width: there is no piece {}", piece);
  return impl_->store.width(piece);
}

double World::piece_extent(int piece, const Vec3& n) const {
  if (piece < 0 || piece >= impl_->store.pieces()) throw_input("piece_extent: there is no piece {}", piece);
  return impl_->store.extent(piece, n);
}

Box World::bounds(int body) const {
  const BodyEntry& entry = impl_->store.body(impl_->slot(body, "bounds"));
  Box box;
  for (int piece = entry.first; piece < entry.first + entry.count; ++piece) box.add(impl_->store.box(piece));
  return box;
}

const World::Statistics& World::statistics() const { return impl_->statistics; }

}  // namespace scree::collision
