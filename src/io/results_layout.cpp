#include "io/results_layout.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "io/read_budget.hpp"

namespace scree::io {
namespace {

constexpr std::size_t kSmallChunk = 2 << 10, kLargeChunk = 256 << 10;  // bytes
constexpr std::int64_t kMostStages = 100;
constexpr const char* kResultsFormat = "scree-results";

// One frame a chunk, within limits: few bytes to rewrite at the next frame, few chunks in large runs.
std::size_t chunk_bytes(const ColumnSpec& spec, std::int64_t bodies) {
  const std::string group = spec.group;
  if (group != "motion" && group != "contacts" && group != "nodes" && group != "states") return kSmallChunk;
  const auto rows = static_cast<std::size_t>(std::clamp<std::int64_t>(bodies, 1, 1 << 20)) * (group == "contacts" ? 3 : 1);
  return std::clamp(rows * static_cast<std::size_t>(spec.width) * 8, kSmallChunk, kLargeChunk);
}

// Rows of steps are written and read by position.
consteval bool steps_in_order() {
  std::size_t k = kStepStep;
  bool same = true;
  model::StepRow::each_stored([&](std::string_view name, auto) { same = same && k < kStepSeconds && name == kColumnSpecs[k++].name; });
  return same && k == kStepSeconds;
}
static_assert(steps_in_order(), "ColumnIndex and kColumnSpecs list the columns of steps in the order of StepRow::each_stored");

ColumnSpec with_stages(ColumnIndex index, const ResultsInfo& info) {
  ColumnSpec spec = kColumnSpecs[index];
  if (index == kStepSeconds) spec.width = std::max(1, static_cast<int>(info.stages.size()));
  return spec;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Tables that are read whole must not claim more than a file of this size holds.
void require_tables(const ResultsColumns& columns) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(columns.file.file, missing);
  std::uint64_t bytes = 0;
  for (std::size_t k = 0; k < kColumns; ++k) bytes += 8 * static_cast<std::uint64_t>(columns.column[k].rows()) * static_cast<std::uint64_t>(kColumnSpecs[k].width);
  if (bytes > most_bytes(missing ? 0 : size))
    throw_file("{}: its tables would take {} MB, far more than a file of this size holds; it is damaged or was made to harm", columns.file.file, bytes >> 20);
}

// Row ends must not fall and must stay within what is there.
void require_ends(const ResultsColumns& columns, const char* name, const std::vector<std::int64_t>& ends, std::int64_t limit) {
  std::int64_t last = 0;
  for (const std::int64_t end : ends) {
    if (end < last || end > limit) throw_file("{}: '{}' must rise within [0, {}], found {} after {}", columns.file.file, name, limit, end, last);
    last = end;
  }
}

template <class Value>
std::vector<Value> slice(const std::vector<Value>& all, const std::vector<std::int64_t>& ends, std::size_t k) {
  const auto first = k == 0 ? 0 : ends[k - 1];
  return {all.begin() + first, all.begin() + ends[k]};
}

}  // namespace

std::int64_t ResultsColumns::whole_rows(ColumnIndex first, ColumnIndex last) const {
  std::int64_t rows = column[first].rows();
  for (std::size_t k = first; k <= last; ++k) rows = std::min(rows, column[k].rows());
  return rows;
}

std::int64_t ResultsColumns::whole_rows(std::string_view group) const {
  std::int64_t rows = std::numeric_limits<std::int64_t>::max();
  for (std::size_t k = 0; k < frame.size(); ++k)
    if (frame_specs()[k].group == group) rows = std::min(rows, frame[k].rows());
  return group == "motion" ? std::min(rows, column[kMotionRadius].rows()) : rows;
}

void ResultsColumns::truncate(std::string_view group, std::int64_t rows) {
  for (std::size_t k = 0; k < frame.size(); ++k)
    if (frame_specs()[k].group == group) frame[k].truncate(rows);
  if (group == "motion") column[kMotionRadius].truncate(rows);
}

const std::vector<ColumnSpec>& frame_specs() {
  static const std::vector<ColumnSpec> specs = [] {
    std::vector<ColumnSpec> list;
    Frame::each_column([&](const FrameColumn& c, auto member) {
      list.push_back({c.group, c.name, number_of<typename std::decay_t<decltype(Frame().*member)>::value_type>(), c.width});
    });
    return list;
  }();
  return specs;
}

std::size_t frame_index(std::string_view group, std::string_view name) {
  const auto& specs = frame_specs();
  const auto found = std::find_if(specs.begin(), specs.end(), [&](const ColumnSpec& spec) { return spec.group == group && spec.name == name; });
  if (found == specs.end()) throw std::logic_error(fmt::format("frames have no column {}/{}", group, name));
  return static_cast<std::size_t>(found - specs.begin());
}

ResultsColumns create_columns(const std::string& path, const ResultsInfo& info) {
  ResultsColumns columns{h5::create_journaled(path), {}, {}};
  const h5::Node node = h5::create_group(columns.file, "info");
  h5::write_text(node, "format", kResultsFormat);
  h5::write_integer(node, "version", kResultsVersion);
  h5::write_text(node, "scree_version", info.scree_version);
  h5::write_text(node, "title", info.title);
  h5::write_text(node, "stages", joined(info.stages));
  h5::Node group;
  for (std::size_t k = 0; k < kColumns; ++k) {
    const ColumnSpec spec = with_stages(static_cast<ColumnIndex>(k), info);
    if (k == 0 || std::string(spec.group) != kColumnSpecs[k - 1].group) group = h5::create_group(columns.file, spec.group);
    columns.column[k] = Column::create(group, spec, chunk_bytes(spec, info.expected_bodies), info.compress);
  }
  for (const ColumnSpec& spec : frame_specs()) {
    group = h5::has(columns.file, spec.group) ? h5::open_group(columns.file, spec.group) : h5::create_group(columns.file, spec.group);
    columns.frame.push_back(Column::create(group, spec, chunk_bytes(spec, info.expected_bodies), info.compress));
  }
  return columns;
}

void resize_chunks(ResultsColumns& columns, std::int64_t bodies, bool compress) {
  const auto remake = [&](Column& column, const ColumnSpec& spec) {
    const h5::Node group = h5::open_group(columns.file, spec.group);
    column = {};
    h5::check(H5Ldelete(group.id.get(), spec.name, H5P_DEFAULT), group.file, group.child(spec.name), "replace");
    column = Column::create(group, spec, chunk_bytes(spec, bodies), compress);
  };
  remake(columns[kMotionRadius], kColumnSpecs[kMotionRadius]);
  for (std::size_t k = 0; k < columns.frame.size(); ++k) remake(columns.frame[k], frame_specs()[k]);
}

ResultsColumns open_columns(const std::string& path, bool append, ResultsInfo& info) {
  ResultsColumns columns{h5::open_journaled(path, append), {}, {}};
  if (!h5::has(columns.file, "info")) throw_file("{}: not a results file of Scree ('info' is missing)", path);
  const h5::Node node = h5::open_group(columns.file, "info");
  if (h5::read_text(node, "format") != kResultsFormat) throw_file("{}: not a results file of Scree", path);
  const auto version = h5::read_integer(node, "version", 1, 1 << 30);
  if (version < kResultsVersion) throw_file("{}: written by an older Scree (format {}, this one reads {}); run the simulation again", path, version, kResultsVersion);
  if (version > kResultsVersion) throw_file("{}: written by a newer Scree (format {}, this one knows {}); update Scree", path, version, kResultsVersion);
  info.title = h5::read_text(node, "title");
  info.scree_version = h5::read_text(node, "scree_version");
  info.stages = split_lines(h5::read_text(node, "stages"));
  if (static_cast<std::int64_t>(info.stages.size()) > kMostStages) throw_file("{}: {} stages are too many", path, info.stages.size());
  h5::Node group;
  for (std::size_t k = 0; k < kColumns; ++k) {
    const ColumnSpec spec = with_stages(static_cast<ColumnIndex>(k), info);
    if (k == 0 || std::string(spec.group) != kColumnSpecs[k - 1].group) group = h5::open_group(columns.file, spec.group);
    columns.column[k] = Column::open(group, spec);
  }
  for (const ColumnSpec& spec : frame_specs()) columns.frame.push_back(Column::open(h5::open_group(columns.file, spec.group), spec));
  require_tables(columns);
  return columns;
}

std::vector<std::string> read_names(const ResultsColumns& columns) {
  const auto ends = columns[kNameEnd].read_all<std::int64_t>();
  const auto text = columns[kNameText].read_all<char>();
  require_ends(columns, "/names/end", ends, static_cast<std::int64_t>(text.size()));
  // Texts are stored once: at most one is empty.
  if (ends.size() > text.size() + 1) throw_file("{}: '/names' has {} texts in {} bytes", columns.file.file, ends.size(), text.size());
  std::vector<std::string> names;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const auto part = slice(text, ends, k);
    names.emplace_back(part.begin(), part.end());
  }
  return names;
}

std::vector<StoredShape> read_shapes(const ResultsColumns& columns) {
  const std::int64_t count = columns.whole_rows(kPieceKind, kPieceIntegerEnd);
  const auto shape_ends = columns[kShapePieceEnd].read_all<std::int64_t>();
  require_ends(columns, "/shapes/piece_end", shape_ends, count);
  const auto kind = columns[kPieceKind].read<std::uint8_t>(0, count);
  const auto volume = columns[kPieceVolume].read<std::int32_t>(0, count), surface = columns[kPieceSurface].read<std::int32_t>(0, count);
  const auto real_end = columns[kPieceRealEnd].read<std::int64_t>(0, count), integer_end = columns[kPieceIntegerEnd].read<std::int64_t>(0, count);
  const auto reals = columns[kPieceReals].read_all<double>();
  const auto integers = columns[kPieceIntegers].read_all<std::int32_t>();
  require_ends(columns, "/shapes/real_end", real_end, static_cast<std::int64_t>(reals.size()));
  require_ends(columns, "/shapes/integer_end", integer_end, static_cast<std::int64_t>(integers.size()));

  if (shape_ends.size() > kind.size() + 1 || kind.size() > reals.size()) throw_file("{}: '/shapes' has more shapes or pieces than numbers", columns.file.file);

  std::vector<StoredShape> shapes(shape_ends.size());
  std::size_t p = 0;
  for (std::size_t s = 0; s < shapes.size(); ++s)
    for (; p < static_cast<std::size_t>(shape_ends[s]); ++p) {
      StoredPiece piece{static_cast<PieceKind>(kind[p]), volume[p], surface[p], slice(reals, real_end, p), slice(integers, integer_end, p)};
      const std::string problem = defect(piece);
      if (!problem.empty()) throw_file("{}: piece {} of shape {}: {}", columns.file.file, p, s, problem);
      shapes[s].pieces.push_back(std::move(piece));
    }
  return shapes;
}

std::vector<BodyRow> read_bodies(const ResultsColumns& columns, const std::vector<std::string>& names, std::size_t shapes) {
  const std::int64_t count = columns.whole_rows(kBodyId, kBodyLast);
  const auto id = columns[kBodyId].read<std::int64_t>(0, count), first = columns[kBodyFirst].read<std::int64_t>(0, count), last = columns[kBodyLast].read<std::int64_t>(0, count);
  const auto label = columns[kBodyLabel].read<std::int32_t>(0, count), material = columns[kBodyMaterial].read<std::int32_t>(0, count);
  const auto shape = columns[kBodyShape].read<std::int32_t>(0, count), volume_id = columns[kBodyVolumeId].read<std::int32_t>(0, count);
  const auto kind = columns[kBodyKind].read<std::uint8_t>(0, count);
  const auto mass = columns[kBodyMass].read<double>(0, count), volume = columns[kBodyVolume].read<double>(0, count);
  const auto center = columns[kBodyCenter].read<double>(0, count), radius = columns[kBodyRadius].read<double>(0, count);
  const auto tensor = columns[kBodyTensor].read<double>(0, count);
  const auto unknowns = columns[kBodyUnknowns].read<std::int32_t>(0, count);
  const auto name = [&](std::int32_t index) {
    if (index < 0 || static_cast<std::size_t>(index) >= names.size()) throw_file("{}: '/bodies' refers to name {} of {}", columns.file.file, index, names.size());
    return names[index];
  };
  std::vector<BodyRow> bodies;
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    if (shape[k] < -1 || shape[k] >= static_cast<std::int64_t>(shapes)) throw_file("{}: '/bodies/shape' row {} is {}, there are {} shapes", columns.file.file, k, shape[k], shapes);
    if (kind[k] > 3) throw_file("{}: '/bodies/kind' row {} is {}, must be 0 to 3", columns.file.file, k, kind[k]);
    bodies.push_back({id[k], name(label[k]), name(material[k]), static_cast<StoredKind>(kind[k]), shape[k], volume_id[k], mass[k], volume[k],
                      Vec3(center[3 * k], center[3 * k + 1], center[3 * k + 2]), Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(tensor.data() + 9 * k), radius[k], unknowns[k], first[k], last[k]});
    if (unknowns[k] < 0) throw_file("{}: '/bodies/unknowns' row {} is {}, must not be negative", columns.file.file, k, unknowns[k]);
  }
  return bodies;
}

}  // namespace scree::io
