#include "pictures/render_colours.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/vec.hpp"

namespace scree::pictures {

float srgb_to_linear(float value) { return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f); }

float linear_to_srgb(float value) { return value <= 0.0031308f ? 12.92f * value : 1.055f * std::pow(value, 1.0f / 2.4f) - 0.055f; }

namespace {

// LCh -> Lab -> XYZ (white D65) -> linear sRGB, which may lie outside 0 to 1.
Vec3 linear_from_lch(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue * kPi / 180.0), b = chroma * std::sin(hue * kPi / 180.0);
  const auto inverse = [](double t) { return t > 6.0 / 29.0 ? t * t * t : 108.0 / 841.0 * (t - 4.0 / 29.0); };
  const double f = (lightness + 16.0) / 116.0;
  const double x = 0.95047 * inverse(f + a / 500.0), y = inverse(f), z = 1.08883 * inverse(f - b / 200.0);
  return {3.2404542 * x - 1.5371385 * y - 0.4985314 * z, -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
          0.0556434 * x - 0.2040259 * y + 1.0572252 * z};
}

}  // namespace

Rgb from_lch(double lightness, double chroma, double hue) {
  // The largest chroma, up to the one asked for, that a screen can show: halve the interval.
  const auto shown = [&](double c) {
    const Vec3 v = linear_from_lch(lightness, c, hue);
    return v.minCoeff() >= 0.0 && v.maxCoeff() <= 1.0;
  };
  double low = 0.0, high = chroma;
  for (int k = 0; k < 20 && !shown(chroma); ++k) (shown(0.5 * (low + high)) ? low : high) = 0.5 * (low + high);
  const Vec3 linear = linear_from_lch(lightness, shown(chroma) ? chroma : low, hue);
  Rgb colour;
  for (std::size_t k = 0; k < 3; ++k) colour[k] = linear_to_srgb(static_cast<float>(std::clamp(linear[static_cast<Eigen::Index>(k)], 0.0, 1.0)));
  return colour;
}

ColourMap colour_map(std::string_view name) {
  if (name == "dusk") return ColourMap::dusk;
  if (name == "spectrum") return ColourMap::spectrum;
  throw_input("colour map '{}' is unknown; known: dusk, spectrum", name);
}

Rgb map_colour(ColourMap map, double t) {
  t = t > 0.0 ? std::min(t, 1.0) : 0.0;
  // Straight in lightness, once around from purple to yellow.
  if (map == ColourMap::dusk) return from_lch(20.0 + 70.0 * t, 46.0 - 18.0 * std::sin(kPi * t) + 22.0 * t * t, 312.0 - 210.0 * std::pow(t, 0.9));
  // An arch in lightness, from blue through green to red; screens have little room near cyan.
  const double lightness = 34.0 + 47.0 * std::pow(std::sin(kPi * (0.08 + 0.84 * t)), 1.2), cyan = (t - 0.26) / 0.26;
  return from_lch(lightness, 62.0 - 24.0 * std::exp(-cyan * cyan), 285.0 - 250.0 * t);
}

Rgb palette_colour(std::int64_t number) {
  // Multiplication by an odd number scatters neighbouring numbers over the ten.
  const auto index = static_cast<std::size_t>((static_cast<std::uint64_t>(number) * 7u + 3u) % 10u);
  static constexpr double kHue[10] = {250.0, 45.0, 140.0, 85.0, 20.0, 200.0, 310.0, 65.0, 170.0, 275.0};
  static constexpr double kLightness[10] = {55.0, 66.0, 64.0, 76.0, 58.0, 66.0, 60.0, 70.0, 72.0, 70.0};
  return from_lch(kLightness[index], 42.0, kHue[index]);
}

}  // namespace scree::pictures
