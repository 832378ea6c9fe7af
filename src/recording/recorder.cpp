#include "recording/recorder.hpp"

#include "recording/frame.hpp"

namespace scree::recording {

namespace {

io::ResultsInfo to_info(const RecordOptions& options) {
  io::ResultsInfo info;
  info.title = options.title;
  info.scree_version = SCREE_VERSION;
  info.expected_bodies = options.expected_bodies;
  info.compress = options.compress;
  return info;
}

}  // namespace

Recorder::Recorder(const std::string& path, const RecordOptions& options) : Recorder(io::ResultsWriter(path, to_info(options))) {}

Recorder Recorder::resume(const std::string& path, double time) {
  // The bodies of the last frame left are those alive.
  std::vector<int> alive;
  double last_time = -kInfinity;
  {
    const io::ResultsReader reader(path);
    std::int64_t last = reader.frames() - 1;
    while (last >= 0 && reader.time(last) > time) --last;
    if (last >= 0) {
      last_time = reader.time(last);
      for (const std::int32_t row : reader.frame(last).body) alive.push_back(static_cast<int>(reader.bodies()[row].id));
    }
  }
  Recorder recorder(io::ResultsWriter::resume(path, time));
  recorder.alive_ = std::move(alive);
  recorder.last_time_ = last_time;
  return recorder;
}

void Recorder::add_steps(std::span<const model::StepRow> rows) {
  for (const model::StepRow& row : rows) writer_->add_step(row);
}

void Recorder::update_bodies(const model::Model& model) {
  const model::Bodies& bodies = model.bodies;
  for (const int id : alive_)
    if (!bodies.has(id)) writer_->remove_body(writer_->row_of(id));
  for (std::size_t i = 0; i < bodies.id.size(); ++i)
    if (writer_->row_of(bodies.id[i]) < 0) writer_->add_body(body_row(model, i, writer_->add_shape(*bodies.shape[i], bodies.center[i])));
  alive_ = bodies.id;
}

void Recorder::add_frame(const stepping::Simulation& simulation) {
  update_bodies(simulation.model());
  writer_->add_frame(make_frame(simulation, [this](int id) { return id < 0 ? -1 : writer_->row_of(id); }));
  last_time_ = simulation.time();
}

}  // namespace scree::recording
