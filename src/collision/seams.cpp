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

/// Does R hold the point x of Q, touched by a polyhedron, and meet Q head on there? Points are known to 1e-9 of the size (theory sec. 8.1): along an edge that
/// Q and R share, x may lie above R by that.
bool covers(const PolyhedronView& r, const Vec3& x, const Vec3& m, double gap, double size) {
  const double tolerance = 0.5 * std::abs(gap) + 1e-9 * size;
  bool opposite = false;
  for (int f = 0; f < r.face_count; ++f) {
    const double height = r.normals[f].dot(x) - r.offsets[f];
    const bool head_on = r.normals[f].dot(m) < -0.9;
    if (height > (head_on ? tolerance : 1e-9 * size)) return false;
    opposite = opposite || (head_on && height > -tolerance);
  }
  return opposite;
}

/// Does the face of Q at x, covered by R, go on in the open beside R, where P gets when it leaves R along `way` by `depth`?
/// The sidelong part of that way leads along the face; Q must reach farther by a millionth of the
/// size, which an R that ends flush with Q does not leave.
bool goes_on(const PolyhedronView& q, const Vec3& x, const Vec3& m, double gap, const Vec3& way, double depth, double size) {
  const Vec3 sidelong = way - way.dot(m) * m;
  const double square = sidelong.squaredNorm();
  if (square < 1e-2) return false;
  const Vec3 beside = x + ((std::max(depth, 0.0) + 1e-6 * size) / square) * sidelong;
  for (int f = 0; f < q.face_count; ++f) {
    const double tolerance = 1e-9 * size + (q.normals[f].dot(m) > 0.9 ? std::abs(gap) : 0.0);
    if (q.normals[f].dot(beside) - q.offsets[f] > tolerance) return false;
  }
  return true;
}

/// Boundary face of Q that m leans away from by less than 60 degrees, or -1 when m is a face normal.
int leaning_face(const PolyhedronView& q, const Vec3& m) {
  int face = -1;
  double most = 0.5;
  for (int f = 0; f < q.face_count; ++f) {
    const double cosine = q.normals[f].dot(m);
    if (!q.face_interior[f] && cosine > most) most = cosine, face = f;
  }
  return most > 1.0 - 1e-9 ? -1 : face;
}

/// Does the normal m at an edge or vertex x of Q, touched by a polyhedron, lean towards an R that continues
/// the face of Q there?
bool leans(const PolyhedronView& q, int face, const PolyhedronView& r, const Vec3& x, const Vec3& m, double gap,
           double size) {
  if (face < 0 || r.extent(q.normals[face]) - q.offsets[face] > 1e-6 * size) return false;
  const double tolerance = std::abs(gap) + 1e-9 * size;
  return height_over(r, x) <= tolerance && r.extent(m) - m.dot(x) > 1e-3 * size + tolerance;
}

/// How far P is above the point x along n, negative below; infinite where the line through x along n passes by P.
double height_above(const PolyhedronView& p, const Vec3& x, const Vec3& n) {
  double low = -kInfinity, high = kInfinity;
  for (int f = 0; f < p.face_count; ++f) {
    const double slope = p.normals[f].dot(n), room = p.offsets[f] - p.normals[f].dot(x);
    if (slope < 0.0) low = std::max(low, room / slope);
    else if (slope > 0.0) high = std::min(high, room / slope);
    else if (room < 0.0) return kInfinity;
  }
  return low <= high ? low : kInfinity;
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
      if (store.kind(other) != Kind::polyhedron) continue;
      const int slot = store.slot_of(other);
      const BodyEntry& body = store.body(slot);
      if (body.moving && body.count == 1) continue;
      sides.push_back({own, body.moving ? slot : -1, other, first, last, own_is_a});
    }
  }
}

/// The points of one piece against joined pieces: sides [first, last).
class Joint {
 public:
  Joint(const PieceStore& store, std::vector<ContactPoint>& contacts, SeamScratch& scratch, int first, int last)
      : store_(store), contacts_(contacts), scratch_(scratch), first_(first), last_(last) {}

  /// Remove or straighten what the joint makes void; true when something was removed.
  bool clean() {
    bool any = false, sound = false;
    int leaning = -1;
    for (int i = first_; i < last_; ++i) {
      scratch_.sides[i].verdict = judge(i);
      if (scratch_.sides[i].verdict == SeamVerdict::sound) sound = true;
      if (scratch_.sides[i].verdict == SeamVerdict::leaning && leaning < 0) leaning = i;
    }
    // With no sound neighbour to take over, the first leaning point stays, upright where P is over it; where each piece hides the
    // next, in a ring about a corner, the least deep one.
    if (!sound && leaning >= 0) straighten(scratch_.sides[leaning]);
    if (!sound && leaning < 0) scratch_.sides[shallowest()].verdict = SeamVerdict::sound;
    for (int i = first_; i < last_; ++i) {
      const Side& side = scratch_.sides[i];
      const int kept = side.verdict == SeamVerdict::sound ? side.last
                       : i == leaning && !sound           ? side.first + 1
                                                          : side.first;
      for (int k = kept; k < side.last; ++k) scratch_.removed[k] = 1;
      any = any || kept < side.last;
    }
    return any;
  }

 private:
  [[nodiscard]] Vec3 outward(const Side& side) const {
    const Vec3& n = contacts_[side.first].normal;
    return side.own_is_a ? Vec3(-n) : n;
  }

  [[nodiscard]] double least_gap(const Side& side) const {
    double gap = kInfinity;
    for (int k = side.first; k < side.last; ++k) gap = std::min(gap, contacts_[k].gap);
    return gap;
  }

  /// Of the sides that overlap the least deep one, else the nearest.
  [[nodiscard]] int shallowest() const {
    int best = first_;
    for (int i = first_ + 1; i < last_; ++i)
      if (const double gap = least_gap(scratch_.sides[i]), least = least_gap(scratch_.sides[best]); (gap < 0.0) != (least < 0.0) ? gap < 0.0 : std::abs(gap) < std::abs(least)) best = i;
    return best;
  }

  [[nodiscard]] SeamVerdict judge(int i) const {
    const Side& side = scratch_.sides[i];
    const PolyhedronView q = store_.polyhedron(side.other);
    const Vec3 m = outward(side);
    const bool smooth = store_.kind(side.own) != Kind::polyhedron;
    // A manifold is judged by the middle of its points.
    Vec3 middle = Vec3::Zero();
    for (int k = side.first; k < side.last; ++k) middle += contacts_[k].point / (side.last - side.first);
    const double gap = least_gap(side);
    const int face = smooth ? -1 : leaning_face(q, m);
    bool leaning = false;
    for (int j = first_; j < last_; ++j) {
      if (j == i) continue;
      const Side& beside = scratch_.sides[j];
      const PolyhedronView r = store_.polyhedron(beside.other);
      const double size = std::min(q.size, r.size);
      const bool inside = smooth ? voided_smooth(r, foot(middle, gap, m), m, size)
                                 : covers(r, middle, m, gap, size) &&
                                       !goes_on(q, middle, m, gap, outward(beside), -least_gap(beside), size);
      if (inside) return SeamVerdict::inside;
      leaning = leaning || leans(q, face, r, middle, m, gap, size);
    }
    return leaning ? SeamVerdict::leaning : SeamVerdict::sound;
  }

  /// Does a piece of the joint reach up to x, a point of the plane of a face of Q?
  [[nodiscard]] bool over_joint(const Vec3& x) const {
    for (int i = first_; i < last_; ++i)
      if (const PolyhedronView r = store_.polyhedron(scratch_.sides[i].other); height_over(r, x) <= 1e-6 * r.size) return true;
    return false;
  }

  /// Turn the first point of the side to the normal of the face its normal leans away from: at the vertex of P that is deepest under this face if it is over the
  /// joint, else where the point is. P may be far deeper under the plane where the joint has ended.
  void straighten(const Side& side) {
    const PolyhedronView q = store_.polyhedron(side.other), p = store_.polyhedron(side.own);
    const int face = leaning_face(q, outward(side));
    const Vec3& n = q.normals[face];
    ContactPoint& point = contacts_[side.first];
    Vec3 x = p.vertices[p.support(-n)];
    double gap = n.dot(x) - q.offsets[face];
    x -= gap * n;
    if (!over_joint(x)) {
      x = point.point - (n.dot(point.point) - q.offsets[face]) * n;
      gap = height_above(p, x, n);
      if (gap == kInfinity) return;
    }
    point.gap = gap;
    point.point = x + 0.5 * gap * n;
    point.normal = side.own_is_a ? Vec3(-n) : n;
    (side.own_is_a ? point.surface_b : point.surface_a) = q.face_surface[face];
  }

  const PieceStore& store_;
  std::vector<ContactPoint>& contacts_;
  SeamScratch& scratch_;
  int first_, last_;
};

}  // namespace

void drop_seam_contacts(const PieceStore& store, std::vector<ContactPoint>& contacts, SeamScratch& scratch) {
  std::vector<Side>& sides = scratch.sides;
  collect(store, contacts, sides);
  if (sides.size() < 2) return;
  std::sort(sides.begin(), sides.end(), [](const Side& p, const Side& q) {
    if (p.own != q.own) return p.own < q.own;
    return p.group != q.group ? p.group < q.group : p.other < q.other;
  });
  scratch.removed.assign(contacts.size(), 0);

  // Every piece against every group it touches in more than one piece.
  bool any = false;
  const int count = static_cast<int>(sides.size());
  for (int first = 0, last = 0; first < count; first = last) {
    while (last < count && sides[last].own == sides[first].own && sides[last].group == sides[first].group) ++last;
    if (last - first >= 2) any = Joint(store, contacts, scratch, first, last).clean() || any;
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
