/// The simulation as Python holds it.
#pragma once

#include "bindings.hpp"
#include "io/fclib.hpp"
#include "parallel/shared_work.hpp"

namespace scree::python {

/// A simulation.
struct Engine {
  explicit Engine(double step) : simulation(step) {}

  stepping::Simulation simulation;
  std::shared_ptr<parallel::SharedWork> work;  ///< division among ranks; none: this process is alone

  [[nodiscard]] model::Model& model() { return simulation.model(); }
  [[nodiscard]] model::Bodies& bodies() { return simulation.model().bodies; }
  [[nodiscard]] model::Motion& motion() { return simulation.motion(); }
};

using EngineClass = py::class_<Engine, std::shared_ptr<Engine>>;

/// InputError unless the vector is finite and not zero; returns it with unit length. `what` opens the message.
[[nodiscard]] Vec3 unit(const Vec3& direction, const char* what);
void check_finite(const Vec3& value, const char* what);
/// Name of a body's kind: "rigid", "obstacle", "pseudo_rigid", "finite_element".
[[nodiscard]] const char* kind_name(Engine& engine, int index);

/// The last step's problem with its solution and guess, copied; with the global form of true masses when asked for. The
/// unknowns of deformable bodies stay mass-scaled changes of velocity there.
[[nodiscard]] io::FclibProblem last_problem(const stepping::Simulation& simulation, bool global);

void bind_bodies(EngineClass& engine);
void bind_deformables(EngineClass& engine);
void bind_loads(EngineClass& engine);
void bind_constraints(EngineClass& engine);
void bind_settings(EngineClass& engine);
void bind_tables(EngineClass& engine);
void bind_io(EngineClass& engine);
void bind_division(EngineClass& engine);

}  // namespace scree::python
