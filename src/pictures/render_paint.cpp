#include "pictures/render_paint.hpp"

#include <algorithm>
#include <cmath>

#include "core/threads.hpp"

namespace scree::pictures {
namespace {

using Colour = Eigen::Vector3f;  // linear light

constexpr int kSky = -1, kGround = -2;
constexpr int kTile = 4;                 // the light pattern repeats after so many pixels
constexpr int kPatterns = kTile * kTile;
constexpr int kSkyRays = 4;              // sky directions a pixel; 64 a tile
constexpr double kStart = 2e-5;          // rays leave a surface this far off, scene units
constexpr double kSunRadius = 0.035;     // of the sun's disc, rad: shadows with soft rims

// What one ray of the camera sees.
struct Sight {
  float t = 0.0f;
  std::int32_t surface = kSky;
  Eigen::Vector3f normal = Eigen::Vector3f::Zero();  // towards the camera
};

struct Light {
  float sun = 1.0f, sky = 1.0f;  // 1: nothing in the way
};

// Points spread evenly over the unit square: multiples of two irrational numbers.
Vec2 spread(int k) {
  const double u = 0.5 + k * 0.7548776662466927, v = 0.5 + k * 0.5698402909980532;
  return {u - std::floor(u), v - std::floor(v)};
}

Vec2 on_disc(const Vec2& square) {
  const double r = std::sqrt(square.x()), a = 2.0 * kPi * square.y();
  return {r * std::cos(a), r * std::sin(a)};
}

Mat3 frame_about(const Vec3& n) {
  Mat3 frame;
  frame.col(2) = n;
  frame.col(0) = (std::abs(n.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitX()).cross(n).normalized();
  frame.col(1) = n.cross(frame.col(0));
  return frame;
}

float smooth_step(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return static_cast<float>(t * t * (3.0 - 2.0 * t));
}

class Painter {
 public:
  Painter(const RenderScene& scene, const RenderOptions& options);
  Image picture();

 private:
  [[nodiscard]] std::size_t at(int x, int y) const { return static_cast<std::size_t>(y) * static_cast<std::size_t>(options_.width) + static_cast<std::size_t>(x); }
  [[nodiscard]] Ray ray(double x, double y) const { return {scene_.camera.position, ray_direction(scene_.camera, options_, x, y)}; }
  [[nodiscard]] Sight look(const Ray& ray) const;
  [[nodiscard]] bool sunlit(const Vec3& start, int pattern, int direction) const;
  [[nodiscard]] float sun_share(const Ray& ray, const Sight& sight, int pattern) const;
  [[nodiscard]] Light light(const Ray& ray, const Sight& sight, int pattern) const;
  [[nodiscard]] Light smooth_light(const std::vector<Light>& lights, int x, int y, int shift) const;
  [[nodiscard]] bool same_surface(const Sight& a, const Sight& b) const;
  [[nodiscard]] Light borrowed_light(const Ray& ray, const Sight& sight, int x, int y) const;
  [[nodiscard]] Colour backdrop(double y) const;
  [[nodiscard]] Colour shade(const Ray& ray, const Sight& sight, const Light& light, double y) const;
  [[nodiscard]] Colour surface_colour(const Ray& ray, const Sight& sight, const Light& light, const Colour& far) const;
  [[nodiscard]] double edge_cover(const Surface& surface, const Vec3& point, double t) const;
  [[nodiscard]] Colour through_glass(const Ray& ray, double far, Colour behind) const;
  [[nodiscard]] bool changes(int x, int y) const;
  [[nodiscard]] Colour refined(int x, int y) const;

  const RenderScene& scene_;
  const RenderOptions& options_;
  Vec3 sun_;
  double pixel_;      // angle of a pixel, rad
  double sky_reach_;  // how far things dim the sky
  std::array<Vec3, kPatterns * kSkyRays> sky_directions_;  // about the normal
  std::array<Vec3, kPatterns * kPatterns> sun_directions_;     // over the sun's disc, turned from pattern to pattern
  std::vector<Sight> sights_;
  std::vector<Light> lights_, smooth_;
  std::vector<Colour> colours_;
};

Painter::Painter(const RenderScene& scene, const RenderOptions& options) : scene_(scene), options_(options) {
  // The sun stands behind the left shoulder of the camera, high.
  const Mat3& axes = scene.camera.axes;
  sun_ = (0.85 * axes.col(2) - 0.65 * axes.col(0) + 1.05 * (axes.col(2).z() < -0.5 ? Vec3(axes.col(1)) : Vec3(Vec3::UnitZ()))).normalized();
  pixel_ = 2.0 * scene.camera.slope / options.height;
  sky_reach_ = 3.0 * scene.body_size;
  for (std::size_t k = 0; k < sky_directions_.size(); ++k) {
    // Cosine-weighted: even on the disc, lifted to the hemisphere.
    const Vec2 d = on_disc(spread(static_cast<int>(k)));
    sky_directions_[k] = Vec3(d.x(), d.y(), std::sqrt(std::max(0.0, 1.0 - d.squaredNorm())));
  }
  const Mat3 about_sun = frame_about(sun_);
  for (std::size_t k = 0; k < sun_directions_.size(); ++k) {
    const int direction = static_cast<int>(k) % kPatterns, pattern = static_cast<int>(k) / kPatterns;
    const Vec2 d = kSunRadius * (Eigen::Rotation2Dd(2.0 * kPi * pattern / kPatterns) * on_disc(spread(direction)));
    sun_directions_[k] = (about_sun * Vec3(d.x(), d.y(), 1.0)).normalized();
  }
}

Sight Painter::look(const Ray& ray) const {
  // Obstacles are closed: their faces seen from inside are never what one looks at.
  const RayHit hit = scene_.solid.nearest(ray, 0.0, 1e6, [&](const Surface& s) {
    return !(s.obstacle && s.kind == SurfaceKind::triangle && s.c.dot(ray.direction) > 0.0);
  });
  Sight sight;
  double t = hit.t;
  if (hit.surface >= 0) {
    Vec3 n = scene_.solid[hit.surface].normal(ray.origin + t * ray.direction);
    if (n.dot(ray.direction) > 0.0) n = -n;
    sight = {static_cast<float>(t), hit.surface, n.cast<float>()};
  }
  if (options_.ground && ray.direction.z() < -1e-6 && ray.origin.z() > scene_.ground) {
    const double to_ground = (scene_.ground - ray.origin.z()) / ray.direction.z();
    if (to_ground < t && to_ground < 60.0) sight = {static_cast<float>(to_ground), kGround, Eigen::Vector3f::UnitZ()};
  }
  return sight;
}

// Where light is gathered: just off the surface.
Vec3 start_of(const Ray& ray, const Sight& sight) {
  return ray.origin + static_cast<double>(sight.t) * ray.direction + (kStart + 4e-7 * static_cast<double>(sight.t)) * sight.normal.cast<double>();
}

bool Painter::sunlit(const Vec3& start, int pattern, int direction) const {
  const Ray to_sun{start, sun_directions_[pattern * kPatterns + direction]};
  return scene_.solid.nearest(to_sun, 0.0, 1e6, [](const Surface& s) { return s.casts_shadow; }).surface < 0;
}

// Share of the sun's disc in sight.
float Painter::sun_share(const Ray& ray, const Sight& sight, int pattern) const {
  if (sight.normal.cast<double>().dot(sun_) <= 0.0) return 1.0f;
  const Vec3 start = start_of(ray, sight);
  int seen = 0;
  for (int k = 0; k < kPatterns; ++k) seen += sunlit(start, pattern, k);
  return static_cast<float>(seen) / kPatterns;
}

Light Painter::light(const Ray& ray, const Sight& sight, int pattern) const {
  Light light;
  if (sight.surface == kSky) return light;
  const Vec3 n = sight.normal.cast<double>(), start = start_of(ray, sight);
  if (sight.surface == kGround && start.norm() > 6.0) return light;
  if (n.dot(sun_) > 0.0) light.sun = sunlit(start, 0, pattern) ? 1.0f : 0.0f;
  if (!options_.ambient_occlusion) return light;
  const Mat3 frame = frame_about(n);
  double blocked = 0.0;
  for (int k = 0; k < kSkyRays; ++k) {
    // The pattern strides so that each pixel has directions all around.
    const Vec3 direction = frame * sky_directions_[pattern + kPatterns * k];
    const RayHit hit = scene_.solid.nearest({start, direction}, 0.0, sky_reach_, [](const Surface&) { return true; });
    if (hit.surface >= 0) blocked += 1.0 - hit.t / sky_reach_;
  }
  light.sky = static_cast<float>(1.0 - blocked / kSkyRays);
  return light;
}

bool Painter::same_surface(const Sight& a, const Sight& b) const {
  if ((a.surface < 0 || b.surface < 0) && a.surface != b.surface) return false;
  if (a.surface >= 0 && scene_.solid[a.surface].body != scene_.solid[b.surface].body) return false;
  return a.normal.dot(b.normal) > 0.85f;
}

// Mean over one period of the pattern, from `shift` pixels left and above, without crossing to other surfaces.
Light Painter::smooth_light(const std::vector<Light>& lights, int x, int y, int shift) const {
  const Sight& here = sights_[at(x, y)];
  if (here.surface == kSky) return {};
  Light sum{0.0f, 0.0f};
  float count = 0.0f;
  for (int j = std::max(0, y - shift); j < std::min(options_.height, y - shift + kTile); ++j)
    for (int i = std::max(0, x - shift); i < std::min(options_.width, x - shift + kTile); ++i) {
      if (!same_surface(here, sights_[at(i, j)])) continue;
      sum.sun += lights[at(i, j)].sun;
      sum.sky += lights[at(i, j)].sky;
      count += 1.0f;
    }
  return {sum.sun / count, sum.sky / count};
}

// Light of a finer sample: from the nearest pixel that sees the same surface, or found anew.
Light Painter::borrowed_light(const Ray& ray, const Sight& sight, int x, int y) const {
  if (sight.surface == kSky) return {};
  static constexpr int kOrder[9][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
  for (const auto& step : kOrder) {
    const int i = x + step[0], j = y + step[1];
    if (i < 0 || j < 0 || i >= options_.width || j >= options_.height) continue;
    if (same_surface(sight, sights_[at(i, j)])) return smooth_[at(i, j)];
  }
  Light sum{0.0f, 0.0f};
  for (int k = 0; k < 4; ++k) {
    const Light one = light(ray, sight, (5 * k + x + 4 * y) % kPatterns);
    sum.sun += 0.25f * one.sun;
    sum.sky += 0.25f * one.sky;
  }
  return sum;
}

Colour Painter::backdrop(double y) const {
  const double t = y / options_.height;
  const Colour top(0.70f, 0.76f, 0.84f), middle(0.93f, 0.945f, 0.96f), bottom(0.80f, 0.81f, 0.83f);
  return t < 0.55 ? Colour(top + (middle - top) * smooth_step(0.0, 0.55, t)) : Colour(middle + (bottom - middle) * smooth_step(0.55, 1.1, t));
}

Colour Painter::shade(const Ray& ray, const Sight& sight, const Light& light, double y) const {
  const Colour far = backdrop(y);
  Colour colour = far;
  if (sight.surface == kGround) {
    // Only the shadow shows, and it fades out with distance.
    const double away = (ray.origin + static_cast<double>(sight.t) * ray.direction).head<2>().norm();
    const float strength = 1.0f - smooth_step(0.8, 2.5, away);
    const float open = 0.52f + 0.48f * light.sun;
    colour = far * (1.0f - strength * (1.0f - open * (0.35f + 0.65f * light.sky)));
  } else if (sight.surface >= 0) {
    colour = surface_colour(ray, sight, light, far);
  }
  return scene_.glass.surfaces().empty() ? colour : through_glass(ray, sight.surface == kSky ? 1e6 : static_cast<double>(sight.t), colour);
}

Colour Painter::surface_colour(const Ray& ray, const Sight& sight, const Light& light, const Colour& far) const {
  const Surface& surface = scene_.solid[sight.surface];
  const Vec3 point = ray.origin + static_cast<double>(sight.t) * ray.direction, n = sight.normal.cast<double>();
  const Rgb& c = scene_.colours[surface.body];
  Colour albedo(c[0], c[1], c[2]);
  if (options_.edges) albedo *= static_cast<float>(1.0 - 0.5 * edge_cover(surface, point, static_cast<double>(sight.t)));

  // Sun, sky from above and light thrown back from below.
  const auto facing = static_cast<float>(std::max(0.0, n.dot(sun_)));
  const auto up = static_cast<float>(0.5 + 0.5 * n.z());
  const Colour sun(1.02f, 0.97f, 0.88f), sky(0.46f, 0.52f, 0.62f), below(0.26f, 0.245f, 0.23f);
  const Colour ambient = (below + (sky - below) * up) * light.sky;
  Colour colour = albedo.cwiseProduct(sun * (facing * light.sun) + ambient);

  // A weak highlight, and a sheen at grazing angles.
  const Vec3 half = (sun_ - ray.direction).normalized();
  const float polish = surface.obstacle ? 0.3f : 1.0f;
  const float shine = facing > 0.0f ? std::pow(static_cast<float>(std::max(0.0, n.dot(half))), 48.0f) : 0.0f;
  const float grazing = std::pow(1.0f - static_cast<float>(std::min(1.0, std::abs(n.dot(ray.direction)))), 4.0f);
  colour += polish * (Colour::Constant(0.16f * shine * light.sun) + 0.10f * grazing * light.sky * sky);

  // Wide floors melt into the backdrop.
  if (surface.obstacle) {
    const float haze = smooth_step(0.75, 2.6, point.norm());
    colour += haze * (far - colour);
  }
  return colour;
}

// How much of a pixel at distance t lies on a sharp edge of the face; less when the face itself is only a few pixels.
double Painter::edge_cover(const Surface& surface, const Vec3& point, double t) const {
  if (surface.edges == 0) return 0.0;
  const double width = pixel_ * t;
  const std::array<Vec3, 3> corner{surface.origin, surface.origin + surface.a, surface.origin + surface.b};
  double nearest = kInfinity;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(surface.edges >> k & 1)) continue;
    const Vec3 along = (corner[(k + 1) % 3] - corner[k]).normalized();
    nearest = std::min(nearest, (point - corner[k]).cross(along).norm());
  }
  const double half = std::max(0.6, 0.8 * options_.height / 720.0);
  return std::clamp(half + 0.5 - nearest / width, 0.0, 1.0) * std::clamp((surface.size / width - 4.0) / 16.0, 0.0, 1.0);
}

// Panes in front of what the ray sees, the nearest on top.
Colour Painter::through_glass(const Ray& ray, double far, Colour behind) const {
  struct Pane {
    float opacity;
    Colour colour;
  };
  std::array<Pane, 12> panes;
  std::size_t count = 0;
  double low = 0.0;
  while (count < panes.size()) {
    const RayHit hit = scene_.glass.nearest(ray, low, far, [&](const Surface& s) { return s.kind != SurfaceKind::triangle || s.c.dot(ray.direction) < 0.0; });
    if (hit.surface < 0) break;
    const Surface& surface = scene_.glass[hit.surface];
    const Vec3 point = ray.origin + hit.t * ray.direction, n = surface.normal(point);
    low = hit.t + 1e-5;
    // Balls are met again where the ray leaves them.
    if (n.dot(ray.direction) > 0.0) continue;
    const double grazing = std::pow(1.0 + n.dot(ray.direction), 3.0);
    const double edge = options_.edges ? edge_cover(surface, point, hit.t) : 0.0;
    const double haze = surface.obstacle ? 1.0 - smooth_step(0.75, 2.6, point.norm()) : 1.0;
    const Rgb& c = scene_.colours[surface.body];
    const Colour tint = surface.obstacle ? Colour(0.62f, 0.68f, 0.76f) : Colour(0.4f * Colour(c[0], c[1], c[2]) + Colour::Constant(0.45f));
    const double cover = surface.obstacle ? 0.08 + 0.22 * grazing : 0.14 + 0.40 * grazing;
    panes[count++] = {static_cast<float>(haze * std::max(cover, 0.55 * edge)), edge > 0.0 ? Colour(0.30f, 0.34f, 0.40f) : tint};
  }
  while (count-- > 0) behind += panes[count].opacity * (panes[count].colour - behind);
  return behind;
}

bool Painter::changes(int x, int y) const {
  const Sight& here = sights_[at(x, y)];
  const Colour& colour = colours_[at(x, y)];
  const auto differs = [&](int i, int j) {
    if (i < 0 || j < 0 || i >= options_.width || j >= options_.height) return false;
    if (here.surface != sights_[at(i, j)].surface && !same_surface(here, sights_[at(i, j)])) return true;
    const Colour& other = colours_[at(i, j)];
    return (colour.cwiseMax(0.0f).cwiseSqrt() - other.cwiseMax(0.0f).cwiseSqrt()).cwiseAbs().maxCoeff() > 0.05f;
  };
  return differs(x - 1, y) || differs(x + 1, y) || differs(x, y - 1) || differs(x, y + 1);
}

Colour Painter::refined(int x, int y) const {
  const int n = options_.samples;
  Colour sum = Colour::Zero();
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double py = y + (j + 0.5) / n;
      const Ray r = ray(x + (i + 0.5) / n, py);
      const Sight sight = look(r);
      sum += shade(r, sight, borrowed_light(r, sight, x, y), py).cwiseMin(1.0f);
    }
  return sum / static_cast<float>(n * n);
}

Image Painter::picture() {
  const int width = options_.width, height = options_.height;
  const auto pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  sights_.resize(pixels);
  lights_.resize(pixels);
  smooth_.resize(pixels);
  colours_.resize(pixels);
  constexpr std::ptrdiff_t kRows = 4;
  const auto rows = [&](auto&& pixel) {
    parallel_for(height, [&](std::ptrdiff_t y) {
      for (int x = 0; x < width; ++x) pixel(x, static_cast<int>(y));
    }, kRows);
  };

  const auto pattern = [](int x, int y) { return x % kTile + kTile * (y % kTile); };
  rows([&](int x, int y) {
    const Ray r = ray(x + 0.5, y + 0.5);
    sights_[at(x, y)] = look(r);
    lights_[at(x, y)] = light(r, sights_[at(x, y)], pattern(x, y));
  });
  // Means shifted left, then right: centred. Rims of shadows get the whole disc of the sun before the second.
  rows([&](int x, int y) { smooth_[at(x, y)] = smooth_light(lights_, x, y, kTile / 2); });
  rows([&](int x, int y) {
    lights_[at(x, y)] = smooth_[at(x, y)];
    float& sun = lights_[at(x, y)].sun;
    if (sun > 0.0f && sun < 1.0f) sun = sun_share(ray(x + 0.5, y + 0.5), sights_[at(x, y)], pattern(x, y));
  });
  rows([&](int x, int y) {
    smooth_[at(x, y)] = smooth_light(lights_, x, y, kTile / 2 - 1);
    colours_[at(x, y)] = shade(ray(x + 0.5, y + 0.5), sights_[at(x, y)], smooth_[at(x, y)], y + 0.5);
  });

  Image image{width, height, std::vector<std::uint8_t>(3 * pixels)};
  rows([&](int x, int y) {
    const Colour colour = options_.samples > 1 && changes(x, y) ? refined(x, y) : colours_[at(x, y)];
    for (int k = 0; k < 3; ++k)
      image.pixel(x, y)[k] = static_cast<std::uint8_t>(std::lround(255.0f * linear_to_srgb(std::clamp(colour[k], 0.0f, 1.0f))));
  });
  return image;
}

}  // namespace

Image paint(const RenderScene& scene, const RenderOptions& options) { return Painter(scene, options).picture(); }

}  // namespace scree::pictures
