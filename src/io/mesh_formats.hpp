/// The formats behind read_mesh(), one source file each.
#pragma once

#include "geometry/shape.hpp"
#include "io/mesh_text.hpp"

namespace scree::io {

/// By the ending of the text's path.
[[nodiscard]] geometry::Mesh read_mesh(MeshText& text);

[[nodiscard]] geometry::Mesh read_gmsh(MeshText& text);
[[nodiscard]] geometry::Mesh read_vtu_mesh(MeshText& text);
[[nodiscard]] geometry::Mesh read_abaqus(MeshText& text);
[[nodiscard]] geometry::Mesh read_stl(MeshText& text);

}  // namespace scree::io
