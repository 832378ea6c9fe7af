#include "io/column.hpp"

#include <algorithm>

namespace scree::io {
namespace {

hid_t memory_type(Number number) {
  switch (number) {
    case Number::real64: return H5T_NATIVE_DOUBLE;
    case Number::real32: return H5T_NATIVE_FLOAT;
    case Number::int64: return H5T_NATIVE_INT64;
    case Number::int32: return H5T_NATIVE_INT32;
    case Number::byte: return H5T_NATIVE_UINT8;
  }
  return -1;
}

// Files are little-endian on every machine.
hid_t file_type(Number number) {
  switch (number) {
    case Number::real64: return H5T_IEEE_F64LE;
    case Number::real32: return H5T_IEEE_F32LE;
    case Number::int64: return H5T_STD_I64LE;
    case Number::int32: return H5T_STD_I32LE;
    case Number::byte: return H5T_STD_U8LE;
  }
  return -1;
}

std::size_t bytes_of(Number number) {
  return number == Number::real64 || number == Number::int64 ? 8 : number == Number::byte ? 1 : 4;
}

constexpr std::size_t kMostWaiting = 256 << 10;  // bytes

}  // namespace

Column Column::create(const h5::Node& group, const ColumnSpec& spec, std::size_t chunk_bytes, bool compress) {
  Column column;
  column.spec_ = spec;
  column.file_ = group.file;
  column.name_ = group.child(spec.name);
  const auto width = static_cast<hsize_t>(spec.width);
  const int rank = spec.width == 1 ? 1 : 2;
  const hsize_t size[2] = {0, width}, most[2] = {H5S_UNLIMITED, width};
  const hsize_t chunk[2] = {std::max<hsize_t>(8, chunk_bytes / (bytes_of(spec.type) * width)), width};
  const h5::Id space(H5Screate_simple(rank, size, most), H5Sclose), list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const h5::Id access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk(list.get(), rank, chunk);
  if (compress) {
    H5Pset_shuffle(list.get());
    H5Pset_deflate(list.get(), 1);
  }
  column.data_ = h5::Id(H5Dcreate2(group.id.get(), spec.name, file_type(spec.type), space.get(), H5P_DEFAULT, list.get(), access.get()), H5Dclose);
  h5::check(column.data_.valid() ? 0 : -1, column.file_, column.name_, "create");
  return column;
}

Column Column::open(const h5::Node& group, const ColumnSpec& spec) {
  h5::Dataset data = h5::open_dataset(group, spec.name);
  const bool integral = spec.type != Number::real64 && spec.type != Number::real32;
  const std::size_t rank = spec.width == 1 ? 1 : 2;
  const h5::Id type(H5Dget_type(data.id.get()), H5Tclose);
  if (data.type != (integral ? H5T_INTEGER : H5T_FLOAT) || H5Tget_size(type.get()) != bytes_of(spec.type) || data.extent.size() != rank || (rank == 2 && data.extent[1] != static_cast<hsize_t>(spec.width)))
    throw_file("{}: '{}' must hold rows of {} {} of {} bytes", data.file, data.name, spec.width, integral ? "integers" : "reals", bytes_of(spec.type));
  Column column;
  column.spec_ = spec;
  column.file_ = data.file;
  column.name_ = data.name;
  column.rows_ = column.stored_ = static_cast<std::int64_t>(data.rows());
  column.data_ = std::move(data.id);
  return column;
}

void Column::require(std::int64_t first, std::int64_t last) const {
  if (first < 0 || last < first || last > stored_)
    throw_file("{}: '{}' has {} rows, rows {} to {} are asked for; the file is damaged", file_, name_, stored_, first, last);
}

void Column::set_stored(std::int64_t rows) {
  const hsize_t size[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(spec_.width)};
  h5::check(H5Dset_extent(data_.get(), size), file_, name_, "resize");
  stored_ = rows;
}

void Column::truncate(std::int64_t rows) {
  flush();
  if (rows < stored_) set_stored(rows);
  rows_ = stored_;
}

void Column::append_raw(const void* values, std::size_t count) {
  if (count == 0) return;
  const std::size_t bytes = count * static_cast<std::size_t>(spec_.width) * bytes_of(spec_.type);
  const char* first = static_cast<const char*>(values);
  rows_ += static_cast<std::int64_t>(count);
  if (waiting_.size() + bytes <= kMostWaiting) {
    waiting_.insert(waiting_.end(), first, first + bytes);
    return;
  }
  // Large blocks go to HDF5 without a copy.
  const std::int64_t last = rows_;
  rows_ -= static_cast<std::int64_t>(count);
  flush();
  const std::int64_t start = stored_;
  set_stored(last);
  rows_ = last;
  transfer(start, static_cast<std::int64_t>(count), const_cast<void*>(values), true);
}

void Column::flush() {
  if (waiting_.empty()) return;
  const std::int64_t start = stored_;
  set_stored(rows_);
  transfer(start, rows_ - start, waiting_.data(), true);
  waiting_.clear();
}

void Column::transfer(std::int64_t first, std::int64_t count, void* values, bool write) {
  const auto width = static_cast<hsize_t>(spec_.width);
  const int rank = spec_.width == 1 ? 1 : 2;
  const hsize_t start[2] = {static_cast<hsize_t>(first), 0}, size[2] = {static_cast<hsize_t>(count), width};
  const h5::Id space(H5Dget_space(data_.get()), H5Sclose), memory(H5Screate_simple(rank, size, nullptr), H5Sclose);
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, size, nullptr);
  const hid_t type = memory_type(spec_.type);
  const herr_t status = write ? H5Dwrite(data_.get(), type, memory.get(), space.get(), H5P_DEFAULT, values)
                              : H5Dread(data_.get(), type, memory.get(), space.get(), H5P_DEFAULT, values);
  h5::check(status, file_, name_, write ? "write" : "read");
}

}  // namespace scree::io
