/// Thin RAII over the HDF5 C library, for files nobody has checked yet.
///
/// Every reader here verifies kind, type, rank and size before it allocates, follows no link out of the
/// file, and fails with a FileError that names file and object. HDF5's own error printing is silenced.
/// Debian's HDF5 is not thread-safe: of everything in io/, one thread at a time.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace scree::io::h5 {

/// Owner of one HDF5 identifier. Invalid ids (< 0) are never closed.
class Id {
 public:
  using Close = herr_t (*)(hid_t);

  Id() = default;
  Id(hid_t id, Close close) : id_(id), close_(close) {}
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, -1);
      close_ = other.close_;
    }
    return *this;
  }
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  ~Id() { reset(); }

  void reset() {
    if (id_ >= 0) close_(id_);
    id_ = -1;
  }
  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// A file or a group in it, with the names error messages need.
struct Node {
  Id id;
  std::string file;  ///< path of the file on disk
  std::string name;  ///< path inside the file, "" for the root

  [[nodiscard]] std::string child(const std::string& part) const { return name + "/" + part; }
};

/// Stop HDF5 from printing its error stack.
void silence();

/// Create or replace a file.
[[nodiscard]] Node create_file(const std::string& path, const Id& access_properties = {});

[[nodiscard]] bool has(const Node& parent, const std::string& name);
/// False also for a dataset that was created but never written.
[[nodiscard]] bool is_written(const Node& parent, const std::string& name);
/// FileError when the group is missing, not a group, or a link to another file.
[[nodiscard]] Node open_group(const Node& parent, const std::string& name);
[[nodiscard]] Node create_group(const Node& parent, const std::string& name);

/// An open dataset whose extent is known to fit what the file can hold.
struct Dataset {
  Id id;
  std::string file, name;
  H5T_class_t type = H5T_NO_CLASS;
  std::vector<hsize_t> extent;  ///< empty for a scalar

  [[nodiscard]] hsize_t count() const;
  [[nodiscard]] hsize_t rows() const { return extent.empty() ? 1 : extent[0]; }
};

/// FileError when it is missing, not a dataset, stored outside the file, or claims more elements than its
/// storage can possibly hold.
[[nodiscard]] Dataset open_dataset(const Node& parent, const std::string& name);

/// All elements, in row-major order. `expected` >= 0 demands that many. FileError otherwise, or for the
/// wrong class of type.
[[nodiscard]] std::vector<double> read_reals(const Node& parent, const std::string& name, std::ptrdiff_t expected = -1);
[[nodiscard]] std::vector<std::int64_t> read_integers(const Node& parent, const std::string& name, std::ptrdiff_t expected = -1);
/// Integers that fit into an int; larger ones are cut to its range: for arrays that a checksum covers.
[[nodiscard]] std::vector<int> read_small(const Node& parent, const std::string& name);
[[nodiscard]] std::string read_bytes(const Node& parent, const std::string& name);
/// One integer within [low, high].
[[nodiscard]] std::int64_t read_integer(const Node& parent, const std::string& name, std::int64_t low, std::int64_t high);
/// A fixed or variable-length string, cut at the first zero byte; at most one megabyte.
[[nodiscard]] std::string read_text(const Node& parent, const std::string& name);

/// FileError naming the first entry that is not finite.
void require_finite(const Node& parent, const std::string& name, std::span<const double> values);

/// One-dimensional, or rows of `width` numbers.
void write_reals(const Node& parent, const std::string& name, std::span<const double> values, int width = 1);
void write_integers(const Node& parent, const std::string& name, std::span<const int> values);
void write_integers(const Node& parent, const std::string& name, std::span<const std::int64_t> values);
void write_integer(const Node& parent, const std::string& name, int value);
void write_bytes(const Node& parent, const std::string& name, const std::string& bytes);
void write_text(const Node& parent, const std::string& name, const std::string& text);

/// FileError naming the object unless `status` >= 0.
void check(herr_t status, const std::string& file, const std::string& name, const char* action);

}  // namespace scree::io::h5
