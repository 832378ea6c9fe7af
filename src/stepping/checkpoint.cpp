/// Saving and loading of a simulation's complete state.
#include <algorithm>

#include "core/error.hpp"
#include "model/build_mechanics.hpp"
#include "stepping/shape_packing.hpp"
#include "stepping/simulation.hpp"

namespace scree::stepping {

namespace {

constexpr std::int64_t kVersion = 8;

void write_deformable(Packer& f, const model::Deformable& body) {
  f(body);
  f(static_cast<std::int64_t>(body.description.materials.size()));
  for (const auto& [volume, material] : body.description.materials) f(volume), f(material);
  f(body.description.mesh != nullptr);
  if (body.description.mesh) f(*body.description.mesh);
}

void read_deformable(Unpacker& f, model::Deformable& body) {
  f(body);
  for (std::size_t k = f.count(); k > 0; --k) {
    int volume = 0;
    f(volume), f(body.description.materials[volume]);
  }
  bool own_mesh = false;
  f(own_mesh);
  if (!own_mesh) return;
  geometry::Mesh mesh;
  f(mesh);
  body.description.mesh = std::make_shared<geometry::Mesh>(std::move(mesh));
}

void check_length(const char* name, std::size_t length, std::size_t expected) {
  if (length != expected) throw_file("checkpoint: '{}' has {} entries, {} expected; the file is damaged", name, length, expected);
}

Description read_built(const Archive& archive) {
  Unpacker f(archive, "built");
  Description built;
  Description::each(built, f);
  built.check();
  return built;
}

void check_settings(const StepSettings& settings, const SolverSettings& solver) {
  const bool fits = settings.step > 0.0 && std::isfinite(settings.step) && static_cast<std::size_t>(settings.integrator) < std::size(kIntegratorNames) &&
                    settings.restitution <= RestitutionLaw::newton && solver.failure <= FailurePolicy::callback && solver.stop.yardstick <= solvers::Yardstick::scaled_merit;
  if (!fits) throw_file("checkpoint: its settings are damaged");
}

void write_bodies(Archive& archive, const model::Bodies& bodies) {
  Packer f(archive, "bodies");
  model::Bodies::each_array(bodies, [&](const char*, const auto& values) { f(values); });
  f(static_cast<std::int64_t>(bodies.deformables.size()));
  for (const model::Deformable& body : bodies.deformables) write_deformable(f, body);
  f(bodies.next_id());
  f(static_cast<std::int64_t>(bodies.prescribed.size()));
  for (int id : bodies.id)
    if (const auto found = bodies.prescribed.find(id); found != bodies.prescribed.end()) f(id), f(found->second);
}

/// Shapes that bodies share are stored once.
void write_shapes(Archive& archive, const model::Bodies& bodies) {
  Packer f(archive, "shapes");
  std::unordered_map<const geometry::Shape*, int> number;
  std::vector<const geometry::Shape*> shapes;
  std::vector<int> of_body;
  for (const auto& shape : bodies.shape) {
    const auto [found, added] = number.try_emplace(shape.get(), static_cast<int>(shapes.size()));
    if (added) shapes.push_back(shape.get());
    of_body.push_back(found->second);
  }
  f(static_cast<std::int64_t>(shapes.size()));
  for (const geometry::Shape* shape : shapes) write_shape(f, *shape);
  f(of_body);
}

void write_model(Archive& archive, const model::Model& model) {
  Packer f(archive, "model");
  std::vector<model::SurfaceMaterial> surfaces;
  for (int i = 0; i < model.surfaces.size(); ++i) surfaces.push_back(model.surfaces[i]);
  f(surfaces);
  f(model.bulk);
  f(model.constraints);
  f(model.next_constraint);
  f(model.gravity.direction), f(model.gravity.value);
  f(model.forces);
  f(model.torques);
  f(model.surface_loads);
  f(model.extents.has_value());
  if (model.extents) f(model.extents->low), f(model.extents->high);
  f(static_cast<std::int64_t>(model.excluded_bodies.size()));
  for (const auto& [a, b] : model.excluded_bodies) f(a), f(b);
  f(model.excluded_pieces);
  f(static_cast<std::int64_t>(model.excluded_surfaces.size()));
  for (const auto& [a, b] : model.excluded_surfaces) f(a), f(b);
}

/// Users' functions are taken from those offered, matched by body in the order they were applied.
std::vector<model::UserForce> read_functions(const Archive& archive, std::vector<model::UserForce> offered) {
  Unpacker f(archive, "functions");
  std::vector<model::UserForce> user_forces;
  for (std::size_t k = f.count(); k > 0; --k) {
    int id = -1;
    f(id);
    const auto given = std::find_if(offered.begin(), offered.end(), [id](const auto& user) { return user.body == id; });
    if (given == offered.end())
      throw_input("resume: body {} had a force function; apply it again before resuming (run the same script)", id);
    user_forces.push_back(*given);
    offered.erase(given);
  }
  return user_forces;
}

void read_bodies(const Archive& archive, model::Bodies& bodies) {
  Unpacker f(archive, "bodies");
  model::Bodies::each_array(bodies, [&](const char*, auto& values) { f(values); });
  const std::size_t n = bodies.id.size();
  model::Bodies::each_array(bodies, [&](const char* name, const auto& values) { check_length(name, values.size(), n); });
  bodies.deformable.assign(n, -1);
  bodies.deformables.resize(f.count());
  for (model::Deformable& body : bodies.deformables) read_deformable(f, body);
  int next_id = 0;
  f(next_id);
  for (std::size_t k = 0; k < n; ++k)
    if (bodies.id[k] < 0 || bodies.id[k] >= next_id || (k > 0 && bodies.id[k] <= bodies.id[k - 1]))
      throw_file("checkpoint: the bodies' ids do not ascend below {}; the file is damaged", next_id);
  bodies.set_next_id(next_id);
  for (std::size_t k = f.count(); k > 0; --k) {
    int id = -1;
    f(id);
    f(bodies.prescribed[id]);
  }
}

void read_shapes(const Archive& archive, model::Bodies& bodies) {
  Unpacker f(archive, "shapes");
  std::vector<std::shared_ptr<const geometry::Shape>> shapes(f.count());
  for (auto& shape : shapes) shape = std::make_shared<geometry::Shape>(read_shape(f));
  std::vector<int> of_body;
  f(of_body);
  if (of_body.size() != bodies.id.size()) throw_file("checkpoint: shapes and bodies disagree; the file is damaged");
  for (int k : of_body) {
    if (k < 0 || k >= static_cast<int>(shapes.size())) throw_file("checkpoint: shape {} does not exist; the file is damaged", k);
    bodies.shape.push_back(shapes[k]);
  }
}

/// All of the model but its bodies, which are there.
void read_model(const Archive& archive, model::Model& model) {
  Unpacker f(archive, "model");
  std::vector<model::SurfaceMaterial> surfaces;
  f(surfaces);
  for (auto& material : surfaces) model.surfaces.add(std::move(material));
  f(model.bulk);
  f(model.constraints);
  f(model.next_constraint);
  f(model.gravity.direction), f(model.gravity.value);
  f(model.forces);
  f(model.torques);
  f(model.surface_loads);
  for (const model::SurfaceLoad& load : model.surface_loads)
    if (!model.bodies.has(load.body) || load.traction.direction > model::SurfaceTraction::Direction::tangent2)
      throw_file("checkpoint: a surface load names body {}, which is not there, or an unknown direction; the file is damaged", load.body);
  bool bounded = false;
  f(bounded);
  if (bounded) {
    model.extents.emplace();
    f(model.extents->low), f(model.extents->high);
  }
  for (std::size_t k = f.count(); k > 0; --k) {
    auto& pair = model.excluded_bodies.emplace_back();
    f(pair.first), f(pair.second);
  }
  f(model.excluded_pieces);
  for (std::size_t k = f.count(); k > 0; --k) {
    auto& pair = model.excluded_surfaces.emplace_back();
    f(pair.first), f(pair.second);
  }
}

}  // namespace

Description Simulation::built() const { return built_ ? *built_ : describe(settings_, solver_, model_, now_.state); }

void Simulation::mark_built() {
  if (!built_) built_ = built();
}

void Simulation::check_built(const Description& checkpoint) const {
  // One without bodies is a blank sheet.
  if (model_.bodies.size() == 0) return;
  if (const auto difference = built().difference(checkpoint))
    throw_input("the checkpoint belongs to another model: {}", *difference);
}

void Simulation::check_same(const Archive& archive) const { check_built(read_built(archive)); }

void Simulation::rebuild_deformables() {
  // Mechanics follow from description and materials; the state was stored.
  model::Bodies& bodies = model_.bodies;
  const model::Motion& motion = now_.state.motion;
  std::size_t size = 0;
  for (model::Deformable& body : bodies.deformables) {
    if (!bodies.has(body.body)) throw_file("checkpoint: there is no body {} to deform; the file is damaged", body.body);
    const std::size_t i = bodies.index(body.body);
    body.mechanics = model::build_mechanics(model_, bodies.kind[i], bodies.shape[i], bodies.mass_properties(static_cast<int>(i)), bodies.material[i], body.description);
    size += body.size();
    const std::size_t d = &body - bodies.deformables.data();
    if (motion.held.size() <= d || !std::ranges::all_of(motion.held[d], [&](int n) { return n >= 0 && n < body.mechanics->nodes(); }))
      throw_file("checkpoint: body {} is held at an unknown node; the file is damaged", body.body);
  }
  if (motion.q.size() != size || motion.u.size() != size) throw_file("checkpoint: deformable bodies have {} unknowns, {} are stored; the file is damaged", size, motion.q.size());
  bodies.index_stores();
  for (int b = 0; b < bodies.size(); ++b) {
    const model::BodyKind kind = bodies.kind[b];
    const bool deforms = kind == model::BodyKind::pseudo_rigid || kind == model::BodyKind::finite_element;
    if (deforms != (bodies.find_deformable(b) != nullptr)) throw_file("checkpoint: body {} has no deformable state; the file is damaged", bodies.id[b]);
  }
}

void write_rules(Archive& archive, const model::Model& model, const StepSettings& settings, const SolverSettings& solver) {
  {
    Packer f(archive, "settings");
    StepSettings::each(settings, f);
    SolverSettings::each(solver, f);
  }
  write_model(archive, model);
}

void Simulation::save(Archive& archive) const {
  const model::Bodies& bodies = model_.bodies;
  if (division_) division_->save(archive, bodies, now_.stage.contacts);
  write_rules(archive, model_, settings_, solver_);
  {
    Packer f(archive, "built");
    const Description built = this->built();
    Description::each(built, f);
  }
  {
    Packer f(archive, "simulation");
    f(kVersion);
  }
  {
    Packer f(archive, "functions");
    f(static_cast<std::int64_t>(model_.user_forces.size()));
    for (const model::UserForce& user : model_.user_forces) f(user.body);
  }
  write_bodies(archive, bodies);
  write_shapes(archive, bodies);
  {
    Packer f(archive, "state");
    State::each(now_.state, [&](const char*, const auto& value) { f(value); });
  }
}

void Simulation::load(const Archive& archive, Changes changes) {
  // Everything is read into a fresh simulation first, so that a damaged file changes nothing here.
  Simulation fresh(settings_.step);
  model::Model& model = fresh.model_;
  model::Bodies& bodies = model.bodies;
  {
    Unpacker f(archive, "simulation");
    std::int64_t version = 0;
    f(version);
    if (version != kVersion) throw_file("checkpoint: version {} is not {}; it was written by another Scree", version, kVersion);
  }
  fresh.built_ = read_built(archive);
  if (changes == Changes::refused) check_built(*fresh.built_);
  {
    Unpacker f(archive, "settings");
    StepSettings::each(fresh.settings_, f);
    SolverSettings::each(fresh.solver_, f);
    check_settings(fresh.settings_, fresh.solver_);
    fresh.solver_.on_failure = solver_.on_failure;
  }
  std::vector<model::UserForce> user_forces = read_functions(archive, model_.user_forces);
  read_bodies(archive, bodies);
  read_shapes(archive, bodies);
  read_model(archive, model);
  {
    Unpacker f(archive, "state");
    State& state = fresh.now_.state;
    State::each(state, [&](const char*, auto& value) { f(value); });
    model::Motion::each_array(state.motion, [&](const char* name, const auto& values) { check_length(name, values.size(), bodies.id.size()); });
    check_length("reactions", state.reactions.size(), model.constraints.size());
  }
  fresh.rebuild_deformables();
  // The collision world is rebuilt from the bodies.
  for (int b = 0; b < bodies.size(); ++b) fresh.add_to_world(b);
  for (const auto& [a, b] : model.excluded_bodies) fresh.world_.exclude_bodies(a, b);
  for (const auto& e : model.excluded_pieces) fresh.world_.exclude_pieces(e.body1, e.point1, e.body2, e.point2);
  for (const auto& [a, b] : model.excluded_surfaces) fresh.world_.exclude_surfaces(a, b);
  model.user_forces = std::move(user_forces);
  if (changes == Changes::accepted) {
    fresh.settings_ = settings_;
    fresh.solver_ = solver_;
    fresh.built_ = built();
  }
  if (division_) division_->load(archive);
  fresh.divide(division_);
  *this = std::move(fresh);
}

}  // namespace scree::stepping
