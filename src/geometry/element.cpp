#include "geometry/element.hpp"

namespace scree::geometry {

namespace {

constexpr ElementFace kTetrahedronFaces[] = {{{0, 2, 1, -1}, 3}, {{0, 1, 3, -1}, 3}, {{1, 2, 3, -1}, 3}, {{2, 0, 3, -1}, 3}};
constexpr ElementFace kPyramidFaces[] = {
    {{0, 3, 2, 1}, 4}, {{0, 1, 4, -1}, 3}, {{1, 2, 4, -1}, 3}, {{2, 3, 4, -1}, 3}, {{3, 0, 4, -1}, 3}};
constexpr ElementFace kWedgeFaces[] = {
    {{0, 2, 1, -1}, 3}, {{0, 1, 4, 3}, 4}, {{1, 2, 5, 4}, 4}, {{2, 0, 3, 5}, 4}, {{3, 4, 5, -1}, 3}};
constexpr ElementFace kHexahedronFaces[] = {{{0, 3, 2, 1}, 4}, {{0, 1, 5, 4}, 4}, {{1, 2, 6, 5}, 4},
                                            {{2, 3, 7, 6}, 4}, {{3, 0, 4, 7}, 4}, {{4, 5, 6, 7}, 4}};

constexpr ElementCorner kTetrahedronCorners[] = {{0, 1, 2, 3}, {1, 2, 0, 3}, {2, 0, 1, 3}, {3, 0, 2, 1}};
constexpr ElementCorner kPyramidCorners[] = {{0, 1, 3, 4}, {1, 2, 0, 4}, {2, 3, 1, 4}, {3, 0, 2, 4}};
constexpr ElementCorner kWedgeCorners[] = {{0, 1, 2, 3}, {1, 2, 0, 4}, {2, 0, 1, 5}, {3, 5, 4, 0}, {4, 3, 5, 1}, {5, 4, 3, 2}};
constexpr ElementCorner kHexahedronCorners[] = {{0, 1, 3, 4}, {1, 2, 0, 5}, {2, 3, 1, 6}, {3, 0, 2, 7},
                                                {4, 7, 5, 0}, {5, 4, 6, 1}, {6, 5, 7, 2}, {7, 6, 4, 3}};

}  // namespace

const char* element_name(int nodes) {
  return nodes == 4 ? "tetrahedron" : nodes == 5 ? "pyramid" : nodes == 6 ? "wedge" : "hexahedron";
}

std::span<const ElementFace> element_faces(int nodes) {
  switch (nodes) {
    case 4: return kTetrahedronFaces;
    case 5: return kPyramidFaces;
    case 6: return kWedgeFaces;
    case 8: return kHexahedronFaces;
    default: return {};
  }
}

std::span<const ElementCorner> element_corners(int nodes) {
  switch (nodes) {
    case 4: return kTetrahedronCorners;
    case 5: return kPyramidCorners;
    case 6: return kWedgeCorners;
    case 8: return kHexahedronCorners;
    default: return {};
  }
}

std::span<const int> element(const Mesh& mesh, int e) {
  return std::span<const int>(mesh.element_nodes).subspan(mesh.element_start[e], mesh.element_start[e + 1] - mesh.element_start[e]);
}

}  // namespace scree::geometry
