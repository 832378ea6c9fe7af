// Any bytes as an FCLIB file: the reader must return a valid problem or throw FileError.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "core/error.hpp"
#include "io/fclib.hpp"

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
  return 0;
}
