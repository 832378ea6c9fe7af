/// Pictures in memory.
#pragma once

#include <cstdint>
#include <vector>

namespace scree::pictures {

/// 8-bit sRGB, rows from top to bottom, three bytes a pixel.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;

  [[nodiscard]] const std::uint8_t* pixel(int x, int y) const { return &rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x))]; }
  [[nodiscard]] std::uint8_t* pixel(int x, int y) { return &rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x))]; }
};

}  // namespace scree::pictures
