#include "pictures/render.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "pictures/render_paint.hpp"

namespace scree::pictures {
namespace {

constexpr int kLargestSide = 16384;
constexpr std::int64_t kLargestArea = std::int64_t{1} << 25;
constexpr double kLargestLength = 1e15;  // m; squares of lengths stay far from overflow

void check_bodies(std::span<const RenderBody> bodies, std::span<const RenderTube> tubes) {
  const auto sound = [](const auto& matrix) { return matrix.allFinite() && matrix.cwiseAbs().maxCoeff() < kLargestLength; };
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].shape == nullptr) throw_input("render: body {} has no shape", i);
    if (!sound(bodies[i].rotation) || !sound(bodies[i].reference) || !sound(bodies[i].position))
      throw_input("render: body {} is placed by numbers that are not finite, or beyond {:g} m", i, kLargestLength);
  }
  for (std::size_t i = 0; i < tubes.size(); ++i)
    if (!sound(tubes[i].from) || !sound(tubes[i].to) || !(tubes[i].radius > 0.0 && tubes[i].radius < kLargestLength))
      throw_input("render: tube {} needs finite ends and a positive radius, not {}", i, tubes[i].radius);
}

void check_camera(const Camera& camera) {
  const bool turned = camera.axes.allFinite() && (camera.axes.transpose() * camera.axes - Mat3::Identity()).norm() < 1e-6;
  if (!is_finite(camera.position) || !is_finite(camera.focus) || !turned) throw_input("render: the camera's position and axes must be finite, the axes orthonormal");
  if (!(camera.radius > 0.0) || !(camera.slope > 0.0) || !std::isfinite(camera.radius) || !std::isfinite(camera.slope) || !camera.centre.allFinite())
    throw_input("render: the camera's radius {} and slope {} must be positive and finite", camera.radius, camera.slope);
}

}  // namespace

void check(const RenderOptions& options) {
  if (options.width < 1 || options.height < 1 || options.width > kLargestSide || options.height > kLargestSide)
    throw_input("render: {} x {} pixels; width and height must be from 1 to {}", options.width, options.height, kLargestSide);
  if (std::int64_t{options.width} * options.height > kLargestArea)
    throw_input("render: {} x {} pixels are more than {}; make the picture smaller", options.width, options.height, kLargestArea);
  if (options.samples < 1 || options.samples > 8) throw_input("render: samples = {}; it must be from 1 to 8", options.samples);
  if (!is_finite(options.view) || options.view.cwiseAbs().maxCoeff() > 1e100)
    throw_input("render: view = ({}, {}, {}) is not a direction; give three finite numbers, from the scene to the camera", options.view.x(), options.view.y(), options.view.z());
  if (!(options.zoom >= 0.01 && options.zoom <= 1000.0)) throw_input("render: zoom = {}; it must be from 0.01 to 1000", options.zoom);
  if (options.legend && !(std::isfinite(options.legend->low) && std::isfinite(options.legend->high) && options.legend->low <= options.legend->high))
    throw_input("render: the colour bar from {} to {}; both ends must be finite and in order", options.legend->low, options.legend->high);
  if (options.camera) check_camera(*options.camera);
}

Image render(std::span<const RenderBody> bodies, const RenderOptions& options, std::span<const RenderTube> tubes) {
  check(options);
  check_bodies(bodies, tubes);
  Camera camera;
  if (options.camera) {
    camera = *options.camera;
  } else {
    ViewFit fit(options);
    fit.measure(bodies);
    fit.add(bodies);
    camera = fit.camera();
  }
  return paint(build_scene(bodies, tubes, options, camera), options);
}

}  // namespace scree::pictures
