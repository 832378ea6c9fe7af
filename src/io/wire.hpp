/// Results as bundles for the viewer's page: single precision, only what is asked for, no number twice.
///
/// Places are relative to an origin near the bodies (in the scene bundle), so that single precision suffices
/// far from zero too. Arrays of each bundle: docs/results_format.md, "On the wire". FileError when the file
/// does not fit its format, InputError for frames, bodies or fields that do not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/bundle.hpp"
#include "io/results.hpp"

namespace scree::io {

/// A number a body (or a node of a finite element body) that colours can show.
enum class Field { velocity, displacement, kinetic_energy, von_mises, force };
/// InputError lists the known names.
[[nodiscard]] Field field(std::string_view name);
[[nodiscard]] std::string_view field_name(Field field);

class WirePacker {
 public:
  /// Keeps the reader by reference.
  explicit WirePacker(const ResultsReader& reader);

  /// Names of the fields that make sense for these results: stresses only where bodies deform.
  [[nodiscard]] std::vector<std::string> fields() const;
  /// Bodies and shapes: everything that does not change from frame to frame.
  [[nodiscard]] Bundle scene() const;
  /// Times and energies of every `every`-th frame, and the step table in at most 4096 buckets, the largest of each.
  [[nodiscard]] Bundle series(std::int64_t every = 1) const;
  /// Places of bodies and nodes in a frame, and the fields; with `detail` velocities too.
  [[nodiscard]] Bundle frame(std::int64_t index, std::span<const Field> fields, bool detail = false) const;
  /// The strongest `limit` contacts of a frame, strongest first; with `detail` all the file says of them.
  [[nodiscard]] Bundle contacts(std::int64_t index, std::int64_t limit, bool detail = false) const;

  /// Smallest and largest value of a field on moving bodies over (at most 40 of) the frames.
  struct Range {
    double low = 0.0, high = 0.0;
    double top = 0.0;  ///< 99.8 % of the values lie below it
  };
  [[nodiscard]] Range range(Field field) const;
  /// The same for the magnitudes of contact forces, N; 99.5 % lie below the top.
  [[nodiscard]] Range contact_range() const;

  /// What the file says of one body or contact at one frame, in full precision: a JSON object.
  [[nodiscard]] std::string body(std::int64_t index, std::int32_t row) const;
  [[nodiscard]] std::string contact(std::int64_t index, std::int64_t number) const;
  /// Motion of a body, and the contact forces on it, over the frames it is in.
  [[nodiscard]] Bundle history(std::int32_t row) const;
  /// Contacts between two bodies (-1: none) over all frames: number, normal and tangential force, smallest gap.
  [[nodiscard]] Bundle pair_history(std::int32_t first, std::int32_t second) const;

 private:
  struct Values {
    std::vector<double> body, node;
  };
  void require(std::int32_t row) const;
  void add_shapes(Bundle& bundle) const;
  void add_fields(const Frame& frame, std::span<const Field> fields, Bundle& bundle) const;
  [[nodiscard]] Values values(const Frame& frame, Field field) const;
  [[nodiscard]] std::vector<double> node_displacements(const Frame& frame) const;

  const ResultsReader& reader_;
  Vec3 origin_ = Vec3::Zero();
};

}  // namespace scree::io
