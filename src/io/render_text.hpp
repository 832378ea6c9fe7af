/// Lettering for pictures: a stroke font of our own, drawn smooth at any size.
#pragma once

#include <array>
#include <string_view>

#include "io/image.hpp"

namespace scree::io {

using Rgb8 = std::array<std::uint8_t, 3>;

struct TextStyle {
  double height = 16.0;         ///< of capitals, pixels
  double weight = 0.11;         ///< stroke width over height
  Rgb8 colour{40, 44, 52};
  double halo = 0.0;            ///< width of a pale rim that lifts the text off what is behind it, pixels
};

/// Width of a line of text in pixels. Characters other than printable ASCII count and are drawn as '?'.
[[nodiscard]] double text_width(std::string_view text, const TextStyle& style);

/// Draw one line; (x, y) is the left end of its base line in pixels, y downwards. Parts outside are cut off.
void draw_text(Image& image, double x, double y, std::string_view text, const TextStyle& style);

/// Lay `colour` over a pixel with the given opacity in [0, 1]; outside the picture nothing happens.
void blend(Image& image, int x, int y, const Rgb8& colour, double opacity);

}  // namespace scree::io
