#include "io/mesh_reader.hpp"

#include <algorithm>
#include <filesystem>

#include "io/mesh_formats.hpp"

namespace scree::io {

namespace {

using Reader = geometry::Mesh (*)(MeshText&);

Reader reader_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".msh") return read_gmsh;
  if (ending == ".vtu") return read_vtu_mesh;
  if (ending == ".inp") return read_abaqus;
  if (ending == ".stl") return read_stl;
  throw_file("{}: the ending '{}' is unknown: .msh (Gmsh), .vtu (VTK), .inp (Abaqus) and .stl are read", path, shown(ending));
}

}  // namespace

geometry::Mesh read_mesh(MeshText& text) { return reader_of(text.path())(text); }

geometry::Mesh read_mesh(const std::string& path) {
  const Reader reader = reader_of(path);
  MeshText text(path);
  return reader(text);
}

}  // namespace scree::io
