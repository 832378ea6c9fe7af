/// Node numbering of the four element kinds. Nodes 0-1-2(-3) go counter-clockwise around the bottom seen
/// from the top; the top follows in the same order.
///
///   4 nodes  tetrahedron  0 1 2 base, 3 apex
///   5 nodes  pyramid      0 1 2 3 base, 4 apex
///   6 nodes  wedge        0 1 2 bottom, 3 4 5 top
///   8 nodes  hexahedron   0 1 2 3 bottom, 4 5 6 7 top
#pragma once

#include <array>
#include <span>

#include "geometry/shape.hpp"

namespace scree::geometry {

/// A face by local node numbers, counter-clockwise seen from outside; triangles use three of the four.
struct ElementFace {
  std::array<int, 4> node;
  int size;
  [[nodiscard]] std::span<const int> nodes() const { return {node.data(), static_cast<std::size_t>(size)}; }
};

/// Node of an element with its three neighbours, right-handed: (b-a) x (c-a) . (d-a) > 0 in a sound element.
using ElementCorner = std::array<int, 4>;

[[nodiscard]] constexpr bool is_element_size(int nodes) { return nodes == 4 || nodes == 5 || nodes == 6 || nodes == 8; }

/// "tetrahedron", "pyramid", "wedge", "hexahedron".
[[nodiscard]] const char* element_name(int nodes);

/// Faces of the element with that many nodes (4, 5, 6 or 8): bottom, sides, top.
[[nodiscard]] std::span<const ElementFace> element_faces(int nodes);

/// Corners where exactly three edges meet (a pyramid's apex has none).
[[nodiscard]] std::span<const ElementCorner> element_corners(int nodes);

/// Nodes of element e of a mesh.
[[nodiscard]] std::span<const int> element(const Mesh& mesh, int e);

}  // namespace scree::geometry
