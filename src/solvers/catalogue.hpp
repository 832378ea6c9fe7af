/// The solvers Scree ships, one function and one source file each.
#pragma once

#include "solvers/registry.hpp"

namespace scree::solvers {

[[nodiscard]] SolverInfo gauss_seidel_info();

}  // namespace scree::solvers
