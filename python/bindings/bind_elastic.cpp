#include "engine.hpp"

#include "elastic/modes.hpp"
#include "model/finite_element.hpp"
#include "signals.hpp"

namespace scree::python {

namespace {

const model::FiniteElement& finite_element(Engine& engine, int id) {
  const int index = engine.bodies().index(id);
  const model::Deformable* deformable = engine.bodies().find_deformable(index);
  const auto* mechanics = deformable ? dynamic_cast<const model::FiniteElement*>(deformable->mechanics.get()) : nullptr;
  if (!mechanics) throw_input("body {}: only bodies of finite elements have modes and matrices", id);
  return *mechanics;
}

/// (circular frequencies in rad/s, mode shapes as columns) of the lowest elastic modes.
py::tuple modes(Engine& engine, int id, int count) {
  const model::FiniteElement& element = finite_element(engine, id);
  const elastic::Modes made = stoppable([&] {
    return released([&] {
      const elastic::BlockMatrix K = element.stiffness();
      return elastic::natural_modes(element.body(), count, {}, &K);
    });
  });
  return py::make_tuple(made.frequency, made.shapes);
}

/// (rows, columns, M, K) of the reference configuration: entries of the upper triangle by dof, three dofs a node.
py::tuple matrices(Engine& engine, int id) {
  const model::FiniteElement& element = finite_element(engine, id);
  const elastic::ElasticBody& body = element.body();
  const elastic::BlockMatrix K = released([&] { return element.stiffness(); });
  const elastic::NodePattern& pattern = *body.pattern();
  std::vector<int> rows, columns;
  std::vector<double> mass, stiffness;
  for (int a = 0; a < pattern.rows(); ++a)
    for (int e = pattern.row_start[static_cast<std::size_t>(a)]; e < pattern.row_start[static_cast<std::size_t>(a) + 1]; ++e)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const int row = 3 * a + i, column = 3 * pattern.columns[static_cast<std::size_t>(e)] + j;
          if (column < row) continue;
          rows.push_back(row);
          columns.push_back(column);
          mass.push_back(i == j ? body.mass().values[static_cast<std::size_t>(e)] : 0.0);
          stiffness.push_back(K.values[static_cast<std::size_t>(9 * e + 3 * i + j)]);
        }
  const auto array = [](const auto& values) { return py::array_t(static_cast<py::ssize_t>(values.size()), values.data()); };
  return py::make_tuple(array(rows), array(columns), array(mass), array(stiffness));
}

/// Put a deformable body into a state: configuration and velocity as results store them.
void set_state(Engine& engine, int id, const std::vector<double>& q, const std::vector<double>& u) {
  const model::Deformable& body = engine.bodies().need_deformable(id, "it is not deformable and has no such state");
  if (q.size() != body.size() || u.size() != body.size()) throw_input("body {}: a state of {} and {} numbers was given, its configuration has {}", id, q.size(), u.size(), body.size());
  for (const double value : q)
    if (!std::isfinite(value)) throw_input("body {}: its configuration must be finite", id);
  for (const double value : u)
    if (!std::isfinite(value)) throw_input("body {}: its velocity must be finite", id);
  model::set_unknowns(engine.bodies(), engine.motion(), body, q, u);
}

/// Coordinates of the undeformed nodes, three a node.
py::array_t<double> reference_nodes(Engine& engine, int id) {
  const std::vector<double> places = finite_element(engine, id).body().mesh().positions();
  return py::array_t<double>(static_cast<py::ssize_t>(places.size()), places.data());
}

}  // namespace

void bind_elastic(EngineClass& engine) {
  engine.def("modes", &modes).def("matrices", &matrices).def("reference_nodes", &reference_nodes).change("set_state", &set_state);
}

}  // namespace scree::python
