// A ten-line program against an installed Scree: one metre of free fall.
#include <cstdio>

#include "geometry/build.hpp"
#include "stepping/simulation.hpp"

int main() {
  scree::stepping::Simulation sim(1e-3);
  sim.model().gravity.value = 9.81;
  const auto ball = scree::geometry::make_sphere({0, 0, 1}, 0.1, 0, 0);
  sim.add_body({.shape = std::make_shared<scree::geometry::Shape>(ball), .mass = scree::geometry::mass_properties(ball, 1000), .label = "ball"});
  while (sim.motion().position[0].z() > 0.0) sim.step();
  std::printf("fell one metre in %.3f s\n", sim.time());
  return sim.time() > 0.450 && sim.time() < 0.454 ? 0 : 1;
}
