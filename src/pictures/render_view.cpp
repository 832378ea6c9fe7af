#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "pictures/render.hpp"

namespace scree::pictures {
namespace {

constexpr double kSlope = 0.26;         // of half the height of the picture: a long lens
constexpr double kObstacleGrowth = 2.2; // an obstacle piece may enlarge the view of the moving bodies by this much

double corner_support(const geometry::Polyhedron& form, const RenderBody& body, const Vec3& direction) {
  const Vec3 local = body.rotation.transpose() * direction;
  double best = -kInfinity;
  for (const Vec3& vertex : form.vertices) best = std::max(best, local.dot(vertex));
  return best - local.dot(body.reference) + direction.dot(body.position);
}

Box bounds(const geometry::Piece& piece, const RenderBody& body) {
  Box box;
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = Vec3::Unit(k);
    box.high[k] = support(piece, body, axis);
    box.low[k] = -support(piece, body, -axis);
  }
  return box;
}

// Marks moving bodies that lie more than five times farther out than nine tenths of all: they fell off the edge.
std::vector<char> strays(std::span<const RenderBody> bodies) {
  std::vector<char> stray(bodies.size(), 0);
  std::vector<std::size_t> moving;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (!bodies[i].obstacle) moving.push_back(i);
  if (moving.size() < 10) return stray;
  Vec3 median;
  std::vector<double> values(moving.size());
  const auto middle = [&](double share) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  for (int k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < moving.size(); ++i) values[i] = bodies[moving[i]].position[k];
    median[k] = middle(0.5);
  }
  const auto off = [&](std::size_t i) { return (bodies[moving[i]].position - median).norm(); };
  for (std::size_t i = 0; i < moving.size(); ++i) values[i] = off(i);
  const double limit = 5.0 * middle(0.9);
  for (std::size_t i = 0; i < moving.size(); ++i) stray[moving[i]] = off(i) > limit;
  return stray;
}

// Three quarters from above, looking across the longer horizontal side.
Vec3 pleasing_view(const Box& box) {
  const Vec3 e = box.extent();
  const double x = std::max(e.x(), 1e-12), y = std::max(e.y(), 1e-12);
  const double share = std::clamp(x / y, 0.45, 2.2);
  return Vec3(0.62 / std::max(share, 0.8), -std::min(1.0, share), 0.46).normalized();
}

}  // namespace

double support(const geometry::Piece& piece, const RenderBody& body, const Vec3& direction) {
  const Vec3 local = body.rotation.transpose() * direction;
  const auto placed = [&](const Vec3& center) { return local.dot(center - body.reference) + direction.dot(body.position); };
  if (const auto* sphere = std::get_if<geometry::Sphere>(&piece.form)) return placed(sphere->center) + sphere->radius * local.norm();
  if (const auto* form = std::get_if<geometry::Ellipsoid>(&piece.form))
    return placed(form->center) + form->radii.cwiseProduct(form->axes.transpose() * local).norm();
  return corner_support(std::get<geometry::Polyhedron>(piece.form), body, direction);
}

template <class Visit>
void ViewFit::visit_pieces(std::span<const RenderBody> bodies, Visit&& visit) const {
  const std::vector<char> stray = strays(bodies);
  const double limit = kObstacleGrowth * moving_.extent().norm();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const RenderBody& body = bodies[i];
    if (stray[i] || (body.obstacle && options_.obstacles == ObstacleStyle::hidden && !moving_.empty())) continue;
    for (const geometry::Piece& piece : body.shape->pieces) {
      if (body.obstacle && !moving_.empty()) {
        Box grown = moving_;
        grown.add(bounds(piece, body));
        if (grown.extent().norm() > limit) continue;
      }
      visit(body, piece);
    }
  }
}

void ViewFit::measure(std::span<const RenderBody> bodies) {
  const std::vector<char> stray = strays(bodies);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (!bodies[i].obstacle && !stray[i])
      for (const geometry::Piece& piece : bodies[i].shape->pieces) moving_.add(bounds(piece, bodies[i]));
  aimed_ = false;
}

void ViewFit::choose_axes() {
  const Vec3 back = options_.view.isZero() ? pleasing_view(moving_.empty() ? all_ : moving_) : Vec3(options_.view.normalized());
  // Straight down or up: north is up in the picture.
  const Vec3 up = std::abs(back.z()) > 0.999 ? Vec3::UnitY() : Vec3::UnitZ();
  axes_.col(2) = back;
  axes_.col(0) = up.cross(back).normalized();
  axes_.col(1) = back.cross(axes_.col(0));

  // Room for the lines of text above and the colour bar at the right.
  const double aspect = static_cast<double>(options_.width) / options_.height;
  const double top = options_.title.empty() && options_.caption.empty() ? 0.04 : 0.09;
  const double right = options_.legend ? std::min(0.14 / aspect * 16.0 / 9.0, 0.3) : 0.03;
  const double left = 0.03, bottom = 0.04;
  centre_ = Vec2(0.5 * (left + 1.0 - right), 0.5 * (top + 1.0 - bottom));
  slope_x_ = kSlope * aspect * (1.0 - left - right);
  slope_y_ = kSlope * (1.0 - top - bottom);
  aimed_ = true;
}

// A point with camera coordinates (u, v, w) is inside the frame of a camera at (a, b, d) when
// |u - a| <= slope_x (d - w) and the same for v: four supports give the nearest such camera.
void ViewFit::add(std::span<const RenderBody> bodies) {
  if (moving_.empty())
    visit_pieces(bodies, [&](const RenderBody& body, const geometry::Piece& piece) { all_.add(bounds(piece, body)); });
  if (!aimed_) choose_axes();
  const Vec3 u = axes_.col(0) / slope_x_, v = axes_.col(1) / slope_y_, w = axes_.col(2);
  const std::array<Vec3, 4> directions{w + u, w - u, w + v, w - v};
  const bool no_moving = moving_.empty();
  visit_pieces(bodies, [&](const RenderBody& body, const geometry::Piece& piece) {
    if (!no_moving) all_.add(bounds(piece, body));
    for (std::size_t k = 0; k < 4; ++k) reach_[k] = std::max(reach_[k], support(piece, body, directions[k]));
  });
}

Camera ViewFit::camera() const {
  Camera camera;
  camera.axes = axes_;
  camera.slope = kSlope;
  camera.centre = centre_;
  if (all_.empty()) {
    camera.position = 5.0 * axes_.col(2);
    return camera;
  }
  const double distance = std::max(0.5 * (reach_[0] + reach_[1]), 0.5 * (reach_[2] + reach_[3]));
  camera.focus = all_.center();
  camera.radius = std::max(0.5 * all_.extent().norm(), 1e-12);
  camera.position = axes_ * Vec3(0.5 * slope_x_ * (reach_[0] - reach_[1]), 0.5 * slope_y_ * (reach_[2] - reach_[3]), distance);
  // Zooming in narrows the lens; the place stays.
  camera.slope /= options_.zoom;
  return camera;
}

}  // namespace scree::pictures
