#include "io/render.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "io/render_paint.hpp"
#include "io/render_text.hpp"

namespace scree::io {
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

// Text grows with the picture; a small picture still has legible text.
double text_scale(const RenderOptions& options) { return std::max(0.55, std::min(options.height / 720.0, options.width / 900.0)); }

// Round numbers between low and high: a step of 1, 2 or 5 times a power of ten.
std::vector<double> ticks(double low, double high) {
  const double raw = (high - low) / 4.0, power = std::pow(10.0, std::floor(std::log10(raw)));
  const double step = power * (raw < 1.5 * power ? 1.0 : raw < 3.5 * power ? 2.0 : raw < 7.5 * power ? 5.0 : 10.0);
  std::vector<double> values;
  for (double k = std::ceil(low / step); k * step <= high && values.size() < 12; k += 1.0) values.push_back(k * step);
  return values;
}

void draw_legend(Image& image, const Legend& legend, double scale) {
  const int width = static_cast<int>(std::lround(18 * scale)), height = static_cast<int>(std::lround(0.46 * image.height));
  const int left = image.width - static_cast<int>(std::lround(112 * scale)), top = (image.height - height) / 2;
  const Rgb8 ink{52, 58, 68};
  for (int y = -1; y <= height; ++y)
    for (int x = -1; x <= width; ++x) {
      const bool frame = x < 0 || y < 0 || x == width || y == height;
      const Rgb c = map_colour(legend.map, 1.0 - (y + 0.5) / height);
      const auto byte = [](float v) { return static_cast<std::uint8_t>(std::lround(255.0f * v)); };
      blend(image, left + x, top + y, frame ? ink : Rgb8{byte(c[0]), byte(c[1]), byte(c[2])}, 1.0);
    }

  TextStyle style{11.0 * scale, 0.12, ink, 1.5 * scale};
  const auto label = [&](double value, double fraction) {
    const double y = top + height * (1.0 - fraction);
    for (int k = 0; k < static_cast<int>(4 * scale); ++k) blend(image, left + width + 1 + k, static_cast<int>(y), ink, 1.0);
    draw_text(image, left + width + 8 * scale, y + 0.5 * style.height, std::abs(value) >= 1e3 && std::abs(value) < 1e6 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value), style);
  };
  label(legend.low, 0.0);
  if (legend.high > legend.low) {
    label(legend.high, 1.0);
    for (const double value : ticks(legend.low, legend.high)) {
      const double fraction = (value - legend.low) / (legend.high - legend.low);
      if (fraction > 0.08 && fraction < 0.92) label(value, fraction);
    }
  }
  // Title and unit above, kept inside the picture.
  style.height = 12.5 * scale;
  const double widest = std::max(text_width(legend.title, style), text_width(legend.unit, style));
  const double x = std::min<double>(left, image.width - 12 * scale - widest);
  draw_text(image, x, top - (legend.unit.empty() ? 15 : 34) * scale, legend.title, style);
  draw_text(image, x, top - 15 * scale, legend.unit, style);
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

void draw_lettering(Image& image, const RenderOptions& options) {
  const double scale = text_scale(options), left = 22 * scale;
  double y = 34 * scale;
  if (!options.title.empty()) {
    draw_text(image, left, y, options.title, {17.0 * scale, 0.13, {30, 34, 42}, 2.0 * scale});
    y += 25 * scale;
  }
  if (!options.caption.empty()) draw_text(image, left, y, options.caption, {12.5 * scale, 0.115, {70, 76, 88}, 1.5 * scale});
  if (options.legend) draw_legend(image, *options.legend, scale);
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
  Image image = paint(build_scene(bodies, tubes, options, camera), options);
  draw_lettering(image, options);
  return image;
}

}  // namespace scree::io
