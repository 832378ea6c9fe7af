/// The solvers Scree ships, one function and one source file each.
#pragma once

#include "solvers/registry.hpp"

namespace scree::solvers {

[[nodiscard]] SolverInfo auto_info();
[[nodiscard]] SolverInfo gauss_seidel_info();
[[nodiscard]] SolverInfo jacobi_info();
[[nodiscard]] SolverInfo spg_info();
[[nodiscard]] SolverInfo apgd_info();
[[nodiscard]] SolverInfo projected_gradient_info();
[[nodiscard]] SolverInfo conjugate_projected_gradient_info();
[[nodiscard]] SolverInfo preconditioned_projected_gradient_info();
[[nodiscard]] SolverInfo gpminres_info();
[[nodiscard]] SolverInfo kucera_info();
[[nodiscard]] SolverInfo admm_info();
[[nodiscard]] SolverInfo convex_fixed_point_info();
[[nodiscard]] SolverInfo tresca_fixed_point_info();
[[nodiscard]] SolverInfo newton_info();
[[nodiscard]] SolverInfo semismooth_newton_info();
[[nodiscard]] SolverInfo interior_point_info();
[[nodiscard]] SolverInfo interior_point_direct_info();

}  // namespace scree::solvers
