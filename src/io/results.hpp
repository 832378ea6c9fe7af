/// Results of a run: one HDF5 file that a kill at any moment leaves with every finished frame readable.
///
/// Layout: docs/results_format.md. The file changes through a journal (io/journaled_file.hpp): add_frame()
/// returns when the frame is part of the file's committed state. SI units throughout. One thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/vec.hpp"
#include "io/stored_shape.hpp"
#include "model/step_row.hpp"

namespace scree::io {

inline constexpr int kResultsVersion = 3;

enum class StoredKind : std::uint8_t { rigid = 0, pseudo_rigid = 1, finite_element = 2, obstacle = 3 };

/// What is known before the first frame.
struct ResultsInfo {
  std::string title;
  std::string scree_version;
  std::vector<std::string> stages{model::kStageNames.begin(), model::kStageNames.end()};  ///< timed stages of a step that the file has
  std::int64_t expected_bodies = 0; ///< if more than in the first frame: sizes the chunks; any value is correct
  bool compress = false;            ///< lossless: shuffle and deflate
  bool durable = false;             ///< flush to disk at every frame: also survive a power cut
};

/// One body that exists in some frame.
struct BodyRow {
  std::int64_t id = 0;           ///< of the model
  std::string label, material;
  StoredKind kind = StoredKind::rigid;
  std::int32_t shape = -1;       ///< from add_shape()
  std::int32_t volume_id = 0;
  double mass = 0.0;             ///< kg
  double volume = 0.0;           ///< m^3
  Vec3 center = Vec3::Zero();    ///< reference mass centre, m
  Mat3 tensor = Mat3::Zero();    ///< reference inertia tensor about the centre, kg m^2
  double radius = 0.0;           ///< farthest point of the shape from the centre, m
  std::int32_t unknowns = 0;     ///< numbers in the configuration of a deformable body, 0 for others
  std::int64_t first_frame = 0;  ///< set by the writer
  std::int64_t last_frame = -1;  ///< -1: to the end
};

using model::StepRow;

/// Totals, J.
struct EnergyRow {
  double kinetic = 0.0, internal = 0.0, potential = 0.0;
  double external = 0.0, contact = 0.0, friction = 0.0, damping = 0.0;  ///< work since the start
};

/// What of a frame to read.
enum FrameParts : unsigned {
  kMotionPart = 1,   ///< body, rotation, position, velocity, angular, body_energy, mises
  kNodePart = 2,     ///< nodes; needs the motion to be checked
  kForcePart = 4,    ///< pair, point, axes, force and kind of contacts
  kContactPart = 8,  ///< the rest of the contacts
  kStatePart = 16,   ///< state
  kTouchPart = 32,   ///< of contacts what tells whether they touch: pair, gap, force and kind
  kAllParts = 63
};

/// One column of frames, in every place that deals with columns.
struct FrameColumn {
  const char* group;      ///< in the file; a row of "motion" is a body, of "nodes" a point, of "states" a number, of "contacts" a contact or constraint
  const char* name;       ///< in the file
  int width;              ///< numbers a row
  unsigned part;          ///< of FrameParts, that read it
  enum : unsigned { kPlain = 0, kFinite = 1, kOptional = 2 } rule = kPlain;  ///< kFinite: nothing else is written; kOptional: empty is stored as zeros
  const char* python = nullptr;  ///< name in Python's tables, nullptr: that of the file
  const char* csv = nullptr;     ///< headings in CSV tables, at most one a number of a row; nullptr: not there
  const char* vtu = nullptr;     ///< name in VTU files, nullptr: not there
};

/// State at one instant. Arrays are flat, row after row.
struct Frame {
  double time = 0.0;
  std::int64_t step = 0;
  EnergyRow energy;

  // Bodies: rows of the body table, each once.
  std::vector<std::int32_t> body;
  std::vector<double> rotation;  ///< 9: F row-major in x = F (X - center) + position
  std::vector<double> position;  ///< 3, m
  std::vector<double> velocity;  ///< 3, of the mass centre, m/s
  std::vector<double> angular;   ///< 3, spatial, rad/s
  std::vector<double> body_energy;  ///< 6: kinetic, internal; work since the start: external, contact, friction, damping. J
  std::vector<float> mises;      ///< von Mises stress: of pseudo-rigid bodies, the largest of finite element ones, Pa; empty: none

  // Points of finite element bodies, in the order of `body` and of their shapes' points; may be empty.
  std::vector<double> node_position;  ///< 3, m
  std::vector<double> node_velocity;  ///< 3, m/s
  std::vector<float> node_mises;      ///< von Mises stress, Pa; empty: none

  // Deformable bodies, in the order of `body`: configuration, then velocity; may be empty.
  std::vector<double> state;

  // Contacts and other constraints.
  std::vector<std::int32_t> pair;           ///< 2: rows of the body table, -1 for none
  std::vector<double> point;                ///< 3, m
  std::vector<double> axes;                 ///< 9: N, T1, T2 one after the other; N points from the first body to the second
  std::vector<double> gap;                  ///< < 0: overlap, m
  std::vector<double> area;                 ///< m^2
  std::vector<double> force;                ///< 3: mean force on the second body over the step along (N, T1, T2), N
  std::vector<double> relative_velocity;    ///< 3: U along (N, T1, T2), m/s
  std::vector<std::int32_t> surface;        ///< 2: surface ids
  std::vector<std::int32_t> material;       ///< surface material, -1 for none
  std::vector<std::uint8_t> contact_kind;   ///< 0 contact, 1 fixed point, 2 fixed direction, 3 prescribed motion, 4 link, 5 limit
  std::vector<std::int32_t> constraint;     ///< id of the prescribed constraint, -1 for contacts

  /// Visit every column: the one list that is written, read, selected, exported and shown in Python. A new result field is a member above, a line here, and
  /// what fills it in recording/frame.cpp.
  template <class Visit>
  static void each_column(Visit&& visit) {
    using C = FrameColumn;
    visit(C{"motion", "body", 1, kMotionPart, C::kPlain, "rows", nullptr, "body"}, &Frame::body);
    visit(C{"motion", "position", 3, kMotionPart, C::kFinite, nullptr, "x,y,z"}, &Frame::position);
    visit(C{"motion", "velocity", 3, kMotionPart, C::kFinite, nullptr, "vx,vy,vz", "velocity"}, &Frame::velocity);
    visit(C{"motion", "angular", 3, kMotionPart, C::kFinite, "angular_velocity", "wx,wy,wz", "angular"}, &Frame::angular);
    visit(C{"motion", "rotation", 9, kMotionPart, C::kFinite, nullptr, "r11,r12,r13,r21,r22,r23,r31,r32,r33", "rotation"}, &Frame::rotation);
    visit(C{"motion", "energy", 6, kMotionPart}, &Frame::body_energy);
    visit(C{"motion", "mises", 1, kMotionPart, C::kOptional}, &Frame::mises);
    visit(C{"nodes", "position", 3, kNodePart, C::kFinite}, &Frame::node_position);
    visit(C{"nodes", "velocity", 3, kNodePart}, &Frame::node_velocity);
    visit(C{"nodes", "mises", 1, kNodePart, C::kOptional}, &Frame::node_mises);
    visit(C{"states", "value", 1, kStatePart, C::kFinite}, &Frame::state);
    visit(C{"contacts", "pair", 2, kForcePart | kTouchPart, C::kPlain, nullptr, nullptr, "bodies"}, &Frame::pair);
    visit(C{"contacts", "point", 3, kForcePart, C::kFinite, nullptr, "x,y,z"}, &Frame::point);
    visit(C{"contacts", "axes", 9, kForcePart, C::kPlain, "frame", "nx,ny,nz", "axes"}, &Frame::axes);
    visit(C{"contacts", "gap", 1, kContactPart | kTouchPart, C::kFinite, nullptr, "gap", "gap"}, &Frame::gap);
    visit(C{"contacts", "area", 1, kContactPart, C::kPlain, nullptr, "area", "area"}, &Frame::area);
    visit(C{"contacts", "force", 3, kForcePart | kTouchPart, C::kFinite, "local_force", "force_n,force_t1,force_t2"}, &Frame::force);
    visit(C{"contacts", "velocity", 3, kContactPart, C::kPlain, "local_velocity", "u_n,u_t1,u_t2", "velocity_local"}, &Frame::relative_velocity);
    visit(C{"contacts", "surface", 2, kContactPart, C::kPlain, "surfaces", "surface1,surface2"}, &Frame::surface);
    visit(C{"contacts", "material", 1, kContactPart, C::kPlain, nullptr, "material"}, &Frame::material);
    visit(C{"contacts", "kind", 1, kForcePart | kTouchPart, C::kPlain, nullptr, "kind"}, &Frame::contact_kind);
    visit(C{"contacts", "constraint", 1, kContactPart}, &Frame::constraint);
  }
  /// Rows of a group of columns.
  [[nodiscard]] std::size_t rows(std::string_view group) const {
    return group == "motion" ? body.size() : group == "nodes" ? node_position.size() / 3 : group == "states" ? state.size() : gap.size();
  }

  [[nodiscard]] std::size_t bodies() const { return body.size(); }
  [[nodiscard]] std::size_t contacts() const { return gap.size(); }
  /// True for a contact between bodies, false for a constraint that a user prescribed.
  [[nodiscard]] bool touches(std::size_t c) const { return contact_kind[c] == 0; }
  /// How many of them are contacts between bodies, those within reach that carry nothing included.
  [[nodiscard]] std::int64_t between_bodies() const { return std::count(contact_kind.begin(), contact_kind.end(), std::uint8_t{0}); }
};

/// Append-only writer. One a file: FileError when another process is writing it.
class ResultsWriter {
 public:
  ResultsWriter(const std::string& path, const ResultsInfo& info);
  /// Go on with an existing file after a restart: frames, steps and bodies later than `time` are dropped.
  static ResultsWriter resume(const std::string& path, double time);
  ResultsWriter(ResultsWriter&&) noexcept;
  ~ResultsWriter();

  /// Index of the shape; equal shapes (to 1e-9 of their size) share one. Coordinates relative to `center`.
  std::int32_t add_shape(const geometry::Shape& shape, const Vec3& center);
  /// Row of the body in the table; it exists from the next frame on.
  std::int32_t add_body(const BodyRow& body);
  /// The last frame was its last one.
  void remove_body(std::int32_t row);
  /// Row of a body's id, -1 when it was never added.
  [[nodiscard]] std::int32_t row_of(std::int64_t id) const;

  void add_step(const StepRow& step);
  /// Write and commit. InputError when array sizes disagree, a body is unknown or a number is not finite in
  /// time, motion or forces: then nothing is written.
  void add_frame(const Frame& frame);
  /// Commit steps and bodies added since the last frame.
  void flush();
  /// Commit and close; what the destructor does, but failures are reported (FileError).
  void close();

  [[nodiscard]] std::int64_t frames() const;
  [[nodiscard]] const std::string& path() const;

 private:
  struct State;
  explicit ResultsWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Reader of finished or growing files. Nothing in the file is trusted: FileError for whatever does not fit.
class ResultsReader {
 public:
  explicit ResultsReader(const std::string& path);
  ResultsReader(ResultsReader&&) noexcept;
  ~ResultsReader();

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] const ResultsInfo& info() const;
  [[nodiscard]] std::int64_t frames() const;
  /// InputError when there is no such frame.
  [[nodiscard]] double time(std::int64_t frame) const;
  [[nodiscard]] const std::vector<double>& times() const;
  [[nodiscard]] const std::vector<EnergyRow>& energies() const;
  [[nodiscard]] Frame frame(std::int64_t index, unsigned parts = kAllParts) const;
  /// Time, step and contacts of a frame alone.
  [[nodiscard]] Frame contacts(std::int64_t index) const { return frame(index, kForcePart | kContactPart); }
  /// What history() can tell of a body.
  enum class Motion { rotation, position, velocity, angular, energy };
  /// Numbers a body and frame of a history: 9, 3, 3, 3, 6.
  [[nodiscard]] static int width(Motion quantity);
  /// One quantity of some bodies (rows of the body table) over some frames: frame after frame, body after body; NaN where
  /// a body is not in a frame. Cost: a few reads a frame, whatever the size of the file. InputError for unknown rows or frames.
  [[nodiscard]] std::vector<double> history(Motion quantity, const std::vector<std::int32_t>& bodies, const std::vector<std::int64_t>& frames) const;
  /// Configuration, then velocity, of a deformable body (row of the body table) in a frame; empty where it is not or has none.
  [[nodiscard]] std::vector<double> state(std::int64_t frame, std::int32_t body) const;
  /// First rows of a frame in the body and contact columns, for readers of the raw file (XDMF).
  struct Range {
    std::int64_t first = 0, count = 0;
  };
  [[nodiscard]] Range body_range(std::int64_t frame) const;
  [[nodiscard]] Range contact_range(std::int64_t frame) const;

  [[nodiscard]] const std::vector<BodyRow>& bodies() const;
  [[nodiscard]] const std::vector<StoredShape>& shapes() const;
  [[nodiscard]] std::vector<StepRow> steps() const;

  /// See what a running writer has added; true when there is something new.
  bool refresh();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scree::io
