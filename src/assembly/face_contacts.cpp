#include "assembly/face_contacts.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

namespace scree::assembly {

namespace {

using collision::ContactPoint;
using model::Weight;

constexpr double kSameNormal = 0.9;   ///< cosine from which normals at a node belong to one contact
constexpr double kAtNode = 1e-6;      ///< of a piece's radius
constexpr double kNoShare = 1e-9;     ///< of a face: what a node has less of, it does not have
constexpr double kNoArea = 1e-8;      ///< of the largest area of a node: no contact

/// One side of a point of quadrature.
struct FaceSide {
  Vec3 place = Vec3::Zero();      ///< on the surface, m
  std::vector<Weight> weights;    ///< of the unknowns; empty for bodies that do not deform
  std::vector<Weight> corners;    ///< linear shape functions of the face's corners; empty where the body has no faces
};

/// Share of a point of quadrature in the contact of a node.
struct Share {
  int node, point;
  double area;
};

auto order(const ContactPoint& p) { return std::tuple(p.body_a, p.body_b, p.piece_a, p.piece_b, p.feature); }

/// Points [first, last) of quadrature between two bodies.
class FacePair {
 public:
  FacePair(const model::Bodies& bodies, const model::Motion& motion, const collision::World& world, std::span<const ContactPoint> points, std::size_t others,
           Grips& grips)
      : bodies_(bodies), motion_(motion), world_(world), points_(points), others_(others), grips_(grips), a_(bodies.index(points.front().body_a)),
        b_(bodies.index(points.front().body_b)) {}

  void join(std::vector<GrippedPoint>& joined) {
    // The side with the smaller faces has a contact at each of its nodes; of equals the first.
    const double size_a = face_size(a_), size_b = face_size(b_);
    of_a_ = size_b == 0.0 || (size_a > 0.0 && size_a <= (1.0 + 1e-9) * size_b);
    for (const ContactPoint& point : points_) {
      sides_[0].push_back(side(point, a_, point.piece_a, -1.0));
      sides_[1].push_back(side(point, b_, point.piece_b, 1.0));
    }
    const std::vector<Share> shares = find_shares();
    drop_corners(shares, joined);
    for (std::size_t first = 0, last = 0; first < shares.size(); first = last) {
      while (last < shares.size() && shares[last].node == shares[first].node) ++last;
      join_node(std::span(shares).subspan(first, last - first), joined);
    }
  }

 private:
  [[nodiscard]] double face_size(int body) const { return bodies_.deforms(body) ? bodies_.deformable_of(body).mechanics->face_size() : 0.0; }

  /// `sign` times the contact normal leads into the body.
  [[nodiscard]] FaceSide side(const ContactPoint& point, int body, int piece, double sign) const {
    FaceSide side;
    side.place = point.point + 0.5 * sign * point.gap * point.normal;
    if (!bodies_.deforms(body)) return side;
    const model::Deformable& deformable = bodies_.deformable_of(body);
    const auto q = deformable.part(motion_.q);
    const int local = world_.local_piece(piece);
    const Vec3 near = side.place;
    if (!deformable.mechanics->face_at(q, local, near, -sign * point.normal, side.place, side.weights, side.corners))
      deformable.mechanics->weights_at(q, local, near, side.weights);
    return side;
  }

  [[nodiscard]] std::vector<Share> find_shares() const {
    std::vector<Share> shares;
    for (std::size_t k = 0; k < points_.size(); ++k)
      for (const Weight& corner : sides_[of_a_ ? 0 : 1][k].corners)
        if (corner.value > kNoShare) shares.push_back({corner.node, static_cast<int>(k), corner.value * points_[k].area});
    std::ranges::stable_sort(shares, {}, &Share::node);
    return shares;
  }

  /// Points at the nodes that get a contact, of elements which reach the face in a vertex or an edge, say nothing more: of this pair they are the last
  /// in the list, `others` of them.
  void drop_corners(const std::vector<Share>& shares, std::vector<GrippedPoint>& joined) const {
    if (others_ == 0) return;
    const model::Deformable& body = bodies_.deformable_of(of_a_ ? a_ : b_);
    const auto q = body.part(motion_.q);
    std::vector<Vec3> places;
    for (std::size_t k = 0; k < shares.size(); ++k)
      if (k == 0 || shares[k].node != shares[k - 1].node) places.push_back(Vec3::Map(q.data() + 3 * shares[k].node));
    std::ranges::sort(places, {}, [](const Vec3& x) { return x.x(); });
    const auto at_node = [&](const GrippedPoint& other) {
      const ContactPoint& p = other.point;
      const double near = kAtNode * world_.piece_radius(of_a_ ? p.piece_a : p.piece_b) + std::abs(p.gap);
      if (p.normal.dot(points_.front().normal) < kSameNormal) return false;
      auto place = std::ranges::lower_bound(places, p.point.x() - near, {}, [](const Vec3& x) { return x.x(); });
      for (; place != places.end() && place->x() <= p.point.x() + near; ++place)
        if ((*place - p.point).norm() <= near) return true;
      return false;
    };
    joined.erase(std::remove_if(joined.end() - static_cast<std::ptrdiff_t>(others_), joined.end(), at_node), joined.end());
  }

  /// Contacts of one node: one for each direction and pair of surfaces.
  void join_node(std::span<const Share> shares, std::vector<GrippedPoint>& joined) {
    std::vector<char> used(shares.size(), 0);
    double most = 0.0;
    for (const Share& share : shares) most = std::max(most, share.area);
    int direction = 0;
    for (std::size_t first = 0; first < shares.size(); ++first) {
      if (used[first]) continue;
      const ContactPoint& head = point_of(shares[first]);
      std::vector<Share> group;
      for (std::size_t k = first; k < shares.size(); ++k) {
        const ContactPoint& point = point_of(shares[k]);
        if (used[k] || point.surface_a != head.surface_a || point.surface_b != head.surface_b || point.normal.dot(head.normal) < kSameNormal) continue;
        used[k] = 1;
        group.push_back(shares[k]);
      }
      joined.push_back(contact_of(group, direction++));
      if (joined.back().point.area <= kNoArea * most) joined.pop_back();
    }
  }

  [[nodiscard]] const ContactPoint& point_of(const Share& share) const { return points_[static_cast<std::size_t>(share.point)]; }

  [[nodiscard]] GrippedPoint contact_of(const std::vector<Share>& group, int direction) {
    GrippedPoint contact;
    ContactPoint& mean = contact.point;
    mean = point_of(group.front());
    mean.feature = 1ull << 62 | static_cast<std::uint64_t>(group.front().node) << 16 | static_cast<std::uint64_t>(direction) << 1 | (of_a_ ? 0u : 1u);
    mean.area = 0.0;
    for (const Share& share : group) mean.area += share.area;
    mean.normal.setZero();
    mean.point.setZero();
    mean.gap = 0.0;
    for (const Share& share : group) {
      const ContactPoint& point = point_of(share);
      const auto k = static_cast<std::size_t>(share.point);
      const double part = share.area / mean.area;
      mean.normal += part * point.normal;
      mean.point += 0.5 * part * (sides_[0][k].place + sides_[1][k].place);
      mean.gap += part * point.normal.dot(sides_[1][k].place - sides_[0][k].place);
    }
    mean.normal.normalize();
    if (bodies_.deforms(a_)) contact.grip_a = grip(group, mean.area, sides_[0]);
    if (bodies_.deforms(b_)) contact.grip_b = grip(group, mean.area, sides_[1]);
    return contact;
  }

  /// Mean of the weights of a side.
  int grip(const std::vector<Share>& group, double area, const std::vector<FaceSide>& side) {
    std::vector<Weight> all;
    for (const Share& share : group)
      for (const Weight& w : side[static_cast<std::size_t>(share.point)].weights) all.push_back({w.node, share.area / area * w.value});
    std::ranges::stable_sort(all, {}, &Weight::node);
    std::vector<Weight> sums;
    for (const Weight& w : all) {
      if (sums.empty() || sums.back().node != w.node) sums.push_back(w);
      else sums.back().value += w.value;
    }
    return grips_.of(sums);
  }

  const model::Bodies& bodies_;
  const model::Motion& motion_;
  const collision::World& world_;
  std::span<const ContactPoint> points_;
  std::size_t others_;
  Grips& grips_;
  int a_, b_;
  bool of_a_ = true;
  std::array<std::vector<FaceSide>, 2> sides_;
};

}  // namespace

void join_faces(const model::Bodies& bodies, const model::Motion& motion, const collision::World& world, const std::vector<ContactPoint>& points, Grips& grips,
                std::vector<GrippedPoint>& joined) {
  joined.clear();
  std::vector<ContactPoint> weighted;
  for (std::size_t first = 0, last = 0; first < points.size(); first = last) {
    weighted.clear();
    const std::size_t before = joined.size();
    for (; last < points.size() && points[last].body_a == points[first].body_a && points[last].body_b == points[first].body_b; ++last) {
      if (points[last].weighted) weighted.push_back(points[last]);
      else joined.push_back({points[last]});
    }
    if (!weighted.empty()) FacePair(bodies, motion, world, weighted, joined.size() - before, grips).join(joined);
  }
  std::ranges::sort(joined, {}, [](const GrippedPoint& p) { return order(p.point); });
}

}  // namespace scree::assembly
