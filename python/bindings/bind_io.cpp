#include "engine.hpp"

#include "io/checkpoint.hpp"
#include "io/fclib.hpp"

namespace scree::python {

namespace {

/// The last step's problem with its solution, as an FCLIB file of the local or the global form.
void write_step_problem(Engine& engine, const std::string& path, bool global) {
  if (!engine.simulation.stage().problem.W || engine.simulation.stage().problem.blocks() == 0)
    throw_input("export of the contact problem: the last step had no contacts or constraints");
  released([&] { io::write_fclib(path, last_problem(engine.simulation, global)); });
}

/// Text of any size and content as an array of its bytes.
Archive::Integers to_bytes(const std::string& text) {
  Archive::Integers bytes;
  bytes.reserve(text.size());
  for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
  return bytes;
}

std::string to_text(const Archive::Integers& bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const std::int64_t byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

using RealArray = py::array_t<double, py::array::c_style>;
using IntegerArray = py::array_t<std::int64_t, py::array::c_style>;

/// Complete state, and texts and numbers of the caller beside it.
void write_checkpoint(Engine& engine, const std::string& path, const std::map<std::string, std::string>& texts, const RealArray& reals, const IntegerArray& integers) {
  Archive::Reals real(reals.data(), reals.data() + reals.size());
  Archive::Integers integer(integers.data(), integers.data() + integers.size());
  released([&] {
    Archive archive;
    engine.simulation.save(archive);
    for (const auto& [name, text] : texts) archive.put("text/" + name, to_bytes(text));
    archive.put("caller/reals", std::move(real));
    archive.put("caller/integers", std::move(integer));
    io::write_checkpoint(path, std::move(archive));
  });
}

/// `changed`: the model's bodies may have been built otherwise.
void read_checkpoint(Engine& engine, const std::string& path, bool changed) {
  using Changes = stepping::Simulation::Changes;
  engine.simulation.load(io::read_checkpoint(path), changed ? Changes::accepted : Changes::refused);
}

/// ValueError unless the model was built as the checkpoint's; changes from here on belong to the run.
void check_checkpoint(Engine& engine, const std::string& path) {
  engine.simulation.mark_built();
  engine.simulation.check_same(io::read_checkpoint(path));
}

std::string peek_checkpoint(const std::string& path, const std::string& name) {
  return to_text(io::read_checkpoint(path).integers("text/" + name));
}

/// The caller's numbers.
py::tuple peek_numbers(const std::string& path) {
  const Archive archive = released([&] { return io::read_checkpoint(path); });
  const Archive::Reals& reals = archive.reals("caller/reals");
  const Archive::Integers& integers = archive.integers("caller/integers");
  return py::make_tuple(RealArray(static_cast<py::ssize_t>(reals.size()), reals.data()), IntegerArray(static_cast<py::ssize_t>(integers.size()), integers.data()));
}

}  // namespace

void bind_io(EngineClass& engine) {
  engine.change("set_time", [](Engine& e, double time) { e.simulation.set_time(time); });
  engine.def("problem_blocks", [](Engine& e) { return e.simulation.stage().problem.W ? e.simulation.stage().problem.blocks() : 0; });
  engine.def("write_problem", &write_step_problem).def("check_checkpoint", &check_checkpoint);
  engine.def("write_checkpoint", &write_checkpoint, py::arg("path"), py::arg("texts"), py::arg("reals") = RealArray(0), py::arg("integers") = IntegerArray(0));
  engine.change("read_checkpoint", &read_checkpoint, py::arg("path"), py::arg("changed") = false);
  engine.def_static("peek_checkpoint", &peek_checkpoint).def_static("peek_numbers", &peek_numbers);
}

}  // namespace scree::python
