#include "io/wire.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "io/json_text.hpp"
#include "io/rows.hpp"

namespace scree::io {
namespace {

constexpr std::int64_t kBuckets = 4096;  // rows of the step table that are sent
constexpr double kUnit = 32767.0;      // 1 as a 16-bit number

std::vector<float> narrow(const std::vector<double>& values) {
  std::vector<float> out(values.size());
  std::transform(values.begin(), values.end(), out.begin(), [](double v) { return static_cast<float>(v); });
  return out;
}

// Points relative to an origin.
std::vector<float> narrow(const std::vector<double>& points, const Vec3& origin) {
  std::vector<float> out(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) out[i] = static_cast<float>(points[i] - origin[static_cast<Eigen::Index>(i % 3)]);
  return out;
}

void add_quaternion(const Mat3& rotation, std::vector<std::int16_t>& out) {
  const Eigen::Quaterniond q = Eigen::Quaterniond(rotation).normalized();
  const Eigen::Vector4d xyzw = q.coeffs();
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::int16_t>(std::isfinite(xyzw[i]) ? std::lround(kUnit * xyzw[i]) : 0));
}

// 0, 1, 2, ...: such row numbers need not be sent.
bool counts_up(const std::vector<std::int32_t>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] != static_cast<std::int32_t>(i)) return false;
  return true;
}

// Numbers of the `limit` largest, largest first.
std::vector<std::int32_t> strongest(const std::vector<double>& size, std::int64_t limit) {
  std::vector<std::int32_t> order(size.size());
  std::iota(order.begin(), order.end(), 0);
  const auto stronger = [&](std::int32_t a, std::int32_t b) {
    const double fa = size[a], fb = size[b];
    return fa > fb || (fa == fb && a < b);
  };
  const auto kept = static_cast<std::ptrdiff_t>(std::clamp<std::int64_t>(limit, 0, static_cast<std::int64_t>(order.size())));
  std::partial_sort(order.begin(), order.begin() + kept, order.end(), stronger);
  order.resize(static_cast<std::size_t>(kept));
  return order;
}

void add_details(const Frame& frame, const std::vector<std::int32_t>& order, Bundle& bundle) {
  std::vector<float> normal, local, gap, velocity;
  for (const std::int32_t number : order) {
    const auto c = static_cast<std::size_t>(number);
    for (std::size_t i = 0; i < 3; ++i) {
      normal.push_back(static_cast<float>(frame.axes[9 * c + i]));
      local.push_back(static_cast<float>(frame.force[3 * c + i]));
      velocity.push_back(static_cast<float>(frame.relative_velocity[3 * c + i]));
    }
    gap.push_back(static_cast<float>(frame.gap[c]));
  }
  bundle.add("normal", normal, 3);
  bundle.add("local_force", local, 3);
  bundle.add("velocity", velocity, 3);
  bundle.add("gap", gap);
}

nlohmann::json to_json(const EnergyRow& e) {
  return {{"kinetic", e.kinetic}, {"internal", e.internal}, {"potential", e.potential}, {"external", e.external}, {"contact", e.contact}, {"friction", e.friction}, {"damping", e.damping}};
}

}  // namespace

WirePacker::WirePacker(const ResultsReader& reader) : reader_(reader) {
  // The mean place of moving bodies, or of all when nothing moves.
  for (const bool all : {false, true}) {
    int count = 0;
    for (const BodyRow& body : reader.bodies())
      if ((all || body.kind != StoredKind::obstacle) && body.center.allFinite()) {
        ++count;
        origin_ += (body.center - origin_) / count;
      }
    if (count > 0) return;
  }
}

void WirePacker::add_shapes(Bundle& bundle) const {
  std::vector<std::int32_t> piece_end, real_end, face_end, faces;
  std::vector<std::uint8_t> kind;
  std::vector<float> reals;
  for (const StoredShape& shape : reader_.shapes()) {
    for (const StoredPiece& piece : shape.pieces) {
      kind.push_back(static_cast<std::uint8_t>(piece.kind));
      for (const double v : piece.reals) reals.push_back(static_cast<float>(v));
      if (piece.kind >= PieceKind::polyhedron)
        for (const StoredFace& face : boundary_faces(piece)) {
          faces.push_back(static_cast<std::int32_t>(face.points.size()));
          faces.insert(faces.end(), face.points.begin(), face.points.end());
        }
      real_end.push_back(static_cast<std::int32_t>(reals.size()));
      face_end.push_back(static_cast<std::int32_t>(faces.size()));
    }
    piece_end.push_back(static_cast<std::int32_t>(kind.size()));
  }
  bundle.add("shape.piece_end", piece_end);
  bundle.add("piece.kind", kind);
  bundle.add("piece.real_end", real_end);
  bundle.add("piece.face_end", face_end);
  bundle.add("piece.reals", reals);
  bundle.add("piece.faces", faces);
}

Bundle WirePacker::scene() const {
  std::vector<double> id, mass, volume;
  std::vector<float> center, radius;
  std::vector<std::int32_t> shape, label, material;
  std::vector<std::uint8_t> kind;
  std::vector<std::string> texts;
  std::unordered_map<std::string, std::int32_t> known;
  const auto text = [&](const std::string& t) {
    const auto [at, fresh] = known.emplace(t, static_cast<std::int32_t>(texts.size()));
    if (fresh) texts.push_back(t);
    return at->second;
  };
  for (const BodyRow& body : reader_.bodies()) {
    id.push_back(static_cast<double>(body.id));
    mass.push_back(body.mass);
    volume.push_back(body.volume);
    for (int i = 0; i < 3; ++i) center.push_back(static_cast<float>(body.center[i] - origin_[i]));
    radius.push_back(static_cast<float>(body.radius));
    shape.push_back(body.shape);
    label.push_back(text(body.label));
    material.push_back(text(body.material));
    kind.push_back(static_cast<std::uint8_t>(body.kind));
  }
  Bundle bundle(json_text({{"kind", "scene"}, {"title", reader_.info().title}, {"scree_version", reader_.info().scree_version}, {"stages", reader_.info().stages},
                  {"texts", texts}, {"fields", fields()}, {"origin", {origin_.x(), origin_.y(), origin_.z()}}}));
  bundle.add("body.id", id);
  bundle.add("body.mass", mass);
  bundle.add("body.volume", volume);
  bundle.add("body.center", center, 3);
  bundle.add("body.radius", radius);
  bundle.add("body.shape", shape);
  bundle.add("body.label", label);
  bundle.add("body.material", material);
  bundle.add("body.kind", kind);
  add_shapes(bundle);
  return bundle;
}

Bundle WirePacker::series(std::int64_t every) const {
  std::vector<double> frame_time, energy;
  for (std::int64_t k = 0; k < reader_.frames(); k += every) {
    const EnergyRow& e = reader_.energies()[k];
    frame_time.push_back(reader_.time(k));
    energy.insert(energy.end(), {e.kinetic, e.internal, e.potential, e.external, e.contact, e.friction, e.damping});
  }
  const std::vector<StepRow> steps = reader_.steps();
  const std::int64_t count = static_cast<std::int64_t>(steps.size()), bucket = std::max<std::int64_t>(1, (count + kBuckets - 1) / kBuckets);
  std::vector<double> time;
  std::vector<float> contacts, iterations, residual, penetration, seconds, h;
  for (std::int64_t k = 0; k < count; k += bucket) {
    std::array<double, 6> top{};
    const std::int64_t end = std::min(count, k + bucket);
    for (std::int64_t i = k; i < end; ++i) {
      const StepRow& s = steps[i];
      const std::array<double, 6> own{static_cast<double>(s.contacts), static_cast<double>(s.iterations), s.residual, s.penetration_max,
                                      s.integrate + s.detect + s.assemble + s.solve, s.h};
      for (std::size_t j = 0; j < 6; ++j) top[j] = std::max(top[j], own[j]);
    }
    time.push_back(steps[end - 1].time);
    std::size_t j = 0;
    for (std::vector<float>* column : {&contacts, &iterations, &residual, &penetration, &seconds, &h}) column->push_back(static_cast<float>(top[j++]));
  }
  Bundle bundle(json_text({{"kind", "series"}, {"frames", reader_.frames()}, {"steps", count}, {"bucket", bucket}}));
  bundle.add("frame.time", frame_time);
  bundle.add("frame.energy", energy, 7);
  bundle.add("step.time", time);
  bundle.add("step.contacts", contacts);
  bundle.add("step.iterations", iterations);
  bundle.add("step.residual", residual);
  bundle.add("step.penetration_max", penetration);
  bundle.add("step.seconds", seconds);
  bundle.add("step.h", h);
  return bundle;
}

Bundle WirePacker::frame(std::int64_t index, std::span<const Field> fields, bool detail) const {
  const bool forces = std::find(fields.begin(), fields.end(), Field::force) != fields.end();
  const Frame frame = reader_.frame(index, kMotionPart | kNodePart | kTouchPart | (forces ? kForcePart : 0U));
  Bundle bundle(json_text({{"kind", "frame"}, {"frame", index}, {"time", frame.time}, {"step", frame.step}, {"bodies", frame.bodies()},
                  {"contacts", touching(frame, reader_.bodies())}, {"energy", to_json(frame.energy)}}));
  if (!counts_up(frame.body)) bundle.add("row", frame.body);
  bundle.add("position", narrow(frame.position, origin_), 3);
  std::vector<std::int16_t> quaternion;
  std::vector<float> gradient;
  quaternion.reserve(4 * frame.bodies());
  for (std::size_t i = 0; i < frame.bodies(); ++i) {
    const bool deforms = reader_.bodies()[frame.body[i]].kind == StoredKind::pseudo_rigid;
    add_quaternion(deforms ? Mat3::Identity() : matrix3(&frame.rotation[9 * i]), quaternion);
    for (std::size_t j = 0; deforms && j < 9; ++j) gradient.push_back(static_cast<float>(frame.rotation[9 * i + j]));
  }
  bundle.add("quaternion", quaternion, 4);
  if (!gradient.empty()) bundle.add("gradient", gradient, 9);
  if (!frame.node_position.empty()) bundle.add("node", narrow(frame.node_position, origin_), 3);
  if (detail) {
    bundle.add("velocity", narrow(frame.velocity), 3);
    bundle.add("angular_velocity", narrow(frame.angular), 3);
  }
  add_fields(frame, fields, bundle);
  return bundle;
}

Bundle WirePacker::contacts(std::int64_t index, std::int64_t limit, bool detail) const {
  const Frame frame = reader_.frame(index, kForcePart | (detail ? kContactPart : 0U));
  const std::size_t all = frame.contact_kind.size();
  std::vector<double> size(all);
  for (std::size_t c = 0; c < all; ++c) size[c] = row3(frame.force, c).norm();
  const std::vector<std::int32_t> order = strongest(size, limit);

  // Forces in space, on the second body.
  std::vector<float> point, force;
  std::vector<std::int32_t> pair;
  std::vector<std::uint8_t> kind;
  for (const std::int32_t number : order) {
    const auto c = static_cast<std::size_t>(number);
    const Vec3 f = matrix3(&frame.axes[9 * c]).transpose() * row3(frame.force, c);
    for (int i = 0; i < 3; ++i) {
      point.push_back(static_cast<float>(frame.point[3 * c + static_cast<std::size_t>(i)] - origin_[i]));
      force.push_back(static_cast<float>(f[i]));
    }
    pair.insert(pair.end(), {frame.pair[2 * c], frame.pair[2 * c + 1]});
    kind.push_back(frame.contact_kind[c]);
  }
  Bundle bundle(json_text({{"kind", "contacts"}, {"frame", index}, {"time", frame.time}, {"contacts", all}, {"constraints", static_cast<std::int64_t>(all) - frame.between_bodies()}}));
  bundle.add("number", order);
  bundle.add("point", point, 3);
  bundle.add("force", force, 3);
  bundle.add("pair", pair, 2);
  bundle.add("type", kind);
  if (detail) add_details(frame, order, bundle);
  return bundle;
}

void WirePacker::add_fields(const Frame& frame, std::span<const Field> fields, Bundle& bundle) const {
  for (const Field field : fields) {
    const Values own = values(frame, field);
    bundle.add("value." + std::string(field_name(field)), narrow(own.body));
    if (!own.node.empty()) bundle.add("node_value." + std::string(field_name(field)), narrow(own.node));
  }
}

}  // namespace scree::io
