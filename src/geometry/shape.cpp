#include "geometry/shape.hpp"

#include "geometry/mass.hpp"

namespace scree::geometry {

namespace {

/// Rounding allowed on the boundary: a few units in the last place of the coordinates.
double rounding(const Box& box, const Vec3& point) {
  const double reach = std::max({box.low.cwiseAbs().maxCoeff(), box.high.cwiseAbs().maxCoeff(), point.cwiseAbs().maxCoeff()});
  return 8.0 * std::numeric_limits<double>::epsilon() * reach;
}

Box bounds_of(const Sphere& sphere) {
  const Vec3 half = Vec3::Constant(sphere.radius);
  return {sphere.center - half, sphere.center + half};
}

Box bounds_of(const Ellipsoid& ellipsoid) {
  const Vec3 half = (ellipsoid.axes * ellipsoid.radii.asDiagonal()).rowwise().norm();
  return {ellipsoid.center - half, ellipsoid.center + half};
}

Box bounds_of(const Polyhedron& polyhedron) {
  Box box;
  for (const Vec3& v : polyhedron.vertices) box.add(v);
  return box;
}

bool holds(const Sphere& sphere, const Vec3& point, double slack) { return (point - sphere.center).norm() <= sphere.radius + slack; }

bool holds(const Ellipsoid& ellipsoid, const Vec3& point, double slack) {
  const Vec3 local = ellipsoid.axes.transpose() * (point - ellipsoid.center);
  return local.cwiseQuotient(ellipsoid.radii).norm() <= 1.0 + slack / ellipsoid.radii.minCoeff();
}

bool holds(const Polyhedron& polyhedron, const Vec3& point, double slack) {
  for (int f = 0; f < polyhedron.faces(); ++f) {
    if (polyhedron.face_normal[f].dot(point) > polyhedron.face_offset[f] + slack) return false;
  }
  return polyhedron.faces() > 0;
}

}  // namespace

Box Piece::bounds() const {
  return std::visit([](const auto& f) { return bounds_of(f); }, form);
}

double Piece::volume() const { return mass_properties(*this, 1.0).volume; }

bool Piece::contains(const Vec3& point) const {
  const double slack = rounding(bounds(), point);
  return std::visit([&](const auto& f) { return holds(f, point, slack); }, form);
}

Box Shape::bounds() const {
  Box box;
  for (const Piece& piece : pieces) box.add(piece.bounds());
  return box;
}

double Shape::size() const { return empty() ? 0.0 : bounds().extent().norm(); }

}  // namespace scree::geometry
