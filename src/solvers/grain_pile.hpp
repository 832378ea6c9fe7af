/// Grains that settled in a vessel, and the contact problem of their next step.
///
/// Spheres (or disks in the plane y = 0) fall from a jittered lattice and come to rest by implicit steps with contacts
/// ahead, B_N = gap/h + U_N (theory sec. 3.3), each solved by AUTO. Contacts are closed forms; the same options give the
/// same problem everywhere. These are the test problems of the papers whose methods Scree offers.
#pragma once

#include <cstdint>

#include "solvers/contact_problem.hpp"

namespace scree::solvers {

struct GrainPileOptions {
  int grains = 1000;
  double radius = 0.1;          ///< mean radius, m
  double spread = 0.0;          ///< radii vary by this share, in [0, 1)
  double density = 1500.0;      ///< kg/m3 (disks: of a cylinder of unit length)
  double mu = 0.0;              ///< friction of every contact, >= 0
  double settling_mu = -1.0;    ///< friction of the steps before; negative: the same
  bool planar = false;          ///< disks
  bool rotating = true;         ///< false: rotations are held
  double vessel_radius = 0.0;   ///< of a standing cylinder, m; 0: none
  double vessel_width = 0.0;    ///< of a box, along x and y, m; 0: none
  int across = 0;               ///< grains along x and y of the first lattice; 0: what fits the vessel
  double lid_mass = 0.0;        ///< of a cylinder that falls on the grains, kg; 0: none
  double lid_radius = 0.0;      ///< m
  double settling_lid_mass = 0.0;  ///< of the lid in the steps before, kg; 0: the same
  double reach = 0.05;          ///< contacts of the problem have gaps below this share of the radius
  double step = 1e-2;           ///< h of the problem, s
  double settling_step = 1e-2;  ///< h of the steps before, s
  int settling_steps = 200;
  int free_steps = 0;           ///< further steps, with friction mu and the vessel taken away
  double settling_tolerance = 1e-3;
  std::uint64_t seed = 1;
};

/// InputError for numbers out of range.
[[nodiscard]] ContactProblem make_grain_pile(const GrainPileOptions& options);

}  // namespace scree::solvers
