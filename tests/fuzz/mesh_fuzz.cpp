// Any bytes as a mesh file of each format: the reader must return a sound mesh or throw FileError. STL surfaces that pass would start a mesher, so
// they are left out.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "geometry/build.hpp"
#include "io/mesh_formats.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  for (const char* name : {"fuzz.msh", "fuzz.vtu", "fuzz.inp"}) {
    try {
      scree::io::MeshText text(name, std::string(reinterpret_cast<const char*>(bytes), size));
      scree::geometry::check_mesh(scree::io::read_mesh(text));
    } catch (const scree::FileError&) {
    }
  }
  return 0;
}
