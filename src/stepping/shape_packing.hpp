/// Shapes as flat arrays of a checkpoint.
#pragma once

#include "geometry/shape.hpp"
#include "stepping/packing.hpp"

namespace scree::stepping {

/// What follows from something else is left out: planes and edges of polyhedra, and vertices and faces of a piece where they are those of its element.
/// A checkpoint of a mesh is written several times faster so, and soon enough after a signal.
void write_shape(Packer& f, const geometry::Shape& shape);

/// The same shape to the bit; FileError where the arrays do not fit together.
[[nodiscard]] geometry::Shape read_shape(Unpacker& f);

}  // namespace scree::stepping
