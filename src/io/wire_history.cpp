#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "io/json_text.hpp"
#include "io/rows.hpp"
#include "io/wire.hpp"

namespace scree::io {
namespace {

constexpr std::int64_t kContactsRead = 4'000'000;  // of histories: beyond that, frames are left out evenly
constexpr std::size_t kContactsListed = 64;

nlohmann::json list(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

nlohmann::json rows(const double* values, std::size_t count) {
  nlohmann::json out = nlohmann::json::array();
  for (std::size_t i = 0; i < count; ++i) out.push_back(values[i]);
  return out;
}

double tangential(const Vec3& force) { return std::hypot(force.y(), force.z()); }

// Sum of the magnitudes of the contact forces on a body; constraints left out.
double contact_force(const Frame& frame, std::int32_t row) {
  double sum = 0.0;
  for (std::size_t c = 0; c < frame.contact_kind.size(); ++c)
    if (frame.touches(c) && (frame.pair[2 * c] == row || frame.pair[2 * c + 1] == row)) sum += row3(frame.force, c).norm();
  return sum;
}

// Every how many frames contacts may be read so that the answer comes soon.
std::int64_t stride(const ResultsReader& reader) {
  std::int64_t all = 0;
  for (std::int64_t k = 0; k < reader.frames(); ++k) all += reader.contact_range(k).count;
  return std::max<std::int64_t>(1, all / kContactsRead);
}

}  // namespace

void WirePacker::require(std::int32_t row) const {
  if (row < 0 || row >= static_cast<std::int32_t>(reader_.bodies().size())) throw_input("{}: there is no body row {}; the file has {}", reader_.path(), row, reader_.bodies().size());
}

std::string WirePacker::body(std::int64_t index, std::int32_t row) const {
  require(row);
  const Frame frame = reader_.frame(index);
  const BodyRow& body = reader_.bodies()[row];
  static constexpr const char* kKinds[] = {"rigid", "pseudo-rigid", "finite elements", "obstacle"};
  nlohmann::json out = {{"row", row}, {"id", body.id}, {"label", body.label}, {"material", body.material}, {"kind", kKinds[static_cast<std::size_t>(body.kind)]},
                        {"mass", body.mass}, {"volume", body.volume}, {"frame", index}, {"time", frame.time}};
  const auto at = std::find(frame.body.begin(), frame.body.end(), row);
  out["present"] = at != frame.body.end();
  if (at == frame.body.end()) return json_text(out);
  const auto i = static_cast<std::size_t>(at - frame.body.begin());
  out["position"] = list(row3(frame.position, i));
  out["velocity"] = list(row3(frame.velocity, i));
  out["angular_velocity"] = list(row3(frame.angular, i));
  out["rotation"] = rows(&frame.rotation[9 * i], 9);
  out["displacement"] = (row3(frame.position, i) - body.center).norm();
  out["kinetic_energy"] = frame.body_energy[6 * i];
  if (body.kind == StoredKind::pseudo_rigid || body.kind == StoredKind::finite_element) out["von_mises"] = frame.mises[i];
  out["internal_energy"] = frame.body_energy[6 * i + 1];

  // Contacts and constraints it takes part in, the strongest first; contacts alone are counted.
  std::vector<std::pair<double, std::size_t>> own;
  for (std::size_t c = 0; c < frame.contacts(); ++c)
    if (frame.pair[2 * c] == row || frame.pair[2 * c + 1] == row) own.emplace_back(-row3(frame.force, c).norm(), c);
  std::sort(own.begin(), own.end());
  out["contacts"] = std::count_if(own.begin(), own.end(), [&](const auto& entry) { return frame.touches(entry.second); });
  out["force"] = contact_force(frame, row);
  nlohmann::json listed = nlohmann::json::array();
  for (std::size_t k = 0; k < std::min(own.size(), kContactsListed); ++k) {
    const std::size_t c = own[k].second;
    listed.push_back({{"number", c}, {"other", frame.pair[2 * c] == row ? frame.pair[2 * c + 1] : frame.pair[2 * c]}, {"force", -own[k].first}, {"gap", frame.gap[c]}});
  }
  out["strongest"] = listed;
  return json_text(out);
}

std::string WirePacker::contact(std::int64_t index, std::int64_t number) const {
  const Frame frame = reader_.frame(index, kForcePart | kContactPart);
  const auto all = static_cast<std::int64_t>(frame.contacts());
  if (number < 0 || number >= all) throw_input("{}: frame {} has no contact {}; it has {}", reader_.path(), index, number, all);
  const auto c = static_cast<std::size_t>(number);
  static constexpr const char* kKinds[] = {"contact", "fixed point", "fixed direction", "prescribed motion", "link", "limit"};
  const Vec3 force = row3(frame.force, c);
  const auto side = [&](std::size_t s) -> nlohmann::json {
    const std::int32_t row = frame.pair[2 * c + s];
    if (row < 0) return nullptr;
    const BodyRow& body = reader_.bodies()[row];
    return {{"row", row}, {"id", body.id}, {"label", body.label}};
  };
  return json_text({{"number", number}, {"frame", index}, {"time", frame.time}, {"kind", kKinds[std::min<std::size_t>(frame.contact_kind[c], 5)]},
          {"bodies", {side(0), side(1)}}, {"point", list(row3(frame.point, c))}, {"normal", list(Vec3(&frame.axes[9 * c]))},
          {"gap", frame.gap[c]}, {"area", frame.area[c]}, {"force", list(force)}, {"normal_force", force.x()}, {"tangential_force", tangential(force)},
          {"velocity", list(row3(frame.relative_velocity, c))}, {"surfaces", {frame.surface[2 * c], frame.surface[2 * c + 1]}}});
}

Bundle WirePacker::history(std::int32_t row) const {
  require(row);
  std::vector<std::int64_t> frames(static_cast<std::size_t>(reader_.frames()));
  std::iota(frames.begin(), frames.end(), 0);
  const auto read = [&](ResultsReader::Motion quantity) { return reader_.history(quantity, {row}, frames); };
  std::vector<double> position = read(ResultsReader::Motion::position), velocity = read(ResultsReader::Motion::velocity), angular = read(ResultsReader::Motion::angular);

  // Frames without the body are left out; contacts are read of so many frames that the answer comes soon.
  const std::int64_t every = stride(reader_);
  std::vector<double> time, force_time, force;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    if (std::isnan(position[3 * k])) continue;
    for (std::vector<double>* values : {&position, &velocity, &angular}) std::copy_n(values->begin() + static_cast<std::ptrdiff_t>(3 * k), 3, values->begin() + static_cast<std::ptrdiff_t>(3 * kept));
    time.push_back(reader_.time(frames[k]));
    ++kept;
    if (frames[k] % every) continue;
    force_time.push_back(time.back());
    force.push_back(contact_force(reader_.frame(frames[k], kForcePart), row));
  }
  for (std::vector<double>* values : {&position, &velocity, &angular}) values->resize(3 * kept);
  Bundle bundle(json_text({{"kind", "history"}, {"row", row}, {"force_every", every}}));
  bundle.add("time", time);
  bundle.add("position", position, 3);
  bundle.add("velocity", velocity, 3);
  bundle.add("angular_velocity", angular, 3);
  bundle.add("force_time", force_time);
  bundle.add("force", force);
  return bundle;
}

Bundle WirePacker::pair_history(std::int32_t first, std::int32_t second) const {
  for (const std::int32_t row : {first, second})
    if (row != -1) require(row);
  std::vector<double> time, count, normal, friction, gap;
  const std::int64_t every = stride(reader_);
  for (std::int64_t k = 0; k < reader_.frames(); k += every) {
    const Frame frame = reader_.frame(k, kForcePart | kContactPart);
    double contacts = 0.0, sum_n = 0.0, sum_t = 0.0, least = kInfinity;
    for (std::size_t c = 0; c < frame.contacts(); ++c) {
      const std::int32_t a = frame.pair[2 * c], b = frame.pair[2 * c + 1];
      if (!((a == first && b == second) || (a == second && b == first))) continue;
      contacts += 1.0;
      sum_n += frame.force[3 * c];
      sum_t += tangential(row3(frame.force, c));
      least = std::min(least, frame.gap[c]);
    }
    time.push_back(frame.time);
    count.push_back(contacts);
    normal.push_back(sum_n);
    friction.push_back(sum_t);
    gap.push_back(contacts > 0.0 ? least : std::nan(""));
  }
  Bundle bundle(json_text({{"kind", "pair_history"}, {"first", first}, {"second", second}, {"every", every}}));
  bundle.add("time", time);
  bundle.add("contacts", count);
  bundle.add("normal_force", normal);
  bundle.add("tangential_force", friction);
  bundle.add("gap", gap);
  return bundle;
}

}  // namespace scree::io
