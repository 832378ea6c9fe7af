#include "engine.hpp"

#include "io/fclib.hpp"

namespace scree::python {

namespace {

/// The last step's problem with its solution, as an FCLIB file.
void write_problem(Engine& engine, const std::string& path) {
  const solvers::ContactProblem& problem = engine.simulation.problem();
  if (!problem.W || problem.blocks() == 0) throw_input("export of the contact problem: the last step had no contacts or constraints");
  const std::vector<double>& R = engine.simulation.solution();
  std::vector<double> U(R.size());
  released([&] {
    solvers::relative_velocity(problem, R, U);
    io::write_fclib(path, problem, R, U, fmt::format("step {} at t = {:g} s", engine.simulation.steps(), engine.simulation.time()));
  });
}

}  // namespace

void bind_io(EngineClass& engine) { engine.def("write_problem", &write_problem); }

}  // namespace scree::python
