#include "solvers/catalogue.hpp"

namespace scree::solvers {

namespace {

/// Solvers that ask the law of a block for what they need.
SolverInfo of_any_law(SolverInfo info) {
  info.any_law = true;
  return info;
}

}  // namespace

const std::vector<SolverInfo>& all_solvers() {
  static const std::vector<SolverInfo> solvers = {
      of_any_law(auto_info()),
      of_any_law(gauss_seidel_info()),
      of_any_law(jacobi_info()),
      of_any_law(spg_info()),
      of_any_law(apgd_info()),
      projected_gradient_info(),
      conjugate_projected_gradient_info(),
      preconditioned_projected_gradient_info(),
      gpminres_info(),
      kucera_info(),
      of_any_law(admm_info()),
      convex_fixed_point_info(),
      tresca_fixed_point_info(),
      newton_info(),
      of_any_law(semismooth_newton_info()),
      interior_point_info(),
      interior_point_direct_info(),
  };
  return solvers;
}

}  // namespace scree::solvers
