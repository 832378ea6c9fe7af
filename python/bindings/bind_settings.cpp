#include "engine.hpp"

#include "core/spelling.hpp"

namespace scree::python {

namespace {

using stepping::FailurePolicy;

/// The value of an enumeration that a user names; InputError with the names there are.
template <class E, std::size_t N>
E by_name(const char* what, const std::string& name, const std::array<const char*, N>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw_input("{} = '{}': {} or {} is expected{}", what, name, fmt::join(names.begin(), names.end() - 1, ", "), names.back(), did_you_mean(name, std::vector<std::string>(names.begin(), names.end())));
  return static_cast<E>(found - names.begin());
}

/// The user's answer to a failed solve: False stops the run, anything else goes on.
std::function<bool(const solvers::SolveReport&)> failure_function(py::function function) {
  return [function = Callback("on_failure", std::move(function))](const solvers::SolveReport& report) {
    py::gil_scoped_acquire acquire;
    const py::object answer = function(to_dict(report));
    return answer.is_none() || py::cast<bool>(py::bool_(answer));
  };
}

/// InputError for an unknown solver or option, a wrong type or range: a problem without contacts is solved to find out.
void check_solver(const std::string& name, const solvers::StopRule& stop, const solvers::OptionValues& options) {
  if (name == "EXPLICIT") {
    if (!options.empty()) throw_input("EXPLICIT: unknown option '{}'; it has none", options.begin()->first);
    return;
  }
  solvers::ContactProblem nothing;
  nothing.W = std::make_shared<solvers::ExplicitForm>(std::vector<int>{0}, std::vector<int>{}, std::vector<solvers::RowMat3>{});
  std::vector<double> R;
  (void)solvers::solve(name, nothing, stop, options, R);
}

void set_solver(Engine& engine, const std::string& name, const solvers::StopRule& stop, const py::dict& options,
                const std::string& failure, const py::object& on_failure, double goal) {
  stepping::SolverSettings settings;
  settings.name = name;
  settings.stop = stop;
  settings.goal = goal;
  settings.options = to_options(options);
  settings.failure = by_name<FailurePolicy>("failure", failure, stepping::kFailureNames);
  if (settings.failure == FailurePolicy::callback) {
    if (!PyCallable_Check(on_failure.ptr())) throw_input("failure = 'callback' needs a function: on_failure = {}", py::cast<std::string>(py::repr(on_failure)));
    settings.on_failure = failure_function(py::reinterpret_borrow<py::function>(on_failure));
  }
  check_solver(name, stop, settings.options);
  engine.simulation.solver() = std::move(settings);
}

/// What the tolerance of a step bounds, as a user reads it.
std::string bounded(Engine& engine) {
  const stepping::SolverSettings& solver = engine.simulation.solver();
  const auto criterion = solver.options.find("criterion");
  if (criterion != solver.options.end() && criterion->second == solvers::OptionValue(std::string("relative_change"))) return "change";
  return solver.stop.yardstick == solvers::Yardstick::scaled_merit ? "merit" : "residual";
}

void set_step(Engine& engine, double step) {
  if (!(step > 0.0) || !std::isfinite(step)) throw_input("step = {} s: it must be positive and finite", step);
  engine.simulation.settings().step = step;
}

void set_contact(Engine& engine, const std::string& name, const py::object& value) {
  stepping::StepSettings& settings = engine.simulation.settings();
  const auto real = [&](double low, double high) {
    const double x = py::cast<double>(value);
    if (!(x >= low && x <= high)) throw_input("{} = {}: a number from {} to {} is expected", name, x, low, high);
    return x;
  };
  if (name == "recovery") settings.recovery = real(0.0, 1.0);
  else if (name == "recovery_speed") settings.recovery_speed = value.is_none() ? stepping::kBySize : real(0.0, kInfinity);
  else if (name == "restitution") settings.restitution = by_name<stepping::RestitutionLaw>("restitution", py::cast<std::string>(value), stepping::kRestitutionNames);
  else if (name == "slack") settings.slack = real(0.0, 1.0);
  else if (name == "unphysical_penetration") settings.unphysical_penetration = real(0.0, kInfinity);
  else if (name == "margin") settings.contact.margin = real(0.0, kInfinity);
  else if (name == "sparsify") settings.contact.sparsify = real(0.0, 1.0);
  else if (name == "min_area") settings.contact.min_area = real(0.0, kInfinity);
  else if (name == "min_distance") settings.contact.min_distance = real(0.0, kInfinity);
  else if (name == "manifold_points") settings.contact.manifold_points = static_cast<int>(real(1.0, 64.0));
  else if (name == "one_point_per_overlap") settings.contact.one_point_per_overlap = py::cast<bool>(value);
  else throw_input("contact setting '{}' is unknown{}", name, did_you_mean(name, std::vector<std::string>{"recovery", "recovery_speed", "restitution", "slack", "unphysical_penetration",
      "margin", "sparsify", "min_area", "min_distance", "manifold_points", "one_point_per_overlap"}));
}

py::dict get_contact(Engine& engine) {
  const stepping::StepSettings& settings = engine.simulation.settings();
  py::dict info;
  info["recovery"] = settings.recovery;
  info["recovery_speed"] = settings.recovery_speed == stepping::kBySize ? py::object(py::none()) : py::cast(settings.recovery_speed);
  info["restitution"] = to_string(settings.restitution);
  info["slack"] = settings.slack;
  info["unphysical_penetration"] = settings.unphysical_penetration;
  info["margin"] = settings.contact.margin;
  info["sparsify"] = settings.contact.sparsify;
  info["min_area"] = settings.contact.min_area;
  info["min_distance"] = settings.contact.min_distance;
  info["manifold_points"] = settings.contact.manifold_points;
  info["one_point_per_overlap"] = settings.contact.one_point_per_overlap;
  return info;
}

void set_integrator(Engine& engine, const std::string& name) {
  engine.simulation.settings().integrator = by_name<stepping::Integrator>("integrator", name, stepping::kIntegratorNames);
}

std::string get_integrator(Engine& engine) { return to_string(engine.simulation.settings().integrator); }

void set_extents(Engine& engine, const py::object& low, const py::object& high) {
  if (low.is_none()) {
    engine.model().extents.reset();
    return;
  }
  Box box;
  box.low = py::cast<Vec3>(low);
  box.high = py::cast<Vec3>(high);
  if (!((box.low.array() < box.high.array()).all())) throw_input("extents: the low corner ({}, {}, {}) must lie below the high one ({}, {}, {}) on every axis",
      box.low.x(), box.low.y(), box.low.z(), box.high.x(), box.high.y(), box.high.z());
  engine.model().extents = box;
}

}  // namespace

void bind_settings(EngineClass& engine) {
  engine.def_static("usual_accuracy", [] { return py::make_tuple(stepping::SolverSettings().stop.tolerance, stepping::SolverSettings().goal); });
  engine.def("step", [](Engine& e) { return e.simulation.settings().step; })
      .def("integrator", &get_integrator)
      .change("set_integrator", &set_integrator)
      .change("set_step", &set_step)
      .change("set_solver", &set_solver, py::arg("name"), py::arg("stop"), py::arg("options"), py::arg("failure"), py::arg("on_failure"), py::arg("goal") = 0.0)
      .def("solver_name", [](Engine& e) { return e.simulation.solver().name; })
      .def("tolerance", [](Engine& e) { return e.simulation.solver().stop.tolerance; })
      .def("bounded", &bounded)
      .def("goal", [](Engine& e) { return e.simulation.solver().aim(); })
      .change("set_contact", &set_contact)
      .def("contact_settings", &get_contact)
      .change("set_extents", &set_extents)
      .def("extents", [](Engine& e) -> py::object {
        if (!e.model().extents) return py::none();
        return py::make_tuple(e.model().extents->low, e.model().extents->high);
      })
      .change("exclude_bodies", [](Engine& e, int a, int b) { e.simulation.exclude_bodies(a, b); })
      .change("exclude_pieces", [](Engine& e, int a, const Vec3& pa, int b, const Vec3& pb) { e.simulation.exclude_pieces(a, pa, b, pb); })
      .change("exclude_surfaces", [](Engine& e, int a, int b) { e.simulation.exclude_surfaces(a, b); });
}

}  // namespace scree::python
