#include "collision/sparsify.hpp"

#include <algorithm>
#include <cmath>

namespace scree::collision {

namespace {

bool same_pieces(const ContactPoint& p, const ContactPoint& q) {
  return p.piece_a == q.piece_a && p.piece_b == q.piece_b;
}

/// Is p the one to go when p and q coincide? The smaller area goes, of equals the later one.
bool weaker(const ContactPoint& p, const ContactPoint& q, bool p_later) {
  return p.area < q.area || (p.area == q.area && p_later);
}

/// Points [first, last) all lie between the same two bodies.
class Group {
 public:
  Group(const PieceStore& store, std::vector<ContactPoint>& contacts, int first, int last, SparsifyScratch& scratch)
      : store_(store), contacts_(contacts), first_(first), last_(last), scratch_(scratch) {}

  /// Small areas beside large ones, on adjacent pieces.
  void drop_small(double threshold) {
    for (int i = first_; i < last_; ++i) {
      const ContactPoint& point = contacts_[i];
      if (point.weighted) continue;
      bool small = small_beside(point, point.piece_a, threshold);
      const int base = point.piece_a - store_.local(point.piece_a);
      for (const int local : store_.adjacent(point.piece_a)) {
        if (small) break;
        small = small_beside(point, base + local, threshold);
      }
      if (small) scratch_.removed[i] = 1;
    }
  }

  /// Points at the same place, found by a sweep along x.
  void drop_coincident(double min_distance) {
    std::vector<int>& order = scratch_.order;
    order.clear();
    for (int i = first_; i < last_; ++i)
      if (!contacts_[i].weighted) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](int i, int j) {
      const double xi = contacts_[i].point.x(), xj = contacts_[j].point.x();
      return xi < xj || (xi == xj && i < j);
    });
    for (std::size_t k = 0; k < order.size(); ++k) {
      const int i = order[k];
      const ContactPoint& p = contacts_[i];
      const double tolerance = std::max(min_distance, 1e-6 * std::min(store_.size(p.piece_a), store_.size(p.piece_b)));
      for (std::size_t m = k + 1; m < order.size(); ++m) {
        const int j = order[m];
        const ContactPoint& q = contacts_[j];
        if (q.point.x() - p.point.x() > tolerance) break;
        if (same_pieces(p, q) || scratch_.removed[i] || scratch_.removed[j]) continue;
        // Points with different normals, as in a corner, are both needed.
        if ((q.point - p.point).norm() > tolerance || q.normal.dot(p.normal) < 0.9) continue;
        const int gone = weaker(p, q, i > j) ? i : j, kept = gone == i ? j : i;
        scratch_.removed[gone] = 1;
        contacts_[kept].area += contacts_[gone].area;
      }
    }
  }

 private:
  /// Is there a point on `piece` of body a and a piece of body b near p's that dwarfs p?
  [[nodiscard]] bool small_beside(const ContactPoint& p, int piece, double threshold) const {
    auto at = std::lower_bound(contacts_.begin() + first_, contacts_.begin() + last_, piece,
                               [](const ContactPoint& q, int value) { return q.piece_a < value; });
    for (; at != contacts_.begin() + last_ && at->piece_a == piece; ++at) {
      if (at->weighted || same_pieces(p, *at) || p.area >= threshold * at->area) continue;
      if (at->piece_b == p.piece_b || store_.are_adjacent(p.piece_b, at->piece_b)) return true;
    }
    return false;
  }

  const PieceStore& store_;
  std::vector<ContactPoint>& contacts_;
  int first_, last_;
  SparsifyScratch& scratch_;
};

/// Manifolds of two polyhedra with less area than this; true when there are some.
bool drop_tiny(const PieceStore& store, double min_area, const std::vector<ContactPoint>& contacts, std::vector<std::uint8_t>& removed) {
  bool any = false;
  const auto same_pair = [](const ContactPoint& p, const ContactPoint& q) { return p.body_a == q.body_a && p.body_b == q.body_b && same_pieces(p, q); };
  for (std::size_t first = 0, last = 0; first < contacts.size(); first = last) {
    double area = 0.0;
    for (last = first; last < contacts.size() && same_pair(contacts[first], contacts[last]); ++last) area += contacts[last].area;
    const ContactPoint& p = contacts[first];
    if (area >= min_area || p.weighted || store.kind(p.piece_a) != Kind::polyhedron || store.kind(p.piece_b) != Kind::polyhedron) continue;
    std::fill(removed.begin() + static_cast<std::ptrdiff_t>(first), removed.begin() + static_cast<std::ptrdiff_t>(last), std::uint8_t{1});
    any = true;
  }
  return any;
}

}  // namespace

void sparsify(const PieceStore& store, const Thinning& thinning, std::vector<ContactPoint>& contacts, SparsifyScratch& scratch) {
  const bool compares = (thinning.threshold > 0.0 || thinning.min_distance > 0.0) && store.pieces() != store.bodies();
  if (!compares && !(thinning.min_area > 0.0)) return;
  const int count = static_cast<int>(contacts.size());
  scratch.removed.assign(contacts.size(), 0);
  bool any = thinning.min_area > 0.0 && drop_tiny(store, thinning.min_area, contacts, scratch.removed);
  for (int first = 0, last = 0; compares && first < count; first = last) {
    const ContactPoint& head = contacts[first];
    bool several = false;
    while (last < count && contacts[last].body_a == head.body_a && contacts[last].body_b == head.body_b)
      several = !same_pieces(head, contacts[last++]) || several;
    if (!several) continue;
    any = true;
    Group group(store, contacts, first, last, scratch);
    group.drop_small(thinning.threshold);
    group.drop_coincident(thinning.min_distance);
  }
  if (!any) return;
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    if (scratch.removed[i]) continue;
    if (kept != i) contacts[kept] = contacts[i];
    ++kept;
  }
  contacts.resize(kept);
}

}  // namespace scree::collision
