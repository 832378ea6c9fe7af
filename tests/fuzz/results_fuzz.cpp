// Any bytes as a results file: the reader must give frames that fit together or throw FileError.
#include "hdf5_target.hpp"

#include "core/error.hpp"
#include "io/results.hpp"
#include "io/world_surface.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  with_file(bytes, size, "results", [](const std::string& path) {
    try {
      const scree::io::ResultsReader reader(path);
      (void)reader.steps();
      for (std::int64_t k = 0; k < reader.frames() && k < 10; ++k) (void)scree::io::world_surface(reader, reader.frame(k), true);
    } catch (const scree::FileError&) {
    }
  });
  return 0;
}
