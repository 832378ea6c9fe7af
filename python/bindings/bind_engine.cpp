#include "engine.hpp"

#include "core/abandon.hpp"
#include "core/timer.hpp"
#include "elastic/loads.hpp"
#include "recording/run.hpp"
#include "signals.hpp"

namespace scree::python {

namespace {

using model::StepRow;

std::vector<std::string> warnings_of(Engine& engine) {
  const Access access(engine.turns, Use::reads);
  return engine.simulation.take_warnings();
}

bool interrupted(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Interrupted&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// Steps until one fails, `seconds` of wall clock have passed or a stop is requested; an abandoned step is as if it had not begun. Between them other
/// threads have their turn.
recording::Advance make_steps(Engine& engine, long steps, double seconds) {
  recording::Advance all;
  const Timer timer;
  for (long k = 0; k < steps && !stop_requested(); ++k) {
    engine.turns.take();
    const recording::Advance made = recording::advance(engine.simulation, 1, kInfinity);
    engine.turns.give();
    all.rows.insert(all.rows.end(), made.rows.begin(), made.rows.end());
    if (made.error && interrupted(made.error)) break;
    all.error = made.error;
    if (all.error || timer.seconds() >= seconds) break;
  }
  return all;
}

/// The table of the steps made, and a function that raises the error that stopped them, or None. Ends early where a signal asks for it.
py::tuple advance(Engine& engine, long steps, double seconds) {
  if (engine.turns.mine()) const Access refused(engine.turns, Use::changes);
  const SignalWatch watch;
  recording::Advance made = released([&] { return make_steps(engine, steps, seconds); });
  try {
    if (stop_requested()) watch.call_handlers();
  } catch (...) {
    made.error = std::current_exception();
  }
  for (const std::string& message : warnings_of(engine))
    if (PyErr_WarnEx(PyExc_UserWarning, message.c_str(), 2) != 0) throw py::error_already_set();
  const py::array_t<StepRow> table(static_cast<py::ssize_t>(made.rows.size()), made.rows.data());
  py::object raise = py::none();
  if (made.error) raise = py::cpp_function([error = made.error] { std::rethrow_exception(error); });
  return py::make_tuple(table, raise);
}

py::dict energies(Engine& engine) {
  const stepping::Energies e = engine.simulation.energies();
  py::dict info;
  info["kinetic"] = e.kinetic;
  info["internal"] = e.internal;
  info["potential"] = e.potential;
  info["external"] = e.work.external;
  info["contact"] = e.work.contact;
  info["friction"] = e.work.friction;
  info["damping"] = e.work.damping;
  info["drift"] = e.drift;
  return info;
}

}  // namespace

void check_finite(const Vec3& value, const char* what) {
  if (!is_finite(value)) throw_input("{} = ({}, {}, {}): three finite numbers are expected", what, value.x(), value.y(), value.z());
}

Vec3 unit(const Vec3& direction, const char* what) {
  check_finite(direction, what);
  const double length = direction.norm();
  if (!(length > 0.0)) throw_input("{} = (0, 0, 0): a direction needs a length", what);
  return direction / length;
}

void bind_engine(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(StepRow, step, time, h, bodies, constraints, candidates, contacts, status, iterations, residual, merit, penetration_max,
                       penetration_mean, integrate, detect, assemble, solve, kinetic, internal, potential, external, contact, friction, damping,
                       drift);
  module.attr("status_names") = py::make_tuple(to_string(solvers::Status::converged), to_string(solvers::Status::max_iterations),
                                               to_string(solvers::Status::max_seconds), to_string(solvers::Status::diverged),
                                               to_string(solvers::Status::interrupted));
  module.attr("stage_names") = py::cast(std::vector<std::string>(model::kStageNames.begin(), model::kStageNames.end()));

  module.def("face_frame", &elastic::face_frame);
  module.def("abandoned_work", &abandoned_work);
  module.def("stop_requested", &stop_requested);
  module.def("hold_stop", &hold_stop, py::arg("on"));
  py::class_<SignalWatch>(module, "SignalWatch").def(py::init<bool>());

  using model::RigidState;
  py::class_<RigidState>(module, "RigidState")
      .def_readonly("rotation", &RigidState::rotation)
      .def_readonly("position", &RigidState::position)
      .def_readonly("velocity", &RigidState::velocity)
      .def_readonly("referential_angular", &RigidState::angular)
      .def_property_readonly("angular_velocity", [](const RigidState& s) -> Vec3 { return s.rotation * s.angular; });

  EngineClass engine(module, "Engine");
  static_cast<EngineClass::Base&>(engine).def(py::init<double>()).def("advance", &advance);  // advance() takes its turn step by step
  engine.def("report", [](Engine& e) {
        return py::array_t<StepRow>(1, &e.simulation.report());
      })
      .def("solve_report", [](Engine& e) { return to_dict(e.simulation.solve_report()); })
      .def("energies", &energies)
      .def("time", [](Engine& e) { return e.simulation.time(); })
      .def("steps", [](Engine& e) { return e.simulation.steps(); })
      .def("departed", [](Engine& e) { return e.simulation.departed(); })
      .def("factor_cost", [](Engine& e) {
        const auto cost = e.simulation.factor_cost();
        return py::make_tuple(cost.factorisations, cost.seconds);
      })
      .def("hash", [](Engine& e) { return fmt::format("{:016x}", e.simulation.state_hash()); });
  bind_settings(engine);
  bind_bodies(engine);
  bind_deformables(engine);
  bind_loads(engine);
  bind_constraints(engine);
  bind_tables(engine);
  bind_io(engine);
  bind_division(engine);
}

}  // namespace scree::python
