#include "io/csv.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "io/atomic_file.hpp"

namespace scree::io {
namespace {

// A table that appears under its name when complete.
class Table {
 public:
  Table(const std::string& path, const std::string& header) : path_(path), target_(path), out_(target_.temporary(), std::ios::binary) { out_ << header << '\n'; }
  // {} of fmt prints the shortest text that reads back to the same number.
  template <class First, class... Rest>
  void row(const First& first, const Rest&... rest) {
    fmt::memory_buffer line;
    fmt::format_to(std::back_inserter(line), "{}", first);
    (fmt::format_to(std::back_inserter(line), ",{}", rest), ...);
    line.push_back('\n');
    out_.write(line.data(), static_cast<std::streamsize>(line.size()));
  }
  void save() {
    if (!out_.flush()) throw_file("{}: cannot write; is the disk full?", path_);
    out_.close();
    target_.commit(false);
  }

 private:
  std::string path_;
  AtomicFile target_;
  std::ofstream out_;
};

// Text in quotes, quotes doubled. A leading = + - @ would be run as a formula by spreadsheets.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  if (!text.empty() && std::string("=+-@").find(text[0]) != std::string::npos) out += '\'';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
  return out;
}

// Headings of a group of frame columns, each after a comma.
std::string headings(std::string_view group) {
  std::string text;
  Frame::each_column([&](const FrameColumn& column, auto) {
    if (column.group == group && column.csv) text += std::string(",") + column.csv;
  });
  return text;
}

// The numbers below them, of one row.
std::string numbers(const Frame& frame, std::string_view group, std::size_t row) {
  fmt::memory_buffer text;
  Frame::each_column([&](const FrameColumn& column, auto member) {
    if (column.group != group || !column.csv) return;
    const auto& values = frame.*member;
    const auto shown = 1 + std::ranges::count(std::string_view(column.csv), ',');
    const std::size_t first = row * static_cast<std::size_t>(column.width);
    for (std::size_t k = 0; k < static_cast<std::size_t>(shown); ++k) fmt::format_to(std::back_inserter(text), ",{}", values[first + k]);
  });
  return fmt::to_string(text);
}

void write_steps(const ResultsReader& results, const std::string& folder) {
  std::string header;
  StepRow::each_stored([&](const char* name, auto) { header.append(header.empty() ? 0 : 1, ',').append(name); });
  for (const char* stage : model::kStageNames) header.append(1, ',').append(quoted(std::string(stage) + " s"));
  Table table(folder + "/steps.csv", header);
  for (const StepRow& s : results.steps()) {
    std::string line;
    StepRow::each_stored([&](const char*, auto member) { line += fmt::format("{}{}", line.empty() ? "" : ",", s.*member); });
    for (int k = 0; k < model::kStages; ++k) line += fmt::format(",{}", s.seconds(k));
    table.row(line);
  }
  table.save();
}

void write_energy(const ResultsReader& results, const std::string& folder) {
  Table table(folder + "/energy.csv", "frame,time,kinetic,internal,potential,external,contact,friction,damping");
  for (std::int64_t k = 0; k < results.frames(); ++k) {
    const EnergyRow& e = results.energies()[k];
    table.row(k, results.time(k), e.kinetic, e.internal, e.potential, e.external, e.contact, e.friction, e.damping);
  }
  table.save();
}

void write_body_table(const ResultsReader& results, const std::string& folder) {
  Table table(folder + "/body_table.csv", "row,id,label,material,kind,shape,volume_id,mass,volume,center_x,center_y,center_z,radius,first_frame,last_frame");
  constexpr const char* kKinds[] = {"rigid", "pseudo_rigid", "finite_element", "obstacle"};
  std::size_t row = 0;
  for (const BodyRow& b : results.bodies())
    table.row(row++, b.id, quoted(b.label), quoted(b.material), kKinds[static_cast<std::size_t>(b.kind)], b.shape, b.volume_id, b.mass, b.volume,
              b.center.x(), b.center.y(), b.center.z(), b.radius, b.first_frame, b.last_frame);
  table.save();
}

}  // namespace

void export_csv(const ResultsReader& results, const std::string& folder, const Selection& selection) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_file("{}: cannot make this folder: {}", folder, error.message());
  write_steps(results, folder);
  write_energy(results, folder);
  write_body_table(results, folder);
  Table bodies(folder + "/bodies.csv", "frame,time,id" + headings("motion"));
  Table contacts(folder + "/contacts.csv", "frame,time,body1,body2" + headings("contacts"));
  const auto id = [&](std::int32_t row) { return row < 0 ? std::int64_t{-1} : results.bodies()[row].id; };
  for (const std::int64_t f : selected_frames(results, selection)) {
    const Frame frame = selected_frame(results, f, selection);
    for (std::size_t k = 0; k < frame.bodies(); ++k) bodies.row(fmt::format("{},{},{}{}", f, frame.time, id(frame.body[k]), numbers(frame, "motion", k)));
    for (std::size_t c = 0; c < frame.contacts(); ++c)
      contacts.row(fmt::format("{},{},{},{}{}", f, frame.time, id(frame.pair[2 * c]), id(frame.pair[2 * c + 1]), numbers(frame, "contacts", c)));
  }
  bodies.save();
  contacts.save();
}

}  // namespace scree::io
