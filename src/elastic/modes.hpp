/// Natural modes of a body (theory sec. 5.11).
#pragma once

#include <span>
#include <vector>

#include "elastic/block_matrix.hpp"
#include "elastic/body.hpp"

namespace scree::elastic {

struct Modes {
  VecX frequency;  ///< circular, rad/s, ascending
  MatX shapes;     ///< one column a mode, three numbers a node; shapes^T M shapes = I

  [[nodiscard]] int count() const { return static_cast<int>(frequency.size()); }
};

/// The `count` lowest elastic modes of the body in its reference configuration. `fixed` marks held dofs; when empty the body is free and
/// its six rigid motions are left out. `stiffness`: of a formulation of its own, on body.pattern(); without it the tangent there. Frequencies to about 1e-9 relative. InputError when count is not in 1 .. the number of elastic
/// dofs; SolveError when the iteration fails.
[[nodiscard]] Modes natural_modes(const ElasticBody& body, int count, std::span<const char> fixed = {}, const BlockMatrix* stiffness = nullptr);

/// Modes from given shapes (columns, three numbers a node): made M-orthonormal and diagonal in K, rigid parts and shapes that depend on others
/// removed. InputError when none is left or they are of the wrong size.
[[nodiscard]] Modes modes_from(const ElasticBody& body, const MatX& shapes);

/// Six M-orthonormal rigid motions, columns.
[[nodiscard]] MatX rigid_motions(const ElasticBody& body);

}  // namespace scree::elastic
