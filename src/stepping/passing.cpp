#include "stepping/passing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/rotation.hpp"

namespace scree::stepping {

namespace {

constexpr double kThin = 0.25;      ///< of the widths of two pieces: overlap that still shows on which side bodies are
constexpr double kLeftAlone = 2.0;  ///< times the slack: one that bodies at rest may have, and as much again
constexpr double kDeeper = 0.125;   ///< of that: how much deeper what is too deep already may become
constexpr double kFarTurn = 0.5;    ///< rad: a body that turns farther is as large as the ball around it
constexpr int kMostInstants = 64;   ///< at which a pair is looked at

/// A ball about its own centre looks the same however it turns.
bool is_ball(const model::Bodies& bodies, std::size_t i) {
  const auto& pieces = bodies.shape[i]->pieces;
  if (pieces.size() != 1) return false;
  const auto* sphere = std::get_if<geometry::Sphere>(&pieces.front().form);
  return sphere && (sphere->center - bodies.center[i]).squaredNorm() <= 1e-24 * sphere->radius * sphere->radius;
}

/// A piece on its way: x(s) = centre + s velocity + exp(s omega) (x - centre).
struct Path {
  int piece = -1;
  Vec3 centre, velocity, omega;
  double radius = 0.0;  ///< of the ball that holds it however it turns, m; 0: it is looked at as it is

  [[nodiscard]] Mat3 turn(double s) const { return exp_rotation(s * omega); }
  /// max n . x at the instant s, with the turn until there.
  [[nodiscard]] double extent(const collision::World& world, const Vec3& n, double s, const Mat3& turned) const {
    const double centre_there = n.dot(centre + s * velocity);
    if (radius > 0.0) return centre_there + radius;
    const Vec3 back = turned.transpose() * n;
    return centre_there + world.piece_extent(piece, back) - back.dot(centre);
  }
};

/// How far the pair is apart at the instant s: along the normal as it is, or as either body carries it (theory eq. 3.22).
double apart(const collision::World& world, const Path& a, const Path& b, const Vec3& normal, double s) {
  const Mat3 turn_a = a.turn(s), turn_b = b.turn(s);
  double most = -kInfinity;
  for (const Vec3& n : {normal, Vec3(turn_a * normal), Vec3(turn_b * normal)})
    most = std::max(most, -b.extent(world, -n, s, turn_b) - a.extent(world, n, s, turn_a));
  return most;
}

class Pairs {
 public:
  explicit Pairs(const Passage& in) : in_(in), bodies_(in.model.bodies), angle_(bodies_.id.size()) {
    const auto turns = [&](std::size_t i) {
      if (!is_ball(bodies_, i)) angle_[i] = in.time * in.moving.angular[i].norm();
    };
    for (const int i : bodies_.rigid) turns(i);
    for (const auto& [id, prescribed] : bodies_.prescribed) turns(bodies_.index(id));
  }

  /// Whether the point, and at the first one of its pair all of both pieces, stay apart.
  [[nodiscard]] bool stays_apart(const collision::ContactPoint& point, bool first) const {
    const int index_a = bodies_.index(point.body_a), index_b = bodies_.index(point.body_b);
    if (bodies_.find_deformable(index_a) || bodies_.find_deformable(index_b)) return true;
    const std::size_t i = index_a, j = index_b;
    const double allowed = harmless(i, j, point);
    const double there = point.gap + in_.time * point.normal.dot(velocity(j, point.point) - velocity(i, point.point));
    if (there < least(point.gap, allowed)) return is_spring(point);
    if (!first || (angle_[i] == 0.0 && angle_[j] == 0.0)) return true;
    // What a turn overlaps is taken back in the next step, so that much of it need not be let in.
    const double arm_a = arm(i, point.piece_a), arm_b = arm(j, point.piece_b), turned = std::min(allowed, left_alone(i, j));
    if (angle_[i] * arm_a + angle_[j] * arm_b <= turned || is_spring(point)) return true;
    const Path a = path(i, point.piece_a, arm_a), b = path(j, point.piece_b, arm_b);
    const double start = -in_.world.piece_extent(b.piece, -point.normal) - in_.world.piece_extent(a.piece, point.normal);
    // Between two instants a corner leaves its chord by no more than what is allowed.
    const double angle = std::min(angle_[i], kFarTurn) + std::min(angle_[j], kFarTurn);
    const int instants = std::clamp(static_cast<int>(std::ceil(angle * std::sqrt(std::max(arm_a, arm_b) / turned))), 1, kMostInstants);
    for (int k = 1; k <= instants; ++k)
      if (apart(in_.world, a, b, point.normal, in_.time * k / instants) < least(start, turned)) return false;
    return true;
  }

 private:
  /// Overlap that still shows on which side of each other the two pieces are, m (theory eq. 3.23).
  [[nodiscard]] double harmless(std::size_t i, std::size_t j, const collision::ContactPoint& point) const {
    const double a = width(i, point.piece_a), b = width(j, point.piece_b);
    return std::max(kThin * std::min(a, b), std::min(kThin * 0.5 * (a + b), left_alone(i, j)));
  }
  /// Overlap that bodies at rest may have, and as much again, m.
  [[nodiscard]] double left_alone(std::size_t i, std::size_t j) const { return kLeftAlone * in_.slack * std::min(bodies_.radius[i], bodies_.radius[j]); }
  /// What a gap may become, m.
  static double least(double gap, double allowed) { return gap >= -allowed ? -allowed : gap - kDeeper * allowed; }
  [[nodiscard]] bool is_spring(const collision::ContactPoint& point) const {
    return in_.model.surfaces[in_.model.surfaces.find(point.surface_a, point.surface_b)].model == model::SurfaceModel::spring_dashpot;
  }
  [[nodiscard]] Vec3 velocity(std::size_t i, const Vec3& x) const { return in_.moving.linear[i] + in_.moving.angular[i].cross(x - in_.motion.position[i]); }
  [[nodiscard]] const Vec3& centre(std::size_t i) const {
    const bool pivots = !bodies_.moves(static_cast<int>(i)) && bodies_.prescribed.count(bodies_.id[i]);
    return pivots ? in_.motion.pivot[i] : in_.motion.position[i];
  }
  /// Elements of a mesh are part of a body that is thicker.
  [[nodiscard]] double width(std::size_t i, int piece) const { return std::min(in_.world.piece_width(piece), 2.0 * bodies_.radius[i]); }
  /// Farthest a point of the piece is from what its body turns about, m.
  [[nodiscard]] double arm(std::size_t i, int piece) const {
    if (angle_[i] == 0.0) return 0.0;
    return bodies_.moves(static_cast<int>(i)) ? bodies_.radius[i] : (in_.world.piece_centre(piece) - centre(i)).norm() + in_.world.piece_radius(piece);
  }
  [[nodiscard]] Path path(std::size_t i, int piece, double arm) const {
    Path p{piece, centre(i), velocity(i, centre(i)), in_.moving.angular[i]};
    if (angle_[i] > kFarTurn) p.radius = arm;
    if (angle_[i] == 0.0) p.omega.setZero();
    return p;
  }

  const Passage& in_;
  const model::Bodies& bodies_;
  std::vector<double> angle_;  ///< by which each body turns, rad; 0 for balls
};

}  // namespace

bool may_pass(const Passage& in, std::span<const collision::ContactPoint> points) {
  const Pairs pairs(in);
  for (std::size_t k = 0; k < points.size(); ++k) {
    // One normal a pair of pieces.
    const bool first = k == 0 || points[k].piece_a != points[k - 1].piece_a || points[k].piece_b != points[k - 1].piece_b;
    if (!pairs.stays_apart(points[k], first)) return true;
  }
  return false;
}

}  // namespace scree::stepping
