#include "collision/seams.hpp"

#include <algorithm>
#include <cmath>

namespace scree::collision {

namespace {

using Side = SeamScratch::Side;

/// Largest plane distance of x over the faces of p: positive outside, negative inside.
double height_over(const PolyhedronView& p, const Vec3& x) {
  double most = -kInfinity;
  for (int f = 0; f < p.face_count; ++f) most = std::max(most, p.normals[f].dot(x) - p.offsets[f]);
  return most;
}

/// Point of Q's surface below a contact point.
Vec3 foot(const Vec3& x, double gap, const Vec3& m) { return x - 0.5 * gap * m; }

/// Does R void the point x of Q, touched by a curved piece? x is then not the nearest point of Q and R together.
bool voided_smooth(const PolyhedronView& r, const Vec3& x, const Vec3& m, double size) {
  return height_over(r, x) <= 1e-9 * size && r.extent(m) - m.dot(x) > 1e-6 * size;
}

/// Does R void the point x of Q, touched by a polyhedron? R holds x and meets Q head on there.
bool voided_flat(const PolyhedronView& r, const Vec3& x, const Vec3& m, double gap, double size) {
  const double tolerance = 0.5 * std::abs(gap) + 1e-9 * size;
  bool opposite = false;
  for (int f = 0; f < r.face_count; ++f) {
    const double height = r.normals[f].dot(x) - r.offsets[f];
    const bool head_on = r.normals[f].dot(m) < -0.9;
    if (height > (head_on ? tolerance : 1e-12 * size)) return false;
    opposite = opposite || (head_on && height > -tolerance);
  }
  return opposite;
}

/// Collect, for every pair of pieces whose other side may be joined to more, its points.
void collect(const PieceStore& store, const std::vector<ContactPoint>& contacts, std::vector<Side>& sides) {
  sides.clear();
  const int count = static_cast<int>(contacts.size());
  for (int first = 0, last = 0; first < count; first = last) {
    const int a = contacts[first].piece_a, b = contacts[first].piece_b;
    while (last < count && contacts[last].piece_a == a && contacts[last].piece_b == b) ++last;
    for (const bool own_is_a : {true, false}) {
      const int own = own_is_a ? a : b, other = own_is_a ? b : a;
      const int slot = store.slot_of(other);
      const BodyEntry& body = store.body(slot);
      if (store.kind(other) != Kind::polyhedron || (body.moving && body.count == 1)) continue;
      sides.push_back({own, body.moving ? slot : -1, other, first, last, own_is_a});
    }
  }
}

}  // namespace

void drop_seam_contacts(const PieceStore& store, std::vector<ContactPoint>& contacts, SeamScratch& scratch) {
  collect(store, contacts, scratch.sides);
  if (scratch.sides.size() < 2) return;
  std::sort(scratch.sides.begin(), scratch.sides.end(), [](const Side& p, const Side& q) {
    if (p.own != q.own) return p.own < q.own;
    return p.group != q.group ? p.group < q.group : p.other < q.other;
  });
  scratch.removed.assign(contacts.size(), 0);

  bool any = false;
  const int count = static_cast<int>(scratch.sides.size());
  for (int first = 0, last = 0; first < count; first = last) {
    while (last < count && scratch.sides[last].own == scratch.sides[first].own &&
           scratch.sides[last].group == scratch.sides[first].group)
      ++last;
    if (last - first < 2) continue;
    for (int i = first; i < last; ++i) {
      const Side& side = scratch.sides[i];
      const PolyhedronView q = store.polyhedron(side.other);
      const Vec3 m = side.own_is_a ? Vec3(-contacts[side.first].normal) : contacts[side.first].normal;
      const bool smooth = store.kind(side.own) != Kind::polyhedron;
      // A manifold is judged by the middle of its points.
      Vec3 middle = Vec3::Zero();
      double gap = contacts[side.first].gap;
      for (int k = side.first; k < side.last; ++k) {
        middle += contacts[k].point / (side.last - side.first);
        gap = std::min(gap, contacts[k].gap);
      }
      for (int j = first; j < last; ++j) {
        if (j == i) continue;
        const PolyhedronView r = store.polyhedron(scratch.sides[j].other);
        const double size = std::min(q.size, r.size);
        if (!(smooth ? voided_smooth(r, foot(middle, gap, m), m, size) : voided_flat(r, middle, m, gap, size))) continue;
        for (int k = side.first; k < side.last; ++k) scratch.removed[k] = 1;
        any = true;
        break;
      }
    }
  }
  if (!any) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (scratch.removed[i]) continue;
    if (kept != i) contacts[kept] = contacts[i];
    ++kept;
  }
  contacts.resize(kept);
}

}  // namespace scree::collision
