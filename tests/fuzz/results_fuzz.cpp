// Any bytes as a results file: the reader must give frames that fit together or throw FileError.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "core/error.hpp"
#include "io/results.hpp"
#include "io/world_surface.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::string path = "/tmp/scree_results_fuzz_" + std::to_string(::getpid());
  if (std::FILE* file = std::fopen(path.c_str(), "wb")) {
    std::fwrite(bytes, 1, size, file);
    std::fclose(file);
  }
  try {
    const scree::io::ResultsReader reader(path);
    (void)reader.steps();
    for (std::int64_t k = 0; k < reader.frames() && k < 10; ++k) (void)scree::io::world_surface(reader, reader.frame(k), true);
  } catch (const scree::FileError&) {
  }
  std::remove(path.c_str());
  return 0;
}
