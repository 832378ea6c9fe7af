#include "solvers/contact_problem.hpp"

#include "core/error.hpp"
#include "solvers/totals.hpp"

namespace scree::solvers {

void ContactProblem::validate() const {
  const std::size_t n = kind.size();
  if (!W) throw_input("contact problem: it has no operator W");
  if (W->diagonal().size() != n || mu.size() != n || B.size() != 3 * n)
    throw_input("contact problem: sizes disagree (W {} blocks, kind {}, mu {}, B {} numbers; B needs three a block)",
                W->diagonal().size(), n, mu.size(), B.size());
  for (std::size_t a = 0; a < n; ++a) {
    if (!(mu[a] >= 0.0) || !std::isfinite(mu[a]))
      throw_input("contact problem: mu[{}] = {}; friction coefficients are finite and not negative", a, mu[a]);
    if (!built_in(kind[a]) && !known(kind[a])) throw_input("contact problem: kind[{}] = {} is no law that was registered", a, static_cast<int>(kind[a]));
    if (!W->diagonal()[a].allFinite()) throw_input("contact problem: the diagonal block {} of W is not finite", a);
    for (std::size_t k = 3 * a; k < 3 * a + 3; ++k)
      if (!std::isfinite(B[k])) throw_input("contact problem: B[{}] = {} (block {}) is not finite", k, B[k], a);
  }
}

ContactProblem without_friction(ContactProblem problem) {
  for (std::size_t a = 0; a < problem.kind.size(); ++a)
    if (frictional(problem.kind[a])) problem.mu[a] = 0.0;
  return problem;
}

std::vector<double> block_scaling(const Operator& W) {
  std::vector<double> rho(W.diagonal().size());
  for (std::size_t a = 0; a < rho.size(); ++a) rho[a] = block_rho(W.diagonal()[a]);
  return rho;
}

double residual_scale(const ContactProblem& problem) {
  if (problem.scale > 0.0) return problem.scale;
  double sum = 0.0;
  for (std::size_t a = 0; a < problem.kind.size(); ++a)
    sum += block_rho(problem.W->diagonal()[a]) * Eigen::Map<const Vec3>(problem.B.data() + 3 * a).squaredNorm();
  return std::sqrt(total(sum));
}

}  // namespace scree::solvers
