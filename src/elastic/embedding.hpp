/// A shape embedded in a coarser mesh (theory sec. 5.12): the elements carry the motion, the shape carries the matter.
#pragma once

#include "elastic/body.hpp"
#include "geometry/shape.hpp"

namespace scree::elastic {

struct Embedding {
  FiniteMesh mesh;  ///< the elements that hold matter; empty ones and their nodes are left out
  VolumeRule rule;  ///< quadrature over the part of each element inside the shape
};

/// Cut every piece of the shape with every element and integrate over the parts (theory eq. 5.26). Polyhedra are cut exactly; spheres and
/// ellipsoids are replaced by polyhedra of 300 vertices and equal volume. Where pieces overlap, the overlap counts for each.
/// InputError when the shape reaches out of the mesh by more than 1e-9 of its volume.
[[nodiscard]] Embedding embed(const geometry::Shape& shape, const geometry::Mesh& mesh, int order = 1);

}  // namespace scree::elastic
