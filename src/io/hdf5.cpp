#include "io/hdf5.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "io/read_budget.hpp"

namespace scree::io::h5 {
namespace {

constexpr hsize_t kMaxElements = hsize_t{1} << 31;  // of one dataset read at once
constexpr hsize_t kMaxText = hsize_t{1} << 20;
constexpr hsize_t kMaxUnwritten = hsize_t{1} << 24;  // bytes of a dataset nobody wrote, read as its fill value
constexpr hsize_t kDeflateRatio = 1100;  // deflate cannot shrink by more (RFC 1951: about 1032)

// Refuse links that leave the file.
void require_inside(const Node& parent, const std::string& name) {
  H5L_info_t info;
  if (H5Lexists(parent.id.get(), name.c_str(), H5P_DEFAULT) <= 0 ||
      H5Lget_info(parent.id.get(), name.c_str(), &info, H5P_DEFAULT) < 0)
    throw_file("{}: '{}' is missing", parent.file, parent.child(name));
  if (info.type != H5L_TYPE_HARD && info.type != H5L_TYPE_SOFT)
    throw_file("{}: '{}' is a link to another file, which is not followed", parent.file, parent.child(name));
}

// HDF5 trusts that stored chunks have the size that shape and type of the dataset ask for.
void require_chunks(const Dataset& data, const Id& properties, hsize_t type_size) {
  if (H5Pget_nfilters(properties.get()) != 0) return;
  std::vector<hsize_t> chunk(std::max<std::size_t>(1, data.extent.size()));
  const int rank = H5Pget_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
  const Id space(H5Dget_space(data.id.get()), H5Sclose);
  hsize_t chunks = 0, bytes = type_size;
  bool sound = rank == static_cast<int>(data.extent.size()) && H5Dget_num_chunks(data.id.get(), space.get(), &chunks) >= 0;
  for (const hsize_t size : chunk) {
    sound = sound && size > 0 && size <= kMaxElements / bytes;
    if (sound) bytes *= size;
  }
  if (!sound || H5Dget_storage_size(data.id.get()) != chunks * bytes)
    throw_file("{}: '{}' is stored in chunks that do not fit its shape; the file is damaged", data.file, data.name);
}

// Refuse storage outside the file and extents the stored bytes cannot fill.
void require_storage(const Dataset& data) {
  const Id properties(H5Dget_create_plist(data.id.get()), H5Pclose);
  const H5D_layout_t layout = properties.valid() ? H5Pget_layout(properties.get()) : H5D_LAYOUT_ERROR;
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
    throw_file("{}: '{}' has an unsupported storage layout", data.file, data.name);
  if (layout == H5D_CONTIGUOUS && H5Pget_external_count(properties.get()) != 0)
    throw_file("{}: '{}' keeps its data in another file, which is not read", data.file, data.name);
  const Id type(H5Dget_type(data.id.get()), H5Tclose);
  const hsize_t size = type.valid() ? H5Tget_size(type.get()) : 0;
  const Id file(H5Iget_file_id(data.id.get()), H5Fclose);
  hsize_t file_size = 0;
  H5Fget_filesize(file.get(), &file_size);
  const hsize_t stored = std::min(H5Dget_storage_size(data.id.get()), file_size);
  const hsize_t most = stored == 0 ? kMaxUnwritten : layout == H5D_CHUNKED ? stored * kDeflateRatio : stored;
  if (data.count() > kMaxElements || size == 0 || size > kMaxText || data.count() * size > most)
    throw_file("{}: '{}' claims {} entries of {} bytes but stores {} bytes; the file is damaged", data.file, data.name,
               data.count(), size, stored);
  if (layout == H5D_CHUNKED) require_chunks(data, properties, size);
}

template <class Value>
std::vector<Value> read_numbers(const Node& parent, const std::string& name, std::ptrdiff_t expected, bool integral, hid_t memory_type) {
  const Dataset data = open_dataset(parent, name);
  const bool fits = data.type == H5T_INTEGER || (!integral && data.type == H5T_FLOAT);
  if (!fits) throw_file("{}: '{}' must hold {}", data.file, data.name, integral ? "integers" : "numbers");
  if (expected >= 0 && data.count() != static_cast<hsize_t>(expected))
    throw_file("{}: '{}' has {} entries, {} expected", data.file, data.name, data.count(), expected);
  ReadBudget::charge(data.file, data.name, data.count() * sizeof(Value));
  std::vector<Value> values(data.count());
  if (values.empty()) return values;
  check(H5Dread(data.id.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), data.file, data.name, "read");
  return values;
}

void write_numbers(const Node& parent, const std::string& name, hid_t type, const void* values, hsize_t count, int width = 1) {
  const hsize_t size[2] = {count / static_cast<hsize_t>(width), static_cast<hsize_t>(width)};
  const Id space(H5Screate_simple(width == 1 ? 1 : 2, size, nullptr), H5Sclose);
  const Id data(H5Dcreate2(parent.id.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  check(data.valid() ? 0 : -1, parent.file, parent.child(name), "create");
  if (count) check(H5Dwrite(data.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), parent.file, parent.child(name), "write");
}

}  // namespace

void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

void check(herr_t status, const std::string& file, const std::string& name, const char* action) {
  if (status < 0) throw_file("{}: cannot {} '{}'; the file is damaged or the disk is full", file, action, name);
}

Node create_file(const std::string& path, const Id& access_properties) {
  silence();
  if (std::filesystem::is_directory(path)) throw_file("{}: is a directory", path);
  Id id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_properties.valid() ? access_properties.get() : H5P_DEFAULT), H5Fclose);
  if (!id.valid()) throw_file("{}: cannot create it; check that the folder exists and may be written", path);
  return {std::move(id), path, ""};
}

bool has(const Node& parent, const std::string& name) { return H5Lexists(parent.id.get(), name.c_str(), H5P_DEFAULT) > 0; }

bool is_written(const Node& parent, const std::string& name) {
  return has(parent, name) && H5Dget_storage_size(open_dataset(parent, name).id.get()) > 0;
}

Node open_group(const Node& parent, const std::string& name) {
  require_inside(parent, name);
  Id id(H5Gopen2(parent.id.get(), name.c_str(), H5P_DEFAULT), H5Gclose);
  if (!id.valid()) throw_file("{}: '{}' is not a group", parent.file, parent.child(name));
  return {std::move(id), parent.file, parent.child(name)};
}

Node create_group(const Node& parent, const std::string& name) {
  Id id(H5Gcreate2(parent.id.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!id.valid()) throw_file("{}: cannot create group '{}'", parent.file, parent.child(name));
  return {std::move(id), parent.file, parent.child(name)};
}

hsize_t Dataset::count() const {
  hsize_t product = 1;
  for (const hsize_t size : extent) {
    if (size && product > kMaxElements / size) return kMaxElements + 1;
    product *= size;
  }
  return product;
}

Dataset open_dataset(const Node& parent, const std::string& name) {
  require_inside(parent, name);
  Dataset data{Id(H5Dopen2(parent.id.get(), name.c_str(), H5P_DEFAULT), H5Dclose), parent.file, parent.child(name), H5T_NO_CLASS, {}};
  if (!data.id.valid()) throw_file("{}: '{}' is not a readable dataset", data.file, data.name);
  const Id space(H5Dget_space(data.id.get()), H5Sclose);
  const Id type(H5Dget_type(data.id.get()), H5Tclose);
  const int rank = space.valid() ? H5Sget_simple_extent_ndims(space.get()) : -1;
  if (rank < 0 || rank > 3 || !type.valid() || H5Sget_simple_extent_type(space.get()) == H5S_NULL)
    throw_file("{}: '{}' has an unsupported shape", data.file, data.name);
  data.extent.resize(static_cast<std::size_t>(rank));
  if (rank > 0) H5Sget_simple_extent_dims(space.get(), data.extent.data(), nullptr);
  data.type = H5Tget_class(type.get());
  require_storage(data);
  return data;
}

std::vector<double> read_reals(const Node& parent, const std::string& name, std::ptrdiff_t expected) {
  return read_numbers<double>(parent, name, expected, false, H5T_NATIVE_DOUBLE);
}

std::vector<std::int64_t> read_integers(const Node& parent, const std::string& name, std::ptrdiff_t expected) {
  return read_numbers<std::int64_t>(parent, name, expected, true, H5T_NATIVE_INT64);
}

std::vector<int> read_small(const Node& parent, const std::string& name) { return read_numbers<int>(parent, name, -1, true, H5T_NATIVE_INT); }

std::string read_bytes(const Node& parent, const std::string& name) {
  const auto values = read_numbers<char>(parent, name, -1, true, H5T_NATIVE_UINT8);
  return {values.begin(), values.end()};
}

std::int64_t read_integer(const Node& parent, const std::string& name, std::int64_t low, std::int64_t high) {
  const std::int64_t value = read_integers(parent, name, 1)[0];
  if (value < low || value > high)
    throw_file("{}: '{}' is {}, must be within [{}, {}]", parent.file, parent.child(name), value, low, high);
  return value;
}

std::string read_text(const Node& parent, const std::string& name) {
  const Dataset data = open_dataset(parent, name);
  if (data.type != H5T_STRING || data.count() != 1) throw_file("{}: '{}' must hold one string", data.file, data.name);
  const Id type(H5Dget_type(data.id.get()), H5Tclose);
  std::string text;
  if (H5Tis_variable_str(type.get()) > 0) {
    char* pointer = nullptr;
    const Id memory(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(memory.get(), H5T_VARIABLE);
    H5Tset_cset(memory.get(), H5Tget_cset(type.get()));
    check(H5Dread(data.id.get(), memory.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer), data.file, data.name, "read");
    if (pointer) text.assign(pointer, strnlen(pointer, kMaxText));
    H5free_memory(pointer);
    return text;
  }
  text.resize(H5Tget_size(type.get()));
  check(H5Dread(data.id.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), data.file, data.name, "read");
  text.resize(strnlen(text.data(), text.size()));
  return text;
}

void require_finite(const Node& parent, const std::string& name, std::span<const double> values) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k])) throw_file("{}: '{}' entry {} is {}, must be finite", parent.file, parent.child(name), k, values[k]);
}

void write_reals(const Node& parent, const std::string& name, std::span<const double> values, int width) {
  write_numbers(parent, name, H5T_NATIVE_DOUBLE, values.data(), values.size(), width);
}
void write_integers(const Node& parent, const std::string& name, std::span<const int> values) {
  write_numbers(parent, name, H5T_NATIVE_INT, values.data(), values.size());
}
void write_integers(const Node& parent, const std::string& name, std::span<const std::int64_t> values) {
  write_numbers(parent, name, H5T_NATIVE_INT64, values.data(), values.size());
}
void write_bytes(const Node& parent, const std::string& name, const std::string& bytes) {
  write_numbers(parent, name, H5T_NATIVE_UINT8, bytes.data(), bytes.size());
}
void write_integer(const Node& parent, const std::string& name, int value) { write_integers(parent, name, std::span(&value, 1)); }

void write_text(const Node& parent, const std::string& name, const std::string& text) {
  const Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), text.size() + 1);
  const Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Id data(H5Dcreate2(parent.id.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  check(data.valid() ? 0 : -1, parent.file, parent.child(name), "create");
  check(H5Dwrite(data.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), parent.file, parent.child(name), "write");
}

}  // namespace scree::io::h5
