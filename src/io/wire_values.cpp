#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "io/rows.hpp"
#include "io/wire.hpp"

namespace scree::io {
namespace {

constexpr std::string_view kFieldNames[] = {"velocity", "displacement", "kinetic_energy", "von_mises", "force"};
static_assert(std::size(kFieldNames) == static_cast<std::size_t>(Field::force) + 1, "every field has a name, in the order of Field");
constexpr std::int64_t kFramesRead = 40;
constexpr double kTop = 0.998, kContactTop = 0.995;

// At most kFramesRead frames, evenly chosen, the first and the last among them.
std::vector<std::int64_t> sampled_frames(std::int64_t all) {
  const std::int64_t count = std::min(all, kFramesRead);
  std::vector<std::int64_t> frames;
  for (std::int64_t k = 0; k < count; ++k) frames.push_back(count < 2 ? 0 : k * (all - 1) / (count - 1));
  return frames;
}

// Extremes of the finite values and the one that a share of them does not exceed.
WirePacker::Range reach(std::vector<double>& values, double share) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  WirePacker::Range range{*low, *high, 0.0};
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), at, values.end());
  range.top = *at;
  return range;
}

}  // namespace

Field field(std::string_view name) {
  for (std::size_t k = 0; k < std::size(kFieldNames); ++k)
    if (name == kFieldNames[k]) return static_cast<Field>(k);
  throw_input("field '{}' is unknown; known: {}", name, fmt::join(kFieldNames, ", "));
}

std::string_view field_name(Field field) { return kFieldNames[static_cast<std::size_t>(field)]; }

std::vector<std::string> WirePacker::fields() const {
  const auto& bodies = reader_.bodies();
  const bool deforming = std::any_of(bodies.begin(), bodies.end(), [](const BodyRow& b) { return b.kind == StoredKind::pseudo_rigid || b.kind == StoredKind::finite_element; });
  std::vector<std::string> names;
  for (const std::string_view name : kFieldNames)
    if (deforming || field(name) != Field::von_mises) names.emplace_back(name);
  return names;
}

WirePacker::Values WirePacker::values(const Frame& frame, Field field) const {
  Values out;
  out.body.assign(frame.bodies(), 0.0);
  if (field == Field::kinetic_energy) {
    for (std::size_t i = 0; i < out.body.size(); ++i) out.body[i] = frame.body_energy[6 * i];
  } else if (field == Field::velocity) {
    for (std::size_t i = 0; i < out.body.size(); ++i) out.body[i] = row3(frame.velocity, i).norm();
    for (std::size_t n = 0; 3 * n < frame.node_velocity.size(); ++n) out.node.push_back(row3(frame.node_velocity, n).norm());
  } else if (field == Field::displacement) {
    for (std::size_t i = 0; i < out.body.size(); ++i) out.body[i] = (row3(frame.position, i) - reader_.bodies()[frame.body[i]].center).norm();
    if (!frame.node_position.empty()) out.node = node_displacements(frame);
  } else if (field == Field::von_mises) {
    out.body.assign(frame.mises.begin(), frame.mises.end());
    out.node.assign(frame.node_mises.begin(), frame.node_mises.end());
  } else {
    std::vector<double> by_row(reader_.bodies().size(), 0.0);
    for (std::size_t c = 0; c < frame.contact_kind.size(); ++c)
      for (std::size_t side = 0; side < 2 && frame.touches(c); ++side)
        if (const std::int32_t row = frame.pair[2 * c + side]; row >= 0) by_row[row] += row3(frame.force, c).norm();
    for (std::size_t i = 0; i < out.body.size(); ++i) out.body[i] = by_row[frame.body[i]];
  }
  return out;
}

// Distance of nodes from their reference places.
std::vector<double> WirePacker::node_displacements(const Frame& frame) const {
  std::vector<double> out;
  std::size_t node = 0;
  for (const std::int32_t row : frame.body) {
    const BodyRow& body = reader_.bodies()[row];
    if (body.kind != StoredKind::finite_element || body.shape < 0) continue;
    for (const StoredPiece& piece : reader_.shapes()[body.shape].pieces)
      for (std::size_t p = 0; p < static_cast<std::size_t>(piece.points()); ++p, ++node)
        out.push_back((row3(frame.node_position, node) - row3(piece.reals, p) - body.center).norm());
  }
  return out;
}

WirePacker::Range WirePacker::range(Field field) const {
  std::vector<double> seen;
  for (const std::int64_t k : sampled_frames(reader_.frames())) {
    const Frame frame = reader_.frame(k, kMotionPart | kNodePart | (field == Field::force ? kForcePart : 0U));
    const Values own = values(frame, field);
    const std::vector<char> held = field == Field::force ? held_rows(frame, reader_.bodies().size()) : std::vector<char>(reader_.bodies().size(), 0);
    for (std::size_t i = 0; i < own.body.size(); ++i)
      if (const auto row = static_cast<std::size_t>(frame.body[i]); reader_.bodies()[row].kind != StoredKind::obstacle && !held[row]) seen.push_back(own.body[i]);
    seen.insert(seen.end(), own.node.begin(), own.node.end());
  }
  return reach(seen, kTop);
}

WirePacker::Range WirePacker::contact_range() const {
  std::vector<double> seen;
  for (const std::int64_t k : sampled_frames(reader_.frames())) {
    const Frame frame = reader_.frame(k, kForcePart);
    for (std::size_t c = 0; c < frame.contact_kind.size(); ++c)
      if (frame.touches(c)) seen.push_back(row3(frame.force, c).norm());
  }
  return reach(seen, kContactTop);
}

}  // namespace scree::io
