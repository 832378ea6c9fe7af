#include "io/render_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "core/vec.hpp"
#include "io/render_font.hpp"

namespace scree::io {
namespace {

constexpr double kSpacing = 2.2;  // between letters, font units
constexpr double kUnits = 10.0;   // height of capitals, font units

struct Stroke {
  Vec2 from, to;
};

std::vector<Stroke> parse(const char* text) {
  std::vector<Stroke> strokes;
  const auto number = [&] {
    while (*text == ' ' || *text == ',') ++text;
    double value = 0.0;
    text = std::from_chars(text, text + std::char_traits<char>::length(text), value).ptr;
    return value;
  };
  while (*text) {
    const char kind = *text++;
    if (kind == 'L') {
      Vec2 last(number(), 0.0);
      last.y() = number();
      while (*text == ' ') {
        Vec2 next(number(), 0.0);
        next.y() = number();
        strokes.push_back({last, next});
        last = next;
      }
    } else {
      const double cx = number(), cy = number(), rx = number(), ry = number(), from = number(), to = number();
      const int parts = 2 + static_cast<int>(std::abs(to - from) / 15.0);
      const auto at = [&](int k) {
        const double a = (from + (to - from) * k / parts) * kPi / 180.0;
        return Vec2(cx + rx * std::cos(a), cy + ry * std::sin(a));
      };
      for (int k = 0; k < parts; ++k) strokes.push_back({at(k), at(k + 1)});
    }
    if (*text == ';') ++text;
  }
  return strokes;
}

struct Letter {
  double width = 0.0;
  std::vector<Stroke> strokes;
};

const Letter& letter(char c) {
  static const std::vector<Letter> letters = [] {
    std::vector<Letter> all;
    for (const Glyph& glyph : kGlyphs) all.push_back({glyph.width, parse(glyph.strokes)});
    return all;
  }();
  const int index = static_cast<unsigned char>(c) - 32;
  return letters[static_cast<std::size_t>(index >= 0 && index < static_cast<int>(letters.size()) ? index : '?' - 32)];
}

double distance(const Stroke& s, const Vec2& p) {
  const Vec2 along = s.to - s.from, toward = p - s.from;
  const double length = along.squaredNorm();
  const double t = length > 0.0 ? std::clamp(toward.dot(along) / length, 0.0, 1.0) : 0.0;
  return (toward - t * along).norm();
}

// Visit every pixel near a letter with its distance (pixels) to the strokes.
template <class Visit>
void visit_letter(const Image& image, double x, double y, const Letter& shape, double scale, double reach, Visit&& visit) {
  const int left = std::max(0, static_cast<int>(std::floor(x - reach - 2.0 * scale)));
  const int right = std::min(image.width - 1, static_cast<int>(std::ceil(x + shape.width * scale + reach)));
  const int top = std::max(0, static_cast<int>(std::floor(y - 11.0 * scale - reach)));
  const int bottom = std::min(image.height - 1, static_cast<int>(std::ceil(y + 3.0 * scale + reach)));
  for (int py = top; py <= bottom; ++py)
    for (int px = left; px <= right; ++px) {
      const Vec2 p((px + 0.5 - x) / scale, (y - py - 0.5) / scale);
      double nearest = kInfinity;
      for (const Stroke& stroke : shape.strokes) nearest = std::min(nearest, distance(stroke, p));
      visit(px, py, nearest * scale);
    }
}

}  // namespace

double text_width(std::string_view text, const TextStyle& style) {
  double units = 0.0;
  for (const char c : text) units += letter(c).width + kSpacing;
  return text.empty() ? 0.0 : (units - kSpacing) * style.height / kUnits;
}

void blend(Image& image, int x, int y, const Rgb8& colour, double opacity) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height) return;
  std::uint8_t* p = image.pixel(x, y);
  for (std::size_t k = 0; k < 3; ++k) p[k] = static_cast<std::uint8_t>(std::lround(p[k] + opacity * (colour[k] - p[k])));
}

void draw_text(Image& image, double x, double y, std::string_view text, const TextStyle& style) {
  const double scale = style.height / kUnits, half = 0.5 * style.weight * style.height;
  const auto pass = [&](double radius, double strength, const Rgb8& colour) {
    double pen = x;
    for (const char c : text) {
      const Letter& shape = letter(c);
      visit_letter(image, pen, y, shape, scale, radius + 1.0, [&](int px, int py, double d) {
        const double cover = std::clamp(radius + 0.5 - d, 0.0, 1.0);
        if (cover > 0.0) blend(image, px, py, colour, strength * cover);
      });
      pen += (shape.width + kSpacing) * scale;
    }
  };
  if (style.halo > 0.0) pass(half + style.halo, 0.55, {252, 252, 253});
  pass(half, 1.0, style.colour);
}

}  // namespace scree::io
