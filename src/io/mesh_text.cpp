#include "io/mesh_text.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace scree::io {

namespace {
constexpr std::uintmax_t kLargest = std::uintmax_t{4} << 30;
bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
}  // namespace

MeshText::MeshText(std::string path) : path_(std::move(path)) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path_, error)) throw_file("{}: there is no such file", path_);
  const std::uintmax_t size = std::filesystem::file_size(path_, error);
  if (error) throw_file("{}: cannot read: {}", path_, error.message());
  if (size > kLargest) throw_file("{}: {} bytes: meshes of up to 4 GB are read", path_, size);
  std::ifstream in(path_, std::ios::binary);
  bytes_.resize(size);
  if (!in.read(bytes_.data(), static_cast<std::streamsize>(size))) throw_file("{}: cannot read it: check its permissions", path_);
}

std::string_view MeshText::next_line() {
  const std::size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
  std::string_view text(bytes_.data() + at_, end - at_);
  at_ = std::min(end + 1, bytes_.size());
  ++line_;
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

std::string_view MeshText::word() {
  while (at_ < bytes_.size() && blank(bytes_[at_])) line_ += bytes_[at_++] == '\n' ? 1 : 0;
  const std::size_t start = at_;
  while (at_ < bytes_.size() && !blank(bytes_[at_])) ++at_;
  return {bytes_.data() + start, at_ - start};
}

std::int64_t MeshText::integer(const char* what, std::int64_t low, std::int64_t high) {
  const std::string_view text = word();
  std::int64_t value = 0;
  if (text.empty()) fail("the file ends where {} is expected: it is truncated, write it again", what);
  if (!parse(text, value)) fail("'{}' is not {}, a whole number", shown(text), what);
  if (value < low || value > high) fail("{} is {}: {} to {} are allowed", what, value, low, high);
  return value;
}

double MeshText::real(const char* what) {
  const std::string_view text = word();
  double value = 0.0;
  if (text.empty()) fail("the file ends where {} is expected: it is truncated, write it again", what);
  if (!parse(text, value)) fail("'{}' is not {}, a number", shown(text), what);
  return value;
}

std::size_t MeshText::count(const char* what, std::size_t least) {
  const std::int64_t value = integer(what, 0, std::int64_t{1} << 40);
  check_count(what, static_cast<std::uint64_t>(value), least);
  return static_cast<std::size_t>(value);
}

void MeshText::check_count(const char* what, std::uint64_t count, std::size_t least) {
  if (count > left() / least) fail("{} is {}, but the file has only {} bytes left: it is truncated or damaged, write it again", what, count, left());
}

bool parse(std::string_view text, std::int64_t& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse(std::string_view text, double& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string shown(std::string_view text) {
  std::string result;
  for (char c : text.substr(0, 30)) result += c >= 32 && c < 127 ? c : '?';
  return text.size() > 30 ? result + "..." : result;
}

}  // namespace scree::io
