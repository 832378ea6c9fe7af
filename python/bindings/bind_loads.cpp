#include "engine.hpp"

#include "core/spelling.hpp"

namespace scree::python {

using model::TimeSeries;

namespace {

constexpr const char* kSurfaceModelNames[] = {"SIGNORINI_COULOMB", "SPRING_DASHPOT"};
static_assert(std::size(kSurfaceModelNames) == model::kSurfaceModelCount, "every model of surfaces has a name, in the order of SurfaceModel");
const std::vector<std::string> kSurfaceModels{std::begin(kSurfaceModelNames), std::end(kSurfaceModelNames)};

/// Loads act on moving bodies only.
void check_loadable(Engine& engine, int id, const char* what) {
  if (!engine.bodies().moves(engine.bodies().index(id))) throw_input("{}: body {} is an obstacle; loads act on moving bodies only", what, id);
}

model::Direction direction_kind(bool convected) { return convected ? model::Direction::convected : model::Direction::spatial; }

Vec3 vector_from(const py::handle& value, int id) {
  const Vec3 v = py::cast<Vec3>(value);
  if (!is_finite(v)) throw_input("force function of body {}: it returned ({}, {}, {}); forces must be finite", id, v.x(), v.y(), v.z());
  return v;
}

/// Wrap function(state, time, step) -> (force, torque, referential torque | [(point, force), ...]).
std::function<model::UserForceValue(const model::RigidState&, double, double)> force_function(int id, py::function function) {
  return [id, function = Callback(fmt::format("the force function of body {}", id), std::move(function))](const model::RigidState& state, double time, double step) {
    py::gil_scoped_acquire acquire;
    const py::tuple answer = function(state, time, step);
    model::UserForceValue value{vector_from(answer[0], id), vector_from(answer[1], id), vector_from(answer[2], id)};
    if (answer.size() > 3)
      for (const py::handle given : answer[3]) {
        const auto pair = py::cast<py::tuple>(given);
        value.at.push_back({vector_from(pair[0], id), vector_from(pair[1], id)});
      }
    return value;
  };
}

void add_force(Engine& engine, int id, bool convected, const Vec3& point, const Vec3& direction, const TimeSeries& value) {
  check_loadable(engine, id, "force");
  check_finite(point, "force: point");
  engine.model().forces.push_back({id, direction_kind(convected), point, unit(direction, "force: direction"), value});
}

void add_torque(Engine& engine, int id, bool convected, const Vec3& direction, const TimeSeries& value) {
  check_loadable(engine, id, "torque");
  engine.model().torques.push_back({id, direction_kind(convected), unit(direction, "torque: direction"), value});
}

void add_user_force(Engine& engine, int id, const py::function& function) {
  check_loadable(engine, id, "force function");
  engine.model().user_forces.push_back({id, force_function(id, function)});
}

model::SurfaceMaterial surface_material(int surface1, int surface2, bool is_default, const std::string& law, const std::string& label,
                                        double friction, double cohesion, double restitution, double spring, double dashpot, double power) {
  const auto found = std::find(kSurfaceModels.begin(), kSurfaceModels.end(), law);
  if (found == kSurfaceModels.end()) throw_input("surface material '{}': model = '{}'{}", label, law, did_you_mean(law, kSurfaceModels));
  model::SurfaceMaterial material{surface1, surface2, is_default, static_cast<model::SurfaceModel>(found - kSurfaceModels.begin()),
                                  label, friction, cohesion, restitution, spring, dashpot, power};
  material.validate();
  return material;
}

py::dict describe(const model::SurfaceMaterial& m) {
  py::dict info;
  info["surface1"] = m.surface1;
  info["surface2"] = m.surface2;
  info["is_default"] = m.is_default;
  info["model"] = kSurfaceModels[static_cast<std::size_t>(m.model)];
  info["label"] = m.label;
  info["friction"] = m.friction;
  info["cohesion"] = m.cohesion;
  info["restitution"] = m.restitution;
  info["spring"] = m.spring;
  info["dashpot"] = m.dashpot;
  info["power"] = m.power;
  return info;
}

model::BulkMaterial bulk_material(const std::string& law, const std::string& label, double young, double poisson, double density) {
  model::BulkMaterial material{law, label, young, poisson, density};
  material.validate();
  return material;
}

model::BulkMaterial& bulk_at(Engine& engine, int index) {
  auto& list = engine.model().bulk;
  if (index < 0 || index >= static_cast<int>(list.size())) throw_input("bulk material {}: there is no such material", index);
  return list[static_cast<std::size_t>(index)];
}

const model::SurfaceMaterial& surface_at(Engine& engine, int index) {
  const auto& list = engine.model().surfaces;
  if (index < 0 || index >= list.size()) throw_input("surface material {}: there is no such material", index);
  return list[index];
}

void bind_materials(EngineClass& engine) {
  engine
      .change("add_surface_material", [](Engine& e, int s1, int s2, bool is_default, const std::string& law, const std::string& label, double friction,
                                      double cohesion, double restitution, double spring, double dashpot, double power) {
        return e.model().surfaces.add(surface_material(s1, s2, is_default, law, label, friction, cohesion, restitution, spring, dashpot, power));
      })
      .change("update_surface_material", [](Engine& e, int index, const std::string& law, double friction, double cohesion, double restitution,
                                         double spring, double dashpot, double power) {
        const model::SurfaceMaterial old = surface_at(e, index);
        e.model().surfaces.update(index, surface_material(old.surface1, old.surface2, old.is_default, law, old.label, friction, cohesion,
                                                          restitution, spring, dashpot, power));
      })
      .def("surface_material_info", [](Engine& e, int index) { return describe(surface_at(e, index)); })
      .def("surface_material_count", [](Engine& e) { return e.model().surfaces.size(); })
      .def("find_surface_material", [](Engine& e, int s1, int s2) { return describe(e.model().surfaces[e.model().surfaces.find(s1, s2)]); })
      .change("add_bulk_material", [](Engine& e, const std::string& law, const std::string& label, double young, double poisson, double density) {
        e.model().bulk.push_back(bulk_material(law, label, young, poisson, density));
        return static_cast<int>(e.model().bulk.size()) - 1;
      })
      .change("update_bulk_material", [](Engine& e, int index, double young, double poisson, double density) {
        model::BulkMaterial& material = bulk_at(e, index);
        material = bulk_material(material.model, material.label, young, poisson, density);
        e.simulation.renew_materials();
      })
      .def("bulk_material_count", [](Engine& e) { return e.model().bulk.size(); })
      .def("bulk_material_info", [](Engine& e, int index) {
        const model::BulkMaterial& m = bulk_at(e, index);
        py::dict info;
        info["model"] = m.model;
        info["label"] = m.label;
        info["young"] = m.young;
        info["poisson"] = m.poisson;
        info["density"] = m.density;
        return info;
      });
}

}  // namespace

void bind_loads(EngineClass& engine) {
  engine
      .change("set_gravity", [](Engine& e, const Vec3& direction, const TimeSeries& value) {
        e.model().gravity.direction = unit(direction, "gravity: direction");
        e.model().gravity.value = value;
      })
      .def("gravity", [](Engine& e) { return e.model().gravity.at(e.simulation.time()); })
      .change("add_force", &add_force)
      .change("add_torque", &add_torque)
      .change("add_user_force", &add_user_force);
  bind_materials(engine);
}

}  // namespace scree::python
