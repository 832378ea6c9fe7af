/// Who is behind each face of a mesh.
#pragma once

#include <string_view>
#include <vector>

#include "geometry/shape.hpp"

namespace scree::geometry {

struct MeshFace {
  int element;         ///< the face belongs to
  int face;            ///< local number, as in element_faces()
  int neighbour = -1;  ///< element on the other side, -1 on the boundary
  int surface = 0;     ///< surface id: the mesh's own unless the face is listed
};

/// All faces of all elements, element by element, in the order of element_faces(). InputError when three
/// elements share a face, two lie on the same side of it, or a listed face is not on the boundary.
[[nodiscard]] std::vector<MeshFace> mesh_faces(const Mesh& mesh, std::string_view what = "MESH");

}  // namespace scree::geometry
