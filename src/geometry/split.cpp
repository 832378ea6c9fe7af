#include <algorithm>
#include <array>
#include <map>

#include "core/error.hpp"
#include "geometry/build.hpp"
#include "geometry/checks.hpp"
#include "geometry/polyhedron.hpp"
#include "geometry/transform.hpp"

namespace scree::geometry {

namespace {

struct Plane {
  Vec3 point, normal;
  double on;  ///< vertices no farther than this lie on it
  [[nodiscard]] double height(const Vec3& x) const {
    const double h = normal.dot(x - point);
    return std::abs(h) <= on ? 0.0 : h;
  }
};

/// Warped faces become fans about the mean of their vertices (the surface mass_properties integrates), so
/// that a plane meets every face in at most one segment and no volume is gained or lost.
Polyhedron with_flat_faces(const Polyhedron& source, double size) {
  Polyhedron flat;
  flat.vertices = source.vertices;
  for (int f = 0; f < source.faces(); ++f) {
    const auto polygon = face(source, f);
    const FacePlane plane = fit_plane(source.vertices, polygon);
    if (plane.spread <= kFlat * size) {
      add_face(flat, polygon, source.face_surface[f], source.face_neighbour[f]);
      continue;
    }
    const int center = static_cast<int>(flat.vertices.size());
    flat.vertices.push_back(plane.center);
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      add_face(flat, std::array{polygon[k], polygon[(k + 1) % polygon.size()], center}, source.face_surface[f], source.face_neighbour[f]);
    }
  }
  return flat;
}

/// Vertices of the polyhedron and of the cut: both halves are built from these.
class Cutter {
 public:
  Cutter(const Polyhedron& source, const Plane& plane) : source_(source), vertices_(source.vertices) {
    height_.reserve(vertices_.size());
    for (const Vec3& v : vertices_) height_.push_back(plane.height(v));
  }

  [[nodiscard]] bool reaches(double sign) const {
    return std::any_of(height_.begin(), height_.end(), [&](double h) { return sign * h > 0.0; });
  }
  /// The part on the side where sign * height >= 0.
  [[nodiscard]] Polyhedron half(double sign, int cut_surface);

 private:
  int crossing(int a, int b);
  std::vector<int> clipped(std::span<const int> polygon, double sign);
  void close(Polyhedron& part, const std::multimap<int, int>& rim, int cut_surface) const;

  const Polyhedron& source_;
  std::vector<Vec3> vertices_;
  std::vector<double> height_;
  std::map<std::pair<int, int>, int> crossings_;
};

/// The vertex where edge a-b meets the plane, one for all faces that share the edge.
int Cutter::crossing(int a, int b) {
  if (a > b) std::swap(a, b);
  const auto [found, fresh] = crossings_.try_emplace({a, b}, static_cast<int>(vertices_.size()));
  if (fresh) {
    const double t = height_[a] / (height_[a] - height_[b]);
    const Vec3 x = (1.0 - t) * vertices_[a] + t * vertices_[b];
    vertices_.push_back(x);
    height_.push_back(0.0);
  }
  return found->second;
}

std::vector<int> Cutter::clipped(std::span<const int> polygon, double sign) {
  std::vector<int> result;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const int a = polygon[k], b = polygon[(k + 1) % polygon.size()];
    if (sign * height_[a] >= 0.0) result.push_back(a);
    if (height_[a] * height_[b] < 0.0) result.push_back(crossing(a, b));
  }
  return result;
}

/// Chain the edges left open in the plane to the faces that close the part.
void Cutter::close(Polyhedron& part, const std::multimap<int, int>& rim, int cut_surface) const {
  std::multimap<int, int> open = rim;
  while (!open.empty()) {
    std::vector<int> loop;
    int at = open.begin()->first;
    for (auto next = open.find(at); next != open.end(); next = open.find(at)) {
      loop.push_back(at);
      at = next->second;
      open.erase(next);
    }
    if (loop.size() >= 3) add_face(part, loop, cut_surface);
  }
}

Polyhedron Cutter::half(double sign, int cut_surface) {
  Polyhedron part;
  std::multimap<int, int> rim;  // edges in the plane without a partner, reversed: the new face runs along them
  for (int f = 0; f < source_.faces(); ++f) {
    const std::vector<int> polygon = clipped(face(source_, f), sign);
    const bool beyond = std::none_of(polygon.begin(), polygon.end(), [&](int v) { return sign * height_[v] > 0.0; });
    if (polygon.size() < 3 || beyond) continue;
    add_face(part, polygon, source_.face_surface[f], source_.face_neighbour[f]);
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const int a = polygon[k], b = polygon[(k + 1) % polygon.size()];
      if (height_[a] != 0.0 || height_[b] != 0.0) continue;
      const auto [begin, end] = rim.equal_range(a);
      const auto partner = std::find_if(begin, end, [&](const auto& edge) { return edge.second == b; });
      if (partner != end) rim.erase(partner);
      else rim.emplace(b, a);
    }
  }
  close(part, rim, cut_surface);

  // Keep the vertices in use, in order.
  std::vector<int> number(vertices_.size(), -1);
  for (int v : part.face_vertices) number[v] = 0;
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    if (number[v] < 0) continue;
    number[v] = static_cast<int>(part.vertices.size());
    part.vertices.push_back(vertices_[v]);
  }
  for (int& v : part.face_vertices) v = number[v];
  return part;
}

/// Pieces of one side and where the pieces of the whole went.
struct Side {
  Shape shape;
  std::vector<int> piece_of;  ///< for each piece of the whole its part here, -1 if none

  explicit Side(std::size_t pieces) : piece_of(pieces, -1) {}
  void add(std::size_t p, Piece piece) {
    piece_of[p] = static_cast<int>(shape.pieces.size());
    shape.pieces.push_back(std::move(piece));
    shape.piece_mesh.push_back(-1);
    shape.piece_element.push_back(-1);
  }
  /// Renumber neighbours; a face whose neighbour went to the other side becomes part of the cut.
  void renumber(const Shape& whole, int cut_surface) {
    shape.adjacent.assign(shape.pieces.size(), {});
    for (std::size_t p = 0; p < piece_of.size(); ++p) {
      if (piece_of[p] < 0) continue;
      if (p < whole.adjacent.size()) {
        for (int q : whole.adjacent[p]) {
          if (piece_of[q] >= 0) shape.adjacent[piece_of[p]].push_back(piece_of[q]);
        }
      }
      auto* polyhedron = std::get_if<Polyhedron>(&shape.pieces[piece_of[p]].form);
      if (!polyhedron) continue;
      for (int f = 0; f < polyhedron->faces(); ++f) {
        int& neighbour = polyhedron->face_neighbour[f];
        if (neighbour < 0) continue;
        neighbour = piece_of[neighbour];
        if (neighbour < 0) polyhedron->face_surface[f] = cut_surface;
      }
    }
  }
};

}  // namespace

std::pair<Shape, Shape> split(const Shape& shape, const Vec3& point, const Vec3& normal, std::array<int, 2> cut_surfaces) {
  check_finite("SPLIT", "point", point);
  check_finite("SPLIT", "normal", normal);
  if (!(normal.norm() > 0.0)) throw_input("SPLIT: normal is {}: its length must not be zero", text(normal));
  const double size = shape.size();
  const Plane plane{point, normal.stableNormalized(), kFlat * size};

  Side below(shape.pieces.size()), above(shape.pieces.size());
  for (std::size_t p = 0; p < shape.pieces.size(); ++p) {
    const Piece& piece = shape.pieces[p];
    const auto* polyhedron = std::get_if<Polyhedron>(&piece.form);
    if (!polyhedron) {
      (plane.height(piece.bounds().center()) < 0.0 ? below : above).add(p, piece);
      continue;
    }
    if (const Cutter whole(*polyhedron, plane); !whole.reaches(1.0) || !whole.reaches(-1.0)) {
      (whole.reaches(1.0) ? above : below).add(p, piece);
      continue;
    }
    const Polyhedron flat = with_flat_faces(*polyhedron, size);
    Cutter cutter(flat, plane);
    for (const double sign : {-1.0, 1.0}) {
      Polyhedron half = cutter.half(sign, cut_surfaces[sign < 0.0 ? 0 : 1]);
      complete(half);
      (sign < 0.0 ? below : above).add(p, {std::move(half), piece.volume_id, piece.surface_id});
    }
  }
  below.renumber(shape, cut_surfaces[0]);
  above.renumber(shape, cut_surfaces[1]);
  return {std::move(below.shape), std::move(above.shape)};
}

}  // namespace scree::geometry
