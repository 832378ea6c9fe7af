/// Pictures in memory and on disk.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "io/atomic_file.hpp"

namespace scree::io {

/// 8-bit sRGB, rows from top to bottom, three bytes a pixel.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;

  [[nodiscard]] const std::uint8_t* pixel(int x, int y) const { return &rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x))]; }
  [[nodiscard]] std::uint8_t* pixel(int x, int y) { return &rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x))]; }
};

/// InputError unless width and height are positive and there are three bytes a pixel. `what` opens the message.
void check_image(const Image& image, const char* what);

/// The picture as a PNG file in memory (8-bit RGB, deflated).
[[nodiscard]] std::vector<std::uint8_t> encode_png(const Image& image);
/// Replaces the file only by a complete one; FileError when that fails.
void write_png(const std::string& path, const Image& image);

/// Animated GIF, endlessly repeated. Every frame has its own palette of 255 colours; pixels that did not change
/// since the last frame are left out.
class GifWriter {
 public:
  /// delay: seconds a frame is shown, 0.01 to 600. Sizes up to 65535 (the format's limit).
  GifWriter(const std::string& path, int width, int height, double delay);
  /// InputError when the size is not the file's.
  void add(const Image& image);
  /// Puts the file in place; without it nothing is left on disk. InputError when there is no frame.
  void close();
  [[nodiscard]] int frames() const { return frames_; }

 private:
  void put(const std::vector<std::uint8_t>& bytes);

  std::unique_ptr<AtomicFile> file_;
  std::ofstream out_;
  int width_, height_, delay_, frames_ = 0;
  std::vector<std::uint8_t> last_;  ///< pixels of the frame before
};

}  // namespace scree::io
