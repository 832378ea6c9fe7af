#include "assembly/face_contacts.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "core/dense.hpp"

namespace scree::assembly {

namespace {

using collision::ContactPoint;
using model::FacePoint;
using model::Weight;

constexpr double kSameNormal = 0.9;   ///< cosine from which normals at a node belong to one contact
constexpr double kAtNode = 1e-6;      ///< of a piece's radius
constexpr double kNoShare = 1e-9;     ///< of a face: what a node has less of, it does not have
constexpr double kCovered = 0.99;     ///< of a face: from here on all of it is in contact
constexpr double kEdge = 1e-9;        ///< of the square of a piece's radius: area of a touch in an edge or a vertex
constexpr double kNoWeight = 1e-9;    ///< of a node in a contact
constexpr double kNoArea = 1e-8;      ///< of the largest area of a node: no contact

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
  [[nodiscard]] double face_size(int body) const {
    const model::Deformable* deformable = bodies_.find_deformable(body);
    return deformable ? deformable->mechanics->face_size() : 0.0;
  }

  /// `sign` times the contact normal leads into the body.
  [[nodiscard]] FacePoint side(const ContactPoint& point, int body, int piece, double sign) const {
    FacePoint side;
    side.place = point.point + 0.5 * sign * point.gap * point.normal;
    const model::Deformable* deformable = bodies_.find_deformable(body);
    if (!deformable) return side;
    const auto q = deformable->part(motion_.q);
    const int local = world_.local_piece(piece);
    const Vec3 near = side.place;
    if (!deformable->mechanics->face_at(q, local, near, -sign * point.normal, side))
      deformable->mechanics->weights_at(q, local, near, side.weights);
    return side;
  }

  /// Shares of all points: the functions psi of their nodes, dual ones where all of a face is in contact.
  [[nodiscard]] std::vector<Share> find_shares() {
    const std::vector<FacePoint>& own = sides_[of_a_ ? 0 : 1];
    std::vector<Share> shares;
    std::vector<int> points;
    for (std::size_t k = 0; k < points_.size(); ++k)
      if (!own[k].corners.empty()) points.push_back(static_cast<int>(k));
    const auto face = [&](int k) {
      const ContactPoint& point = points_[k];
      const std::vector<Weight>& corners = own[k].corners;
      return std::tuple(corners[0].node, corners[1].node, corners[2].node, point.surface_a, point.surface_b);
    };
    std::ranges::stable_sort(points, {}, face);
    for (std::size_t first = 0, last = 0; first < points.size(); first = last) {
      while (last < points.size() && face(points[last]) == face(points[first])) ++last;
      share_face(own, std::span(points).subspan(first, last - first), shares);
    }
    std::ranges::stable_sort(shares, {}, &Share::node);
    return shares;
  }

  /// Shares of the points of one face of the side with nodes. Dual functions psi* = D M^-1 psi, M = int psi psi^T, D = int psi, have their contact at the
  /// node itself and sum up to one as well (theory eq. 6.19). Beyond the edge of what it touches a face has no support: there they are psi.
  void share_face(const std::vector<FacePoint>& own, std::span<const int> points, std::vector<Share>& shares) {
    const FacePoint& head = own[points.front()];
    const auto count = static_cast<Eigen::Index>(head.corners.size());
    using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 4, 4>;
    using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 4, 1>;
    const auto psi = [&](int k) {
      SmallVector values(count);
      for (Eigen::Index c = 0; c < count; ++c) values[c] = own[k].corners[c].value;
      return values;
    };
    Small M = Small::Zero(count, count), dual = Small::Identity(count, count);
    SmallVector D = SmallVector::Zero(count);
    for (const int k : points) {
      const double area = points_[k].area;
      M += area * psi(k) * psi(k).transpose();
      D += area * psi(k);
    }
    if (D.sum() >= kCovered * head.area) {
      // dual = diag(D) M^-1: shape functions of few points may leave M without an inverse, and then they are their own duals.
      if (cholesky(M.data(), count))
        for (Eigen::Index c = 0; c < count; ++c) {
          double* column = dual.data() + c * count;
          solve_lower(M.data(), count, column);
          solve_lower_transposed(M.data(), count, column);
          for (Eigen::Index r = 0; r < count; ++r) column[r] *= D[r];
        }
      covered_.push_back(head.corners);
    }
    for (const int k : points) {
      const SmallVector values = dual * psi(k);
      for (Eigen::Index c = 0; c < count; ++c)
        if (std::abs(values[c]) > kNoShare) shares.push_back({head.corners[c].node, k, values[c] * points_[k].area});
    }
  }

  /// Points at the nodes that get a contact and on faces that are covered, of elements which reach them in a vertex or an edge, say nothing more: of this
  /// pair they are the last in the list, `others` of them.
  void drop_corners(const std::vector<Share>& shares, std::vector<GrippedPoint>& joined) const {
    if (others_ == 0) return;
    const model::Deformable& body = bodies_.deformable_of(of_a_ ? a_ : b_);
    const auto q = body.part(motion_.q);
    std::vector<Vec3> places;
    for (std::size_t k = 0; k < shares.size(); ++k)
      if (k == 0 || shares[k].node != shares[k - 1].node) places.push_back(Vec3::Map(q.data() + 3 * shares[k].node));
    std::ranges::sort(places, {}, [](const Vec3& x) { return x.x(); });
    const auto near_one = [&](const Vec3& x, double near) {
      auto node = std::ranges::lower_bound(places, x.x() - near, {}, [](const Vec3& y) { return y.x(); });
      for (; node != places.end() && node->x() <= x.x() + near; ++node)
        if ((*node - x).norm() <= near) return true;
      return false;
    };
    const auto says_nothing = [&](const GrippedPoint& other) {
      const ContactPoint& p = other.point;
      const double size = world_.piece_radius(of_a_ ? p.piece_a : p.piece_b), near = kAtNode * size;
      const Vec3 place = p.point + (of_a_ ? -0.5 : 0.5) * p.gap * p.normal;  // on the surface of this side
      // Beside the face such elements may touch without an area, along any normal between those of their faces.
      if (p.normal.dot(points_.front().normal) < kSameNormal) return p.area <= kEdge * size * size && near_one(place, size);
      if (near_one(place, near)) return true;
      return std::ranges::any_of(covered_, [&](const std::vector<Weight>& face) { return lies_on(q, face, place, near); });
    };
    joined.erase(std::remove_if(joined.end() - static_cast<std::ptrdiff_t>(others_), joined.end(), says_nothing), joined.end());
  }

  /// Whether x is within `near` of the polygon of a face's corners.
  [[nodiscard]] static bool lies_on(std::span<const double> q, const std::vector<Weight>& face, const Vec3& x, double near) {
    const auto corner = [&](std::size_t k) { return Eigen::Map<const Vec3>(q.data() + 3 * face[k % face.size()].node); };
    const Vec3 normal = (corner(1) - corner(0)).cross(corner(2) - corner(0)).normalized();
    if (std::abs(normal.dot(x - corner(0))) > near) return false;
    for (std::size_t k = 0; k < face.size(); ++k) {
      const Vec3 edge = corner(k + 1) - corner(k);
      if (normal.dot(edge.cross(x - corner(k))) < -near * edge.norm()) return false;
    }
    return true;
  }

  /// Contacts of one node: one for each direction and pair of surfaces.
  void join_node(std::span<const Share> shares, std::vector<GrippedPoint>& joined) {
    std::vector<char> used(shares.size(), 0);
    double most = 0.0;
    for (const Share& share : shares) most = std::max(most, std::abs(share.area));
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

  [[nodiscard]] const ContactPoint& point_of(const Share& share) const { return points_[share.point]; }

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
      const std::size_t k = share.point;
      const double part = share.area / mean.area;
      mean.normal += part * point.normal;
      mean.point += 0.5 * part * (sides_[0][k].place + sides_[1][k].place);
      mean.gap += part * point.normal.dot(sides_[1][k].place - sides_[0][k].place);
    }
    mean.normal.normalize();
    contact.grip_a = grip(group, mean.area, sides_[0]);
    contact.grip_b = grip(group, mean.area, sides_[1]);
    return contact;
  }

  /// Mean of the weights of a side; -1: it has none.
  int grip(const std::vector<Share>& group, double area, const std::vector<FacePoint>& side) {
    std::vector<Weight> all;
    for (const Share& share : group)
      for (const Weight& w : side[share.point].weights) all.push_back({w.node, share.area / area * w.value});
    if (all.empty()) return -1;
    std::ranges::stable_sort(all, {}, &Weight::node);
    std::vector<Weight> sums;
    for (const Weight& w : all) {
      if (sums.empty() || sums.back().node != w.node) sums.push_back(w);
      else sums.back().value += w.value;
    }
    // What dual functions leave of other nodes by rounding goes to the heaviest.
    double dropped = 0.0;
    std::erase_if(sums, [&](const Weight& w) {
      const bool none = std::abs(w.value) <= kNoWeight;
      if (none) dropped += w.value;
      return none;
    });
    std::ranges::max_element(sums, {}, &Weight::value)->value += dropped;
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
  std::array<std::vector<FacePoint>, 2> sides_;
  std::vector<std::vector<Weight>> covered_;  ///< corners of faces all of which are in contact
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
