#include "io/render_colours.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/vec.hpp"

namespace scree::io {

float srgb_to_linear(float value) { return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f); }

float linear_to_srgb(float value) { return value <= 0.0031308f ? 12.92f * value : 1.055f * std::pow(value, 1.0f / 2.4f) - 0.055f; }

Rgb from_lch(double lightness, double chroma, double hue) {
  // LCh -> Lab -> XYZ (white D65) -> linear sRGB.
  const double a = chroma * std::cos(hue * kPi / 180.0), b = chroma * std::sin(hue * kPi / 180.0);
  const auto inverse = [](double t) { return t > 6.0 / 29.0 ? t * t * t : 108.0 / 841.0 * (t - 4.0 / 29.0); };
  const double f = (lightness + 16.0) / 116.0;
  const double x = 0.95047 * inverse(f + a / 500.0), y = inverse(f), z = 1.08883 * inverse(f - b / 200.0);
  const double linear[3] = {3.2404542 * x - 1.5371385 * y - 0.4985314 * z, -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
                            0.0556434 * x - 0.2040259 * y + 1.0572252 * z};
  Rgb colour;
  for (std::size_t k = 0; k < 3; ++k) colour[k] = linear_to_srgb(static_cast<float>(std::clamp(linear[k], 0.0, 1.0)));
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
  if (map == ColourMap::dusk) return from_lch(22.0 + 70.0 * t, 48.0 - 22.0 * std::sin(kPi * t) + 34.0 * t * t, 315.0 - 218.0 * std::pow(t, 0.9));
  // An arch in lightness, from blue through green to red.
  const double lightness = 34.0 + 49.0 * std::pow(std::sin(kPi * (0.08 + 0.86 * t)), 1.2);
  return from_lch(lightness, 62.0 + 18.0 * std::cos(2.0 * kPi * t), 295.0 - 262.0 * t);
}

Rgb palette_colour(std::int64_t number) {
  // Multiplication by an odd number scatters neighbouring numbers over the ten.
  const auto index = static_cast<std::size_t>((static_cast<std::uint64_t>(number) * 7u + 3u) % 10u);
  static constexpr double kHue[10] = {250.0, 45.0, 140.0, 85.0, 20.0, 200.0, 310.0, 65.0, 170.0, 275.0};
  static constexpr double kLightness[10] = {55.0, 66.0, 64.0, 76.0, 58.0, 66.0, 60.0, 70.0, 72.0, 70.0};
  return from_lch(kLightness[index], 42.0, kHue[index]);
}

}  // namespace scree::io
