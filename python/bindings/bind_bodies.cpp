#include "engine.hpp"

#include "core/spelling.hpp"
#include "geometry/mass.hpp"

namespace scree::python {

using model::BodyKind;
using model::Bodies;

namespace {

using ShapePtr = std::shared_ptr<geometry::Shape>;
using Series = std::array<model::TimeSeries, 3>;

const std::vector<std::string> kSchemes{"RIG_POS", "RIG_NEG", "RIG_IMP", "DEF_EXP", "DEF_LIM", "DEF_IMP", "RIG_EXACT"};
constexpr std::array kBodyKinds{"rigid", "obstacle", "pseudo_rigid", "finite_element"};

/// Densities a volume id, with one for all others.
double density_of(const std::map<int, double>& densities, double density, int volume) {
  const auto found = densities.find(volume);
  return found == densities.end() ? density : found->second;
}

int add_body(Engine& engine, bool rigid, const ShapePtr& shape, int material, double density, const std::map<int, double>& densities,
             const std::string& label) {
  if (!shape || shape->empty()) throw_input("body '{}': the shape is empty", label);
  const auto check = [&](double rho) {
    if (!(rho > 0.0) || !std::isfinite(rho)) throw_input("body '{}': density = {} kg/m^3; it must be positive and finite", label, rho);
  };
  check(density);
  for (const auto& [volume, rho] : densities) check(rho);
  model::BodySpec spec;
  spec.kind = rigid ? BodyKind::rigid : BodyKind::obstacle;
  spec.shape = shape;
  spec.mass = geometry::mass_properties(*shape, [&](int volume) { return density_of(densities, density, volume); });
  spec.material = material;
  spec.label = label;
  return engine.simulation.add_body(spec);
}

std::size_t place(Engine& engine, int id) { return static_cast<std::size_t>(engine.bodies().index(id)); }

void set_scheme(Engine& engine, int id, const std::string& name) {
  const auto found = std::find(kSchemes.begin(), kSchemes.end(), name);
  if (found == kSchemes.end()) throw_input("scheme = '{}'{}", name, did_you_mean(name, kSchemes));
  const bool deforms = engine.bodies().find_deformable(engine.bodies().index(id)) != nullptr;
  if (deforms != name.starts_with("DEF"))
    throw_input("scheme = '{}': body {} is {}; {} schemes are for it", name, id, kind_name(engine, engine.bodies().index(id)), deforms ? "DEF_..." : "RIG_...");
  engine.bodies().scheme[place(engine, id)] = static_cast<model::Scheme>(found - kSchemes.begin());
}

void set_damping(Engine& engine, int id, double value) {
  if (!(value >= 0.0) || !std::isfinite(value)) throw_input("body {}: damping = {} 1/s; it must not be negative", id, value);
  engine.bodies().damping[place(engine, id)] = value;
}

void set_motion(Engine& engine, int id, const Series& linear, const Series& angular, const Vec3& pivot) {
  check_finite(pivot, "pivot");
  model::ObstacleMotion motion;
  for (std::size_t k = 0; k < 3; ++k) {
    motion.linear[k] = linear[k];
    motion.angular[k] = angular[k];
  }
  engine.simulation.set_motion(id, motion, pivot);
}

/// Everything a body's handle shows, by id.
void bind_single(EngineClass& engine) {
  engine.def("has_body", [](Engine& e, int id) { return e.bodies().has(id); })
      .def("body_kind", [](Engine& e, int id) { return kind_name(e, e.bodies().index(id)); })
      .def("label", [](Engine& e, int id) { return e.bodies().label[place(e, id)]; })
      .def("body_material", [](Engine& e, int id) { return e.bodies().material[place(e, id)]; })
      .def("shape", [](Engine& e, int id) { return std::const_pointer_cast<geometry::Shape>(e.bodies().shape[place(e, id)]); })
      .def("mass", [](Engine& e, int id) { return e.bodies().mass[place(e, id)]; })
      .def("volume", [](Engine& e, int id) { return e.bodies().volume[place(e, id)]; })
      .def("center", [](Engine& e, int id) { return e.bodies().center[place(e, id)]; })
      .def("inertia", [](Engine& e, int id) { return e.bodies().inertia[place(e, id)]; })
      .def("rotation", [](Engine& e, int id) { return e.motion().rotation[place(e, id)]; })
      .def("position", [](Engine& e, int id) { return e.motion().position[place(e, id)]; })
      .def("velocity", [](Engine& e, int id) { return e.motion().velocity[place(e, id)]; })
      .def("referential_angular", [](Engine& e, int id) { return e.motion().angular[place(e, id)]; })
      .def("angular_velocity", [](Engine& e, int id) -> Vec3 {
        const std::size_t i = place(e, id);
        return e.motion().rotation[i] * e.motion().angular[i];
      })
      .def("kinetic_energy", [](Engine& e, int id) { return model::kinetic_energy(e.bodies(), e.motion(), e.bodies().index(id)); })
      .def("work", [](Engine& e, int id) {
        const model::Work& w = e.motion().work[place(e, id)];
        return py::make_tuple(w.external, w.contact, w.friction, w.damping);
      })
      .def("held", [](Engine& e, int id) { return static_cast<int>(e.bodies().held[place(e, id)]); })
      .def("scheme", [](Engine& e, int id) { return kSchemes[static_cast<std::size_t>(e.bodies().scheme[place(e, id)])]; })
      .def("damping", [](Engine& e, int id) { return e.bodies().damping[place(e, id)]; })
      .def("point", [](Engine& e, int id, const Vec3& X) { return model::point(e.bodies(), e.motion(), e.bodies().index(id), X); })
      .def("point_velocity", [](Engine& e, int id, const Vec3& X) { return model::point_velocity(e.bodies(), e.motion(), e.bodies().index(id), X); });
}

/// State of all bodies as arrays, in the order of ids().
void bind_arrays(EngineClass& engine) {
  engine.def("body_count", [](Engine& e) { return e.bodies().size(); })
      .def("ids", [](Engine& e) { const Bodies& b = e.bodies(); return numbers<int>(b.id.size(), [&](std::size_t i) { return b.id[i]; }); })
      .def("labels", [](Engine& e) { return e.bodies().label; })
      .def("moving", [](Engine& e) { const Bodies& b = e.bodies(); return numbers<bool>(b.id.size(), [&](std::size_t i) { return b.moves(static_cast<int>(i)); }); })
      .def("masses", [](Engine& e) { const Bodies& b = e.bodies(); return numbers<double>(b.id.size(), [&](std::size_t i) { return b.mass[i]; }); })
      .def("positions", [](Engine& e) { const model::Motion& m = e.motion(); return vectors(m.position.size(), [&](std::size_t i) { return m.position[i]; }); })
      .def("velocities", [](Engine& e) { const model::Motion& m = e.motion(); return vectors(m.velocity.size(), [&](std::size_t i) { return m.velocity[i]; }); })
      .def("angular_velocities", [](Engine& e) {
        const model::Motion& m = e.motion();
        return vectors(m.angular.size(), [&](std::size_t i) -> Vec3 { return m.rotation[i] * m.angular[i]; });
      })
      .def("rotations", [](Engine& e) {
        const model::Motion& m = e.motion();
        py::array_t<double> array({m.rotation.size(), std::size_t{3}, std::size_t{3}});
        double* out = array.mutable_data();
        for (const Mat3& rotation : m.rotation)
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) *out++ = rotation(i, j);
        return array;
      });
}

}  // namespace

const char* kind_name(Engine& engine, int index) { return kBodyKinds[static_cast<std::size_t>(engine.bodies().kind[static_cast<std::size_t>(index)])]; }

void bind_bodies(EngineClass& engine) {
  engine.change("add_body", &add_body)
      .change("remove_body", [](Engine& e, int id) { e.simulation.remove_body(id); })
      .change("set_velocity", [](Engine& e, int id, const Vec3& linear, const Vec3& angular) {
        check_finite(linear, "velocity");
        check_finite(angular, "angular_velocity");
        e.simulation.set_velocity(id, linear, angular);
      })
      .change("set_motion", &set_motion)
      .change("set_placement", [](Engine& e, int id, const Mat3& rotation, const Vec3& position) {
        check_finite(position, "position");
        if (!((rotation.transpose() * rotation - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-6) || rotation.determinant() < 0.0)
          throw_input("rotation = [[{}, {}, {}], [{}, {}, {}], [{}, {}, {}]]: an orthonormal matrix of determinant +1 is expected", rotation(0, 0), rotation(0, 1), rotation(0, 2),
                      rotation(1, 0), rotation(1, 1), rotation(1, 2), rotation(2, 0), rotation(2, 1), rotation(2, 2));
        e.simulation.set_placement(id, rotation, position);
      })
      .change("set_characteristics", [](Engine& e, int id, double mass, double volume, const Vec3& center, const Mat3& inertia) {
        e.simulation.set_characteristics(id, mass, volume, center, inertia);
      })
      .change("hold", [](Engine& e, int id, int bits) { e.simulation.hold(id, static_cast<std::uint8_t>(bits)); })
      .change("set_scheme", &set_scheme)
      .change("set_damping", &set_damping);
  bind_single(engine);
  bind_arrays(engine);
}

}  // namespace scree::python
