#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "io/image.hpp"

namespace scree::io {
namespace {

constexpr int kCells = 1 << 18;      // 6 bits a channel
constexpr int kColours = 255;        // the last palette entry means "unchanged"
constexpr int kUnchanged = 255;

int cell_of(const std::uint8_t* p) { return (p[0] >> 2) << 12 | (p[1] >> 2) << 6 | p[2] >> 2; }

// Colours that fall into one cell: how many, and their sum.
struct Cell {
  int index = 0;
  double count = 0.0;
  std::array<double, 3> sum{};
  [[nodiscard]] double mean(std::size_t k) const { return sum[k] / count; }
};

std::vector<Cell> histogram(const std::vector<std::uint8_t>& rgb) {
  std::vector<int> slot(kCells, -1);
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < rgb.size(); i += 3) {
    int& s = slot[static_cast<std::size_t>(cell_of(&rgb[i]))];
    if (s < 0) {
      s = static_cast<int>(cells.size());
      cells.push_back({cell_of(&rgb[i]), 0.0, {}});
    }
    Cell& cell = cells[static_cast<std::size_t>(s)];
    cell.count += 1.0;
    for (std::size_t k = 0; k < 3; ++k) cell.sum[k] += rgb[i + k];
  }
  return cells;
}

// A run of cells and the channel along which it spreads most; weight grows slowly with the number of pixels.
struct Group {
  std::size_t first = 0, last = 0, channel = 0;
  double priority = 0.0;
};

Group measured(const std::vector<Cell>& cells, std::size_t first, std::size_t last) {
  Group group{first, last, 0, 0.0};
  double pixels = 0.0, widest = 0.0;
  for (std::size_t i = first; i < last; ++i) pixels += cells[i].count;
  for (std::size_t k = 0; k < 3; ++k) {
    double low = 255.0, high = 0.0;
    for (std::size_t i = first; i < last; ++i) {
      low = std::min(low, cells[i].mean(k));
      high = std::max(high, cells[i].mean(k));
    }
    if (high - low > widest) {
      widest = high - low;
      group.channel = k;
    }
  }
  group.priority = last - first > 1 ? widest * std::pow(pixels, 0.35) : 0.0;
  return group;
}

// Median cut: split the group that matters most at its weighted median until there are enough colours.
std::vector<std::array<std::uint8_t, 3>> palette_of(std::vector<Cell>& cells) {
  std::vector<Group> groups{measured(cells, 0, cells.size())};
  while (groups.size() < kColours) {
    const auto widest = std::max_element(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.priority < b.priority; });
    if (widest->priority <= 0.0) break;
    const Group g = *widest;
    const auto at = [&](std::size_t i) { return cells.begin() + static_cast<std::ptrdiff_t>(i); };
    std::sort(at(g.first), at(g.last), [&](const Cell& a, const Cell& b) {
      return a.mean(g.channel) != b.mean(g.channel) ? a.mean(g.channel) < b.mean(g.channel) : a.index < b.index;
    });
    double total = 0.0, half = 0.0;
    for (std::size_t i = g.first; i < g.last; ++i) total += cells[i].count;
    std::size_t cut = g.first;
    while (cut + 1 < g.last && half + cells[cut].count <= 0.5 * total) half += cells[cut++].count;
    cut = std::clamp(cut, g.first + 1, g.last - 1);
    *widest = measured(cells, g.first, cut);
    groups.push_back(measured(cells, cut, g.last));
  }
  std::vector<std::array<std::uint8_t, 3>> palette;
  for (const Group& g : groups) {
    std::array<double, 3> sum{};
    double count = 0.0;
    for (std::size_t i = g.first; i < g.last; ++i) {
      count += cells[i].count;
      for (std::size_t k = 0; k < 3; ++k) sum[k] += cells[i].sum[k];
    }
    palette.push_back({});
    for (std::size_t k = 0; k < 3; ++k) palette.back()[k] = static_cast<std::uint8_t>(std::lround(sum[k] / count));
  }
  return palette;
}

// Nearest palette entry of each used cell, weighted as the eye weighs red, green and blue.
std::vector<std::uint8_t> lookup(const std::vector<Cell>& cells, const std::vector<std::array<std::uint8_t, 3>>& palette) {
  std::vector<std::uint8_t> nearest(kCells, 0);
  for (const Cell& cell : cells) {
    double best = 1e300;
    for (std::size_t p = 0; p < palette.size(); ++p) {
      const double r = cell.mean(0) - palette[p][0], g = cell.mean(1) - palette[p][1], b = cell.mean(2) - palette[p][2];
      const double distance = 3.0 * r * r + 6.0 * g * g + b * b;
      if (distance >= best) continue;
      best = distance;
      nearest[static_cast<std::size_t>(cell.index)] = static_cast<std::uint8_t>(p);
    }
  }
  return nearest;
}

// Variable-length codes packed from the lowest bit, cut into blocks of 255 bytes.
class CodeStream {
 public:
  void put(int code, int width) {
    bits_ |= static_cast<std::uint32_t>(code) << filled_;
    filled_ += width;
    while (filled_ >= 8) {
      block_.push_back(static_cast<std::uint8_t>(bits_ & 255u));
      bits_ >>= 8;
      filled_ -= 8;
      if (block_.size() == 255) flush_block();
    }
  }
  std::vector<std::uint8_t> finish() {
    if (filled_ > 0) put(0, 8 - filled_);
    if (!block_.empty()) flush_block();
    bytes_.push_back(0);
    return std::move(bytes_);
  }

 private:
  void flush_block() {
    bytes_.push_back(static_cast<std::uint8_t>(block_.size()));
    bytes_.insert(bytes_.end(), block_.begin(), block_.end());
    block_.clear();
  }
  std::vector<std::uint8_t> bytes_, block_;
  std::uint32_t bits_ = 0;
  int filled_ = 0;
};

// Lempel-Ziv-Welch with codes of 9 to 12 bits; the table is cleared when it is full.
std::vector<std::uint8_t> compress(const std::vector<std::uint8_t>& indices) {
  constexpr int kClear = 256, kEnd = 257, kFirst = 258, kLimit = 4096;
  std::vector<std::int16_t> next(static_cast<std::size_t>(kLimit) * 256, -1);
  CodeStream stream;
  int width = 9, free_code = kFirst;
  stream.put(kClear, width);
  int prefix = indices[0];
  for (std::size_t i = 1; i < indices.size(); ++i) {
    std::int16_t& entry = next[static_cast<std::size_t>(prefix) * 256 + indices[i]];
    if (entry >= 0) {
      prefix = entry;
      continue;
    }
    stream.put(prefix, width);
    if (free_code < kLimit) {
      if (free_code == 1 << width) ++width;
      entry = static_cast<std::int16_t>(free_code++);
    } else {
      stream.put(kClear, width);
      std::fill(next.begin(), next.end(), std::int16_t{-1});
      width = 9;
      free_code = kFirst;
    }
    prefix = indices[i];
  }
  stream.put(prefix, width);
  if (free_code == 1 << width && width < 12) ++width;
  stream.put(kEnd, width);
  return stream.finish();
}

void add_short(std::vector<std::uint8_t>& bytes, int value) {
  bytes.push_back(static_cast<std::uint8_t>(value & 255));
  bytes.push_back(static_cast<std::uint8_t>(value >> 8));
}

}  // namespace

GifWriter::GifWriter(const std::string& path, int width, int height, double delay) : width_(width), height_(height) {
  if (width < 1 || height < 1 || width > 65535 || height > 65535) throw_input("GIF: {} x {} pixels; each side must be from 1 to 65535", width, height);
  if (!(delay >= 0.01 && delay <= 600.0)) throw_input("GIF: a delay of {} s; it must be from 0.01 to 600", delay);
  delay_ = static_cast<int>(std::lround(100.0 * delay));
  file_ = std::make_unique<AtomicFile>(path);
  out_.open(file_->temporary(), std::ios::binary | std::ios::trunc);
  if (!out_) throw_file("{}: cannot be written; does the folder exist?", path);

  std::vector<std::uint8_t> bytes{'G', 'I', 'F', '8', '9', 'a'};
  add_short(bytes, width);
  add_short(bytes, height);
  bytes.insert(bytes.end(), {0x70, 0, 0});  // no palette for the whole file
  // Repeat for ever.
  bytes.insert(bytes.end(), {0x21, 0xff, 11, 'N', 'E', 'T', 'S', 'C', 'A', 'P', 'E', '2', '.', '0', 3, 1, 0, 0, 0});
  put(bytes);
}

void GifWriter::put(const std::vector<std::uint8_t>& bytes) {
  out_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out_) throw_file("{}: writing failed; is the disk full?", file_->temporary());
}

void GifWriter::add(const Image& image) {
  check_image(image, "GIF");
  if (image.width != width_ || image.height != height_)
    throw_input("GIF: a frame of {} x {} pixels in a file of {} x {}", image.width, image.height, width_, height_);
  std::vector<Cell> cells = histogram(image.rgb);
  const auto palette = palette_of(cells);
  const std::vector<std::uint8_t> nearest = lookup(cells, palette);

  std::vector<std::uint8_t> indices(image.rgb.size() / 3);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::uint8_t* p = &image.rgb[3 * i];
    const bool same = !last_.empty() && std::equal(p, p + 3, &last_[3 * i]);
    indices[i] = same ? kUnchanged : nearest[static_cast<std::size_t>(cell_of(p))];
  }

  // Delay and the index that leaves a pixel as it was, then the frame with its own palette.
  std::vector<std::uint8_t> bytes{0x21, 0xf9, 4, 0x05};
  add_short(bytes, delay_);
  bytes.insert(bytes.end(), {kUnchanged, 0, 0x2c, 0, 0, 0, 0});
  add_short(bytes, width_);
  add_short(bytes, height_);
  bytes.push_back(0x87);
  for (std::size_t k = 0; k < 256; ++k)
    for (std::size_t c = 0; c < 3; ++c) bytes.push_back(k < palette.size() ? palette[k][c] : 0);
  bytes.push_back(8);
  const std::vector<std::uint8_t> packed = compress(indices);
  bytes.insert(bytes.end(), packed.begin(), packed.end());
  put(bytes);
  last_ = image.rgb;
  ++frames_;
}

void GifWriter::close() {
  if (frames_ == 0) throw_input("GIF: there is no frame to write");
  put({0x3b});
  out_.close();
  if (!out_) throw_file("{}: writing failed; is the disk full?", file_->temporary());
  file_->commit();
}

}  // namespace scree::io
