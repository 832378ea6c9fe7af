#include <mutex>

#include "bindings.hpp"
#include "io/wire.hpp"

namespace scree::python {

namespace {

/// A results file as bundles for the viewer's page. Calls from several threads wait for each other.
class Wire {
  // The interpreter goes on while this waits and works.
  template <class Action>
  std::invoke_result_t<Action> locked(Action&& action) {
    return released([&]() -> std::invoke_result_t<Action> {
      const std::lock_guard guard(mutex_);
      return action();
    });
  }
  template <class Action>
  py::bytes bundle(Action&& action) {
    const std::string bytes = locked([&] { return action().bytes(); });
    return py::bytes(bytes);
  }

 public:
  explicit Wire(const std::string& path) : reader_(path), packer_(std::make_unique<io::WirePacker>(reader_)) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  bool refresh() {
    return locked([&] {
      const auto before = shape();
      reader_.refresh();
      // Another origin would not fit what the page has: it stays while the file only grows.
      const bool changed = shape() != before;
      if (shape() < before) packer_ = std::make_unique<io::WirePacker>(reader_);
      return changed;
    });
  }
  [[nodiscard]] std::array<std::int64_t, 3> shape() const {
    return {reader_.frames(), static_cast<std::int64_t>(reader_.bodies().size()), static_cast<std::int64_t>(reader_.shapes().size())};
  }
  [[nodiscard]] std::vector<std::string> fields() const { return packer_->fields(); }
  [[nodiscard]] std::string title() const { return reader_.info().title; }
  py::bytes scene() { return bundle([&] { return packer_->scene(); }); }
  py::bytes series(std::int64_t every) { return bundle([&] { return packer_->series(every); }); }
  py::bytes frame(std::int64_t index, const std::vector<std::string>& names, bool detail) {
    return bundle([&] {
      std::vector<io::Field> fields;
      for (const std::string& name : names) fields.push_back(io::field(name));
      return packer_->frame(index, fields, detail);
    });
  }
  py::bytes contacts(std::int64_t index, std::int64_t limit, bool detail) {
    return bundle([&] { return packer_->contacts(index, limit, detail); });
  }
  py::bytes history(std::int32_t row) { return bundle([&] { return packer_->history(row); }); }
  py::bytes pair_history(std::int32_t first, std::int32_t second) { return bundle([&] { return packer_->pair_history(first, second); }); }
  std::string body(std::int64_t index, std::int32_t row) {
    return locked([&] { return packer_->body(index, row); });
  }
  std::string contact(std::int64_t index, std::int64_t number) {
    return locked([&] { return packer_->contact(index, number); });
  }
  std::array<double, 3> range(const std::string& name) {
    return locked([&] {
      const io::WirePacker::Range r = name == "contact" ? packer_->contact_range() : packer_->range(io::field(name));
      return std::array<double, 3>{r.low, r.high, r.top};
    });
  }

 private:
  std::mutex mutex_;
  io::ResultsReader reader_;
  std::unique_ptr<io::WirePacker> packer_;
};

}  // namespace

void bind_wire(py::module_& module) {
  py::class_<Wire>(module, "Wire")
      .def(py::init<const std::string&>())
      .def("refresh", &Wire::refresh)
      .def("shape", &Wire::shape)
      .def("scene", &Wire::scene)
      .def("series", &Wire::series, py::arg("every") = 1)
      .def("title", &Wire::title)
      .def("fields", &Wire::fields)
      .def("frame", &Wire::frame, py::arg("index"), py::arg("fields"), py::arg("detail") = false)
      .def("contacts", &Wire::contacts, py::arg("index"), py::arg("limit"), py::arg("detail") = false)
      .def("history", &Wire::history)
      .def("pair_history", &Wire::pair_history)
      .def("body", &Wire::body)
      .def("contact", &Wire::contact)
      .def("range", &Wire::range);
}

}  // namespace scree::python
