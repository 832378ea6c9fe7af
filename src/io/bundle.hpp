/// Named arrays in one run of bytes: what the viewer's page reads. Layout: docs/results_format.md, "On the wire".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace scree::io {

class Bundle {
 public:
  /// `facts`: what is not an array, as the text of a JSON object.
  explicit Bundle(std::string facts = "{}") : facts_(std::move(facts)) {}

  /// Add an array of rows of `width` numbers. Value: double, float, int32, int16, uint16 or uint8.
  template <class Value>
  void add(const std::string& name, std::span<const Value> values, int width = 1) {
    add_bytes(name, type_name<Value>(), values.data(), values.size() * sizeof(Value), values.size(), width);
  }
  template <class Value>
  void add(const std::string& name, const std::vector<Value>& values, int width = 1) {
    add(name, std::span<const Value>(values), width);
  }

  /// Head, facts and arrays as one text of bytes.
  [[nodiscard]] std::string bytes() const;

 private:
  template <class Value>
  static constexpr const char* type_name() {
    if constexpr (std::is_same_v<Value, double>) return "f8";
    else if constexpr (std::is_same_v<Value, float>) return "f4";
    else if constexpr (std::is_same_v<Value, std::int32_t>) return "i4";
    else if constexpr (std::is_same_v<Value, std::int16_t>) return "i2";
    else if constexpr (std::is_same_v<Value, std::uint16_t>) return "u2";
    else {
      static_assert(std::is_same_v<Value, std::uint8_t>);
      return "u1";
    }
  }
  void add_bytes(const std::string& name, const char* type, const void* data, std::size_t size, std::size_t count, int width);

  std::string facts_;
  std::string arrays_;  ///< descriptions, JSON
  std::string data_;
};

}  // namespace scree::io
