/// The columns of a results file, shared by writer and reader. Documented in docs/results_format.md.
#pragma once

#include <array>

#include "io/column.hpp"
#include "io/journal_driver.hpp"
#include "io/results.hpp"

namespace scree::io {

enum ColumnIndex : std::size_t {
  kNameText, kNameEnd,
  kShapePieceEnd, kPieceKind, kPieceVolume, kPieceSurface, kPieceRealEnd, kPieceIntegerEnd, kPieceReals, kPieceIntegers,
  kBodyId, kBodyLabel, kBodyMaterial, kBodyKind, kBodyShape, kBodyVolumeId, kBodyMass, kBodyVolume, kBodyCenter, kBodyTensor, kBodyRadius, kBodyUnknowns,
  kBodyFirst, kBodyLast,
  kStepStep, kStepTime, kStepH, kStepBodies, kStepContacts, kStepIterations, kStepStatus, kStepResidual, kStepMerit, kStepPenetrationMax,
  kStepPenetrationMean, kStepSeconds,
  kMotionRadius,
  kFrameTime, kFrameStep, kFrameEnergy, kFrameMotionEnd, kFrameNodeEnd, kFrameStateEnd, kFrameContactEnd,
  kColumns
};

/// In the order of ColumnIndex; columns of frames are io::Frame's list. `steps/seconds` gets as many numbers a row as there are stages.
inline constexpr std::array<ColumnSpec, kColumns> kColumnSpecs{{
    {"names", "text", Number::byte, 1},
    {"names", "end", Number::int64, 1},
    {"shapes", "piece_end", Number::int64, 1},
    {"shapes", "kind", Number::byte, 1},
    {"shapes", "volume_id", Number::int32, 1},
    {"shapes", "surface_id", Number::int32, 1},
    {"shapes", "real_end", Number::int64, 1},
    {"shapes", "integer_end", Number::int64, 1},
    {"shapes", "reals", Number::real64, 1},
    {"shapes", "integers", Number::int32, 1},
    {"bodies", "id", Number::int64, 1},
    {"bodies", "label", Number::int32, 1},
    {"bodies", "material", Number::int32, 1},
    {"bodies", "kind", Number::byte, 1},
    {"bodies", "shape", Number::int32, 1},
    {"bodies", "volume_id", Number::int32, 1},
    {"bodies", "mass", Number::real64, 1},
    {"bodies", "volume", Number::real64, 1},
    {"bodies", "center", Number::real64, 3},
    {"bodies", "tensor", Number::real64, 9},
    {"bodies", "radius", Number::real64, 1},
    {"bodies", "unknowns", Number::int32, 1},
    {"bodies", "first_frame", Number::int64, 1},
    {"bodies", "last_frame", Number::int64, 1},
    {"steps", "step", Number::int64, 1},
    {"steps", "time", Number::real64, 1},
    {"steps", "h", Number::real64, 1},
    {"steps", "bodies", Number::int32, 1},
    {"steps", "contacts", Number::int32, 1},
    {"steps", "iterations", Number::int32, 1},
    {"steps", "status", Number::int32, 1},
    {"steps", "residual", Number::real64, 1},
    {"steps", "merit", Number::real64, 1},
    {"steps", "penetration_max", Number::real64, 1},
    {"steps", "penetration_mean", Number::real64, 1},
    {"steps", "seconds", Number::real64, 1},
    {"motion", "radius", Number::real32, 1},
    {"frames", "time", Number::real64, 1},
    {"frames", "step", Number::int64, 1},
    {"frames", "energy", Number::real64, 7},
    {"frames", "motion_end", Number::int64, 1},
    {"frames", "node_end", Number::int64, 1},
    {"frames", "state_end", Number::int64, 1},
    {"frames", "contact_end", Number::int64, 1},
}};

/// Columns of frames, in the order of Frame::each_column.
[[nodiscard]] const std::vector<ColumnSpec>& frame_specs();
/// Place of one of them.
[[nodiscard]] std::size_t frame_index(std::string_view group, std::string_view name);

/// An open file with its columns; columns close before the file.
struct ResultsColumns {
  h5::Node file;
  std::array<Column, kColumns> column;
  std::vector<Column> frame;  ///< in the order of Frame::each_column

  Column& operator()(std::string_view group, std::string_view name) { return frame[frame_index(group, name)]; }
  const Column& operator()(std::string_view group, std::string_view name) const { return frame[frame_index(group, name)]; }
  Column& operator[](ColumnIndex index) { return column[index]; }
  const Column& operator[](ColumnIndex index) const { return column[index]; }

  /// Smallest row count of the columns [first, last]: rows that are whole.
  [[nodiscard]] std::int64_t whole_rows(ColumnIndex first, ColumnIndex last) const;
  /// The same of a group of frame columns.
  [[nodiscard]] std::int64_t whole_rows(std::string_view group) const;
  /// Forget rows of a group of frame columns.
  void truncate(std::string_view group, std::int64_t rows);
};

[[nodiscard]] ResultsColumns create_columns(const std::string& path, const ResultsInfo& info);
/// Make the columns of motion, nodes and contacts anew for frames of that many bodies; they must be empty.
void resize_chunks(ResultsColumns& columns, std::int64_t bodies, bool compress);
/// Open with all checks of kind, type and shape; `info` receives what the file says of itself.
[[nodiscard]] ResultsColumns open_columns(const std::string& path, bool append, ResultsInfo& info);

/// Names, shapes and bodies of an open file, with all checks.
[[nodiscard]] std::vector<std::string> read_names(const ResultsColumns& columns);
[[nodiscard]] std::vector<StoredShape> read_shapes(const ResultsColumns& columns);
[[nodiscard]] std::vector<BodyRow> read_bodies(const ResultsColumns& columns, const std::vector<std::string>& names, std::size_t shapes);

}  // namespace scree::io
