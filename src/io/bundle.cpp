#include "io/bundle.hpp"

#include <fmt/format.h>

namespace scree::io {
namespace {

constexpr char kMagic[] = "SCREEBUN";
constexpr std::size_t kAlign = 8;

std::size_t padding(std::size_t size) { return (kAlign - size % kAlign) % kAlign; }

}  // namespace

void Bundle::add_bytes(const std::string& name, const char* type, const void* data, std::size_t size, std::size_t count, int width) {
  arrays_ += fmt::format(R"({}"{}":{{"type":"{}","offset":{},"rows":{},"width":{}}})", arrays_.empty() ? "" : ",", name, type, data_.size(),
                         count / static_cast<std::size_t>(width), width);
  data_.append(static_cast<const char*>(data), size);
  data_.append(padding(size), '\0');
}

std::string Bundle::bytes() const {
  std::string text = fmt::format(R"({{"facts":{},"arrays":{{{}}}}})", facts_, arrays_);
  text.append(padding(text.size()), ' ');
  const auto size = static_cast<std::uint64_t>(text.size());
  std::string all;
  all.reserve(16 + text.size() + data_.size());
  all.append(kMagic, 8);
  all.append(reinterpret_cast<const char*>(&size), 8);
  all += text;
  all += data_;
  return all;
}

}  // namespace scree::io
