/// A dataset that grows by rows: the building block of results files.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "io/hdf5.hpp"

namespace scree::io {

enum class Number : std::uint8_t { real64, real32, int64, int32, byte };

/// The number a C++ type is stored as.
template <class Value>
constexpr Number number_of() {
  if constexpr (std::is_same_v<Value, double>) return Number::real64;
  else if constexpr (std::is_same_v<Value, float>) return Number::real32;
  else if constexpr (std::is_same_v<Value, std::int64_t>) return Number::int64;
  else if constexpr (std::is_same_v<Value, std::int32_t>) return Number::int32;
  else {
    static_assert(sizeof(Value) == 1);
    return Number::byte;
  }
}

/// What a column holds.
struct ColumnSpec {
  const char* group;
  const char* name;
  Number type;
  int width;  ///< numbers a row; 1: the dataset is one-dimensional
};

class Column {
 public:
  Column() = default;
  /// Create with chunks of about `chunk_bytes`; deflate compresses (with shuffle) when `compress`.
  static Column create(const h5::Node& group, const ColumnSpec& spec, std::size_t chunk_bytes, bool compress);
  /// Open an existing one; FileError when shape or type disagree with the spec.
  static Column open(const h5::Node& group, const ColumnSpec& spec);

  /// Including those not flushed yet.
  [[nodiscard]] std::int64_t rows() const { return rows_; }

  /// Add rows at the end; the size must be a multiple of the width. Few rows wait in memory for flush().
  template <class Value>
  void append(std::span<const Value> values) {
    require_type(number_of<Value>());
    append_raw(values.data(), values.size() / static_cast<std::size_t>(spec_.width));
  }
  template <class Value>
  void append(const std::vector<Value>& values) {
    append(std::span<const Value>(values));
  }
  template <class Value>
  void append_one(const Value& value) {
    require_type(number_of<Value>());
    append_raw(&value, 1);
  }
  /// Replace one row of a column of width 1.
  template <class Value>
  void replace(std::int64_t row, const Value& value) {
    require_type(number_of<Value>());
    flush();
    require(row, row + 1);
    transfer(row, 1, const_cast<Value*>(&value), true);
  }
  /// Rows [first, last), which must exist and be flushed (FileError otherwise).
  template <class Value>
  [[nodiscard]] std::vector<Value> read(std::int64_t first, std::int64_t last) const {
    require_type(number_of<Value>());
    require(first, last);
    std::vector<Value> values(static_cast<std::size_t>((last - first) * spec_.width));
    if (last > first) const_cast<Column*>(this)->transfer(first, last - first, values.data(), false);
    return values;
  }
  template <class Value>
  [[nodiscard]] std::vector<Value> read_all() const {
    return read<Value>(0, rows_);
  }
  /// Forget rows beyond `rows`.
  void truncate(std::int64_t rows);
  /// Hand waiting rows to HDF5.
  void flush();

 private:
  void require_type(Number given) const {
    if (given != spec_.type) throw std::logic_error("column " + name_ + " holds another type of number");
  }
  void append_raw(const void* values, std::size_t count);
  void transfer(std::int64_t first, std::int64_t count, void* values, bool write);
  void require(std::int64_t first, std::int64_t last) const;
  void set_stored(std::int64_t rows);

  ColumnSpec spec_{"", "", Number::real64, 1};
  std::string file_, name_;
  h5::Id data_;
  std::int64_t rows_ = 0, stored_ = 0;  ///< all rows, and those HDF5 has
  std::vector<char> waiting_;
};

}  // namespace scree::io
