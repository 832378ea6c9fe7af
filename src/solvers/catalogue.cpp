#include "solvers/catalogue.hpp"

namespace scree::solvers {

const std::vector<SolverInfo>& all_solvers() {
  static const std::vector<SolverInfo> solvers = {
      gauss_seidel_info(),
  };
  return solvers;
}

}  // namespace scree::solvers
