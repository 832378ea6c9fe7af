#include "bindings.hpp"

#include "model/time_series.hpp"

namespace scree::python {

void bind_time_series(py::module_& module) {
  using model::TimeSeries;
  py::class_<TimeSeries>(module, "TimeSeries")
      .def(py::init<double>())
      .def(py::init<std::vector<double>, std::vector<double>>())
      .def_static("read", &model::read_time_series)
      .def("value", &TimeSeries::value)
      .def("derivative", &TimeSeries::derivative)
      .def("integral", &TimeSeries::integral)
      .def("constant", &TimeSeries::constant)
      .def("times", [](const TimeSeries& s) { return numbers<double>(s.times().size(), [&](std::size_t i) { return s.times()[i]; }); })
      .def("values", [](const TimeSeries& s) { return numbers<double>(s.values().size(), [&](std::size_t i) { return s.values()[i]; }); });
}

}  // namespace scree::python
