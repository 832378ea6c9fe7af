// Any bytes as an FCLIB file: the reader must return a valid problem or throw FileError.
#include "hdf5_target.hpp"

#include "core/error.hpp"
#include "io/fclib.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  with_file(bytes, size, "fclib", [](const std::string& path) {
    try {
      scree::io::read_fclib(path).problem.validate();
    } catch (const scree::FileError&) {
    }
  });
  return 0;
}
