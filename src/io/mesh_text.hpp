/// Walks through the bytes of a mesh file; every error names the place.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace scree::io {

class MeshText {
 public:
  /// The whole file. FileError when it is missing, unreadable or larger than 4 GB.
  explicit MeshText(std::string path);
  /// Bytes at hand; `name` stands for the path in messages.
  MeshText(std::string name, std::string bytes) : path_(std::move(name)), bytes_(std::move(bytes)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string_view all() const { return bytes_; }
  [[nodiscard]] bool at_end() const { return at_ >= bytes_.size(); }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  [[nodiscard]] int line() const { return line_; }

  /// The rest of the current line without its end; moves to the next.
  std::string_view next_line();
  /// Next word between blanks; empty at the end of the file.
  std::string_view word();
  /// Next word as a number; `what` is for the message.
  std::int64_t integer(const char* what, std::int64_t low, std::int64_t high);
  double real(const char* what);
  /// A count of things that take at least `least` bytes each: never more than the file can hold.
  std::size_t count(const char* what, std::size_t least = 2);

  /// Binary value in the byte order of this machine.
  template <class Value>
  Value binary(const char* what) {
    Value value;
    if (left() < sizeof(Value)) fail("the file ends within {}: it is truncated, write it again", what);
    std::memcpy(&value, bytes_.data() + at_, sizeof(Value));
    at_ += sizeof(Value);
    return value;
  }
  void check_count(const char* what, std::uint64_t count, std::size_t least);

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw FileError(fmt::format("{}:{}: {}", path_, line_, fmt::format(text, std::forward<Args>(args)...)));
  }

 private:
  std::string path_, bytes_;
  std::size_t at_ = 0;
  int line_ = 1;
};

/// Number in a piece of text; false when it is none.
[[nodiscard]] bool parse(std::string_view text, std::int64_t& value);
[[nodiscard]] bool parse(std::string_view text, double& value);
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// Up to 30 printable characters of hostile text, for messages.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace scree::io
