#include "geometry/mass.hpp"

#include <algorithm>

#include "core/abandon.hpp"
#include "core/error.hpp"
#include "geometry/polyhedron.hpp"

namespace scree::geometry {

namespace {

/// Volume, first and second moments about a local origin.
struct Moments {
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();

  /// Signed tetrahedron (origin, a, b, c):  V = det/6,  int x = V s/4,  int x x^T = V/20 (sum v v^T + s s^T),
  /// with s = a + b + c.
  void add_tetrahedron(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double v = a.dot(b.cross(c)) / 6.0;
    const Vec3 s = a + b + c;
    volume += v;
    first += 0.25 * v * s;
    second += v / 20.0 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
};

MassProperties unit_mass(const Sphere& sphere) {
  const double r = sphere.radius;
  const double volume = 4.0 / 3.0 * kPi * r * r * r;
  return {volume, volume, sphere.center, 0.2 * volume * r * r * Mat3::Identity()};
}

MassProperties unit_mass(const Ellipsoid& ellipsoid) {
  const Vec3& r = ellipsoid.radii;
  const double volume = 4.0 / 3.0 * kPi * r.prod();
  return {volume, volume, ellipsoid.center, 0.2 * volume * ellipsoid.axes * r.cwiseAbs2().asDiagonal() * ellipsoid.axes.transpose()};
}

MassProperties unit_mass(const Polyhedron& polyhedron) {
  // Work about a point inside, so that a body far from the origin keeps its digits.
  Box box;
  for (const Vec3& v : polyhedron.vertices) box.add(v);
  const Vec3 origin = box.center();
  const auto at = [&](int v) -> Vec3 { return polyhedron.vertices[v] - origin; };

  Moments moments;
  for (int f = 0; f < polyhedron.faces(); ++f) {
    const auto polygon = face(polyhedron, f);
    if (polygon.size() == 3) {
      moments.add_tetrahedron(at(polygon[0]), at(polygon[1]), at(polygon[2]));
      continue;
    }
    // Fan about the mean of the vertices: neighbours see the same surface even when it is warped.
    Vec3 mean = Vec3::Zero();
    for (int v : polygon) mean += at(v);
    mean /= static_cast<double>(polygon.size());
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      moments.add_tetrahedron(mean, at(polygon[k]), at(polygon[(k + 1) % polygon.size()]));
    }
  }
  if (moments.volume == 0.0) return {0.0, 0.0, origin, Mat3::Zero()};
  const Vec3 center = moments.first / moments.volume;
  return {moments.volume, moments.volume, origin + center, moments.second - moments.volume * center * center.transpose()};
}

void check_density(double density) {
  if (!(density > 0.0) || !std::isfinite(density)) {
    throw_input("mass properties: density is {:g} kg/m^3: it must be positive and finite", density);
  }
}

}  // namespace

MassProperties mass_properties(const Piece& piece, double density) {
  check_density(density);
  MassProperties result = std::visit([](const auto& form) { return unit_mass(form); }, piece.form);
  result.mass *= density;
  result.euler *= density;
  return result;
}

MassProperties mass_properties(const Shape& shape, const std::function<double(int)>& density) {
  std::vector<MassProperties> parts;
  parts.reserve(shape.pieces.size());
  for (const Piece& piece : shape.pieces) {
    throw_if_stopped();
    parts.push_back(mass_properties(piece, density(piece.volume_id)));
  }

  // Common centre first, then the Euler tensors moved to it.
  MassProperties total;
  if (parts.empty()) return total;
  const Vec3 origin = parts.front().center;
  Vec3 moment = Vec3::Zero();
  for (const MassProperties& part : parts) {
    total.volume += part.volume;
    total.mass += part.mass;
    moment += part.mass * (part.center - origin);
  }
  total.center = total.mass > 0.0 ? Vec3(origin + moment / total.mass) : origin;
  for (const MassProperties& part : parts) {
    const Vec3 arm = part.center - total.center;
    total.euler += part.euler + part.mass * arm * arm.transpose();
  }
  return total;
}

MassProperties mass_properties(const Shape& shape, double density) {
  check_density(density);
  return mass_properties(shape, [density](int) { return density; });
}

MassProperties combine(const MassProperties& a, const MassProperties& b) {
  if (a.mass == 0.0) return b;
  if (b.mass == 0.0) return a;
  MassProperties sum;
  sum.volume = a.volume + b.volume;
  sum.mass = a.mass + b.mass;
  const Vec3 arm = b.center - a.center;
  sum.center = a.center + b.mass / sum.mass * arm;
  sum.euler = a.euler + b.euler + a.mass * b.mass / sum.mass * arm * arm.transpose();
  return sum;
}

}  // namespace scree::geometry
