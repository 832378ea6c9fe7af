// Any bytes as an FCLIB file: the reader must return a valid problem or throw FileError.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include <hdf5.h>

#include "core/error.hpp"
#include "io/fclib.hpp"

// HDF5 itself forgets some memory when it refuses a damaged file; open handles, which would be ours, are counted below.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

// A size from a damaged file that no machine has is refused by malloc, and HDF5 reports it.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::string path = "/tmp/scree_fclib_fuzz_" + std::to_string(::getpid());
  if (std::FILE* file = std::fopen(path.c_str(), "wb")) {
    std::fwrite(bytes, 1, size, file);
    std::fclose(file);
  }
  try {
    scree::io::read_fclib(path).problem.validate();
  } catch (const scree::FileError&) {
  }
  std::remove(path.c_str());
  // Nothing of the file may stay open, whatever was wrong with it.
  if (H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL) != 0) std::abort();
  return 0;
}
