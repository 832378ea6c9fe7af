#include "engine.hpp"

namespace scree::python {

namespace {

using assembly::Contact;

/// Contacts of the last step as arrays. Forces act on the second body.
py::dict contacts(Engine& engine) {
  const std::vector<Contact>& list = engine.simulation.contacts();
  const std::size_t n = list.size();
  const double rate = engine.simulation.impulse_rate();
  py::dict table;
  table["bodies"] = pairs(n, [&](std::size_t i) { return std::array<int, 2>{list[i].point.body_a, list[i].point.body_b}; });
  table["surfaces"] = pairs(n, [&](std::size_t i) { return std::array<int, 2>{list[i].point.surface_a, list[i].point.surface_b}; });
  table["feature"] = numbers<std::uint64_t>(n, [&](std::size_t i) { return list[i].point.feature; });
  table["point"] = vectors(n, [&](std::size_t i) { return list[i].point.point; });
  table["normal"] = vectors(n, [&](std::size_t i) { return list[i].point.normal; });
  table["gap"] = numbers<double>(n, [&](std::size_t i) { return list[i].point.gap; });
  table["area"] = numbers<double>(n, [&](std::size_t i) { return list[i].point.area; });
  table["material"] = numbers<int>(n, [&](std::size_t i) { return list[i].material; });
  table["force"] = vectors(n, [&](std::size_t i) -> Vec3 { return list[i].frame().transpose() * list[i].R * rate; });
  table["local_force"] = vectors(n, [&](std::size_t i) -> Vec3 { return list[i].R * rate; });
  table["velocity"] = vectors(n, [&](std::size_t i) -> Vec3 { return list[i].frame().transpose() * list[i].U; });
  table["local_velocity"] = vectors(n, [&](std::size_t i) { return list[i].U; });
  table["local_velocity_before"] = vectors(n, [&](std::size_t i) { return list[i].U_old; });
  table["tangent1"] = vectors(n, [&](std::size_t i) -> Vec3 { return list[i].frame().row(1).transpose(); });
  table["tangent2"] = vectors(n, [&](std::size_t i) -> Vec3 { return list[i].frame().row(2).transpose(); });
  return table;
}

}  // namespace

void bind_tables(EngineClass& engine) { engine.def("contacts", &contacts); }

}  // namespace scree::python
