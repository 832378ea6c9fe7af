#include "engine.hpp"

#include "core/spelling.hpp"
#include "elastic/law.hpp"
#include "geometry/mass.hpp"
#include "signals.hpp"

namespace scree::python {

void bind_elastic(EngineClass& engine);

namespace {

using ShapePtr = std::shared_ptr<geometry::Shape>;

model::Deformable& deformable(Engine& engine, int id) {
  const int index = engine.bodies().index(id);
  return engine.bodies().need_deformable(id, fmt::format("it is {}, not deformable", kind_name(engine, index)));
}

int add_deformable(Engine& engine, const std::string& kind, const ShapePtr& shape, int material, double density, const std::map<int, double>& densities,
                   const std::string& label, const std::map<int, int>& materials, const ShapePtr& mesh, int order, const std::string& form, int modes, const std::vector<double>& shapes) {
  if (!shape || shape->empty()) throw_input("body '{}': the shape is empty", label);
  model::BodySpec spec;
  spec.kind = kind == "finite_element" ? model::BodyKind::finite_element : model::BodyKind::pseudo_rigid;
  spec.shape = shape;
  const auto density_of = [&](int volume) {
    const auto found = densities.find(volume);
    const double rho = found == densities.end() ? density : found->second;
    if (!(rho > 0.0) || !std::isfinite(rho)) throw_input("body '{}': density = {} kg/m^3; it must be positive and finite", label, rho);
    return rho;
  };
  spec.material = material;
  spec.label = label;
  spec.deformation.materials = materials;
  spec.deformation.order = order;
  spec.deformation.form = form;
  spec.deformation.modes = modes;
  spec.deformation.shapes = shapes;
  if (mesh) {
    if (mesh->meshes.size() != 1) throw_input("body '{}': mesh = a shape with {} meshes; one is expected", label, mesh->meshes.size());
    spec.deformation.mesh = std::make_shared<geometry::Mesh>(mesh->meshes.front());
  }
  return stoppable([&] {
    spec.mass = geometry::mass_properties(*shape, density_of);
    return engine.simulation.add_body(spec);
  });
}

py::array_t<double> flat(std::span<const double> values) { return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data()); }

void set_stiffness_damping(Engine& engine, int id, double value) {
  if (!(value >= 0.0) || !std::isfinite(value)) throw_input("body {}: stiffness_damping = {} s; it must not be negative", id, value);
  deformable(engine, id).stiffness_damping = value;
}

/// Cauchy stress (xx, yy, zz, xy, xz, yz) and its von Mises equivalent, Pa.
py::array_t<double> stress(Engine& engine, int id, const Vec3& X) {
  const model::Deformable& body = deformable(engine, id);
  const Vec6 s = elastic::components(body.mechanics->stress(body.part(engine.motion().q), X));
  std::array<double, 7> values{};
  for (int k = 0; k < 6; ++k) values[static_cast<std::size_t>(k)] = s[k];
  values[6] = elastic::von_mises(s);
  return flat(values);
}

/// The point of a deformable body's undeformed mesh that is nearest to a referential point; that point itself for a pseudo-rigid body, which is everywhere.
Vec3 nearest_of_mesh(Engine& engine, int id, const Vec3& X) {
  const model::Deformable& body = deformable(engine, id);
  std::vector<model::Weight> weights;
  body.mechanics->weights(X, weights);
  std::vector<double> q(3 * static_cast<std::size_t>(body.mechanics->nodes()));
  body.mechanics->reference(q);
  Vec3 place = Vec3::Zero();
  for (const auto& [node, value] : weights) place += value * Eigen::Map<const Vec3>(q.data() + 3 * node);
  return place;
}

/// direction: "NORMAL", "TANGENT1", "TANGENT2" or "" for the vector.
void add_surface_load(Engine& engine, int id, bool convected, int surface, const std::string& direction, const Vec3& vector, const model::TimeSeries& value) {
  static const std::vector<std::string> kDirections{"", "NORMAL", "TANGENT1", "TANGENT2"};
  const auto found = std::find(kDirections.begin(), kDirections.end(), direction);
  if (found == kDirections.end()) throw_input("direction = '{}'{}", direction, did_you_mean(direction, std::span(kDirections).subspan(1)));
  model::SurfaceLoad load;
  load.body = id;
  load.traction = {surface, convected, static_cast<model::SurfaceTraction::Direction>(found - kDirections.begin()), vector, 0.0};
  load.value = value;
  engine.simulation.add_surface_load(std::move(load));
}

/// (points, outward normals) of a surface, referential.
py::tuple surface(Engine& engine, int id, int number) {
  const auto points = deformable(engine, id).mechanics->surface(number);
  return py::make_tuple(vectors(points.size(), [&](std::size_t k) { return points[k].point; }),
                        vectors(points.size(), [&](std::size_t k) { return points[k].normal; }));
}

}  // namespace

void bind_deformables(EngineClass& engine) {
  bind_elastic(engine);
  engine.change("add_deformable", &add_deformable)
      .def("deforms", [](Engine& e, int id) { return e.bodies().find_deformable(e.bodies().index(id)) != nullptr; })
      .change("set_material", [](Engine& e, int id, int volume, int material) { e.simulation.set_material(id, volume, material); })
      .def("stiffness_damping", [](Engine& e, int id) { return deformable(e, id).stiffness_damping; })
      .change("set_stiffness_damping", &set_stiffness_damping)
      .def("round_spheres", [](Engine& e, int id) { return deformable(e, id).round_spheres; })
      .change("set_round_spheres", [](Engine& e, int id, bool on) { e.simulation.set_round_spheres(id, on); })
      .def("selfcontact", [](Engine& e, int id) { return deformable(e, id).selfcontact; })
      .change("set_selfcontact", [](Engine& e, int id, bool on) { e.simulation.set_selfcontact(id, on); })
      .def("configuration", [](Engine& e, int id) { return flat(deformable(e, id).part(e.motion().q)); })
      .def("rates", [](Engine& e, int id) { return flat(deformable(e, id).part(e.motion().u)); })
      .def("critical_step", [](Engine& e, int id) { return deformable(e, id).mechanics->critical_step(); })
      .def("internal_energy", [](Engine& e, int id) { return model::internal_energy(e.bodies(), e.motion(), e.bodies().index(id)); })
      .def("stress", &stress)
      .def("nearest_of_mesh", &nearest_of_mesh)
      .change("add_surface_load", &add_surface_load)
      .def("surface", &surface)
      .def("quasi_static", [](Engine& e) { return e.simulation.settings().quasi_static; })
      .change("set_quasi_static", [](Engine& e, bool on) { e.simulation.settings().quasi_static = on; });
}

}  // namespace scree::python
