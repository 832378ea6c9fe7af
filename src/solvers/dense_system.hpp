/// Proximal Newton systems by a dense LU: for operators whose rows reach nearly every block (deformable bodies that touch at many
/// points, dense stacks).
#pragma once

#include <memory>

#include "solvers/newton_system.hpp"

namespace scree::solvers {

/// `scaled` and `W`, the operator of its problem, must outlive the system. Rows without derivative (open contacts, tangents without
/// friction) are taken out before the factorisation.
[[nodiscard]] std::unique_ptr<NewtonSystem> make_dense_system(ScaledProblem& scaled, const ExplicitForm& W);

}  // namespace scree::solvers
