#include "bindings.hpp"

#include <climits>

#include "io/fclib.hpp"
#include "signals.hpp"
#include "solvers/grain_pile.hpp"
#include "solvers/registry.hpp"

namespace scree::python {

using namespace solvers;

py::object to_python(const OptionValue& value) {
  return std::visit([](const auto& v) -> py::object { return py::cast(v); }, value);
}

static int option_integer(const std::string& name, const py::handle& value) {
  const long long number = PyLong_AsLongLong(value.ptr());
  PyErr_Clear();
  if (number < INT_MIN || number > INT_MAX || (number == -1 && !value.equal(py::int_(-1))))
    throw_input("option '{}' = {}: an integer from {} to {} is expected", name, py::cast<std::string>(py::str(value)), INT_MIN, INT_MAX);
  return static_cast<int>(number);
}

OptionValues to_options(const py::dict& options) {
  OptionValues values;
  for (const auto& [key, value] : options) {
    const auto name = py::cast<std::string>(key);
    if (py::isinstance<py::bool_>(value)) values[name] = py::cast<bool>(value);
    else if (py::isinstance<py::int_>(value)) values[name] = option_integer(name, value);
    else if (py::isinstance<py::float_>(value)) values[name] = py::cast<double>(value);
    else if (py::isinstance<py::str>(value)) values[name] = py::cast<std::string>(value);
    else throw_input("option '{}': a bool, int, float or str is expected, not {}", name, py::cast<std::string>(py::repr(value)));
  }
  return values;
}

py::dict to_dict(const SolveReport& report) {
  py::dict info;
  info["status"] = to_string(report.status);
  info["iterations"] = report.iterations;
  info["products"] = report.products;
  info["linear_iterations"] = report.linear_iterations;
  info["fallbacks"] = report.fallbacks;
  info["residual"] = report.residual;
  info["seconds"] = report.seconds;
  info["history"] = report.history;
  info["stage"] = report.stage;
  info["advice"] = report.advice;
  return info;
}

namespace {

py::list list_solvers() {
  py::list list;
  for (const SolverInfo& info : all_solvers()) {
    py::dict entry;
    entry["name"] = info.name;
    entry["text"] = info.text;
    py::list formulations;
    for (const Formulation formulation : info.formulations) formulations.append(to_string(formulation));
    entry["formulations"] = formulations;
    py::list options;
    for (const OptionInfo& option : info.options) {
      py::dict o;
      o["name"] = option.name;
      o["default"] = to_python(option.default_value);
      o["text"] = option.text;
      options.append(o);
    }
    entry["options"] = options;
    list.append(entry);
  }
  return list;
}

StopRule make_stop(double tolerance, const std::string& yardstick, int max_iterations, double max_seconds, bool history) {
  StopRule stop;
  stop.tolerance = tolerance;
  stop.yardstick = yardstick_from(yardstick);
  stop.max_iterations = max_iterations;
  stop.max_seconds = max_seconds;
  stop.history = history;
  return stop;
}

py::array_t<double> copy(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// Solve from a guess (empty: zeros); returns (R, U, report).
py::tuple solve_problem(const io::FclibProblem& file, const std::string& solver, const StopRule& stop, const py::dict& options,
                        const std::vector<double>& guess) {
  const ContactProblem& problem = file.problem;
  std::vector<double> R = guess.empty() ? std::vector<double>(problem.B.size(), 0.0) : guess;
  std::vector<double> U(problem.B.size());
  const OptionValues values = to_options(options);
  const SignalWatch watch;
  const SolveReport report = released([&] {
    SolveReport result = solve(solver, problem, stop, values, R);
    relative_velocity(problem, R, U);
    return result;
  });
  if (report.status == Status::interrupted) watch.raise_stop();
  py::dict info = to_dict(report);
  for (const Yardstick yardstick : {Yardstick::residual, Yardstick::merit, Yardstick::siconos, Yardstick::ccp})
    info[py::str(to_string(yardstick))] = measure(yardstick, problem, R, U);
  return py::make_tuple(copy(R), copy(U), info);
}

int contact_count(const ContactProblem& problem) {
  return static_cast<int>(std::ranges::count_if(problem.kind, frictional));
}

/// W as block rows (row_start, columns, values (n, 3, 3)), for other programs.
py::tuple block_rows(const ContactProblem& problem) {
  const ExplicitForm* form = problem.W->block_rows();
  const ExplicitForm made = form ? ExplicitForm({0}, {}, {}) : make_explicit(*problem.W->body_rows());
  const ExplicitForm& W = form ? *form : made;
  std::vector<int> start{0}, columns;
  std::vector<double> values;
  for (int a = 0; a < W.blocks(); ++a) {
    columns.insert(columns.end(), W.columns(a).begin(), W.columns(a).end());
    for (const RowMat3& block : W.values(a)) values.insert(values.end(), block.data(), block.data() + 9);
    start.push_back(static_cast<int>(columns.size()));
  }
  const auto n = static_cast<py::ssize_t>(columns.size());
  return py::make_tuple(py::array_t<int>(static_cast<py::ssize_t>(start.size()), start.data()), py::array_t<int>(n, columns.data()),
                        py::array_t<double>({n, py::ssize_t{3}, py::ssize_t{3}}, values.data()));
}

/// A problem given as block rows of W, three entries of B and one of mu a block; all blocks are contacts.
std::shared_ptr<io::FclibProblem> make_problem(std::vector<int> row_start, std::vector<int> columns, const Points& values,
                                               std::vector<double> B, std::vector<double> mu, int dimension) {
  const auto blocks = columns.size();
  if (values.size() != static_cast<py::ssize_t>(9 * blocks))
    throw_input("Problem: W has {} numbers for {} blocks of 3 x 3", values.size(), blocks);
  if (row_start.size() != mu.size() + 1 || row_start.front() != 0 || row_start.back() != static_cast<int>(blocks) ||
      !std::is_sorted(row_start.begin(), row_start.end()))
    throw_input("Problem: row_start must rise from 0 to the number of blocks ({}) and have {} entries", blocks, mu.size() + 1);
  for (const int column : columns)
    if (column < 0 || column >= static_cast<int>(mu.size())) throw_input("Problem: column {} is out of range; there are {} contacts", column, mu.size());
  std::vector<RowMat3> W(blocks);
  if (blocks) std::memcpy(static_cast<void*>(W.data()), values.data(), 9 * blocks * sizeof(double));
  auto result = std::make_shared<io::FclibProblem>();
  result->problem.W = std::make_shared<ExplicitForm>(std::move(row_start), std::move(columns), std::move(W));
  result->problem.kind.assign(mu.size(), BlockKind::contact);
  result->problem.mu = std::move(mu);
  result->problem.B = std::move(B);
  result->dimension = dimension;
  result->problem.validate();
  return result;
}

/// Write with another solution and other guesses, in the local or the global form.
void write_problem(const io::FclibProblem& self, const std::string& path, const std::vector<double>& R, const std::vector<double>& U,
                   const std::vector<std::vector<double>>& guesses, bool global) {
  released([&] {
    io::FclibProblem file = self;
    file.solution_r = R;
    file.solution_u = U;
    file.solution_v.clear();
    file.guesses = guesses;
    if (!global) file.global = nullptr;
    else if (!file.global) file.global = io::make_global(file.problem, file.dimension);
    io::write_fclib(path, file);
  });
}

/// Grains settled in a vessel; keywords are the fields of GrainPileOptions.
std::shared_ptr<io::FclibProblem> grain_pile(const py::kwargs& given) {
  GrainPileOptions o;
  std::map<std::string, std::function<void(py::handle)>> fields;
  const auto field = [&](const char* name, auto& value) {
    fields[name] = [&value](py::handle v) { value = v.cast<std::remove_reference_t<decltype(value)>>(); };
  };
  field("grains", o.grains);
  field("radius", o.radius);
  field("spread", o.spread);
  field("density", o.density);
  field("mu", o.mu);
  field("settling_mu", o.settling_mu);
  field("planar", o.planar);
  field("rotating", o.rotating);
  field("vessel_radius", o.vessel_radius);
  field("vessel_width", o.vessel_width);
  field("across", o.across);
  field("lid_mass", o.lid_mass);
  field("lid_radius", o.lid_radius);
  field("settling_lid_mass", o.settling_lid_mass);
  field("reach", o.reach);
  field("step", o.step);
  field("settling_step", o.settling_step);
  field("settling_steps", o.settling_steps);
  field("free_steps", o.free_steps);
  field("settling_tolerance", o.settling_tolerance);
  field("seed", o.seed);
  for (const auto& [key, value] : given) {
    const auto name = py::cast<std::string>(key);
    const auto found = fields.find(name);
    if (found == fields.end()) throw_input("grain pile: option '{}' is unknown", name);
    found->second(value);
  }
  auto result = std::make_shared<io::FclibProblem>();
  released([&] { result->problem = make_grain_pile(o); });
  result->dimension = o.planar ? 2 : 3;
  return result;
}

}  // namespace

void bind_solvers(py::module_& module) {
  using io::FclibProblem;
  py::class_<StopRule>(module, "StopRule")
      .def(py::init(&make_stop), py::arg("tolerance") = 1e-8, py::arg("yardstick") = "residual", py::arg("max_iterations") = 10000,
           py::arg("max_seconds") = 1e30, py::arg("history") = false);
  module.def("list_solvers", &list_solvers);
  module.def("find_solver", [](const std::string& name) { return find_solver(name).name; });

  py::class_<FclibProblem, std::shared_ptr<FclibProblem>>(module, "Problem")
      .def_static("read", [](const std::string& path) {
        return released([&] { return std::make_shared<FclibProblem>(io::read_fclib(path)); });
      })
      .def_static("from_rows", &make_problem)
      .def_static("grain_pile", &grain_pile)
      .def("write", &write_problem)
      .def("solve", &solve_problem, py::arg("solver"), py::arg("stop"), py::arg("options") = py::dict(), py::arg("guess") = std::vector<double>())
      .def("measure", [](const FclibProblem& self, const std::string& yardstick, const std::vector<double>& R) {
        if (R.size() != self.problem.B.size()) throw_input("R has {} numbers, {} expected", R.size(), self.problem.B.size());
        return measure(yardstick_from(yardstick), self.problem, R);
      })
      .def("asymmetry", [](const FclibProblem& self) {
        const ExplicitForm* W = self.problem.W->block_rows();
        return W ? W->asymmetry() : 0.0;
      })
      .def("block_rows", [](const FclibProblem& self) { return block_rows(self.problem); })
      .def("kinds", [](const FclibProblem& self) {
        return numbers<int>(self.problem.kind.size(), [&](std::size_t i) { return static_cast<int>(self.problem.kind[i]); });
      })
      .def_property_readonly("blocks", [](const FclibProblem& self) { return self.problem.blocks(); })
      .def_property_readonly("contacts", [](const FclibProblem& self) { return contact_count(self.problem); })
      .def_property_readonly("body_form", [](const FclibProblem& self) { return self.problem.W->body_rows() != nullptr; })
      .def_property_readonly("B", [](const FclibProblem& self) { return copy(self.problem.B); })
      .def_property_readonly("mu", [](const FclibProblem& self) { return copy(self.problem.mu); })
      .def_property_readonly("solution_r", [](const FclibProblem& self) { return copy(self.solution_r); })
      .def_property_readonly("solution_u", [](const FclibProblem& self) { return copy(self.solution_u); })
      .def_property_readonly("solution_v", [](const FclibProblem& self) { return copy(self.solution_v); })
      .def_property_readonly("guesses", [](const FclibProblem& self) {
        py::list list;
        for (const auto& guess : self.guesses) list.append(copy(guess));
        return list;
      })
      .def_property_readonly("is_global", [](const FclibProblem& self) { return self.global != nullptr; })
      .def_readonly("dimension", &FclibProblem::dimension)
      .def_readonly("title", &FclibProblem::title)
      .def_readonly("description", &FclibProblem::description);
}

}  // namespace scree::python
