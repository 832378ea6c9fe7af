#include "frame_source.hpp"

#include "io/csv.hpp"
#include "io/vtu.hpp"
#include "io/xdmf.hpp"
#include "step_row.hpp"

namespace scree::python {

namespace {

/// A results file being written from a simulation.
class RunWriter {
 public:
  explicit RunWriter(io::ResultsWriter writer) : writer_(std::move(writer)), source_(writer_) {}
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  static std::unique_ptr<RunWriter> create(const std::string& path, const std::string& title, std::int64_t bodies, bool compress) {
    io::ResultsInfo info;
    info.title = title;
    info.scree_version = SCREE_VERSION;
    info.stages.assign(stepping::kStageNames.begin(), stepping::kStageNames.end());
    info.expected_bodies = bodies;
    info.compress = compress;
    return std::make_unique<RunWriter>(io::ResultsWriter(path, info));
  }

  /// Go on after `time`: later frames are dropped, the bodies of the last frame left are those alive.
  static std::unique_ptr<RunWriter> resume(const std::string& path, double time) {
    std::vector<int> alive;
    double last_time = -kInfinity;
    {
      const io::ResultsReader reader(path);
      std::int64_t last = reader.frames() - 1;
      while (last >= 0 && reader.time(last) > time) --last;
      if (last >= 0) {
        last_time = reader.time(last);
        for (const std::int32_t row : reader.frame(last).body) alive.push_back(static_cast<int>(reader.bodies()[static_cast<std::size_t>(row)].id));
      }
    }
    auto writer = std::make_unique<RunWriter>(io::ResultsWriter::resume(path, time));
    writer->source_.set_alive(std::move(alive));
    writer->last_time_ = last_time;
    return writer;
  }

  void add_steps(const py::array_t<StepRow>& table) {
    for (py::ssize_t k = 0; k < table.size(); ++k) {
      const StepRow& r = table.data()[k];
      io::StepRow row;
      row.step = r.step;
      row.time = r.time;
      row.h = r.h;
      row.bodies = r.bodies;
      row.contacts = r.contacts;
      row.iterations = r.iterations;
      row.status = r.status;
      row.residual = r.residual;
      row.penetration_max = r.penetration_max;
      row.penetration_mean = r.penetration_mean;
      row.seconds = {r.integrate, r.detect, r.assemble, r.solve};
      writer_.add_step(row);
    }
  }

  void add_frame(Engine& engine) {
    released([&] { source_.write(engine); });
    last_time_ = engine.simulation.time();
  }
  void flush() { released([&] { writer_.flush(); }); }
  void close() { released([&] { writer_.close(); }); }
  [[nodiscard]] std::int64_t frames() const { return writer_.frames(); }
  [[nodiscard]] double last_time() const { return last_time_; }

 private:
  io::ResultsWriter writer_;
  FrameSource source_;
  double last_time_ = -kInfinity;  ///< of the last frame, s
};

py::array_t<double> rows(const std::vector<double>& values, py::ssize_t width) {
  const auto n = static_cast<py::ssize_t>(values.size()) / width;
  return width == 9 ? py::array_t<double>({n, py::ssize_t{3}, py::ssize_t{3}}, values.data()) : py::array_t<double>({n, width}, values.data());
}

template <class T>
py::array_t<T> flat(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
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
  py::dict contacts;
  contacts["bodies"] = pairs(f.contacts(), [&](std::size_t i) { return std::array<int, 2>{static_cast<int>(id(f.pair[2 * i])), static_cast<int>(id(f.pair[2 * i + 1]))}; });
  contacts["point"] = rows(f.point, 3);
  contacts["frame"] = rows(f.axes, 9);
  contacts["gap"] = flat(f.gap);
  contacts["area"] = flat(f.area);
  contacts["local_force"] = rows(f.force, 3);
  contacts["local_velocity"] = rows(f.relative_velocity, 3);
  contacts["surfaces"] = pairs(f.contacts(), [&](std::size_t i) { return std::array<int, 2>{f.surface[2 * i], f.surface[2 * i + 1]}; });
  contacts["material"] = flat(f.material);
  contacts["kind"] = flat(f.contact_kind);
  contacts["constraint"] = flat(f.constraint);
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
  info["rows"] = flat(f.body);
  info["ids"] = numbers<std::int64_t>(f.body.size(), [&](std::size_t i) { return id(f.body[i]); });
  info["rotation"] = rows(f.rotation, 9);
  info["position"] = rows(f.position, 3);
  info["velocity"] = rows(f.velocity, 3);
  info["angular_velocity"] = rows(f.angular, 3);
  info["energy"] = rows(f.body_energy, 6);
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
  table["step"] = numbers<std::int64_t>(n, [&](std::size_t i) { return steps[i].step; });
  table["time"] = numbers<double>(n, [&](std::size_t i) { return steps[i].time; });
  table["h"] = numbers<double>(n, [&](std::size_t i) { return steps[i].h; });
  table["bodies"] = numbers<int>(n, [&](std::size_t i) { return steps[i].bodies; });
  table["contacts"] = numbers<int>(n, [&](std::size_t i) { return steps[i].contacts; });
  table["iterations"] = numbers<int>(n, [&](std::size_t i) { return steps[i].iterations; });
  table["status"] = numbers<int>(n, [&](std::size_t i) { return steps[i].status; });
  table["residual"] = numbers<double>(n, [&](std::size_t i) { return steps[i].residual; });
  table["penetration_max"] = numbers<double>(n, [&](std::size_t i) { return steps[i].penetration_max; });
  table["penetration_mean"] = numbers<double>(n, [&](std::size_t i) { return steps[i].penetration_mean; });
  const auto& stages = reader.info().stages;
  for (std::size_t k = 0; k < stages.size(); ++k)
    table[py::str(stages[k])] = numbers<double>(n, [&](std::size_t i) { return steps[i].seconds.at(k); });
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
  released([&] { kExport(reader, path, {std::move(frames), std::move(bodies), spheres}); });
}

}  // namespace

void bind_results(py::module_& module) {
  py::class_<RunWriter>(module, "ResultsWriter")
      .def_static("create", &RunWriter::create)
      .def_static("resume", &RunWriter::resume)
      .def("add_steps", &RunWriter::add_steps)
      .def("add_frame", &RunWriter::add_frame)
      .def("flush", &RunWriter::flush)
      .def("close", &RunWriter::close)
      .def("frames", &RunWriter::frames)
      .def("last_time", &RunWriter::last_time);

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
      .def("export_vtu", &write_export<&io::export_vtu>)
      .def("export_csv", &write_export<&io::export_csv>)
      .def("refresh", &ResultsReader::refresh);
}

}  // namespace scree::python
