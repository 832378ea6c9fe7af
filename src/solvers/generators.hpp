/// Generated contact problems for tests and benchmarks: the same seed gives the same problem everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/contact_problem.hpp"

namespace scree::solvers {

/// A dense packing of spheres in an open box under gravity, or sheared from above.
struct PackingOptions {
  int across = 8;            ///< spheres along x and y
  int up = 8;                ///< layers
  double radius = 0.05;      ///< mean radius, m; sizes vary by +-5 %
  double density = 2500.0;   ///< kg/m3
  double mu = 0.5;
  double step = 1e-3;        ///< h, s: the free velocity is gravity over one step
  double shear = 0.0;        ///< velocity of the top against the bottom, m/s, along x and growing with height; 0: static
  double reach = 0.06;       ///< contacts with gaps below this share of the radius count as closed
  bool ellipsoids = false;   ///< unequal moments of inertia and normals off centre
  std::uint64_t seed = 1;
};

/// Where their centres are, in the order of the problem's bodies, m.
[[nodiscard]] std::vector<Vec3> packing_places(const PackingOptions& options);

/// Spheres sit on a jittered face-centred lattice (about six contacts a body) on a floor between four walls, in body form.
/// With shear the problem is hyperstatic and far from rest.
[[nodiscard]] ContactProblem make_packing(const PackingOptions& options);

}  // namespace scree::solvers
