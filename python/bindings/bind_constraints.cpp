#include "engine.hpp"

#include "core/spelling.hpp"

namespace scree::python {

using model::Constraint;

namespace {

const std::vector<std::string> kConstraintKinds{"fixed_point", "fixed_direction", "velocity", "displacement", "acceleration", "link", "at_least", "at_most", "above", "below", "ahead"};

int add_constraint(Engine& engine, const std::string& kind, std::array<int, 2> bodies, const Vec3& point1, const Vec3& point2,
                   const Vec3& direction, const model::TimeSeries& value, double length, int carrier) {
  const auto found = std::find(kConstraintKinds.begin(), kConstraintKinds.end(), kind);
  if (found == kConstraintKinds.end()) throw_input("constraint kind '{}'{}", kind, did_you_mean(kind, kConstraintKinds));
  Constraint constraint;
  constraint.kind = static_cast<model::ConstraintKind>(found - kConstraintKinds.begin());
  constraint.body = bodies;
  constraint.point = {point1, point2};
  constraint.direction = unit(direction, "direction");
  constraint.value = value;
  constraint.length = length;
  constraint.carrier = carrier;
  return engine.simulation.add_constraint(constraint);
}

py::dict describe(Engine& engine, int id) {
  const std::size_t k = engine.model().constraint_index(id);
  const Constraint& c = engine.model().constraints[k];
  const assembly::Reaction& reaction = engine.simulation.state().reactions[k];
  const double rate = engine.simulation.impulse_rate();
  // The impulse between two points acts on the second.
  const double sign = model::joins_points(c.kind) ? -1.0 : 1.0;
  py::dict info;
  info["id"] = c.id;
  info["kind"] = kConstraintKinds[static_cast<std::size_t>(c.kind)];
  info["bodies"] = py::make_tuple(c.body[0], c.body[1]);
  info["referential_points"] = py::make_tuple(c.point[0], c.point[1]);
  info["points"] = py::make_tuple(reaction.place[0], reaction.place[1]);
  info["direction"] = c.direction;
  info["frame"] = reaction.frame;
  info["local_force"] = Vec3(reaction.impulse * rate);
  info["force"] = Vec3(sign * reaction.frame.transpose() * reaction.impulse * rate);
  info["length"] = c.length;
  return info;
}

const Constraint* find(Engine& engine, int id) {
  for (const Constraint& c : engine.model().constraints)
    if (c.id == id) return &c;
  return nullptr;
}

}  // namespace

void bind_constraints(EngineClass& engine) {
  engine.change("add_constraint", &add_constraint)
      .change("remove_constraint", [](Engine& e, int id) { e.simulation.remove_constraint(id); })
      .def("has_constraint", [](Engine& e, int id) { return find(e, id) != nullptr; })
      .def("constraint", [](Engine& e, int id) { return describe(e, id); })
      .def("constraint_ids", [](Engine& e) {
        const auto& list = e.model().constraints;
        return numbers<int>(list.size(), [&](std::size_t i) { return list[i].id; });
      });
}

}  // namespace scree::python
