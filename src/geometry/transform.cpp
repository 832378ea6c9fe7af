#include "geometry/transform.hpp"

#include <algorithm>
#include <array>

#include "core/dense.hpp"
#include "core/error.hpp"
#include "core/rotation.hpp"
#include "geometry/build.hpp"
#include "geometry/checks.hpp"
#include "geometry/element.hpp"
#include "geometry/polyhedron.hpp"

namespace scree::geometry {

namespace {

/// The ellipsoid {center + map s : |s| <= 1}: axes and radii of the map's singular value decomposition.
Ellipsoid ellipsoid_of(const Vec3& center, const Mat3& map) {
  const Vec3 norms = map.colwise().norm();
  Mat3 unit = map * norms.cwiseInverse().asDiagonal();
  if (unit.determinant() < 0.0) unit.col(2) *= -1.0;  // a mirrored ellipsoid is one again
  // Columns still orthogonal: keep them, and with them the order of the axes.
  if ((unit.transpose() * unit - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-14) return {center, norms, unit};
  Svd3 parts = svd(map);
  if (parts.U.determinant() < 0.0) parts.U.col(2) *= -1.0;
  return {center, parts.values, parts.U};
}

/// A copy of the shape, each form mapped by `map_form` and each point of polyhedra and meshes by `map_point`;
/// planes follow from the vertices. InputError when the result cannot be resolved.
template <class MapForm, class MapPoint>
Shape mapped(const Shape& shape, std::string_view what, MapForm&& map_form, MapPoint&& map_point) {
  Shape result = shape;
  for (Piece& piece : result.pieces) {
    auto* polyhedron = std::get_if<Polyhedron>(&piece.form);
    if (!polyhedron) {
      map_form(piece);
      continue;
    }
    for (Vec3& v : polyhedron->vertices) v = map_point(v);
    check_points(what, "vertex", polyhedron->vertices);
    update_planes(*polyhedron, what);
  }
  for (Mesh& mesh : result.meshes) {
    for (Vec3& node : mesh.nodes) node = map_point(node);
  }
  return result;
}

Piece scaled(const Piece& piece, const Vec3& factors) {
  Piece result = piece;
  const bool uniform = factors.x() == factors.y() && factors.y() == factors.z();
  if (const auto* sphere = std::get_if<Sphere>(&piece.form)) {
    const Vec3 center = sphere->center.cwiseProduct(factors);
    if (uniform) result.form = Sphere{center, sphere->radius * std::abs(factors.x())};
    else result.form = Ellipsoid{center, sphere->radius * factors.cwiseAbs(), Mat3::Identity()};
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&piece.form)) {
    const Vec3 center = ellipsoid->center.cwiseProduct(factors);
    if (uniform) result.form = Ellipsoid{center, ellipsoid->radii * std::abs(factors.x()), ellipsoid->axes};
    else result.form = ellipsoid_of(center, factors.asDiagonal() * ellipsoid->axes * ellipsoid->radii.asDiagonal());
  }
  return result;
}

/// Order in which a mirrored element takes its nodes to be right-handed again: bottom and top change places; a tetrahedron or pyramid
/// runs around its base the other way.
std::span<const int> mirrored_order(std::size_t nodes) {
  static constexpr std::array<int, 4> kTetrahedron{0, 2, 1, 3};
  static constexpr std::array<int, 5> kPyramid{0, 3, 2, 1, 4};
  static constexpr std::array<int, 6> kWedge{3, 4, 5, 0, 1, 2};
  static constexpr std::array<int, 8> kHexahedron{4, 5, 6, 7, 0, 1, 2, 3};
  switch (nodes) {
    case 4: return kTetrahedron;
    case 5: return kPyramid;
    case 6: return kWedge;
    default: return kHexahedron;
  }
}

/// The element a mirrored polyhedron is, with the vertices and faces of element.hpp; faces keep their surface and neighbour.
Polyhedron turned_element(const Polyhedron& source) {
  const auto order = mirrored_order(source.vertices.size());
  Polyhedron turned;
  for (int v : order) turned.vertices.push_back(source.vertices[v]);
  for (const ElementFace& f : element_faces(static_cast<int>(order.size()))) {
    // The face of the source on the same vertices.
    std::vector<int> wanted;
    for (int n : f.nodes()) wanted.push_back(order[n]);
    int same = 0;
    while (!std::is_permutation(wanted.begin(), wanted.end(), face(source, same).begin(), face(source, same).end())) ++same;
    add_face(turned, f.nodes(), source.face_surface[same], source.face_neighbour[same]);
  }
  return turned;
}

/// Turn what a mirror image has left inside out: faces of polyhedra, nodes of elements.
void turn_right_side_out(Shape& shape) {
  for (std::size_t p = 0; p < shape.pieces.size(); ++p) {
    auto* polyhedron = std::get_if<Polyhedron>(&shape.pieces[p].form);
    if (!polyhedron) continue;
    if (shape.piece_mesh[p] >= 0) {
      *polyhedron = turned_element(*polyhedron);
    } else {
      for (int f = 0; f < polyhedron->faces(); ++f) {
        const auto first = polyhedron->face_vertices.begin() + polyhedron->face_start[f];
        std::reverse(first, first + polyhedron->face_size(f));
      }
    }
    complete(*polyhedron);
  }
  for (Mesh& mesh : shape.meshes) {
    for (int e = 0; e < mesh.elements(); ++e) {
      const auto nodes = element(mesh, e);
      const std::vector<int> before(nodes.begin(), nodes.end());
      const auto order = mirrored_order(before.size());
      for (std::size_t k = 0; k < order.size(); ++k) {
        mesh.element_nodes[static_cast<std::size_t>(mesh.element_start[e]) + k] = before[order[k]];
      }
    }
  }
}

Mat3 rotation_about(const Vec3& axis, double angle) {
  check_finite("ROTATE", "axis", axis);
  if (!(axis.norm() > 0.0)) throw_input("ROTATE: axis is {}: its length must not be zero", text(axis));
  if (!std::isfinite(angle)) throw_input("ROTATE: angle is {:g}: it must be a finite number of radians", angle);
  return exp_rotation(angle * axis.stableNormalized());
}

}  // namespace

void scale(Shape& shape, const Vec3& factors) {
  for (int axis = 0; axis < 3; ++axis) {
    if (factors[axis] == 0.0 || !std::isfinite(factors[axis])) {
      throw_input("SCALE: factor {} is {:g}: factors must be finite and not zero", "xyz"[axis], factors[axis]);
    }
  }
  if (!shape.empty()) check_length("SCALE", "smallest extent of the scaled shape", shape.bounds().extent().cwiseProduct(factors.cwiseAbs()).minCoeff());
  Shape result = mapped(shape, "SCALE", [&](Piece& piece) { piece = scaled(piece, factors); },
                        [&](const Vec3& x) -> Vec3 { return x.cwiseProduct(factors); });
  if (factors.prod() < 0.0) turn_right_side_out(result);
  shape = std::move(result);
}

void translate(Shape& shape, const Vec3& vector) {
  check_finite("TRANSLATE", "vector", vector);
  const auto map_form = [&](Piece& piece) {
    if (auto* sphere = std::get_if<Sphere>(&piece.form)) sphere->center += vector;
    if (auto* ellipsoid = std::get_if<Ellipsoid>(&piece.form)) ellipsoid->center += vector;
  };
  shape = mapped(shape, "TRANSLATE", map_form, [&](const Vec3& x) -> Vec3 { return x + vector; });
}

void rotate(Shape& shape, const Vec3& point, const Vec3& axis, double angle) {
  check_finite("ROTATE", "point", point);
  const Mat3 rotation = rotation_about(axis, angle);
  const auto map = [&](const Vec3& x) -> Vec3 { return point + rotation * (x - point); };
  const auto map_form = [&](Piece& piece) {
    if (auto* sphere = std::get_if<Sphere>(&piece.form)) sphere->center = map(sphere->center);
    if (auto* ellipsoid = std::get_if<Ellipsoid>(&piece.form)) {
      ellipsoid->center = map(ellipsoid->center);
      ellipsoid->axes = orthonormalised(rotation * ellipsoid->axes);
    }
  };
  shape = mapped(shape, "ROTATE", map_form, map);
}

Vec3 rotated(const Vec3& x, const Vec3& point, const Vec3& axis, double angle) {
  check_finite("ROTATE", "point", point);
  return point + rotation_about(axis, angle) * (x - point);
}

}  // namespace scree::geometry
