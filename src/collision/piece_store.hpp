/// Convex pieces of all bodies in flat arrays: referential data, current placement, tight boxes.
///
/// Pieces of one body are contiguous and keep the order of its shape; bodies are kept in the order of
/// their ids after sort(). Placing one body writes only that body's data, so that different bodies may
/// be placed from different threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/vec.hpp"
#include "geometry/shape.hpp"

namespace scree::collision {

enum class Kind : std::uint8_t { sphere, ellipsoid, polyhedron };

/// Current ellipsoid { center + axes diag(radii) s : |s| <= 1 }.
struct EllipsoidView {
  Vec3 center = Vec3::Zero();
  Mat3 axes = Mat3::Identity();
  Vec3 radii = Vec3::Ones();

  /// max over the ellipsoid of n . (x - center)  =  |diag(radii) axes^T n|.
  [[nodiscard]] double extent(const Vec3& n) const { return radii.cwiseProduct(axes.transpose() * n).norm(); }
  /// The point that attains it for a non-zero n.
  [[nodiscard]] Vec3 support(const Vec3& n) const {
    const Vec3 local = radii.cwiseProduct(axes.transpose() * n);
    return center + axes * radii.cwiseProduct(local) / local.norm();
  }
  /// Geometric mean of the two radii of curvature where the outward normal is the unit vector n.
  [[nodiscard]] double curvature_radius(const Vec3& n) const {
    const double h = extent(n);
    return radii.prod() / (h * h);
  }
  /// Radius of the largest ball that rolls inside, touching the surface anywhere.
  [[nodiscard]] double rolling_radius() const {
    const double least = radii.minCoeff();
    return least * least / radii.maxCoeff();
  }
};

/// Current polyhedron: pointers into the store, valid until bodies are added or removed.
/// Face f has the corner slots face_start[f] .. face_start[f+1); slot k starts at vertex
/// face_vertices[k] and runs along the polyhedron's edge face_edges[k].
struct PolyhedronView {
  static constexpr int kFewVertices = 24;  // all are tried sooner than climbed over
  const Vec3* vertices = nullptr;
  const Vec3* normals = nullptr;    ///< unit, outward
  const double* offsets = nullptr;  ///< normal . x on the face
  const int* face_start = nullptr;
  const int* face_vertices = nullptr;
  const int* face_edges = nullptr;
  const int* face_surface = nullptr;
  const std::uint8_t* face_interior = nullptr;  ///< 1 where another piece of the body lies behind
  const int* vertex_start = nullptr;  ///< faces around vertex v: vertex_faces[vertex_start[v]] .. [vertex_start[v + 1])
  const int* vertex_faces = nullptr;
  const int* vertex_next = nullptr;  ///< the other end of the edge that leaves v in each of these faces: every neighbour of v once
  const std::array<int, 2>* edges = nullptr;
  const std::array<int, 2>* edge_faces = nullptr;  ///< the first runs along the edge, the second against it
  int vertex_count = 0, face_count = 0, edge_count = 0;
  Vec3 center = Vec3::Zero();  ///< mean of the vertices
  double size = 1.0;           ///< length scale for tolerances: diameter of the bounding ball
  double warp = 0.0;           ///< farthest a corner lies off the plane of a face of its own, m
  bool open = false;           ///< some faces are interior

  [[nodiscard]] int face_size(int f) const { return face_start[f + 1] - face_start[f]; }
  /// Vertex farthest along n (the first of equals).
  [[nodiscard]] int support(const Vec3& n) const {
    int best = 0;
    double top = n.dot(vertices[0]);
    for (int v = 1; v < vertex_count; ++v) {
      const double value = n.dot(vertices[v]);
      if (value > top) top = value, best = v;
    }
    return best;
  }
  /// The same, up to rounding, by climbing from vertex v along the edges where there are many vertices.
  [[nodiscard]] int support_from(const Vec3& n, int v) const {
    if (vertex_count <= kFewVertices || vertex_start[v] == vertex_start[v + 1]) return support(n);
    double top = n.dot(vertices[v]);
    for (int from = -1; from != v;) {
      from = v;
      for (int k = vertex_start[from]; k < vertex_start[from + 1]; ++k) {
        const double value = n.dot(vertices[vertex_next[k]]);
        if (value > top) top = value, v = vertex_next[k];
      }
    }
    return v;
  }
  /// max n . x.
  [[nodiscard]] double extent(const Vec3& n) const {
    double top = n.dot(vertices[0]);
    for (int v = 1; v < vertex_count; ++v) top = std::max(top, n.dot(vertices[v]));
    return top;
  }
};

/// Sphere itself, or the bounding ball of any other piece.
struct Ball {
  Vec3 center = Vec3::Zero();
  double radius = 0.0;
};

struct BodyEntry {
  int id = -1;
  int first = 0, count = 0;  ///< its pieces
  bool moving = true, selfcontact = false, round_spheres = false;
  double reach = 0.0;  ///< m
  int face_degree = 0;  ///< of quadrature over its flat contacts; 0: corners
};

class PieceStore {
 public:
  /// Append a body; returns its slot. InputError when a piece has no extent or is not finite.
  int add(int id, const geometry::Shape& shape, bool moving);
  void remove(int slot);
  /// Order bodies and pieces by body id and close the gaps of removed bodies. Slots and pieces get new numbers.
  void sort();

  /// x = F (X - reference) + position for all pieces of the body.
  void place(int slot, const Mat3& F, const Vec3& reference, const Vec3& position);
  /// New points in the order of the pieces: all vertices of a polyhedron, the centre of a sphere or ellipsoid.
  void place_points(int slot, std::span<const Vec3> points);
  /// Number of points place_points expects.
  [[nodiscard]] int points(int slot) const;

  [[nodiscard]] int pieces() const { return static_cast<int>(kind_.size()); }
  [[nodiscard]] int bodies() const { return static_cast<int>(bodies_.size()); }
  /// All moving pieces were made as spheres: pairs are cheap.
  [[nodiscard]] bool all_spheres() const { return costly_ == 0; }
  [[nodiscard]] const BodyEntry& body(int slot) const { return bodies_[slot]; }
  [[nodiscard]] BodyEntry& body(int slot) { return bodies_[slot]; }
  [[nodiscard]] int slot_of(int piece) const { return slot_[piece]; }
  [[nodiscard]] int local(int piece) const { return piece - bodies_[slot_[piece]].first; }

  [[nodiscard]] Kind kind(int piece) const { return now_[piece]; }
  [[nodiscard]] const Ball& ball(int piece) const { return ball_[piece]; }
  [[nodiscard]] const Box& box(int piece) const { return box_[piece]; }
  /// Length scale for tolerances: diameter of the bounding ball, m.
  [[nodiscard]] double size(int piece) const { return 2.0 * ball_[piece].radius; }
  /// Least width as made, m: along a face normal of a polyhedron; infinite for elements with interior faces, which are part of something thicker.
  [[nodiscard]] double width(int piece) const { return width_[piece]; }
  [[nodiscard]] int surface(int piece) const { return surface_[piece]; }
  [[nodiscard]] const EllipsoidView& ellipsoid(int piece) const { return ellipsoid_[piece]; }
  [[nodiscard]] PolyhedronView polyhedron(int piece) const;
  /// max n . x of a piece as placed.
  [[nodiscard]] double extent(int piece, const Vec3& n) const;
  /// False for mesh elements without a boundary face: they take no part in contact.
  [[nodiscard]] bool exposed(int piece) const { return exposed_[piece] != 0; }
  /// Pieces sharing a node with this one, as numbers within the body.
  [[nodiscard]] std::span<const int> adjacent(int piece) const;
  [[nodiscard]] bool are_adjacent(int piece_a, int piece_b) const;
  /// Does the referential piece properly contain the referential point?
  [[nodiscard]] bool contains(int piece, const Vec3& point) const;

 private:
  /// Where a polyhedron's data start in the pools.
  struct Range {
    int vertex = 0, vertices = 0, face = 0, faces = 0, edge = 0, edges = 0, slot = 0, slots = 0, starts = 0;
    int vertex_starts = 0;
  };

  void add_piece(const geometry::Piece& piece);
  void add_polyhedron(const geometry::Polyhedron& polyhedron);
  void add_edges(Range& range);
  void add_vertex_faces(Range& range);
  void copy_piece(const PieceStore& from, int piece);
  void place_polyhedron(int piece, const Mat3& F, const Mat3& cofactor, const Vec3& shift);
  void place_curved(int piece, const Mat3& F, double scale);
  void finish_polyhedron(int piece);
  [[nodiscard]] double measured_warp(int piece) const;
  [[nodiscard]] double measured_width(int piece) const;
  void finish_curved(int piece);

  std::vector<BodyEntry> bodies_;
  int costly_ = 0;  // moving pieces made as ellipsoids or polyhedra
  // one entry a piece
  std::vector<Kind> kind_, now_;  // as made, as placed (a stretched sphere is an ellipsoid)
  std::vector<std::uint8_t> exposed_, open_;
  std::vector<double> warp_, reference_warp_, width_;  // m
  std::vector<int> slot_, surface_;
  std::vector<Ball> ball_, reference_ball_;
  std::vector<Box> box_;
  std::vector<EllipsoidView> ellipsoid_, reference_ellipsoid_;  // of polyhedra unused
  std::vector<Range> range_;
  std::vector<int> adjacent_start_{0}, adjacent_;
  // pools of all polyhedra
  std::vector<Vec3> vertices_, reference_vertices_, normals_, reference_normals_;
  std::vector<double> offsets_;
  std::vector<int> face_start_, face_vertices_, face_edges_, face_surface_, vertex_start_, vertex_faces_, vertex_next_;
  std::vector<std::uint8_t> face_interior_;
  std::vector<std::array<int, 2>> edges_, edge_faces_;
};

}  // namespace scree::collision
