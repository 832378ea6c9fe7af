#include <zlib.h>

#include <cstdlib>
#include <fstream>

#include "core/error.hpp"
#include "io/image.hpp"

namespace scree::io {
namespace {

void add_word(std::vector<std::uint8_t>& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

// Length, name, content, checksum of name and content.
void add_chunk(std::vector<std::uint8_t>& file, const char* name, const std::vector<std::uint8_t>& content) {
  add_word(file, static_cast<std::uint32_t>(content.size()));
  const std::size_t first = file.size();
  file.insert(file.end(), name, name + 4);
  file.insert(file.end(), content.begin(), content.end());
  add_word(file, static_cast<std::uint32_t>(crc32(0, &file[first], static_cast<uInt>(file.size() - first))));
}

std::uint8_t paeth(int left, int up, int corner) {
  const int p = left + up - corner;
  const int a = std::abs(p - left), b = std::abs(p - up), c = std::abs(p - corner);
  return static_cast<std::uint8_t>(a <= b && a <= c ? left : b <= c ? up : corner);
}

// One row under filter `kind`; returns the sum of residuals, small when it will compress well.
long filter_row(const std::uint8_t* row, const std::uint8_t* above, std::size_t bytes, int kind, std::uint8_t* out) {
  long cost = 0;
  out[0] = static_cast<std::uint8_t>(kind);
  for (std::size_t i = 0; i < bytes; ++i) {
    const int left = i >= 3 ? row[i - 3] : 0, up = above ? above[i] : 0, corner = i >= 3 && above ? above[i - 3] : 0;
    const int guess = kind == 0 ? 0 : kind == 1 ? left : kind == 2 ? up : kind == 3 ? (left + up) / 2 : paeth(left, up, corner);
    out[i + 1] = static_cast<std::uint8_t>(row[i] - guess);
    cost += std::abs(static_cast<int>(static_cast<std::int8_t>(out[i + 1])));
  }
  return cost;
}

std::vector<std::uint8_t> deflate_all(const std::vector<std::uint8_t>& raw) {
  uLongf size = compressBound(static_cast<uLong>(raw.size()));
  std::vector<std::uint8_t> packed(size);
  if (compress2(packed.data(), &size, raw.data(), static_cast<uLong>(raw.size()), 6) != Z_OK) throw_file("PNG: compression failed, out of memory");
  packed.resize(size);
  return packed;
}

}  // namespace

void check_image(const Image& image, const char* what) {
  if (image.width < 1 || image.height < 1) throw_input("{}: a picture of {} x {} pixels cannot be written", what, image.width, image.height);
  const std::size_t expected = 3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  if (image.rgb.size() != expected) throw_input("{}: {} x {} pixels need {} bytes, not {}", what, image.width, image.height, expected, image.rgb.size());
}

std::vector<std::uint8_t> encode_png(const Image& image) {
  check_image(image, "PNG");
  const std::size_t bytes = 3 * static_cast<std::size_t>(image.width);
  std::vector<std::uint8_t> raw, best(bytes + 1), trial(bytes + 1);
  raw.reserve((bytes + 1) * static_cast<std::size_t>(image.height));
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* above = y > 0 ? image.pixel(0, y - 1) : nullptr;
    long cost = filter_row(image.pixel(0, y), above, bytes, 0, best.data());
    for (int kind = 1; kind < 5; ++kind) {
      const long other = filter_row(image.pixel(0, y), above, bytes, kind, trial.data());
      if (other >= cost) continue;
      cost = other;
      best.swap(trial);
    }
    raw.insert(raw.end(), best.begin(), best.end());
  }

  std::vector<std::uint8_t> file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'}, header;
  add_word(header, static_cast<std::uint32_t>(image.width));
  add_word(header, static_cast<std::uint32_t>(image.height));
  header.insert(header.end(), {8, 2, 0, 0, 0});  // 8 bits, RGB, deflate, adaptive filters, not interlaced
  add_chunk(file, "IHDR", header);
  add_chunk(file, "sRGB", {0});
  add_chunk(file, "IDAT", deflate_all(raw));
  add_chunk(file, "IEND", {});
  return file;
}

void write_png(const std::string& path, const Image& image) {
  const std::vector<std::uint8_t> bytes = encode_png(image);
  AtomicFile file(path);
  std::ofstream out(file.temporary(), std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw_file("{}: cannot be written; does the folder exist and has it room?", path);
  file.commit();
}

}  // namespace scree::io
