#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_map>

#include "core/error.hpp"
#include "io/results_layout.hpp"
#include "io/trial.hpp"

namespace scree::io {
namespace {

void require_frame_size(const std::string& array, std::size_t size, std::size_t expected) {
  if (size != expected) throw_input("results frame: '{}' has {} entries, {} expected", array, size, expected);
}

void require_finite(const std::string& array, const auto& values) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(static_cast<double>(values[k]))) throw_input("results frame: '{}' entry {} is {}, must be finite", array, k, values[k]);
}

void require_rows(const char* array, const std::vector<std::int32_t>& rows, std::int32_t low, std::size_t bodies) {
  for (const std::int32_t row : rows)
    if (row < low || row >= static_cast<std::int64_t>(bodies)) throw_input("results frame: '{}' names body row {}, there are {}; call add_body first", array, row, bodies);
}

std::vector<double> row_major(const Mat3& m) {
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)};
}

/// Time of a stage by its name; 0 for one that steps do not have.
double stage_seconds(const StepRow& step, const std::string& stage) {
  for (int k = 0; k < model::kStages; ++k)
    if (stage == model::kStageNames[k]) return step.seconds(k);
  return 0.0;
}

void check_columns(const Frame& frame) {
  Frame::each_column([&](const FrameColumn& column, auto member) {
    const auto& values = frame.*member;
    const std::string name = fmt::format("{}/{}", column.group, column.name);
    const bool left_out = values.empty() && column.rule == FrameColumn::kOptional;
    if (!left_out) require_frame_size(name, values.size(), static_cast<std::size_t>(column.width) * frame.rows(column.group));
    if (column.rule == FrameColumn::kFinite) require_finite(name, values);
  });
}

}  // namespace

struct ResultsWriter::State {
  std::string path;
  ResultsInfo info;
  ResultsColumns columns;
  std::unordered_map<std::string, std::int32_t> name_index, shape_index;
  std::unordered_map<std::int64_t, std::int32_t> row_of;
  std::vector<std::int32_t> points;       // of each body row that has nodes in frames, else 0
  std::vector<float> radius;              // of each body row
  std::vector<std::int32_t> unknowns;     // of each body row
  std::vector<char> removed;              // of each body row
  std::vector<int> shape_points;          // of each shape
  std::vector<float> frame_radius;        // scratch
  bool open = true;

  std::int32_t name(const std::string& text) {
    const auto [found, fresh] = name_index.try_emplace(text, static_cast<std::int32_t>(columns[kNameEnd].rows()));
    if (fresh) {
      columns[kNameText].append(std::span<const char>(text));
      columns[kNameEnd].append_one(columns[kNameText].rows());
    }
    return found->second;
  }

  void remember_body(const BodyRow& body) {
    const bool nodes = body.kind == StoredKind::finite_element && body.shape >= 0;
    row_of[body.id] = static_cast<std::int32_t>(points.size());
    points.push_back(nodes ? shape_points[body.shape] : 0);
    radius.push_back(static_cast<float>(body.radius));
    removed.push_back(body.last_frame >= 0);
    unknowns.push_back(body.unknowns);
  }

  void check(const Frame& frame) const {
    check_columns(frame);
    if (!std::isfinite(frame.time)) throw_input("results frame: time is {}, must be finite", frame.time);
    require_rows("body", frame.body, 0, points.size());
    require_rows("pair", frame.pair, -1, points.size());
    std::size_t nodes = 0;
    for (const std::int32_t row : frame.body) nodes += static_cast<std::size_t>(points[row]);
    std::size_t states = 0;
    for (const std::int32_t row : frame.body) states += 2 * static_cast<std::size_t>(unknowns[row]);
    if (!frame.state.empty()) require_frame_size("state", frame.state.size(), states);
    if (!frame.node_position.empty()) require_frame_size("node_position", frame.node_position.size(), 3 * nodes);
  }

  void write_bodies(const Frame& frame) {
    frame_radius.clear();
    for (const std::int32_t row : frame.body) {
      frame_radius.push_back(radius[row]);
      // A body that was thought removed and is back.
      if (removed[row]) {
        columns[kBodyLast].replace(row, std::int64_t{-1});
        removed[row] = 0;
      }
    }
    columns[kMotionRadius].append(frame_radius);
  }

  void write_columns(const Frame& frame) {
    std::size_t k = 0;
    Frame::each_column([&](const FrameColumn& column, auto member) {
      const auto& values = frame.*member;
      using Values = std::decay_t<decltype(values)>;
      Column& to = columns.frame[k++];
      if (values.empty()) to.append(Values(static_cast<std::size_t>(column.width) * frame.rows(column.group)));
      else to.append(values);
    });
  }

  // The index last: a frame exists when all of its index is there.
  void write_index(const Frame& frame) {
    const EnergyRow& e = frame.energy;
    const std::vector<double> energy{e.kinetic, e.internal, e.potential, e.external, e.contact, e.friction, e.damping};
    columns[kFrameEnergy].append(energy);
    columns[kFrameStep].append_one(frame.step);
    columns[kFrameMotionEnd].append_one(columns("motion", "body").rows());
    columns[kFrameNodeEnd].append_one(columns("nodes", "position").rows());
    columns[kFrameStateEnd].append_one(columns("states", "value").rows());
    columns[kFrameContactEnd].append_one(columns("contacts", "gap").rows());
    columns[kFrameTime].append_one(frame.time);
  }

  // After a restart: keep what happened up to `time`.
  void cut(double time) {
    const std::int64_t whole = columns.whole_rows(kFrameTime, kFrameContactEnd);
    const auto times = columns[kFrameTime].read<double>(0, whole);
    const double limit = time + 1e-12 * std::abs(time);
    const auto later = std::find_if(times.begin(), times.end(), [&](double t) { return t > limit; });
    const std::int64_t kept = later - times.begin();
    for (std::size_t k = kFrameTime; k <= kFrameContactEnd; ++k) columns.column[k].truncate(kept);
    const auto rows = [&](ColumnIndex index) { return kept ? columns[index].read<std::int64_t>(kept - 1, kept)[0] : 0; };
    columns.truncate("motion", rows(kFrameMotionEnd));
    columns.truncate("nodes", rows(kFrameNodeEnd));
    columns.truncate("states", rows(kFrameStateEnd));
    columns.truncate("contacts", rows(kFrameContactEnd));

    const auto step_times = columns[kStepTime].read<double>(0, columns.whole_rows(kStepStep, kStepSeconds));
    const auto later_step = std::find_if(step_times.begin(), step_times.end(), [&](double t) { return t > limit; });
    for (std::size_t k = kStepStep; k <= kStepSeconds; ++k) columns.column[k].truncate(later_step - step_times.begin());

    const auto first = columns[kBodyFirst].read<std::int64_t>(0, columns.whole_rows(kBodyId, kBodyLast));
    const std::int64_t bodies = std::find_if(first.begin(), first.end(), [&](std::int64_t f) { return f >= std::max<std::int64_t>(kept, 1); }) - first.begin();
    for (std::size_t k = kBodyId; k <= kBodyLast; ++k) columns.column[k].truncate(bodies);
  }

  // Look-ups from what the file holds.
  void restore() {
    const auto names = read_names(columns);
    for (std::size_t k = 0; k < names.size(); ++k) name_index.emplace(names[k], static_cast<std::int32_t>(k));
    const auto shapes = read_shapes(columns);
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      shape_index.emplace(shape_key(shapes[k]), static_cast<std::int32_t>(k));
      shape_points.push_back(shapes[k].points());
    }
    for (const BodyRow& body : read_bodies(columns, names, shapes.size())) remember_body(body);
  }

  void commit() {
    for (Column& column : columns.column) column.flush();
    for (Column& column : columns.frame) column.flush();
    h5::commit(columns.file);
  }
};

ResultsWriter::ResultsWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ResultsWriter::ResultsWriter(ResultsWriter&&) noexcept = default;

ResultsWriter::ResultsWriter(const std::string& path, const ResultsInfo& info) : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->info = info;
  state_->columns = create_columns(path, info);
  h5::journaled_file(state_->columns.file).durable = info.durable;
  state_->commit();
}

ResultsWriter ResultsWriter::resume(const std::string& path, double time) {
  auto state = std::make_unique<State>();
  state->path = path;
  try_apart(path, [&] { (void)open_columns(path, false, state->info); });
  state->columns = open_columns(path, true, state->info);
  state->cut(time);
  state->restore();
  state->commit();
  return ResultsWriter(std::move(state));
}

ResultsWriter::~ResultsWriter() {
  try {
    if (state_) close();
  } catch (const std::exception&) {
    // The file keeps its last committed state; close() reports failures to those who call it.
  }
}

std::int32_t ResultsWriter::add_shape(const geometry::Shape& shape, const Vec3& center) {
  const StoredShape stored = store(shape, center);
  auto& columns = state_->columns;
  const auto index = static_cast<std::int32_t>(columns[kShapePieceEnd].rows());
  const auto [found, fresh] = state_->shape_index.try_emplace(shape_key(stored), index);
  if (!fresh) return found->second;
  for (const StoredPiece& piece : stored.pieces) {
    columns[kPieceReals].append(piece.reals);
    columns[kPieceIntegers].append(piece.integers);
    columns[kPieceKind].append_one(static_cast<std::uint8_t>(piece.kind));
    columns[kPieceVolume].append_one(std::int32_t{piece.volume});
    columns[kPieceSurface].append_one(std::int32_t{piece.surface});
    columns[kPieceRealEnd].append_one(columns[kPieceReals].rows());
    columns[kPieceIntegerEnd].append_one(columns[kPieceIntegers].rows());
  }
  columns[kShapePieceEnd].append_one(columns[kPieceKind].rows());
  state_->shape_points.push_back(stored.points());
  return index;
}

std::int32_t ResultsWriter::add_body(const BodyRow& body) {
  auto& columns = state_->columns;
  if (body.shape < -1 || body.shape >= static_cast<std::int64_t>(state_->shape_points.size()))
    throw_input("results body {}: shape {} was not added", body.id, body.shape);
  if (state_->row_of.count(body.id)) throw_input("results body {}: was added before", body.id);
  const auto row = static_cast<std::int32_t>(state_->points.size());
  columns[kBodyLabel].append_one(state_->name(body.label));
  columns[kBodyMaterial].append_one(state_->name(body.material));
  columns[kBodyKind].append_one(static_cast<std::uint8_t>(body.kind));
  columns[kBodyShape].append_one(body.shape);
  columns[kBodyVolumeId].append_one(body.volume_id);
  columns[kBodyMass].append_one(body.mass);
  columns[kBodyVolume].append_one(body.volume);
  columns[kBodyCenter].append(std::span<const double>(body.center.data(), 3));
  columns[kBodyTensor].append(row_major(body.tensor));
  columns[kBodyRadius].append_one(body.radius);
  columns[kBodyUnknowns].append_one(body.unknowns);
  columns[kBodyFirst].append_one(frames());
  columns[kBodyLast].append_one(std::int64_t{-1});
  columns[kBodyId].append_one(body.id);
  state_->remember_body(body);
  state_->removed.back() = 0;
  return row;
}

void ResultsWriter::remove_body(std::int32_t row) {
  if (row < 0 || row >= static_cast<std::int64_t>(state_->points.size())) throw_input("results: there is no body row {}", row);
  state_->columns[kBodyLast].replace(row, std::max<std::int64_t>(frames() - 1, 0));
  state_->removed[row] = 1;
}

std::int32_t ResultsWriter::row_of(std::int64_t id) const {
  const auto found = state_->row_of.find(id);
  return found == state_->row_of.end() ? -1 : found->second;
}

void ResultsWriter::add_step(const StepRow& step) {
  auto& columns = state_->columns;
  std::size_t k = kStepStep;
  StepRow::each_stored([&](const char*, auto member) { columns.column[k++].append_one(step.*member); });
  std::vector<double> seconds;
  for (const std::string& stage : state_->info.stages) seconds.push_back(stage_seconds(step, stage));
  if (seconds.empty()) columns[kStepSeconds].append_one(0.0);
  else columns[kStepSeconds].append(seconds);
}

void ResultsWriter::add_frame(const Frame& frame) {
  state_->check(frame);
  const auto bodies = static_cast<std::int64_t>(frame.bodies());
  if (frames() == 0 && bodies > state_->info.expected_bodies) resize_chunks(state_->columns, bodies, state_->info.compress);
  state_->write_bodies(frame);
  state_->write_columns(frame);
  state_->write_index(frame);
  state_->commit();
}

void ResultsWriter::flush() { state_->commit(); }

void ResultsWriter::close() {
  if (!state_->open) return;
  state_->open = false;
  state_->commit();
  state_->columns = {};
}

std::int64_t ResultsWriter::frames() const { return state_->columns[kFrameTime].rows(); }
const std::string& ResultsWriter::path() const { return state_->path; }

}  // namespace scree::io
