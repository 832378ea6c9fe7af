// A program against an installed Scree: a ball falls one metre onto a floor; its results are those that `scree info` and `scree view` open.
#include <cstdio>

#include "geometry/build.hpp"
#include "recording/run.hpp"

int main(int count, char** arguments) {
  using namespace scree;
  stepping::Simulation sim(1e-3);
  sim.model().gravity.value = 9.81;
  sim.model().surfaces.add({.is_default = true, .label = "default", .friction = 0.3});
  const auto add = [&](const geometry::Shape& shape, model::BodyKind kind, const char* label) {
    sim.add_body({.kind = kind, .shape = std::make_shared<geometry::Shape>(shape), .mass = geometry::mass_properties(shape, 1000), .label = label});
  };
  add(geometry::make_box({-1, -1, -1}, {1, 1, 0}, 0, 0), model::BodyKind::obstacle, "floor");
  add(geometry::make_sphere({0, 0, 1.1}, 0.1, 0, 0), model::BodyKind::rigid, "ball");
  recording::Recorder recorder(count > 1 ? arguments[1] : "drop.h5", {.title = "drop"});
  recording::run(sim, 0.5, 0.05, recorder);
  recorder.close();
  const double height = sim.motion().position[1].z();
  std::printf("after %.3f s the ball lies at %.4f m\n", sim.time(), height);
  return height > 0.098 && height < 0.101 ? 0 : 1;
}
