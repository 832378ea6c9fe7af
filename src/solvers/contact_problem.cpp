#include "solvers/contact_problem.hpp"

#include "core/error.hpp"
#include "solvers/totals.hpp"

namespace scree::solvers {

void ContactProblem::validate() const {
  const std::size_t n = kind.size();
  if (!weight.empty() && weight.size() != n) throw_input("contact problem: {} weights for {} blocks", weight.size(), n);
  if (!W) throw_input("contact problem: it has no operator W");
  if (W->diagonal().size() != n || mu.size() != n || B.size() != 3 * n)
    throw_input("contact problem: sizes disagree (W {} blocks, kind {}, mu {}, B {} numbers; B needs three a block)",
                W->diagonal().size(), n, mu.size(), B.size());
  for (std::size_t a = 0; a < n; ++a) {
    if (!(mu[a] >= 0.0)) throw_input("contact problem: mu[{}] = {}; friction coefficients are not negative", a, mu[a]);
    if (!frictional(kind[a]) && !std::isfinite(mu[a])) throw_input("contact problem: mu[{}] = {}; only friction coefficients may be infinite", a, mu[a]);
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
  const auto sum = [&](auto&& squared) {
    return total_sum(problem.blocks(), [&](std::ptrdiff_t a) {
      return squared(static_cast<std::size_t>(a), Vec3(Eigen::Map<const Vec3>(problem.B.data() + 3 * a)), block_rho(problem.W->diagonal()[a]));
    });
  };
  const double undone = sum([&](std::size_t a, const Vec3& B, double rho) { return free_impulse(B, rho, problem.kind[a], problem.mu[a]).squaredNorm() / rho; });
  if (undone > 0.0) return std::sqrt(undone);
  return std::sqrt(sum([](std::size_t, const Vec3& B, double rho) { return rho * B.squaredNorm(); }));
}

std::vector<double> residual_weights(const ContactProblem& problem) {
  if (weighted(problem)) return problem.weight;
  const double scale = residual_scale(problem), inverse = scale > 0.0 ? 1.0 / (scale * scale) : 1.0;
  std::vector<double> weight(problem.kind.size());
  for (std::size_t a = 0; a < weight.size(); ++a) weight[a] = inverse / block_rho(problem.W->diagonal()[a]);
  return weight;
}

}  // namespace scree::solvers
