#include "engine.hpp"

#include "io/fclib.hpp"
#include "solvers/generators.hpp"

namespace scree::python {

namespace {

using Shared = std::shared_ptr<io::FclibProblem>;

Shared packing(int across, int up, double mu, double shear, bool ellipsoids, std::uint64_t seed) {
  if (across < 1 || up < 1 || across > 1000 || up > 1000) throw_input("packing: {} x {} x {} bodies; 1 to 1000 along each side are possible", across, across, up);
  solvers::PackingOptions options;
  options.across = across;
  options.up = up;
  options.mu = mu;
  options.shear = shear;
  options.ellipsoids = ellipsoids;
  options.seed = seed;
  auto result = std::make_shared<io::FclibProblem>();
  released([&] { result->problem = solvers::make_packing(options); });
  return result;
}

/// The last step's problem as a copy of its own, in body form, with the impulses found.
Shared step_problem(Engine& engine) {
  const solvers::ContactProblem& problem = engine.simulation.problem();
  if (!problem.W) throw_input("problem: no step has been made yet; run or advance first");
  auto result = std::make_shared<io::FclibProblem>();
  result->problem = problem;
  result->problem.W = std::make_shared<solvers::BodyForm>(dynamic_cast<const solvers::BodyForm&>(*problem.W));
  result->solution_r = engine.simulation.solution();
  result->solution_u.resize(result->solution_r.size());
  solvers::relative_velocity(result->problem, result->solution_r, result->solution_u);
  return result;
}

}  // namespace

void bind_packings(py::module_& module) {
  module.def("packing", &packing);
  module.def("step_problem", &step_problem);
}

}  // namespace scree::python
