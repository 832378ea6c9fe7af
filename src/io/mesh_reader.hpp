/// Volume meshes from files of other programs.
#pragma once

#include <string>

#include "geometry/shape.hpp"

namespace scree::io {

/// Read a mesh by the ending of its name: .msh (Gmsh 2.2 and 4.1, text or binary), .vtu (VTK unstructured grid), .inp (Abaqus solids), .stl (closed
/// surface, filled with tetrahedra by the program tetgen or gmsh, whichever is installed).
///
/// Volume ids are physical groups (Gmsh), the cell array "volume" (also "gmsh:physical", "CellEntityIds", "material") or 0 (VTU), element sets
/// counted from 1 in order of appearance (Abaqus), 0 (STL). Surface ids are physical groups of triangles and quadrilaterals (Gmsh), the same cell
/// array on such cells (VTU), surfaces counted from 1 (Abaqus), solids counted from 0 (STL); 0 elsewhere. Faces between two elements are not on the
/// boundary and lose their id. Of second-order elements the corners are kept. Elements numbered inside out are turned.
///
/// FileError names the file, the line (or byte), what is wrong and what to do; nothing about the file is trusted.
[[nodiscard]] geometry::Mesh read_mesh(const std::string& path);

}  // namespace scree::io
