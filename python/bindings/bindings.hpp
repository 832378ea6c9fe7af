/// What every binding file shares: pybind11, the engine's types as NumPy arrays, and the list of parts.
#pragma once

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/vec.hpp"
#include "stepping/simulation.hpp"

namespace scree::python {

namespace py = pybind11;

using Points = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Rows of an (n, 3) array as vectors; InputError names `what` when the shape is another.
[[nodiscard]] std::vector<Vec3> to_points(const Points& array, const char* what);

/// An (n, 3) array of the vectors value(i).
template <class Value>
[[nodiscard]] py::array_t<double> vectors(std::size_t n, Value&& value) {
  py::array_t<double> array({n, std::size_t{3}});
  double* out = array.mutable_data();
  for (std::size_t i = 0; i < n; ++i, out += 3) {
    const Vec3 v = value(i);
    std::memcpy(out, v.data(), 3 * sizeof(double));
  }
  return array;
}

/// An array of n numbers value(i).
template <class T, class Value>
[[nodiscard]] py::array_t<T> numbers(std::size_t n, Value&& value) {
  py::array_t<T> array(static_cast<py::ssize_t>(n));
  T* out = array.mutable_data();
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(value(i));
  return array;
}

/// An (n, 2) array of integer pairs.
template <class Value>
[[nodiscard]] py::array_t<int> pairs(std::size_t n, Value&& value) {
  py::array_t<int> array({n, std::size_t{2}});
  int* out = array.mutable_data();
  for (std::size_t i = 0; i < n; ++i, out += 2) {
    const std::array<int, 2> p = value(i);
    out[0] = p[0];
    out[1] = p[1];
  }
  return array;
}

/// Run `call`, which may call back into Python, without holding the interpreter.
template <class Call>
auto released(Call&& call) {
  py::gil_scoped_release release;
  return call();
}

/// Python value of a solver's option, and back. InputError names the option when the type is none of
/// bool, int, float, str.
[[nodiscard]] py::object to_python(const solvers::OptionValue& value);
[[nodiscard]] solvers::OptionValues to_options(const py::dict& options);

/// What a solver reports, as a dictionary.
[[nodiscard]] py::dict to_dict(const solvers::SolveReport& report);

void bind_geometry(py::module_& module);
void bind_time_series(py::module_& module);
void bind_solvers(py::module_& module);
void bind_engine(py::module_& module);
void bind_results(py::module_& module);
void bind_render(py::module_& module);
void bind_packings(py::module_& module);
void bind_wire(py::module_& module);
void bind_ranks(py::module_& module);

}  // namespace scree::python
