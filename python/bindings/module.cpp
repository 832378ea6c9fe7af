#include "bindings.hpp"

#include "core/blas_kernel.hpp"
#include "core/interrupt.hpp"
#include "core/threads.hpp"

namespace scree::python {

namespace {

/// An error that comes from inside, with the name of the routine the user called.
void set_error(PyObject* type, const char* text) {
  const auto routine = py::cast<std::string>(py::module_::import("scree._check").attr("routine")());
  PyErr_SetString(type, fmt::format("{}: {}", routine, text).c_str());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const InputError& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const FileError& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  } catch (const SolveError& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (const Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const py::cast_error&) {
    set_error(PyExc_ValueError, "a value has a type that cannot be used here");
  } catch (const std::length_error&) {
    set_error(PyExc_MemoryError, "what was asked for is larger than any memory");
  } catch (const std::bad_alloc&) {
    set_error(PyExc_MemoryError, "what was asked for does not fit into memory; make the problem or its options smaller");
  }
}

}  // namespace

std::vector<Vec3> to_points(const Points& array, const char* what) {
  if (array.ndim() != 2 || array.shape(1) != 3) throw_input("{}: an array of shape (n, 3) is expected, one point a row", what);
  std::vector<Vec3> points(static_cast<std::size_t>(array.shape(0)));
  if (!points.empty()) std::memcpy(static_cast<void*>(points.data()), array.data(), points.size() * sizeof(Vec3));
  return points;
}

}  // namespace scree::python

PYBIND11_MODULE(_scree, module) {
  using namespace scree;
  using namespace scree::python;
  module.doc() = "The Scree engine. Use the package `scree`; this module is its machinery.";
  py::register_exception_translator(translate);

  module.def("set_threads", [](int count) {
    if (count < 1 || count > 4096) throw_input("threads = {}: an integer from 1 to 4096 is expected", count);
    set_threads(count);
  }, py::arg("count"));
  module.def("threads", &threads);
  module.attr("version") = SCREE_VERSION;
  choose_blas_kernel();
  module.def("blas_kernel", [] {
    const BlasKernel& kernel = choose_blas_kernel();
    return py::dict(py::arg("library") = kernel.library, py::arg("name") = kernel.name, py::arg("instead") = kernel.instead,
                    py::arg("by_user") = kernel.by_user, py::arg("used") = blas_used());
  });

  bind_geometry(module);
  bind_time_series(module);
  bind_solvers(module);
  bind_engine(module);
  bind_results(module);
  bind_render(module);
  bind_packings(module);
  bind_wire(module);
  bind_ranks(module);
}
