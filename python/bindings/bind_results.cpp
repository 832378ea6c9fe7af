#include "engine.hpp"
#include "io/csv.hpp"
#include "io/vtu.hpp"
#include "io/xdmf.hpp"
#include "recording/recorder.hpp"
#include "signals.hpp"

namespace scree::python {

namespace {

using recording::Recorder;

std::unique_ptr<Recorder> create_recorder(const std::string& path, const std::string& title, std::int64_t bodies, bool compress) {
  return std::make_unique<Recorder>(path, recording::RecordOptions{title, bodies, compress});
}

/// Numbers of a column, a row a body or contact; matrices where a row has nine.
template <class T>
py::array_t<T> rows(const std::vector<T>& values, py::ssize_t width) {
  const auto n = static_cast<py::ssize_t>(values.size()) / width;
  if (width == 1) return py::array_t<T>(n, values.data());
  return width == 9 ? py::array_t<T>({n, py::ssize_t{3}, py::ssize_t{3}}, values.data()) : py::array_t<T>({n, width}, values.data());
}

template <class T>
py::array_t<T> flat(const std::vector<T>& values) {
  return rows(values, 1);
}

/// All columns of a group of a frame, by the names they have in Python.
py::dict columns(const io::Frame& frame, std::string_view group) {
  py::dict table;
  io::Frame::each_column([&](const io::FrameColumn& column, auto member) {
    if (column.group == group) table[column.python ? column.python : column.name] = rows(frame.*member, column.width);
  });
  return table;
}

py::dict energy_dict(const io::EnergyRow& e) {
  py::dict info;
  info["kinetic"] = e.kinetic;
  info["internal"] = e.internal;
  info["potential"] = e.potential;
  info["external"] = e.external;
  info["contact"] = e.contact;
  info["friction"] = e.friction;
  info["damping"] = e.damping;
  return info;
}

/// Contacts of a frame as a dictionary of arrays; bodies by id.
py::dict contact_table(const io::ResultsReader& reader, const io::Frame& f) {
  const auto& bodies = reader.bodies();
  const auto id = [&](std::int32_t row) { return row < 0 ? -1 : bodies[static_cast<std::size_t>(row)].id; };
  py::dict contacts = columns(f, "contacts");
  contacts["bodies"] = pairs(f.contacts(), [&](std::size_t i) { return std::array<int, 2>{static_cast<int>(id(f.pair[2 * i])), static_cast<int>(id(f.pair[2 * i + 1]))}; });
  contacts.attr("pop")("pair");
  return contacts;
}

py::dict frame(const io::ResultsReader& reader, std::int64_t index) {
  const io::Frame f = released([&] { return reader.frame(index); });
  const auto& bodies = reader.bodies();
  const auto id = [&](std::int32_t row) { return row < 0 ? -1 : bodies[static_cast<std::size_t>(row)].id; };
  py::dict info;
  info["time"] = f.time;
  info["step"] = f.step;
  info["energies"] = energy_dict(f.energy);
  info["ids"] = numbers<std::int64_t>(f.body.size(), [&](std::size_t i) { return id(f.body[i]); });
  info["fields"] = columns(f, "motion");
  info["contacts"] = contact_table(reader, f);
  return info;
}

/// One quantity of some bodies over some frames: array (frames, bodies, numbers).
py::array_t<double> history(const io::ResultsReader& reader, const std::string& quantity, const std::vector<std::int32_t>& bodies,
                            const std::vector<std::int64_t>& frames) {
  static constexpr const char* kNames[] = {"rotation", "position", "velocity", "angular_velocity", "energy"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), quantity);
  if (found == std::end(kNames)) throw_input("history: quantity '{}' is unknown", quantity);
  const auto motion = static_cast<io::ResultsReader::Motion>(found - std::begin(kNames));
  // The array owns the numbers: long histories are not copied.
  auto* values = new std::vector<double>(released([&] { return reader.history(motion, bodies, frames); }));
  const py::capsule owner(values, [](void* memory) { delete static_cast<std::vector<double>*>(memory); });
  return py::array_t<double>({static_cast<py::ssize_t>(frames.size()), static_cast<py::ssize_t>(bodies.size()), py::ssize_t{io::ResultsReader::width(motion)}},
                             values->data(), owner);
}

py::list body_table(const io::ResultsReader& reader) {
  static constexpr const char* kKinds[] = {"rigid", "pseudo_rigid", "finite_element", "obstacle"};
  py::list list;
  for (const io::BodyRow& b : reader.bodies()) {
    py::dict info;
    info["id"] = b.id;
    info["label"] = b.label;
    info["material"] = b.material;
    info["kind"] = kKinds[static_cast<std::size_t>(b.kind)];
    info["shape"] = b.shape;
    info["mass"] = b.mass;
    info["volume"] = b.volume;
    info["center"] = b.center;
    info["tensor"] = b.tensor;
    info["unknowns"] = b.unknowns;
    info["radius"] = b.radius;
    info["first_frame"] = b.first_frame;
    info["last_frame"] = b.last_frame;
    list.append(info);
  }
  return list;
}

/// A stored shape: [(kind, reals, triangles of its boundary as numbers of points)], one entry a piece; docs/results_format.md.
py::list stored_shape(const io::ResultsReader& reader, std::int64_t index) {
  py::list list;
  for (const io::StoredPiece& piece : reader.shapes().at(static_cast<std::size_t>(index)).pieces) {
    std::vector<std::array<int, 3>> corners;
    if (piece.kind >= io::PieceKind::polyhedron)
      for (const io::StoredFace& face : io::boundary_faces(piece))
        for (std::size_t k = 2; k < face.points.size(); ++k) corners.push_back({face.points[0], face.points[k - 1], face.points[k]});
    py::array_t<int> triangles({static_cast<py::ssize_t>(corners.size()), py::ssize_t{3}});
    for (std::size_t t = 0; t < corners.size(); ++t) std::copy(corners[t].begin(), corners[t].end(), triangles.mutable_data(static_cast<py::ssize_t>(t), 0));
    list.append(py::make_tuple(static_cast<int>(piece.kind), flat(piece.reals), triangles));
  }
  return list;
}

/// The step table as a dictionary of arrays.
py::dict step_table(const io::ResultsReader& reader) {
  const std::vector<io::StepRow> steps = released([&] { return reader.steps(); });
  const std::size_t n = steps.size();
  py::dict table;
  io::StepRow::each_stored([&](const char* name, auto member) {
    table[name] = numbers<std::decay_t<decltype(io::StepRow().*member)>>(n, [&](std::size_t i) { return steps[i].*member; });
  });
  for (int k = 0; k < model::kStages; ++k)
    table[model::kStageNames[static_cast<std::size_t>(k)]] = numbers<double>(n, [&](std::size_t i) { return steps[i].seconds(k); });
  return table;
}

py::dict energy_table(const io::ResultsReader& reader) {
  const auto& e = reader.energies();
  py::dict table;
  const auto column = [&](const char* name, auto field) { table[name] = numbers<double>(e.size(), [&](std::size_t i) { return field(e[i]); }); };
  column("kinetic", [](const io::EnergyRow& r) { return r.kinetic; });
  column("internal", [](const io::EnergyRow& r) { return r.internal; });
  column("potential", [](const io::EnergyRow& r) { return r.potential; });
  column("external", [](const io::EnergyRow& r) { return r.external; });
  column("contact", [](const io::EnergyRow& r) { return r.contact; });
  column("friction", [](const io::EnergyRow& r) { return r.friction; });
  column("damping", [](const io::EnergyRow& r) { return r.damping; });
  return table;
}

/// Run an export of some frames and bodies.
template <void (*kExport)(const io::ResultsReader&, const std::string&, const io::Selection&)>
void write_export(const io::ResultsReader& reader, const std::string& path, std::vector<std::int64_t> frames, std::vector<std::int32_t> bodies, bool spheres) {
  stoppable([&] { released([&] { kExport(reader, path, {std::move(frames), std::move(bodies), spheres}); }); });
}

}  // namespace

void bind_results(py::module_& module) {
  py::class_<Recorder>(module, "ResultsWriter")
      .def_static("create", &create_recorder)
      .def_static("resume", [](const std::string& path, double time) { return std::make_unique<Recorder>(Recorder::resume(path, time)); })
      .def("add_steps", [](Recorder& r, const py::array_t<io::StepRow>& table) { r.add_steps({table.data(), static_cast<std::size_t>(table.size())}); })
      .def("add_frame", [](Recorder& r, Engine& engine) {
        const Access access(engine.turns, Use::reads);
        released([&] { r.add_frame(engine.simulation); });
      })
      .def("flush", [](Recorder& r) { released([&] { r.flush(); }); })
      .def("close", [](Recorder& r) { released([&] { r.close(); }); })
      .def("frames", &Recorder::frames)
      .def("last_time", &Recorder::last_time);

  using io::ResultsReader;
  py::class_<ResultsReader>(module, "ResultsReader")
      .def(py::init<const std::string&>())
      .def("title", [](const ResultsReader& r) { return r.info().title; })
      .def("version", [](const ResultsReader& r) { return r.info().scree_version; })
      .def("stages", [](const ResultsReader& r) { return r.info().stages; })
      .def("frames", &ResultsReader::frames)
      .def("body_rows", [](const ResultsReader& r) {
        const auto last = r.frames() ? r.body_range(r.frames() - 1) : ResultsReader::Range{};
        return last.first + last.count;
      })
      .def("times", [](const ResultsReader& r) { return flat(r.times()); })
      .def("energies", &energy_table)
      .def("bodies", &body_table)
      .def("shape", &stored_shape)
      .def("steps", &step_table)
      .def("frame", &frame)
      .def("contacts", [](const ResultsReader& r, std::int64_t index) { return contact_table(r, released([&] { return r.contacts(index); })); })
      .def("history", &history)
      .def("state", [](const ResultsReader& r, std::int64_t frame, std::int32_t body) { return flat(released([&] { return r.state(frame, body); })); })
      .def("export_xdmf", &write_export<&io::export_xdmf>)
      .def("export_points", &write_export<&io::export_points>)
      .def("export_vtu", &write_export<&io::export_vtu>)
      .def("export_csv", &write_export<&io::export_csv>)
      .def("refresh", &ResultsReader::refresh);
}

}  // namespace scree::python
