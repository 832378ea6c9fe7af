/// What the geometry tests share.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/rotation.hpp"
#include "geometry/build.hpp"
#include "geometry/mass.hpp"
#include "geometry/polyhedron.hpp"
#include "geometry/shape.hpp"

namespace scree::geometry::testing {

/// The message of the InputError that `call` must raise; empty when it raises none.
template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

inline Polyhedron& polyhedron(Shape& shape, int piece = 0) { return std::get<Polyhedron>(shape.pieces[piece].form); }
inline const Polyhedron& polyhedron(const Shape& shape, int piece = 0) { return std::get<Polyhedron>(shape.pieces[piece].form); }

/// Unit cube: corners and packed faces in hexahedron order, surfaces 10 .. 15.
inline std::vector<Vec3> cube_vertices(double edge = 1.0) {
  return {{0, 0, 0}, {edge, 0, 0}, {edge, edge, 0}, {0, edge, 0}, {0, 0, edge}, {edge, 0, edge}, {edge, edge, edge}, {0, edge, edge}};
}
inline std::vector<int> cube_faces() {
  return {4, 0, 3, 2, 1, 10, 4, 0, 1, 5, 4, 11, 4, 1, 2, 6, 5, 12, 4, 2, 3, 7, 6, 13, 4, 3, 0, 4, 7, 14, 4, 4, 5, 6, 7, 15};
}

inline std::vector<Vec3> random_points(int count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Vec3> points(count);
  for (Vec3& p : points) p = Vec3{uniform(generator), uniform(generator), uniform(generator)};
  return points;
}

inline Mat3 random_rotation(unsigned seed) { return exp_rotation(3.0 * random_points(1, seed)[0]); }

/// Volume, centre and Euler tensor must agree to `tolerance` of their own scales (m, L, m L^2).
inline void expect_same(const MassProperties& a, const MassProperties& b, double length, double tolerance) {
  EXPECT_NEAR(a.volume, b.volume, tolerance * b.volume);
  EXPECT_NEAR(a.mass, b.mass, tolerance * b.mass);
  EXPECT_LE((a.center - b.center).norm(), tolerance * length);
  EXPECT_LE((a.euler - b.euler).norm(), tolerance * b.mass * length * length);
}

}  // namespace scree::geometry::testing
