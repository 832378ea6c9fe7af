#include "io/journal_driver.hpp"

#include <cstring>
#include <functional>
#include <filesystem>
#include <span>

#include "io/atomic_file.hpp"

namespace scree::io::h5 {
namespace {

// HDF5 sees the first member only.
struct Driver {
  H5FD_t base;
  JournaledFile file;
  haddr_t end_of_allocation = 0;

  bool reads;

  Driver(const char* path, JournaledFile::Mode mode) : base{}, file(path, mode), reads(mode == JournaledFile::Mode::read) {}
};

Driver* driver(H5FD_t* file) { return reinterpret_cast<Driver*>(file); }
const Driver* driver(const H5FD_t* file) { return reinterpret_cast<const Driver*>(file); }

constexpr haddr_t kFarthest = HADDR_MAX / 2;
constexpr haddr_t kBeyond = 1 << 16;  ///< bytes beyond its end that a file reads as zeros: HDF5 fetches some before it knows how many it needs

/// Why the last opening in this thread was refused; empty when HDF5 itself refused it.
thread_local std::string refusal;

// No exception may pass through the C library: its words are kept for whoever asked.
H5FD_t* open(const char* name, unsigned flags, hid_t, haddr_t) {
  try {
    const bool create = (flags & H5F_ACC_TRUNC) != 0;
    if (!create && !std::filesystem::is_regular_file(name)) return nullptr;
    const auto mode = create ? JournaledFile::Mode::create : flags & H5F_ACC_RDWR ? JournaledFile::Mode::append : JournaledFile::Mode::read;
    return &(new Driver(name, mode))->base;
  } catch (const std::exception& error) {
    refusal = error.what();
    return nullptr;
  }
}

// Closing commits; flushes do not: only commit() knows when a frame is whole. HDF5 keeps using a file whose closing failed, so it never
// does here; those who must know ask commit() first.
herr_t close(H5FD_t* file) {
  Driver* d = driver(file);
  try {
    if (d->file.dirty()) static_cast<void>(d->file.commit(d->end_of_allocation));
  } catch (...) {
    // The file keeps its last state.
  }
  delete d;
  return 0;
}

// No two openings are the same file to HDF5: it would answer a second reader with the first one's old state.
int compare(const H5FD_t* a, const H5FD_t* b) { return a == b ? 0 : std::less<const H5FD_t*>()(a, b) ? -1 : 1; }

herr_t query(const H5FD_t*, unsigned long* flags) {
  // No H5FD_FEAT_ACCUMULATE_METADATA: what HDF5 accumulates it looks up by addresses that it does not check.
  if (flags) *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

// To a reader no address is beyond the end: HDF5 would shorten what it fetches there, and then look at as much as it wanted to fetch. read() knows better.
haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t) { return driver(file)->reads ? kFarthest : driver(file)->end_of_allocation; }
herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  driver(file)->end_of_allocation = address;
  return 0;
}
haddr_t get_eof(const H5FD_t* file, H5FD_mem_t) { return driver(file)->file.size(); }

herr_t get_handle(H5FD_t* file, hid_t, void** handle) {
  *handle = driver(file);
  return 0;
}

/// HDF5 1.10 adds up what a local heap says of its size and does not see when that overflows. The heap: "HEAP", version, the size of its data after 8 bytes.
bool sound_heap(const JournaledFile& from, std::span<const char> bytes) {
  if (bytes.size() < 32 || std::memcmp(bytes.data(), "HEAP", 4) != 0) return true;
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data() + 8, sizeof size);
  return size <= from.size();
}

herr_t read(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t address, size_t size, void* buffer) {
  const JournaledFile& from = driver(file)->file;
  const haddr_t end = driver(file)->reads ? from.size() : driver(file)->end_of_allocation;
  const haddr_t beyond = driver(file)->reads ? kBeyond : 0;
  if (address >= end || size > end - address + beyond) return -1;
  try {
    char* bytes = static_cast<char*>(buffer);
    return from.read(address, size, bytes) && (kind != H5FD_MEM_LHEAP || sound_heap(from, {bytes, size})) ? 0 : -1;
  } catch (...) {
    return -1;
  }
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer) {
  if (address == HADDR_UNDEF || address + size > driver(file)->end_of_allocation || address + size < address) return -1;
  // After a failure the state on disk is final. HDF5 could not even close the file if it cannot get rid of what it holds in memory.
  if (driver(file)->file.failed()) return 0;
  try {
    return driver(file)->file.write(address, size, static_cast<const char*>(buffer)) ? 0 : -1;
  } catch (...) {
    return -1;
  }
}

hid_t driver_id() {
  static const H5FD_class_t type = [] {
    H5FD_class_t t{};
#if H5_VERSION_GE(1, 13, 2)
    t.version = H5FD_CLASS_VERSION;
    t.value = static_cast<H5FD_class_value_t>(600);
#endif
    t.name = "scree_journal";
    t.maxaddr = kFarthest;
    t.fc_degree = H5F_CLOSE_WEAK;
    t.open = open;
    t.close = close;
    t.cmp = compare;
    t.query = query;
    t.get_eoa = get_eoa;
    t.set_eoa = set_eoa;
    t.get_eof = get_eof;
    t.get_handle = get_handle;
    t.read = read;
    t.write = write;
    const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), std::begin(t.fl_map));
    return t;
  }();
  static const hid_t id = H5FDregister(&type);
  return id;
}

Id journal_access() {
  silence();
  Id list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_driver(list.get(), driver_id(), nullptr);
  return list;
}

Driver& driver_of(const Node& file) {
  void* handle = nullptr;
  check(H5Fget_vfd_handle(file.id.get(), H5P_DEFAULT, &handle), file.file, "/", "reach");
  return *static_cast<Driver*>(handle);
}

}  // namespace

// A column grows at its end: of each dataset the last chunks alone are kept in memory. HDF5's own cache keeps up to a megabyte of every dataset and looks
// through all of it at every commit, so that frames would cost more and more.
static Id writing_access() {
  constexpr std::size_t kChunks = 3, kBytes = 1 << 20;
  Id access = journal_access();
  H5Pset_cache(access.get(), 0, kChunks, kBytes, 1.0);
  return access;
}

Node create_journaled(const std::string& path) {
  refusal.clear();
  try {
    Node file = create_file(path, writing_access());
    file.file = target_of(path);
    return file;
  } catch (const FileError&) {
    if (refusal.empty()) throw;
    throw FileError(refusal);
  }
}

namespace {

/// `failed`: what to say where HDF5 refuses it.
Node open_existing(const std::string& path, bool append, const char* failed) {
  const Id access = append ? writing_access() : journal_access();
  refusal.clear();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw_file("{}: no such file", path);
  if (!std::filesystem::is_regular_file(status)) throw_file("{}: not a regular file", path);
  Id id(H5Fopen(path.c_str(), append ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!id.valid() && !refusal.empty()) throw FileError(refusal);
  if (!id.valid()) throw_file("{}: {}", path, failed);
  return {std::move(id), path, ""};
}

}  // namespace

Node open_file(const std::string& path) {
  silence();
  std::error_code error;
  const bool foreign = std::filesystem::is_regular_file(path, error) && H5Fis_hdf5(path.c_str()) <= 0;
  return open_existing(path, false, foreign ? "not an HDF5 file (or not readable)" : "HDF5 cannot open it; the file is truncated, damaged or being written");
}

Node open_journaled(const std::string& path, bool append) {
  return open_existing(path, append, append ? "cannot open it as HDF5; it is truncated, damaged, or another process is writing it"
                                            : "cannot open it as HDF5; it is truncated, damaged, or holds no finished frame yet");
}

JournaledFile& journaled_file(const Node& file) { return driver_of(file).file; }

void commit(const Node& file) {
  Driver& d = driver_of(file);
  check(H5Fflush(file.id.get(), H5F_SCOPE_GLOBAL), file.file, "/", "flush");
  if (d.file.copied()) throw_file("{}: the process that opened it is writing it; one made by fork() cannot: leave it with os._exit()", file.file);
  if (!d.file.commit(d.end_of_allocation)) throw_file("{}: cannot write to disk; it keeps its last complete state", file.file);
}

}  // namespace scree::io::h5
