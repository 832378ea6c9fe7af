/// What fuzz targets of HDF5 files share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include <hdf5.h>

// HDF5 itself forgets some memory when it refuses a damaged file; open handles, which would be ours, are counted below.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

// A size from a damaged file that no machine has is refused by malloc, and HDF5 reports it.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

/// Hand the bytes to `read` as a file. Nothing of it may stay open, whatever was wrong with it.
template <class Read>
void with_file(const std::uint8_t* bytes, std::size_t size, const char* name, Read&& read) {
  static const std::string path = std::string("/tmp/scree_") + name + "_fuzz_" + std::to_string(::getpid());
  if (std::FILE* file = std::fopen(path.c_str(), "wb")) {
    std::fwrite(bytes, 1, size, file);
    std::fclose(file);
  }
  read(path);
  std::remove(path.c_str());
  if (H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL) != 0) std::abort();
}
