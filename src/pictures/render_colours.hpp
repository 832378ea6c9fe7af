/// Colours of pictures: maps from numbers to colours, and a palette to tell bodies apart.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace scree::pictures {

using Rgb = std::array<float, 3>;  ///< sRGB, 0 to 1

enum class ColourMap {
  dusk,     ///< purple, teal, yellow: lightness grows evenly, readable in grey and by the colour-blind
  spectrum  ///< blue, green, yellow, red: more detail, lightness peaks in the middle
};

/// Name in lower case; InputError lists the known ones.
[[nodiscard]] ColourMap colour_map(std::string_view name);

/// Colour of t in [0, 1]; values outside and NaN are taken at the nearer end (NaN: 0).
[[nodiscard]] Rgb map_colour(ColourMap map, double t);

/// One of ten calm colours, spread so that neighbouring numbers differ.
[[nodiscard]] Rgb palette_colour(std::int64_t number);

/// CIE lightness (0 to 100), chroma and hue (degrees), under D65, as sRGB; chroma is reduced to what a screen can show.
[[nodiscard]] Rgb from_lch(double lightness, double chroma, double hue);

[[nodiscard]] float srgb_to_linear(float value);
[[nodiscard]] float linear_to_srgb(float value);

}  // namespace scree::pictures
