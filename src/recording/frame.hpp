/// From a simulation to the rows of a results file.
#pragma once

#include <functional>

#include "io/results.hpp"
#include "stepping/simulation.hpp"

namespace scree::recording {

/// Row of the body table for an id, -1 for none.
using RowOf = std::function<std::int32_t(int id)>;

/// A body's entry in the body table; `shape` is its number among the stored shapes.
[[nodiscard]] io::BodyRow body_row(const model::Model& model, std::size_t index, std::int32_t shape);

/// The present state: bodies, contacts of the last step, constraints. Every column of io::Frame is filled here and nowhere else.
[[nodiscard]] io::Frame make_frame(const stepping::Simulation& simulation, const RowOf& row_of);

}  // namespace scree::recording
