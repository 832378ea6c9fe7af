/// The simulation as Python holds it.
#pragma once

#include "bindings.hpp"
#include "io/fclib.hpp"
#include "parallel/shared_work.hpp"
#include "turns.hpp"

namespace scree::python {

/// A simulation.
struct Engine {
  explicit Engine(double step) : simulation(step) {}

  stepping::Simulation simulation;
  Turns turns;
  std::shared_ptr<parallel::SharedWork> work;  ///< division among ranks; none: this process is alone

  [[nodiscard]] model::Model& model() { return simulation.model(); }
  [[nodiscard]] model::Bodies& bodies() { return simulation.model().bodies; }
  [[nodiscard]] model::Motion& motion() { return simulation.motion(); }
};

/// The class of engines, whose methods wait for their turn. def(): methods that only read; change(): those that change the model, which a step refuses.
class EngineClass : public py::class_<Engine, std::shared_ptr<Engine>> {
 public:
  using Base = py::class_<Engine, std::shared_ptr<Engine>>;
  using Base::Base;

  template <class Call, class... Extra>
  EngineClass& def(const char* name, Call&& call, const Extra&... extra) {
    Base::def(name, in_turn(Use::reads, +call), extra...);
    return *this;
  }
  template <class Call, class... Extra>
  EngineClass& change(const char* name, Call&& call, const Extra&... extra) {
    Base::def(name, in_turn(Use::changes, +call), extra...);
    return *this;
  }

 private:
  template <class Answer, class... Args>
  static auto in_turn(Use use, Answer (*call)(Engine&, Args...)) {
    return [use, call](Engine& engine, Args... args) -> Answer {
      const Access access(engine.turns, use);
      return call(engine, std::forward<Args>(args)...);
    };
  }
};

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
