#include "geometry/transform.hpp"

#include "core/error.hpp"
#include "core/rotation.hpp"
#include "geometry/checks.hpp"
#include "geometry/polyhedron.hpp"

namespace scree::geometry {

namespace {

/// The ellipsoid {center + map s : |s| <= 1}: axes and radii of the map's singular value decomposition.
Ellipsoid ellipsoid_of(const Vec3& center, const Mat3& map) {
  const Vec3 norms = map.colwise().norm();
  const Mat3 unit = map * norms.cwiseInverse().asDiagonal();
  // Columns still orthogonal: keep them, and with them the order of the axes.
  if ((unit.transpose() * unit - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-14) return {center, norms, unit};
  const Eigen::JacobiSVD<Mat3> svd(map, Eigen::ComputeFullU);
  Mat3 axes = svd.matrixU();
  if (axes.determinant() < 0.0) axes.col(2) *= -1.0;
  return {center, svd.singularValues(), axes};
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
    if (uniform) result.form = Sphere{center, sphere->radius * factors.x()};
    else result.form = Ellipsoid{center, sphere->radius * factors, Mat3::Identity()};
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&piece.form)) {
    const Vec3 center = ellipsoid->center.cwiseProduct(factors);
    if (uniform) result.form = Ellipsoid{center, ellipsoid->radii * factors.x(), ellipsoid->axes};
    else result.form = ellipsoid_of(center, factors.asDiagonal() * ellipsoid->axes * ellipsoid->radii.asDiagonal());
  }
  return result;
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
    if (!(factors[axis] > 0.0) || !std::isfinite(factors[axis])) {
      throw_input("SCALE: factor {} is {:g}: factors must be positive and finite (mirroring is not supported)", "xyz"[axis], factors[axis]);
    }
  }
  if (!shape.empty()) check_length("SCALE", "smallest extent of the scaled shape", shape.bounds().extent().cwiseProduct(factors).minCoeff());
  shape = mapped(shape, "SCALE", [&](Piece& piece) { piece = scaled(piece, factors); },
                 [&](const Vec3& x) -> Vec3 { return x.cwiseProduct(factors); });
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
