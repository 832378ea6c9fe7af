#include "stepping/description.hpp"

#include <bit>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "stepping/parts.hpp"

namespace scree::stepping {

namespace {

/// A digest of whatever a list of parts visits.
class Digest {
 public:
  void operator()(const char*, const auto& value) { add(value); }

  void add(double value) { hash_.add(value); }
  void add(std::uint64_t value) { hash_.add(value); }
  template <class T> requires std::is_integral_v<T> || std::is_enum_v<T>
  void add(T value) { hash_.add(static_cast<std::uint64_t>(value)); }
  void add(const std::string& text) {
    add(text.size());
    for (const char c : text) add(c);
  }
  template <int R, int C>
  void add(const Eigen::Matrix<double, R, C>& m) { hash_.add(std::span<const double>(m.data(), static_cast<std::size_t>(m.size()))); }
  void add(std::span<const double> values) { hash_.add(values); }
  void add(const model::TimeSeries& series) { add(series.times()), add(series.values()); }
  template <class T, std::size_t N>
  void add(const std::array<T, N>& values) { for (const T& v : values) add(v); }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  template <class T> requires HasParts<T>
  void add(const T& thing) { each_part(thing, *this); }
  [[nodiscard]] std::uint64_t value() const { return hash_.value(); }

 private:
  StateHash hash_;
};

template <class... T>
std::uint64_t digest_of(const T&... values) {
  Digest digest;
  (digest.add(values), ...);
  return digest.value();
}

/// Adds visited fields to a description.
struct Describer {
  Description& to;

  void operator()(const char*, const solvers::OptionValues& options) {
    for (const auto& [name, value] : options)
      std::visit([&, field = "option " + name](const auto& v) { (*this)(field.c_str(), v); }, value);
  }
  template <class T>
  void operator()(const char* field, const T& value) {
    if constexpr (std::is_floating_point_v<T>) to.real(field, value);
    else if constexpr (std::is_integral_v<T>) to.integer(field, static_cast<std::int64_t>(value));
    else if constexpr (std::is_same_v<T, std::string>) to.text(field, value);
    else if constexpr (requires { to_string(value); }) to.text(field, to_string(value));
    else if constexpr (std::is_same_v<T, model::TimeSeries>) series(field, value);
    else to.digest(field, digest_of(value));
  }
  void series(const char* field, const model::TimeSeries& value) {
    if (value.constant()) to.real(field, value.values().front());
    else to.digest(field, digest_of(value));
  }
};

/// Every thing of a list is an item with a number.
template <class List>
void describe_list(Description& to, const char* kind, const List& list) {
  int number = 0;
  for (const auto& thing : list) {
    to.item(kind, number++);
    each_part(thing, Describer{to});
  }
}

std::uint64_t shape_digest(const geometry::Shape& shape) {
  Digest digest;
  for (const geometry::Piece& piece : shape.pieces) {
    digest.add(piece.form.index());
    digest.add(piece.volume_id), digest.add(piece.surface_id);
    std::visit([&](const auto& form) { digest.add(form); }, piece.form);
  }
  digest.add(shape.meshes);
  return digest.value();
}

void describe_body(Description& to, const model::Model& model, const model::Motion& motion, std::size_t i, std::uint64_t shape) {
  const model::Bodies& bodies = model.bodies;
  Describer field{to};
  to.item("body", bodies.id[i]);
  field("label", bodies.label[i]), field("kind", bodies.kind[i]), field("scheme", bodies.scheme[i]), field("material", bodies.material[i]);
  field("mass", bodies.mass[i]), field("damping", bodies.damping[i]);
  to.digest("shape", shape);
  to.digest("inertia", digest_of(bodies.volume[i], bodies.center[i], bodies.inertia[i]));
  field("held", static_cast<int>(bodies.held[i]));
  Digest place, velocity;
  place.add(motion.rotation[i]), place.add(motion.position[i]);
  velocity.add(motion.velocity[i]), velocity.add(motion.angular[i]);
  if (const model::Deformable* body = bodies.find_deformable(static_cast<int>(i))) {
    place.add(body->part(motion.q)), velocity.add(body->part(motion.u));
    each_part(*body, field);
    Digest description;
    for (const auto& [volume, material] : body->description.materials) description.add(volume), description.add(material);
    if (body->description.mesh) description.add(*body->description.mesh);
    to.digest("mesh", description.value());
  }
  to.digest("place", place.value());
  to.digest("velocity", velocity.value());
  if (const auto found = bodies.prescribed.find(bodies.id[i]); found != bodies.prescribed.end()) to.digest("prescribed motion", digest_of(found->second, motion.pivot[i]));
}

void describe_bodies(Description& to, const model::Model& model, const model::Motion& motion) {
  const model::Bodies& bodies = model.bodies;
  std::unordered_map<const geometry::Shape*, std::uint64_t> shapes;
  for (std::size_t i = 0; i < bodies.id.size(); ++i) {
    const auto [found, added] = shapes.try_emplace(bodies.shape[i].get(), 0);
    if (added) found->second = shape_digest(*bodies.shape[i]);
    describe_body(to, model, motion, i, found->second);
  }
}

void describe_counts(Description& to, const model::Model& model) {
  Describer field{to};
  to.item("model");
  field("bodies", model.bodies.size()), field("surface materials", model.surfaces.size()), field("bulk materials", model.bulk.size());
  field("constraints", model.constraints.size()), field("point forces", model.forces.size()), field("torques", model.torques.size());
  field("surface loads", model.surface_loads.size()), field("force functions", model.user_forces.size());
  field("excluded pairs of bodies", model.excluded_bodies.size()), field("excluded pairs of pieces", model.excluded_pieces.size());
  field("excluded pairs of surfaces", model.excluded_surfaces.size());
}

void describe_rest(Description& to, const model::Model& model) {
  Describer field{to};
  to.item("gravity");
  field("direction", model.gravity.direction), field("value", model.gravity.value);
  to.item("extents");
  field("given", model.extents.has_value());
  if (model.extents) field("corners", std::array{model.extents->low, model.extents->high});
  to.item("excluded from contact");
  Digest bodies, pieces, surfaces;
  for (const auto& [a, b] : model.excluded_bodies) bodies.add(a), bodies.add(b);
  for (const auto& e : model.excluded_pieces) each_part(e, pieces);
  for (const auto& [a, b] : model.excluded_surfaces) surfaces.add(a), surfaces.add(b);
  to.digest("bodies", bodies.value()), to.digest("pieces", pieces.value()), to.digest("surfaces", surfaces.value());
  to.item("force functions");
  Digest users;
  for (const model::UserForce& user : model.user_forces) users.add(user.body);
  to.digest("bodies", users.value());
}

}  // namespace

void Description::real(std::string_view field, double value) { add(field, Kind::real, std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value)); }

void Description::add(std::string_view name, Kind kind, std::uint64_t value) {
  heads_.push_back(8 * std::int64_t{word(name)} + static_cast<std::int64_t>(kind));
  values_.push_back(value);
}

int Description::word(std::string_view text) {
  const auto [found, added] = place_.try_emplace(std::string(text), static_cast<int>(words_.size()));
  if (added) words_.emplace_back(text);
  return found->second;
}

void Description::check() const {
  const auto names = [&](std::size_t k) { return heads_[k] >= 0 && static_cast<std::size_t>(heads_[k] >> 3) < words_.size() && kind(k) <= Kind::digest; };
  const auto texts = [&](std::size_t k) { return kind(k) != Kind::text || values_[k] < words_.size(); };
  bool fits = heads_.size() == values_.size();
  for (std::size_t k = 0; fits && k < heads_.size(); ++k) fits = names(k) && texts(k);
  if (!fits) throw_file("checkpoint: the description of its model is damaged");
}

bool Description::same(std::size_t entry, const Description& other) const {
  if (kind(entry) != other.kind(entry) || name(entry) != other.name(entry)) return false;
  return kind(entry) == Kind::text ? word_at(entry) == other.word_at(entry) : values_[entry] == other.values_[entry];
}

std::string Description::owner(std::size_t entry) const {
  while (entry > 0 && kind(entry) != Kind::item) --entry;
  std::string words = name(entry);
  if (const auto number = static_cast<std::int64_t>(values_[entry]); number >= 0) words += fmt::format(" {}", number);
  for (std::size_t k = entry + 1; k < heads_.size() && kind(k) != Kind::item; ++k)
    if (kind(k) == Kind::text && name(k) == "label" && !word_at(k).empty()) return fmt::format("{} '{}'", words, word_at(k));
  return words;
}

std::string Description::value_text(std::size_t entry) const {
  switch (kind(entry)) {
    case Kind::real: return fmt::format("{}", std::bit_cast<double>(values_[entry]));
    case Kind::text: return fmt::format("'{}'", word_at(entry));
    default: return fmt::format("{}", static_cast<std::int64_t>(values_[entry]));
  }
}

std::optional<std::string> Description::difference(const Description& checkpoint) const {
  const std::size_t both = std::min(heads_.size(), checkpoint.heads_.size());
  std::size_t k = 0;
  while (k < both && same(k, checkpoint)) ++k;
  if (k == heads_.size() && k == checkpoint.heads_.size()) return std::nullopt;
  const bool here = k < heads_.size() && kind(k) != Kind::item, there = k < checkpoint.heads_.size() && checkpoint.kind(k) != Kind::item;
  if (here && there && name(k) == checkpoint.name(k)) {
    if (kind(k) == Kind::digest || kind(k) != checkpoint.kind(k)) return fmt::format("{} has another {}", owner(k), name(k));
    return fmt::format("{}: {} is {} and was {}", owner(k), name(k), value_text(k), checkpoint.value_text(k));
  }
  if (here) return fmt::format("{}: {} is new", owner(k), name(k));
  if (there) return fmt::format("{}: {} is gone", checkpoint.owner(k), checkpoint.name(k));
  return k < heads_.size() ? fmt::format("{} is new", owner(k)) : fmt::format("{} is gone", checkpoint.owner(k));
}

Description describe(const StepSettings& settings, const SolverSettings& solver) {
  Description made;
  made.item("settings");
  StepSettings::each(settings, Describer{made});
  made.item("solver");
  SolverSettings::each(solver, Describer{made});
  return made;
}

Description describe(const StepSettings& settings, const SolverSettings& solver, const model::Model& model, const State& state) {
  Description made = describe(settings, solver);
  made.item("time");
  made.real("start", state.clock.start_time);
  describe_counts(made, model);
  std::vector<model::SurfaceMaterial> surfaces;
  for (int k = 0; k < model.surfaces.size(); ++k) surfaces.push_back(model.surfaces[k]);
  describe_list(made, "surface material", surfaces);
  describe_list(made, "bulk material", model.bulk);
  describe_bodies(made, model, state.motion);
  describe_list(made, "constraint", model.constraints);
  describe_list(made, "point force", model.forces);
  describe_list(made, "torque", model.torques);
  describe_list(made, "surface load", model.surface_loads);
  describe_rest(made, model);
  return made;
}

}  // namespace scree::stepping
