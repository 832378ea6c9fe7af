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
  kStepStep, kStepTime, kStepH, kStepBodies, kStepContacts, kStepIterations, kStepStatus, kStepResidual, kStepPenetrationMax,
  kStepPenetrationMean, kStepSeconds,
  kMotionBody, kMotionRotation, kMotionPosition, kMotionVelocity, kMotionAngular, kMotionRadius, kMotionEnergy, kMotionMises,
  kNodePosition, kNodeVelocity, kNodeMises,
  kStateValue,
  kContactPair, kContactPoint, kContactAxes, kContactGap, kContactArea, kContactForce, kContactVelocity, kContactSurface,
  kContactMaterial, kContactKind, kContactConstraint,
  kFrameTime, kFrameStep, kFrameEnergy, kFrameMotionEnd, kFrameNodeEnd, kFrameStateEnd, kFrameContactEnd,
  kColumns
};

/// In the order of ColumnIndex. `steps/seconds` gets as many numbers a row as there are stages.
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
    {"steps", "penetration_max", Number::real64, 1},
    {"steps", "penetration_mean", Number::real64, 1},
    {"steps", "seconds", Number::real64, 1},
    {"motion", "body", Number::int32, 1},
    {"motion", "rotation", Number::real64, 9},
    {"motion", "position", Number::real64, 3},
    {"motion", "velocity", Number::real64, 3},
    {"motion", "angular", Number::real64, 3},
    {"motion", "radius", Number::real32, 1},
    {"motion", "energy", Number::real64, 6},
    {"motion", "mises", Number::real32, 1},
    {"nodes", "position", Number::real64, 3},
    {"nodes", "velocity", Number::real64, 3},
    {"nodes", "mises", Number::real32, 1},
    {"states", "value", Number::real64, 1},
    {"contacts", "pair", Number::int32, 2},
    {"contacts", "point", Number::real64, 3},
    {"contacts", "axes", Number::real64, 9},
    {"contacts", "gap", Number::real64, 1},
    {"contacts", "area", Number::real64, 1},
    {"contacts", "force", Number::real64, 3},
    {"contacts", "velocity", Number::real64, 3},
    {"contacts", "surface", Number::int32, 2},
    {"contacts", "material", Number::int32, 1},
    {"contacts", "kind", Number::byte, 1},
    {"contacts", "constraint", Number::int32, 1},
    {"frames", "time", Number::real64, 1},
    {"frames", "step", Number::int64, 1},
    {"frames", "energy", Number::real64, 7},
    {"frames", "motion_end", Number::int64, 1},
    {"frames", "node_end", Number::int64, 1},
    {"frames", "state_end", Number::int64, 1},
    {"frames", "contact_end", Number::int64, 1},
}};

/// An open file with its columns; columns close before the file.
struct ResultsColumns {
  h5::Node file;
  std::array<Column, kColumns> column;

  Column& operator[](ColumnIndex index) { return column[index]; }
  const Column& operator[](ColumnIndex index) const { return column[index]; }

  /// Smallest row count of the columns [first, last]: rows that are whole.
  [[nodiscard]] std::int64_t whole_rows(ColumnIndex first, ColumnIndex last) const;
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
