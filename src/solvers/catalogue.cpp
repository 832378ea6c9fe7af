#include "solvers/catalogue.hpp"

namespace scree::solvers {

const std::vector<SolverInfo>& all_solvers() {
  static const std::vector<SolverInfo> solvers = {
      auto_info(),
      gauss_seidel_info(),
      jacobi_info(),
      spg_info(),
      apgd_info(),
      projected_gradient_info(),
      conjugate_projected_gradient_info(),
      preconditioned_projected_gradient_info(),
      gpminres_info(),
      kucera_info(),
      admm_info(),
      convex_fixed_point_info(),
      tresca_fixed_point_info(),
      newton_info(),
      semismooth_newton_info(),
      interior_point_info(),
      interior_point_direct_info(),
  };
  return solvers;
}

}  // namespace scree::solvers
