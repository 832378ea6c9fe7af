/// Shapes: unions of convex pieces (sphere, ellipsoid, convex polyhedron). Lengths in metres,
/// referential coordinates. A volumetric mesh contributes one polyhedron an element.
#pragma once

#include <array>
#include <variant>
#include <vector>

#include "core/vec.hpp"

namespace scree::geometry {

struct Sphere {
  Vec3 center = Vec3::Zero();
  double radius = 1.0;
};

/// { center + axes diag(radii) s : |s| <= 1 }, axes orthonormal columns.
struct Ellipsoid {
  Vec3 center = Vec3::Zero();
  Vec3 radii = Vec3::Ones();
  Mat3 axes = Mat3::Identity();
};

/// Convex polyhedron. Face f has the vertices face_vertices[face_start[f] .. face_start[f+1]),
/// counter-clockwise seen from outside. Faces of mesh elements need not be exactly planar; the planes
/// are then least-squares planes through their vertices.
struct Polyhedron {
  std::vector<Vec3> vertices;
  std::vector<int> face_start{0};
  std::vector<int> face_vertices;
  std::vector<int> face_surface;    ///< surface id of each face
  std::vector<int> face_neighbour;  ///< piece of the same shape behind the face, -1 on the boundary
  std::vector<Vec3> face_normal;    ///< unit, outward
  std::vector<double> face_offset;  ///< n . x = offset on the face
  std::vector<std::array<int, 2>> edges;       ///< vertex pairs, each once, low index first
  std::vector<std::array<int, 2>> edge_faces;  ///< the two faces that meet in each edge

  [[nodiscard]] int faces() const { return static_cast<int>(face_surface.size()); }
  [[nodiscard]] int face_size(int f) const { return face_start[f + 1] - face_start[f]; }
  [[nodiscard]] int face_vertex(int f, int k) const { return face_vertices[face_start[f] + k]; }
};

/// One convex piece of a body.
struct Piece {
  std::variant<Sphere, Ellipsoid, Polyhedron> form;
  int volume_id = 0;
  int surface_id = 0;  ///< of spheres and ellipsoids; polyhedra carry one a face

  [[nodiscard]] Box bounds() const;
  [[nodiscard]] double volume() const;
  /// Boundary included, to rounding. Mesh elements with warped faces are judged by their fitted planes.
  [[nodiscard]] bool contains(const Vec3& point) const;
};

/// Mesh of tetrahedra (4 nodes), pyramids (5), wedges (6) and hexahedra (8), mixed at will.
struct Mesh {
  std::vector<Vec3> nodes;
  std::vector<int> element_start{0};  ///< element e has nodes element_nodes[element_start[e] .. element_start[e+1])
  std::vector<int> element_nodes;
  std::vector<int> element_volume;    ///< volume id of each element
  int surface_id = 0;                 ///< of boundary faces not listed below
  std::vector<std::vector<int>> faces;  ///< boundary faces with their own surface id: their nodes
  std::vector<int> face_surface;

  [[nodiscard]] int elements() const { return static_cast<int>(element_volume.size()); }
};

/// A body's shape. `adjacent[p]` lists the pieces that share a node with piece p (mesh elements only).
struct Shape {
  std::vector<Piece> pieces;
  std::vector<std::vector<int>> adjacent;
  std::vector<Mesh> meshes;            ///< the meshes the polyhedra came from, in order
  std::vector<int> piece_mesh;         ///< for each piece its index in `meshes`, or -1
  std::vector<int> piece_element;      ///< and its element there, or -1

  [[nodiscard]] bool empty() const { return pieces.empty(); }
  [[nodiscard]] Box bounds() const;
  /// Diameter of the bounding box: the length scale of the shape.
  [[nodiscard]] double size() const;
};

}  // namespace scree::geometry
