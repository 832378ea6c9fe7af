#include "engine.hpp"

#include "io/fclib.hpp"
#include "solvers/generators.hpp"

namespace scree::python {

namespace {

using Shared = std::shared_ptr<io::FclibProblem>;

solvers::PackingOptions packing_options(int across, int up, double mu, double shear, double reach, bool ellipsoids, std::uint64_t seed) {
  if (across < 1 || up < 1 || across > 1000 || up > 1000) throw_input("packing: {} x {} x {} bodies; 1 to 1000 along each side are possible", across, across, up);
  constexpr double kMostBodies = 2e7;  // a few gigabytes
  if (1.0 * across * across * up > kMostBodies)
    throw_input("packing: {} x {} x {} bodies are more than {:.0e}, which do not fit into the memory of most machines; take fewer", across, across, up, kMostBodies);
  solvers::PackingOptions options;
  options.across = across;
  options.up = up;
  options.mu = mu;
  options.shear = shear;
  options.reach = reach;
  options.ellipsoids = ellipsoids;
  options.seed = seed;
  return options;
}

Shared packing(int across, int up, double mu, double shear, double reach, bool ellipsoids, std::uint64_t seed) {
  const solvers::PackingOptions options = packing_options(across, up, mu, shear, reach, ellipsoids, seed);
  auto result = std::make_shared<io::FclibProblem>();
  released([&] { result->problem = solvers::make_packing(options); });
  return result;
}

Shared step_problem(Engine& engine) {
  const Access access(engine.turns, Use::reads);
  if (!engine.simulation.stage().problem.W) throw_input("problem: no step has been made yet, or the last one failed; run or advance first");
  return std::make_shared<io::FclibProblem>(last_problem(engine.simulation, false));
}

// Velocities of rigid bodies behind the scaled ones; those of deformable bodies, and of bodies with held motions, stay scaled.
std::vector<io::BodyVelocity> body_velocities(const stepping::Simulation& simulation) {
  const assembly::BodyScaling& scaling = simulation.stage().scaling;
  const assembly::Velocities& free = simulation.stage().pushed;
  std::vector<io::BodyVelocity> result(static_cast<std::size_t>(scaling.slots()));
  for (std::size_t s = 0; s < result.size(); ++s) {
    const auto i = static_cast<std::size_t>(scaling.body[s]);
    if (simulation.model().bodies.find_deformable(scaling.body[s]) || simulation.model().bodies.held[i]) continue;
    result[s].T = MatX::Zero(6, 6);
    result[s].T.topLeftCorner<3, 3>().diagonal() = scaling.linear[s];
    result[s].T.bottomRightCorner<3, 3>() = scaling.angular[s];
    result[s].free.resize(6);
    result[s].free << free.linear[i], free.angular[i];
  }
  return result;
}

}  // namespace

io::FclibProblem last_problem(const stepping::Simulation& simulation, bool global) {
  const solvers::ContactProblem& problem = simulation.stage().problem;
  io::FclibProblem result;
  result.problem = problem;
  result.problem.W = std::make_shared<solvers::BodyForm>(*problem.W->body_rows());
  result.title = fmt::format("step {} at t = {:g} s", simulation.steps(), simulation.time());
  result.solution_r = simulation.stage().R;
  result.solution_u.resize(result.solution_r.size());
  solvers::relative_velocity(result.problem, result.solution_r, result.solution_u);
  result.guesses = {simulation.stage().guess};
  if (global) result.global = io::make_global(problem, 3, body_velocities(simulation));
  return result;
}

void bind_packings(py::module_& module) {
  module.def("packing", &packing);
  module.def("packing_places", [](int across, int up, double mu, double shear, double reach, bool ellipsoids, std::uint64_t seed) {
    return solvers::packing_places(packing_options(across, up, mu, shear, reach, ellipsoids, seed));
  });
  module.def("step_problem", &step_problem);
}

}  // namespace scree::python
