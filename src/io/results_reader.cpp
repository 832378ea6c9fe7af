#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <thread>

#include "core/error.hpp"
#include "io/read_budget.hpp"
#include "io/results_layout.hpp"
#include "io/trial.hpp"

namespace scree::io {

struct ResultsReader::State {
  std::string path;
  ResultsInfo info;
  ResultsColumns columns;
  std::vector<StoredShape> shapes;
  std::vector<BodyRow> bodies;
  std::vector<double> times;
  std::vector<EnergyRow> energies;
  std::vector<std::int64_t> steps, motion_end, node_end, state_end, contact_end;
  JournalMark mark;  // of the state that is open

  void load();
  void load_frames();
  void require(std::int64_t frame) const;
  [[nodiscard]] Frame read_frame(std::int64_t index, unsigned parts) const;
  void check_rows(const Frame& frame, std::int64_t index, unsigned parts) const;
  void locate(std::int64_t first, std::int64_t count, const std::vector<std::int32_t>& rows, std::span<const std::int32_t> body,
              std::vector<std::int64_t>& places) const;
  [[nodiscard]] std::vector<double> read_history(Motion quantity, const std::vector<std::int32_t>& rows, const std::vector<std::int64_t>& frames) const;

  // While another process writes, what was read may mix two states: open again and repeat.
  template <class Action>
  auto consistently(Action action) {
    constexpr int kTries = 200;
    for (int attempt = 1;; ++attempt) {
      try {
        if (!columns.file.id.valid()) {
          mark = journal_mark(path);
          load();
        }
        auto result = action();
        if (journal_mark(path) == mark || attempt == kTries) return result;
      } catch (const FileError&) {
        // Of a file that is not changing, the error is real.
        if (journal_mark(path) == mark || attempt == kTries) throw;
      }
      columns = {};
      std::this_thread::sleep_for(std::chrono::milliseconds(attempt < 20 ? 1 : 20));
    }
  }
};

void ResultsReader::State::load_frames() {
  const std::int64_t count = columns.whole_rows(kFrameTime, kFrameContactEnd);
  times = columns[kFrameTime].read<double>(0, count);
  steps = columns[kFrameStep].read<std::int64_t>(0, count);
  const auto energy = columns[kFrameEnergy].read<double>(0, count);
  energies.clear();
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    if (!std::isfinite(times[k])) throw_file("{}: '/frames/time' row {} is {}, must be finite", path, k, times[k]);
    const double* e = energy.data() + 7 * k;
    energies.push_back({e[0], e[1], e[2], e[3], e[4], e[5], e[6]});
  }
  const auto ends = [&](ColumnIndex index, std::int64_t rows) {
    auto values = columns[index].read<std::int64_t>(0, count);
    std::int64_t last = 0;
    for (const std::int64_t end : values) {
      if (end < last || end > rows) throw_file("{}: '/frames/{}' must rise within [0, {}], found {} after {}", path, kColumnSpecs[index].name, rows, end, last);
      last = end;
    }
    return values;
  };
  motion_end = ends(kFrameMotionEnd, columns.whole_rows("motion"));
  node_end = ends(kFrameNodeEnd, columns.whole_rows("nodes"));
  state_end = ends(kFrameStateEnd, columns.whole_rows("states"));
  contact_end = ends(kFrameContactEnd, columns.whole_rows("contacts"));
}

void ResultsReader::State::load() {
  ResultsInfo fresh;
  columns = open_columns(path, false, fresh);
  info = std::move(fresh);
  shapes = read_shapes(columns);
  bodies = read_bodies(columns, read_names(columns), shapes.size());
  load_frames();
}

void ResultsReader::State::require(std::int64_t frame) const {
  if (frame < 0 || frame >= static_cast<std::int64_t>(times.size()))
    throw_input("{}: there is no frame {}; frames 0 to {} are there", path, frame, static_cast<std::int64_t>(times.size()) - 1);
}

Frame ResultsReader::State::read_frame(std::int64_t index, unsigned parts) const {
  const auto k = static_cast<std::size_t>(index);
  const auto first = [&](const std::vector<std::int64_t>& ends) { return k == 0 ? 0 : ends[k - 1]; };
  Frame frame;
  frame.time = times[k];
  frame.step = steps[k];
  frame.energy = energies[k];
  const auto ends = [&](std::string_view group) -> const std::vector<std::int64_t>& {
    return group == "motion" ? motion_end : group == "nodes" ? node_end : group == "states" ? state_end : contact_end;
  };
  const ReadBudget budget(path);
  std::size_t next = 0;
  Frame::each_column([&](const FrameColumn& column, auto member) {
    const Column& from = columns.frame[next++];
    if (!(column.part & parts)) return;
    using Value = typename std::decay_t<decltype(frame.*member)>::value_type;
    const std::int64_t rows = ends(column.group)[k] - first(ends(column.group));
    ReadBudget::charge(path, column.name, static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(column.width) * sizeof(Value));
    frame.*member = from.read<Value>(first(ends(column.group)), ends(column.group)[k]);
  });
  check_rows(frame, index, parts);
  return frame;
}

// Body rows must exist, and nodes must be those of the bodies that have them.
void ResultsReader::State::check_rows(const Frame& frame, std::int64_t index, unsigned parts) const {
  const auto known = static_cast<std::int32_t>(bodies.size());
  std::int64_t nodes = 0;
  for (const std::int32_t row : frame.body) {
    if (row < 0 || row >= known) throw_file("{}: frame {} names body row {}, there are {}", path, index, row, known);
    const BodyRow& body = bodies[row];
    if (body.kind == StoredKind::finite_element && body.shape >= 0) nodes += shapes[body.shape].points();
  }
  for (const std::int32_t row : frame.pair)
    if (row < -1 || row >= known) throw_file("{}: a contact of frame {} names body row {}, there are {}", path, index, row, known);
  const auto found = static_cast<std::int64_t>(frame.node_position.size() / 3);
  if ((parts & kMotionPart) && found > 0 && found != nodes) throw_file("{}: frame {} has {} nodes, its bodies have {}", path, index, found, nodes);
}

// Places of bodies among `count` motion rows from `first` on, -1 where they are not. Bodies rarely change their places, so those
// of the frame before (`places` on entry) are tried first. `body`: the rows' bodies, or empty to read them.
void ResultsReader::State::locate(std::int64_t first, std::int64_t count, const std::vector<std::int32_t>& rows, std::span<const std::int32_t> body,
                                  std::vector<std::int64_t>& places) const {
  const auto kept = [&](std::size_t i, std::int32_t there) { return there == rows[i]; };
  const auto within = [&](std::size_t i) { return places[i] >= 0 && places[i] < count; };
  const Column& column = columns("motion", "body");
  std::vector<std::int32_t> read;
  if (body.empty()) {
    std::size_t i = 0;
    while (i < rows.size() && within(i) && kept(i, column.read<std::int32_t>(first + places[i], first + places[i] + 1)[0])) ++i;
    if (i == rows.size()) return;
    read = column.read<std::int32_t>(first, first + count);
    body = read;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (within(i) && kept(i, body[places[i]])) continue;
    const auto found = std::find(body.begin(), body.end(), rows[i]);
    places[i] = found == body.end() ? -1 : found - body.begin();
  }
}

std::vector<double> ResultsReader::State::read_history(Motion quantity, const std::vector<std::int32_t>& rows, const std::vector<std::int64_t>& frames) const {
  static constexpr const char* kColumn[] = {"rotation", "position", "velocity", "angular", "energy"};
  constexpr std::int64_t kBlockRows = 1 << 15;
  const Column& column = columns("motion", kColumn[static_cast<std::size_t>(quantity)]);
  const auto size = static_cast<std::size_t>(width(quantity));
  const auto first = [&](std::int64_t k) { return k == 0 ? 0 : motion_end[k - 1]; };
  const auto end = [&](std::int64_t k) { return motion_end[k]; };

  std::vector<double> values(frames.size() * rows.size() * size, std::numeric_limits<double>::quiet_NaN());
  std::vector<std::int64_t> places(rows.size(), -1);
  double* out = values.data();
  for (std::size_t f = 0; f < frames.size();) {
    // Few bodies are read one by one; of many, successive frames are read as one block.
    std::size_t last = f + 1;
    const bool block = static_cast<std::int64_t>(64 * rows.size()) > end(frames[f]) - first(frames[f]);
    while (block && last < frames.size() && frames[last] == frames[last - 1] + 1 && end(frames[last]) - first(frames[f]) <= kBlockRows) ++last;
    const std::int64_t start = first(frames[f]), stop = end(frames[last - 1]);
    const auto numbers = block ? column.read<double>(start, stop) : std::vector<double>();
    const auto body = block ? columns("motion", "body").read<std::int32_t>(start, stop) : std::vector<std::int32_t>();
    for (; f < last; ++f) {
      const std::int64_t at = first(frames[f]), count = end(frames[f]) - at;
      const auto here = block ? std::span(body).subspan(static_cast<std::size_t>(at - start), static_cast<std::size_t>(count)) : std::span<const std::int32_t>();
      locate(at, count, rows, here, places);
      for (const std::int64_t place : places) {
        if (place >= 0 && block) std::copy_n(numbers.data() + static_cast<std::size_t>(at - start + place) * size, size, out);
        else if (place >= 0) std::ranges::copy(column.read<double>(at + place, at + place + 1), out);
        out += size;
      }
    }
  }
  return values;
}

ResultsReader::ResultsReader(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  read_tried(path, [&] {
    try {
      return state_->consistently([] { return 0; });
    } catch (const std::bad_alloc&) {
      throw_file("{}: does not fit into memory", path);
    }
  });
}
ResultsReader::ResultsReader(ResultsReader&&) noexcept = default;
ResultsReader::~ResultsReader() = default;

const std::string& ResultsReader::path() const { return state_->path; }
const ResultsInfo& ResultsReader::info() const { return state_->info; }
std::int64_t ResultsReader::frames() const { return static_cast<std::int64_t>(state_->times.size()); }
const std::vector<double>& ResultsReader::times() const { return state_->times; }
const std::vector<EnergyRow>& ResultsReader::energies() const { return state_->energies; }
const std::vector<BodyRow>& ResultsReader::bodies() const { return state_->bodies; }
const std::vector<StoredShape>& ResultsReader::shapes() const { return state_->shapes; }

double ResultsReader::time(std::int64_t frame) const {
  state_->require(frame);
  return state_->times[frame];
}

Frame ResultsReader::frame(std::int64_t index, unsigned parts) const {
  return state_->consistently([&] {
    state_->require(index);
    return state_->read_frame(index, parts);
  });
}

std::vector<double> ResultsReader::state(std::int64_t frame, std::int32_t body) const {
  return state_->consistently([&] {
    state_->require(frame);
    const auto k = static_cast<std::size_t>(frame);
    std::int64_t at = k ? state_->state_end[k - 1] : 0;
    for (const std::int32_t row : state_->columns("motion", "body").read<std::int32_t>(k ? state_->motion_end[k - 1] : 0, state_->motion_end[k])) {
      if (row < 0 || row >= static_cast<std::int64_t>(state_->bodies.size())) throw_file("{}: frame {} names body row {}, there are {}", path(), frame, row, state_->bodies.size());
      const std::int64_t size = 2 * std::int64_t{state_->bodies[row].unknowns};
      if (at + size > state_->state_end[k]) return std::vector<double>();
      if (row == body) return state_->columns("states", "value").read<double>(at, at + size);
      at += size;
    }
    return std::vector<double>();
  });
}

int ResultsReader::width(Motion quantity) { return quantity == Motion::rotation ? 9 : quantity == Motion::energy ? 6 : 3; }

std::vector<double> ResultsReader::history(Motion quantity, const std::vector<std::int32_t>& bodies, const std::vector<std::int64_t>& frames) const {
  return state_->consistently([&] {
    for (const std::int32_t row : bodies)
      if (row < 0 || row >= static_cast<std::int64_t>(state_->bodies.size())) throw_input("{}: there is no body row {}; there are {}", path(), row, state_->bodies.size());
    for (const std::int64_t frame : frames) state_->require(frame);
    return state_->read_history(quantity, bodies, frames);
  });
}

ResultsReader::Range ResultsReader::body_range(std::int64_t frame) const {
  state_->require(frame);
  const auto k = static_cast<std::size_t>(frame);
  const std::int64_t first = k ? state_->motion_end[k - 1] : 0;
  return {first, state_->motion_end[k] - first};
}

ResultsReader::Range ResultsReader::contact_range(std::int64_t frame) const {
  state_->require(frame);
  const auto k = static_cast<std::size_t>(frame);
  const std::int64_t first = k ? state_->contact_end[k - 1] : 0;
  return {first, state_->contact_end[k] - first};
}

std::vector<StepRow> ResultsReader::steps() const {
  return state_->consistently([&] {
    const ResultsColumns& columns = state_->columns;
    const std::int64_t count = columns.whole_rows(kStepStep, kStepSeconds);
    std::vector<StepRow> rows(static_cast<std::size_t>(count));
    std::size_t next = kStepStep;
    StepRow::each_stored([&](const char*, auto member) {
      const auto values = columns.column[next++].read<std::decay_t<decltype(StepRow().*member)>>(0, count);
      for (std::size_t k = 0; k < rows.size(); ++k) rows[k].*member = values[k];
    });
    const auto& stages = state_->info.stages;
    const auto seconds = columns[kStepSeconds].read<double>(0, count);
    for (std::size_t s = 0; s < stages.size(); ++s)
      for (int stage = 0; stage < model::kStages; ++stage)
        if (stages[s] == model::kStageNames[stage])
          for (std::size_t k = 0; k < rows.size(); ++k) rows[k].seconds(stage) = seconds[k * stages.size() + s];
    return rows;
  });
}

bool ResultsReader::refresh() {
  const std::int64_t before = frames();
  state_->columns = {};
  state_->consistently([] { return 0; });
  return frames() > before;
}

}  // namespace scree::io
