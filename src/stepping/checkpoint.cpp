/// Saving and loading of a simulation's complete state.
#include <algorithm>
#include <bit>

#include "core/error.hpp"
#include "model/build_mechanics.hpp"
#include "stepping/simulation.hpp"

namespace scree::stepping {

namespace {

constexpr std::int64_t kVersion = 3;

// --- flat packing ---------------------------------------------------------------------------------

class Writer {
 public:
  Writer(Archive& archive, std::string prefix) : archive_(archive), prefix_(std::move(prefix)) {}
  ~Writer() {
    archive_.put(prefix_ + "/reals", std::move(reals_));
    archive_.put(prefix_ + "/integers", std::move(integers_));
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void operator()(double value) { reals_.push_back(value); }
  void operator()(std::int64_t value) { integers_.push_back(value); }
  void operator()(std::uint64_t value) { integers_.push_back(std::bit_cast<std::int64_t>(value)); }
  void operator()(int value) { integers_.push_back(value); }
  void operator()(bool value) { integers_.push_back(value ? 1 : 0); }
  template <class E> requires std::is_enum_v<E>
  void operator()(E value) { integers_.push_back(static_cast<std::int64_t>(value)); }
  template <int R, int C>
  void operator()(const Eigen::Matrix<double, R, C>& m) { reals_.insert(reals_.end(), m.data(), m.data() + m.size()); }
  void operator()(const std::string& text) {
    (*this)(static_cast<std::int64_t>(text.size()));
    for (char c : text) integers_.push_back(static_cast<unsigned char>(c));
  }
  template <class T, std::size_t N>
  void operator()(const std::array<T, N>& values) { for (const T& v : values) (*this)(v); }
  void operator()(const model::TimeSeries& series) {
    (*this)(static_cast<std::int64_t>(series.times().size()));
    for (double t : series.times()) (*this)(t);
    for (double v : series.values()) (*this)(v);
  }
  void operator()(const model::Work& w) { for (const double v : {w.external, w.contact, w.friction, w.damping}) (*this)(v); }
  void operator()(const assembly::Reaction& r) { (*this)(r.impulse), (*this)(r.frame), (*this)(r.place); }
  void operator()(const assembly::ContactMemory::Entry& e) { (*this)(e.body_a), (*this)(e.body_b), (*this)(e.feature), (*this)(e.impulse), (*this)(e.arm_a), (*this)(e.arm_b), (*this)(e.cohesive); }
  template <class T>
  void operator()(const std::vector<T>& values) {
    (*this)(static_cast<std::int64_t>(values.size()));
    for (const T& value : values) (*this)(value);
  }

 private:
  Archive& archive_;
  std::string prefix_;
  Archive::Reals reals_;
  Archive::Integers integers_;
};

/// Reads what Writer wrote; every size is checked against what is left before anything is allocated.
class Reader {
 public:
  Reader(const Archive& archive, const std::string& prefix)
      : prefix_(prefix), reals_(archive.reals(prefix + "/reals")), integers_(archive.integers(prefix + "/integers")) {}

  void operator()(double& value) {
    if (real_ >= reals_.size()) fail();
    value = reals_[real_++];
  }
  void operator()(std::int64_t& value) {
    if (integer_ >= integers_.size()) fail();
    value = integers_[integer_++];
  }
  void operator()(std::uint64_t& value) {
    std::int64_t bits = 0;
    (*this)(bits);
    value = std::bit_cast<std::uint64_t>(bits);
  }
  void operator()(int& value) {
    std::int64_t wide = 0;
    (*this)(wide);
    if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) fail();
    value = static_cast<int>(wide);
  }
  void operator()(bool& value) {
    int number = 0;
    (*this)(number);
    value = number != 0;
  }
  template <class E> requires std::is_enum_v<E>
  void operator()(E& value) {
    int number = 0;
    (*this)(number);
    if (number < 0 || number > 255) fail();
    value = static_cast<E>(number);
  }
  template <int R, int C>
  void operator()(Eigen::Matrix<double, R, C>& m) {
    for (Eigen::Index k = 0; k < m.size(); ++k) (*this)(m.data()[k]);
  }
  void operator()(std::string& text) {
    text.resize(count());
    for (char& c : text) {
      int code = 0;
      (*this)(code);
      c = static_cast<char>(code);
    }
  }
  template <class T, std::size_t N>
  void operator()(std::array<T, N>& values) { for (T& v : values) (*this)(v); }
  void operator()(model::TimeSeries& series) {
    std::vector<double> times(count()), values(times.size());
    for (double& t : times) (*this)(t);
    for (double& v : values) (*this)(v);
    series = model::TimeSeries(std::move(times), std::move(values));
  }
  void operator()(model::Work& w) { for (double* v : {&w.external, &w.contact, &w.friction, &w.damping}) (*this)(*v); }
  void operator()(assembly::Reaction& r) { (*this)(r.impulse), (*this)(r.frame), (*this)(r.place); }
  void operator()(assembly::ContactMemory::Entry& e) { (*this)(e.body_a), (*this)(e.body_b), (*this)(e.feature), (*this)(e.impulse), (*this)(e.arm_a), (*this)(e.arm_b), (*this)(e.cohesive); }
  template <class T>
  void operator()(std::vector<T>& values) {
    values.clear();
    values.resize(count());
    for (T& value : values) (*this)(value);
  }
  /// A count that cannot exceed what the arrays still hold.
  std::size_t count() {
    std::int64_t n = 0;
    (*this)(n);
    const std::size_t left = reals_.size() - real_ + integers_.size() - integer_;
    if (n < 0 || static_cast<std::size_t>(n) > left) fail();
    return static_cast<std::size_t>(n);
  }

 private:
  [[noreturn]] void fail() const { throw_file("checkpoint: '{}' is damaged or of another version", prefix_); }

  std::string prefix_;
  const Archive::Reals& reals_;
  const Archive::Integers& integers_;
  std::size_t real_ = 0, integer_ = 0;
};

// --- what each object consists of: the same list writes and reads ----------------------------------

template <class IO, class T> void io(IO& f, T& p) requires std::is_same_v<std::remove_const_t<T>, geometry::Polyhedron> {
  f(p.vertices), f(p.face_start), f(p.face_vertices), f(p.face_surface), f(p.face_neighbour);
  f(p.face_normal), f(p.face_offset), f(p.edges), f(p.edge_faces);
}
template <class IO, class T> void io(IO& f, T& m) requires std::is_same_v<std::remove_const_t<T>, geometry::Mesh> {
  f(m.nodes), f(m.element_start), f(m.element_nodes), f(m.element_volume), f(m.surface_id), f(m.faces), f(m.face_surface);
}
template <class IO, class T> void io(IO& f, T& m) requires std::is_same_v<std::remove_const_t<T>, model::SurfaceMaterial> {
  f(m.surface1), f(m.surface2), f(m.is_default), f(m.model), f(m.label), f(m.friction), f(m.cohesion), f(m.restitution), f(m.spring), f(m.dashpot);
}
template <class IO, class T> void io(IO& f, T& m) requires std::is_same_v<std::remove_const_t<T>, model::BulkMaterial> {
  f(m.model), f(m.label), f(m.young), f(m.poisson), f(m.density);
}
template <class IO, class T> void io(IO& f, T& c) requires std::is_same_v<std::remove_const_t<T>, model::Constraint> {
  f(c.id), f(c.kind), f(c.body), f(c.point[0]), f(c.point[1]), f(c.direction), f(c.value), f(c.start), f(c.start_speed), f(c.length);
}
template <class IO, class T> void io(IO& f, T& l) requires std::is_same_v<std::remove_const_t<T>, model::PointForce> {
  f(l.body), f(l.kind), f(l.point), f(l.direction), f(l.value);
}
template <class IO, class T> void io(IO& f, T& l) requires std::is_same_v<std::remove_const_t<T>, model::Torque> {
  f(l.body), f(l.kind), f(l.direction), f(l.value);
}
template <class IO, class T> void io(IO& f, T& l) requires std::is_same_v<std::remove_const_t<T>, model::SurfaceLoad> {
  f(l.body), f(l.traction.surface), f(l.traction.convected), f(l.traction.direction), f(l.traction.vector), f(l.value);
}
template <class IO, class T> void io(IO& f, T& m) requires std::is_same_v<std::remove_const_t<T>, model::ObstacleMotion> {
  for (int k = 0; k < 3; ++k) f(m.linear[k]), f(m.angular[k]);
}
template <class IO, class T> void io(IO& f, T& d) requires std::is_same_v<std::remove_const_t<T>, model::Deformable> {
  f(d.body), f(d.stiffness_damping), f(d.round_spheres), f(d.selfcontact), f(d.description.order), f(d.description.form), f(d.description.modes);
}

template <class T>
void write_list(Writer& f, const std::vector<T>& list) {
  f(static_cast<std::int64_t>(list.size()));
  for (const T& item : list) io(f, item);
}
template <class T>
void read_list(Reader& f, std::vector<T>& list) {
  list.clear();
  list.resize(f.count());
  for (T& item : list) io(f, item);
}

void write_deformable(Writer& f, const model::Deformable& body) {
  io(f, body);
  f(static_cast<std::int64_t>(body.description.materials.size()));
  for (const auto& [volume, material] : body.description.materials) f(volume), f(material);
  f(body.description.mesh != nullptr);
  if (body.description.mesh) io(f, *body.description.mesh);
}

void read_deformable(Reader& f, model::Deformable& body) {
  io(f, body);
  for (std::size_t k = f.count(); k > 0; --k) {
    int volume = 0;
    f(volume), f(body.description.materials[volume]);
  }
  bool own_mesh = false;
  f(own_mesh);
  if (!own_mesh) return;
  geometry::Mesh mesh;
  io(f, mesh);
  body.description.mesh = std::make_shared<geometry::Mesh>(std::move(mesh));
}

void write_shape(Writer& f, const geometry::Shape& shape) {
  f(static_cast<std::int64_t>(shape.pieces.size()));
  for (const geometry::Piece& piece : shape.pieces) {
    f(static_cast<int>(piece.form.index())), f(piece.volume_id), f(piece.surface_id);
    if (const auto* sphere = std::get_if<geometry::Sphere>(&piece.form)) {
      f(sphere->center), f(sphere->radius);
    } else if (const auto* ellipsoid = std::get_if<geometry::Ellipsoid>(&piece.form)) {
      f(ellipsoid->center), f(ellipsoid->radii), f(ellipsoid->axes);
    } else {
      io(f, std::get<geometry::Polyhedron>(piece.form));
    }
  }
  f(shape.adjacent), f(shape.piece_mesh), f(shape.piece_element);
  write_list(f, shape.meshes);
}

geometry::Shape read_shape(Reader& f) {
  geometry::Shape shape;
  shape.pieces.resize(f.count());
  for (geometry::Piece& piece : shape.pieces) {
    int form = 0;
    f(form), f(piece.volume_id), f(piece.surface_id);
    if (form == 0) {
      geometry::Sphere sphere;
      f(sphere.center), f(sphere.radius);
      piece.form = sphere;
    } else if (form == 1) {
      geometry::Ellipsoid ellipsoid;
      f(ellipsoid.center), f(ellipsoid.radii), f(ellipsoid.axes);
      piece.form = ellipsoid;
    } else if (form == 2) {
      geometry::Polyhedron polyhedron;
      io(f, polyhedron);
      piece.form = std::move(polyhedron);
    } else {
      throw_file("checkpoint: a piece has the unknown form {}; the file is damaged or of another version", form);
    }
  }
  f(shape.adjacent), f(shape.piece_mesh), f(shape.piece_element);
  read_list(f, shape.meshes);
  return shape;
}

void check_length(const char* name, std::size_t length, std::size_t expected) {
  if (length != expected) throw_file("checkpoint: '{}' has {} entries, {} expected; the file is damaged", name, length, expected);
}

}  // namespace

void Simulation::rebuild_deformables() {
  // Mechanics follow from description and materials; the state was stored.
  model::Bodies& bodies = model_.bodies;
  const model::Motion& motion = now_.state.motion;
  std::size_t size = 0;
  for (model::Deformable& body : bodies.deformables) {
    if (!bodies.has(body.body)) throw_file("checkpoint: there is no body {} to deform; the file is damaged", body.body);
    const auto i = static_cast<std::size_t>(bodies.index(body.body));
    body.mechanics = model::build_mechanics(model_, bodies.kind[i], bodies.shape[i], bodies.mass_properties(static_cast<int>(i)), bodies.material[i], body.description);
    size += body.size();
    const auto d = static_cast<std::size_t>(&body - bodies.deformables.data());
    if (motion.held.size() <= d || !std::ranges::all_of(motion.held[d], [&](int n) { return n >= 0 && n < body.mechanics->nodes(); }))
      throw_file("checkpoint: body {} is held at an unknown node; the file is damaged", body.body);
  }
  if (motion.q.size() != size || motion.u.size() != size) throw_file("checkpoint: deformable bodies have {} unknowns, {} are stored; the file is damaged", size, motion.q.size());
  bodies.index_deformables();
  for (int b = 0; b < bodies.size(); ++b) {
    const model::BodyKind kind = bodies.kind[static_cast<std::size_t>(b)];
    const bool deforms = kind == model::BodyKind::pseudo_rigid || kind == model::BodyKind::finite_element;
    if (deforms != bodies.deforms(b)) throw_file("checkpoint: body {} has no deformable state; the file is damaged", bodies.id[static_cast<std::size_t>(b)]);
  }
}

void Simulation::save(Archive& archive) const {
  const model::Bodies& bodies = model_.bodies;
  {
    Writer f(archive, "simulation");
    f(kVersion), f(settings_.step);
    f(static_cast<std::int64_t>(model_.user_forces.size()));
    for (const model::UserForce& user : model_.user_forces) f(user.body);
  }
  {
    Writer f(archive, "bodies");
    model::Bodies::each_array(bodies, [&](const char*, const auto& values) { f(values); });
    f(static_cast<std::int64_t>(bodies.deformables.size()));
    for (const model::Deformable& body : bodies.deformables) write_deformable(f, body);
    f(bodies.next_id());
    f(static_cast<std::int64_t>(bodies.prescribed.size()));
    for (int id : bodies.id)
      if (const auto found = bodies.prescribed.find(id); found != bodies.prescribed.end()) f(id), io(f, found->second);
  }
  {
    // Shapes that bodies share are stored once.
    Writer f(archive, "shapes");
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
  {
    Writer f(archive, "model");
    std::vector<model::SurfaceMaterial> surfaces;
    for (int i = 0; i < model_.surfaces.size(); ++i) surfaces.push_back(model_.surfaces[i]);
    write_list(f, surfaces);
    write_list(f, model_.bulk);
    write_list(f, model_.constraints);
    f(model_.next_constraint);
    f(model_.gravity.direction), f(model_.gravity.value);
    write_list(f, model_.forces);
    write_list(f, model_.torques);
    write_list(f, model_.surface_loads);
    f(model_.extents.has_value());
    if (model_.extents) f(model_.extents->low), f(model_.extents->high);
    f(static_cast<std::int64_t>(model_.excluded_bodies.size()));
    for (const auto& [a, b] : model_.excluded_bodies) f(a), f(b);
    f(static_cast<std::int64_t>(model_.excluded_pieces.size()));
    for (const auto& e : model_.excluded_pieces) f(e.body1), f(e.body2), f(e.point1), f(e.point2);
    f(static_cast<std::int64_t>(model_.excluded_surfaces.size()));
    for (const auto& [a, b] : model_.excluded_surfaces) f(a), f(b);
  }
  {
    Writer f(archive, "state");
    State::each(now_.state, [&](const char*, const auto& value) { f(value); });
  }
}

void Simulation::load(const Archive& archive) {
  // Everything is read into a fresh simulation first, so that a damaged file changes nothing here.
  Simulation fresh(settings_.step);
  model::Model& model = fresh.model_;
  model::Bodies& bodies = model.bodies;
  std::vector<model::UserForce> user_forces;
  {
    Reader f(archive, "simulation");
    std::int64_t version = 0;
    f(version);
    if (version != kVersion) throw_file("checkpoint: version {} is not {}; it was written by another Scree", version, kVersion);
    f(fresh.settings_.step);
    // Users' functions are taken from this simulation, matched by body in the order they were applied.
    std::vector<model::UserForce> offered = model_.user_forces;
    for (std::size_t k = f.count(); k > 0; --k) {
      int id = -1;
      f(id);
      const auto given = std::find_if(offered.begin(), offered.end(), [id](const auto& user) { return user.body == id; });
      if (given == offered.end())
        throw_input("resume: body {} had a force function; apply it again before resuming (run the same script)", id);
      user_forces.push_back(*given);
      offered.erase(given);
    }
  }
  {
    Reader f(archive, "bodies");
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
      io(f, bodies.prescribed[id]);
    }
  }
  {
    Reader f(archive, "shapes");
    std::vector<std::shared_ptr<const geometry::Shape>> shapes(f.count());
    for (auto& shape : shapes) shape = std::make_shared<geometry::Shape>(read_shape(f));
    std::vector<int> of_body;
    f(of_body);
    if (of_body.size() != bodies.id.size()) throw_file("checkpoint: shapes and bodies disagree; the file is damaged");
    for (int k : of_body) {
      if (k < 0 || k >= static_cast<int>(shapes.size())) throw_file("checkpoint: shape {} does not exist; the file is damaged", k);
      bodies.shape.push_back(shapes[static_cast<std::size_t>(k)]);
    }
  }
  {
    Reader f(archive, "model");
    std::vector<model::SurfaceMaterial> surfaces;
    read_list(f, surfaces);
    for (auto& material : surfaces) model.surfaces.add(std::move(material));
    read_list(f, model.bulk);
    read_list(f, model.constraints);
    f(model.next_constraint);
    f(model.gravity.direction), f(model.gravity.value);
    read_list(f, model.forces);
    read_list(f, model.torques);
    read_list(f, model.surface_loads);
    for (const model::SurfaceLoad& load : model.surface_loads)
      if (!bodies.has(load.body) || load.traction.direction > model::SurfaceTraction::Direction::tangent2)
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
    for (std::size_t k = f.count(); k > 0; --k) {
      auto& e = model.excluded_pieces.emplace_back();
      f(e.body1), f(e.body2), f(e.point1), f(e.point2);
    }
    for (std::size_t k = f.count(); k > 0; --k) {
      auto& pair = model.excluded_surfaces.emplace_back();
      f(pair.first), f(pair.second);
    }
  }
  {
    Reader f(archive, "state");
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
  const double step = fresh.settings_.step;
  fresh.settings_ = settings_;
  fresh.settings_.step = step;
  fresh.solver_ = solver_;
  *this = std::move(fresh);
}

}  // namespace scree::stepping
