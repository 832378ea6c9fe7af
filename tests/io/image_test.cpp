#include "io/image.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>

#include "core/error.hpp"
#include "temporary_folder.hpp"

namespace scree::io {
namespace {

Image sample(int width, int height, int seed = 0) {
  Image image{width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const int v : {255 * x / width, 255 * y / height, (x * x + 3 * y + seed) % 256}) image.rgb.push_back(static_cast<std::uint8_t>(v));
  return image;
}

std::uint32_t word(const std::uint8_t* p) { return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3]; }

// Reads back what encode_png may write: 8-bit RGB, any filter. Checks every checksum.
Image decode_png(const std::vector<std::uint8_t>& file) {
  Image image;
  std::vector<std::uint8_t> packed;
  EXPECT_EQ(std::memcmp(file.data(), "\x89PNG\r\n\x1a\n", 8), 0);
  for (std::size_t at = 8; at < file.size();) {
    const std::uint32_t size = word(&file[at]);
    EXPECT_EQ(word(&file[at + 8 + size]), crc32(0, &file[at + 4], size + 4));
    if (std::memcmp(&file[at + 4], "IHDR", 4) == 0) {
      image.width = static_cast<int>(word(&file[at + 8]));
      image.height = static_cast<int>(word(&file[at + 12]));
      EXPECT_EQ(file[at + 16], 8);
      EXPECT_EQ(file[at + 17], 2);
    }
    if (std::memcmp(&file[at + 4], "IDAT", 4) == 0) packed.insert(packed.end(), &file[at + 8], &file[at + 8] + size);
    at += 12 + size;
  }
  const std::size_t bytes = 3 * static_cast<std::size_t>(image.width);
  std::vector<std::uint8_t> raw((bytes + 1) * static_cast<std::size_t>(image.height));
  uLongf size = static_cast<uLongf>(raw.size());
  EXPECT_EQ(uncompress(raw.data(), &size, packed.data(), static_cast<uLong>(packed.size())), Z_OK);
  EXPECT_EQ(size, raw.size());
  std::vector<int> above(bytes, 0), row(bytes, 0);
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* p = &raw[static_cast<std::size_t>(y) * (bytes + 1)];
    for (std::size_t i = 0; i < bytes; ++i) {
      const int left = i < 3 ? 0 : row[i - 3], up = above[i], corner = i < 3 ? 0 : above[i - 3];
      const int d = left + up - corner, dl = std::abs(d - left), du = std::abs(d - up), dc = std::abs(d - corner);
      const int nearest = dl <= du && dl <= dc ? left : du <= dc ? up : corner;
      const int guess[5] = {0, left, up, (left + up) / 2, nearest};
      row[i] = (p[i + 1] + guess[p[0]]) % 256;
      image.rgb.push_back(static_cast<std::uint8_t>(row[i]));
    }
    above = row;
  }
  return image;
}

// Frames of an animated GIF as a viewer would show them.
std::vector<Image> decode_gif(const std::vector<char>& chars) {
  const std::vector<std::uint8_t> f(chars.begin(), chars.end());
  std::vector<Image> frames;
  const int width = f[6] | f[7] << 8, height = f[8] | f[9] << 8;
  Image shown{width, height, std::vector<std::uint8_t>(3 * static_cast<std::size_t>(width * height), 0)};
  int clear_index = -1;
  std::size_t at = 13;
  const auto blocks = [&] {
    std::vector<std::uint8_t> all;
    while (f.at(at) != 0) {
      all.insert(all.end(), &f[at + 1], &f[at + 1] + f[at]);
      at += f[at] + 1u;
    }
    ++at;
    return all;
  };
  while (f.at(at) != 0x3b) {
    if (f[at] == 0x21) {
      if (f[at + 1] == 0xf9) clear_index = f[at + 3] & 1 ? f[at + 6] : -1;
      at += 2;
      blocks();
      continue;
    }
    EXPECT_EQ(f[at], 0x2c);
    const std::uint8_t* palette = &f[at + 10];
    at += 10 + 768 + 1;
    const std::vector<std::uint8_t> data = blocks();
    // Lempel-Ziv-Welch: strings by code, codes of 9 to 12 bits.
    std::vector<std::vector<std::uint8_t>> table;
    const auto reset = [&] {
      table.assign(258, {});
      for (std::size_t k = 0; k < 256; ++k) table[k] = {static_cast<std::uint8_t>(k)};
    };
    reset();
    std::vector<std::uint8_t> indices, last;
    int bits = 9;
    for (std::size_t bit = 0; bit + static_cast<std::size_t>(bits) <= 8 * data.size();) {
      unsigned code = 0;
      for (int k = 0; k < bits; ++k, ++bit) code |= static_cast<unsigned>(data[bit / 8] >> (bit % 8) & 1) << k;
      if (code == 257) break;
      if (code == 256) {
        reset();
        bits = 9;
        last.clear();
        continue;
      }
      std::vector<std::uint8_t> entry;
      if (code < table.size()) {
        entry = table[code];
      } else {
        EXPECT_EQ(code, table.size());
        entry = last;
        entry.push_back(last.at(0));
      }
      indices.insert(indices.end(), entry.begin(), entry.end());
      if (!last.empty() && table.size() < 4096) {
        last.push_back(entry[0]);
        table.push_back(last);
        if (table.size() == 1u << bits && bits < 12) ++bits;
      }
      last = entry;
    }
    EXPECT_EQ(indices.size(), static_cast<std::size_t>(width * height));
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (indices[i] != clear_index) std::copy_n(palette + 3 * indices[i], 3, &shown.rgb[3 * i]);
    frames.push_back(shown);
  }
  return frames;
}

double mean_error(const Image& a, const Image& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i) sum += std::abs(a.rgb[i] - b.rgb[i]);
  return sum / static_cast<double>(a.rgb.size());
}

TEST(Png, DecodesToTheSamePixels) {
  for (const auto& [w, h] : {std::pair{1, 1}, {7, 3}, {3, 50}, {257, 129}}) {
    const Image image = sample(w, h), back = decode_png(encode_png(image));
    EXPECT_EQ(back.width, w);
    EXPECT_EQ(back.height, h);
    EXPECT_EQ(back.rgb, image.rgb);
  }
}

TEST(Png, WritesWholeFilesOnly) {
  TemporaryFolder folder;
  write_png(folder.file("a.png"), sample(20, 10));
  const auto bytes = read_bytes(folder.file("a.png"));
  EXPECT_EQ(decode_png({bytes.begin(), bytes.end()}).rgb, sample(20, 10).rgb);
  EXPECT_THROW(write_png(folder.file("none/a.png"), sample(2, 2)), FileError);
  EXPECT_THROW(write_png(folder.file("b.png"), Image{2, 2, {1, 2, 3}}), InputError);
  EXPECT_THROW(write_png(folder.file("b.png"), Image{}), InputError);
}

TEST(Gif, DecodesToNearlyTheSamePixels) {
  TemporaryFolder folder;
  GifWriter writer(folder.file("a.gif"), 160, 90, 0.04);
  for (int k = 0; k < 3; ++k) writer.add(sample(160, 90, 40 * k));
  writer.close();
  const std::vector<Image> frames = decode_gif(read_bytes(folder.file("a.gif")));
  ASSERT_EQ(frames.size(), 3u);
  // 14400 different colours in 255: cells of about 256 / 255^(1/3) = 40 levels, a quarter of that on average.
  for (int k = 0; k < 3; ++k) EXPECT_LT(mean_error(frames[static_cast<std::size_t>(k)], sample(160, 90, 40 * k)), 12.0) << k;
}

TEST(Gif, FewColoursAreExactAndStillPicturesCostNothing) {
  TemporaryFolder folder;
  Image image{300, 200, std::vector<std::uint8_t>(300 * 200 * 3)};
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) image.rgb[i] = static_cast<std::uint8_t>(i / 3 % 7 * 30), image.rgb[i + 1] = 80, image.rgb[i + 2] = 9;
  GifWriter writer(folder.file("a.gif"), 300, 200, 0.1);
  writer.add(image);
  writer.add(image);
  EXPECT_EQ(writer.frames(), 2);
  writer.close();
  const auto frames = decode_gif(read_bytes(folder.file("a.gif")));
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].rgb, image.rgb);
  EXPECT_EQ(frames[1].rgb, image.rgb);
}

TEST(Gif, RefusesBadInput) {
  TemporaryFolder folder;
  EXPECT_THROW(GifWriter(folder.file("a.gif"), 0, 10, 0.1), InputError);
  EXPECT_THROW(GifWriter(folder.file("a.gif"), 10, 70000, 0.1), InputError);
  EXPECT_THROW(GifWriter(folder.file("a.gif"), 10, 10, std::nan("")), InputError);
  EXPECT_THROW(GifWriter(folder.file("none/a.gif"), 10, 10, 0.1), FileError);
  GifWriter writer(folder.file("a.gif"), 10, 10, 0.1);
  EXPECT_THROW(writer.add(sample(11, 10)), InputError);
  EXPECT_THROW(writer.close(), InputError);
  EXPECT_TRUE(read_bytes(folder.file("a.gif")).empty());
}

}  // namespace
}  // namespace scree::io
