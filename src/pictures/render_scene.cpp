#include "pictures/render_scene.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace scree::pictures {
namespace {

// Edges flatter than 20 degrees are not drawn: facets of round things and cuts between mesh elements.
const double kFlat = std::cos(20.0 * kPi / 180.0);

// A triangle of a polyhedron's boundary, referential.
struct Facet {
  int piece = 0;
  std::array<Vec3, 3> corner;
  Vec3 normal = Vec3::Zero();
  std::uint8_t edges = 0;
  double size = 0.0;
};

// Polygons as fans; the sides of the polygon are marked as edges.
void add_facets(const geometry::Polyhedron& form, int piece, std::vector<Facet>& facets) {
  for (int f = 0; f < form.faces(); ++f) {
    if (f < static_cast<int>(form.face_neighbour.size()) && form.face_neighbour[f] >= 0) continue;
    const int n = form.face_size(f);
    const auto at = [&](int k) -> const Vec3& { return form.vertices[form.face_vertex(f, k % n)]; };
    Vec3 area = Vec3::Zero();
    for (int k = 1; k + 1 < n; ++k) area += (at(k) - at(0)).cross(at(k + 1) - at(0));
    const double size = std::sqrt(0.5 * area.norm());
    for (int k = 1; k + 1 < n; ++k) {
      const auto edges = static_cast<std::uint8_t>((k == 1 ? 1 : 0) | 2 | (k == n - 2 ? 4 : 0));
      facets.push_back({piece, {at(0), at(k), at(k + 1)}, area.normalized(), edges, size});
    }
  }
}

// Forget edges whose two faces are nearly in one plane. Ends of edges agree to 1e-6 of the shape.
void keep_sharp_edges(std::vector<Facet>& facets, double size) {
  struct Side {
    std::array<std::int64_t, 6> ends;
    std::size_t facet;
    int side;
  };
  std::vector<Side> sides;
  const double scale = 1e6 / size;
  for (std::size_t i = 0; i < facets.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      if (!(facets[i].edges >> k & 1)) continue;
      std::array<std::array<std::int64_t, 3>, 2> ends;
      for (int e = 0; e < 2; ++e)
        for (int c = 0; c < 3; ++c)
          ends[e][c] = std::llround(facets[i].corner[(k + e) % 3][c] * scale);
      std::sort(ends.begin(), ends.end());
      sides.push_back({{ends[0][0], ends[0][1], ends[0][2], ends[1][0], ends[1][1], ends[1][2]}, i, k});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) { return x.ends != y.ends ? x.ends < y.ends : x.facet < y.facet; });
  for (std::size_t first = 0, last; first < sides.size(); first = last) {
    bool flat = true;
    for (last = first; last < sides.size() && sides[last].ends == sides[first].ends; ++last)
      flat = flat && facets[sides[first].facet].normal.dot(facets[sides[last].facet].normal) > kFlat;
    if (!flat || last - first < 2) continue;
    for (std::size_t i = first; i < last; ++i) facets[sides[i].facet].edges &= static_cast<std::uint8_t>(~(1 << sides[i].side));
  }
}

std::vector<Facet> facets_of(const geometry::Shape& shape) {
  std::vector<Facet> facets;
  for (std::size_t p = 0; p < shape.pieces.size(); ++p)
    if (const auto* form = std::get_if<geometry::Polyhedron>(&shape.pieces[p].form)) add_facets(*form, static_cast<int>(p), facets);
  if (!facets.empty()) keep_sharp_edges(facets, std::max(shape.size(), 1e-300));
  return facets;
}

// Makes surfaces of bodies and tubes in scene units.
class Builder {
 public:
  Builder(const Vec3& focus, double scale) : focus_(focus), scale_(scale) {}

  void add(const RenderBody& body, int row) {
    auto found = facets_.find(body.shape);
    if (found == facets_.end()) found = facets_.emplace(body.shape, facets_of(*body.shape)).first;
    Surface base;
    base.body = row;
    base.obstacle = body.obstacle;
    for (const geometry::Piece& piece : body.shape->pieces) {
      base.piece = pieces_ + static_cast<int>(&piece - body.shape->pieces.data());
      if (const auto* sphere = std::get_if<geometry::Sphere>(&piece.form)) add_ball(base, body, sphere->center, Vec3::Constant(sphere->radius), Mat3::Identity());
      if (const auto* form = std::get_if<geometry::Ellipsoid>(&piece.form)) add_ball(base, body, form->center, form->radii, form->axes);
    }
    for (const Facet& facet : found->second) add_triangle(base, body, facet);
    pieces_ += static_cast<int>(body.shape->pieces.size());
  }

  void add(const RenderTube& tube, int row) {
    Surface surface;
    surface.kind = SurfaceKind::capsule;
    surface.body = row;
    surface.piece = pieces_++;
    surface.size = tube.radius * scale_;
    surface.origin = (tube.from - focus_) * scale_;
    surface.a = (tube.to - tube.from) * scale_;
    surfaces.push_back(surface);
  }

  [[nodiscard]] int pieces() const { return pieces_; }
  std::vector<Surface> surfaces;

 private:
  [[nodiscard]] Vec3 place(const RenderBody& body, const Vec3& point) const {
    return (body.rotation * (point - body.reference) + body.position - focus_) * scale_;
  }

  // A ball under F stays a ball when F is a rotation.
  void add_ball(Surface surface, const RenderBody& body, const Vec3& center, const Vec3& radii, const Mat3& axes) {
    const bool round = radii.minCoeff() == radii.maxCoeff() && (body.rotation.transpose() * body.rotation - Mat3::Identity()).norm() < 1e-6;
    surface.kind = round ? SurfaceKind::sphere : SurfaceKind::ellipsoid;
    surface.origin = place(body, center);
    surface.size = radii.maxCoeff() * scale_;
    if (!round) {
      const Mat3 m = (scale_ * body.rotation * axes * radii.asDiagonal()).inverse();
      if (!m.allFinite()) return;
      surface.a = m.row(0);
      surface.b = m.row(1);
      surface.c = m.row(2);
    }
    surfaces.push_back(surface);
  }

  void add_triangle(Surface surface, const RenderBody& body, const Facet& facet) {
    surface.kind = SurfaceKind::triangle;
    surface.piece = pieces_ + facet.piece;
    surface.edges = facet.edges;
    surface.size = facet.size * scale_;
    surface.origin = place(body, facet.corner[0]);
    surface.a = place(body, facet.corner[1]) - surface.origin;
    surface.b = place(body, facet.corner[2]) - surface.origin;
    const Vec3 area = surface.a.cross(surface.b);
    if (area.isZero(0.0)) return;
    surface.c = area.normalized();
    surfaces.push_back(surface);
  }

  Vec3 focus_;
  double scale_;
  int pieces_ = 0;
  std::unordered_map<const geometry::Shape*, std::vector<Facet>> facets_;
};

double median_radius(std::span<const RenderBody> bodies, double scale) {
  std::vector<double> radii;
  for (const RenderBody& body : bodies)
    if (!body.obstacle && !body.shape->empty()) radii.push_back(0.5 * body.shape->bounds().extent().maxCoeff() * scale);
  if (radii.empty()) return 0.05;
  const auto middle = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2);
  std::nth_element(radii.begin(), middle, radii.end());
  return std::clamp(*middle, 0.003, 0.25);
}

// Under everything that is not much larger than the view.
double ground_height(const std::vector<Surface>& surfaces) {
  double low = 0.0;
  for (const Surface& surface : surfaces) {
    const Box box = surface.bounds();
    if (box.extent().norm() < 12.0 && box.center().norm() < 8.0) low = std::min(low, box.low.z());
  }
  return std::max(low, -2.0) - 2e-3;
}

// What becomes of each piece of an obstacle: kept, glass, or left out.
std::vector<char> glass_pieces(const Builder& builder, int bodies, const Camera& camera, const RenderOptions& options) {
  const auto count = static_cast<std::size_t>(builder.pieces());
  if (options.obstacles == ObstacleStyle::automatic) return hiding_pieces(builder.surfaces, builder.pieces(), bodies, camera, options);
  return std::vector<char>(count, options.obstacles == ObstacleStyle::faded);
}

}  // namespace

RenderScene build_scene(std::span<const RenderBody> bodies, std::span<const RenderTube> tubes, const RenderOptions& options, const Camera& camera) {
  RenderScene scene;
  const double scale = 0.5 / camera.radius;
  scene.camera = camera;
  scene.camera.position = (camera.position - camera.focus) * scale;
  scene.camera.focus = Vec3::Zero();
  scene.camera.radius = 0.5;
  scene.body_size = median_radius(bodies, scale);

  Builder builder(camera.focus, scale);
  const auto linear = [](const Rgb& c) { return Rgb{srgb_to_linear(c[0]), srgb_to_linear(c[1]), srgb_to_linear(c[2])}; };
  for (const RenderBody& body : bodies) {
    if (!(body.obstacle && options.obstacles == ObstacleStyle::hidden)) builder.add(body, static_cast<int>(scene.colours.size()));
    scene.colours.push_back(linear(body.colour));
  }
  for (const RenderTube& tube : tubes) {
    builder.add(tube, static_cast<int>(scene.colours.size()));
    scene.colours.push_back(linear(tube.colour));
  }
  scene.ground = ground_height(builder.surfaces);

  // Obstacles that are partly glass let the sun in everywhere.
  const std::vector<char> seen_through = glass_pieces(builder, static_cast<int>(bodies.size()), scene.camera, options);
  std::vector<char> open(scene.colours.size(), 0);
  for (const Surface& surface : builder.surfaces)
    if (surface.obstacle && seen_through[surface.piece]) open[surface.body] = 1;
  std::vector<Surface> solid, glass;
  for (Surface& surface : builder.surfaces) {
    surface.casts_shadow = !open[surface.body];
    const bool is_body = !surface.obstacle && surface.body < static_cast<int>(bodies.size());
    const bool is_glass = surface.obstacle ? seen_through[surface.piece] != 0 : is_body && options.glass_bodies;
    (is_glass ? glass : solid).push_back(surface);
  }
  scene.solid = SurfaceTree(std::move(solid));
  scene.glass = SurfaceTree(std::move(glass));
  return scene;
}

std::vector<char> hiding_pieces(const std::vector<Surface>& surfaces, int pieces, int bodies, const Camera& camera, const RenderOptions& options) {
  std::vector<char> hides(static_cast<std::size_t>(pieces), 0);
  std::vector<Surface> moving, fixed;
  for (const Surface& surface : surfaces) (surface.obstacle ? fixed : moving).push_back(surface);
  if (moving.empty() || fixed.empty()) return hides;
  const SurfaceTree front(std::move(moving)), obstacles(std::move(fixed));

  // One ray every few pixels: moving bodies first, then every obstacle before them.
  constexpr int kRays = 180;
  const double pitch = std::max(1.0, static_cast<double>(std::min(options.width, options.height)) / kRays);
  std::vector<int> piece_rays(static_cast<std::size_t>(pieces), 0), body_rays(static_cast<std::size_t>(bodies), 0);
  int seen = 0;
  std::vector<int> row_bodies, row_pieces;
  for (double y = 0.5 * pitch; y < options.height; y += pitch)
    for (double x = 0.5 * pitch; x < options.width; x += pitch) {
      const Ray ray{camera.position, ray_direction(camera, options, x, y)};
      const RayHit hit = front.nearest(ray, 0.0, 1e30, [](const Surface&) { return true; });
      if (hit.surface < 0) continue;
      ++seen;
      row_bodies.clear();
      row_pieces.clear();
      obstacles.all(ray, 0.0, hit.t - 1e-4, [&](int i, double) {
        if (obstacles[i].kind == SurfaceKind::triangle && obstacles[i].c.dot(ray.direction) > 0.0) return;
        row_bodies.push_back(obstacles[i].body);
        row_pieces.push_back(obstacles[i].piece);
      });
      const auto count_once = [](std::vector<int>& rows, std::vector<int>& totals) {
        std::sort(rows.begin(), rows.end());
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        for (const int row : rows) ++totals[row];
      };
      count_once(row_bodies, body_rays);
      count_once(row_pieces, piece_rays);
    }
  for (const Surface& surface : surfaces)
    if (surface.obstacle && body_rays[surface.body] * 100 >= seen)
      hides[surface.piece] = piece_rays[surface.piece] > 0;
  return hides;
}

}  // namespace scree::pictures
