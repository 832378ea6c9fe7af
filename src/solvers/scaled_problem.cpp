#include "solvers/scaled_problem.hpp"

#include "core/threads.hpp"
#include "solvers/law.hpp"
#include "solvers/vector_kernels.hpp"

namespace scree::solvers {

namespace {

/// out_a = factor(a) in_a
template <class Factor>
void multiply_blocks(std::span<const double> in, std::span<double> out, Factor&& factor) {
  parallel_for(static_cast<std::ptrdiff_t>(in.size() / 3), [&](std::ptrdiff_t a) {
    const double f = factor(static_cast<std::size_t>(a));
    for (std::ptrdiff_t k = 3 * a; k < 3 * a + 3; ++k) out[k] = f * in[k];
  });
}

std::vector<double> roots(std::vector<double> values) {
  for (double& value : values) value = std::sqrt(value);
  return values;
}

}  // namespace

ScaledProblem::ScaledProblem(const ContactProblem& problem) : ScaledProblem(problem, roots(block_scaling(*problem.W))) {}

ScaledProblem::ScaledProblem(const ContactProblem& problem, std::vector<double> scale)
    : problem_(&problem), s_(std::move(scale)), parameter_(problem.mu), weight_(residual_weights(problem)), b_(problem.B.size()), scratch_(problem.B.size()) {
  for (std::size_t a = 0; a < s_.size(); ++a)
    if (!built_in(problem.kind[a])) parameter_[a] = registered_law(problem.kind[a]).scaled_parameter(problem.mu[a], s_[a]);
  from_velocities(problem.B, b_);
  for (std::size_t a = 0; a < s_.size(); ++a) weight_[a] *= s_[a] * s_[a];
  const double size = residual_scale(problem);
  if (size > 0.0) reference_ = size;
}

void ScaledProblem::apply(std::span<const double> x, std::span<double> u) {
  to_impulses(x, scratch_);
  problem_->W->apply(scratch_, u);
  from_velocities(u, u);
}

void ScaledProblem::velocity(std::span<const double> x, std::span<double> u) {
  apply(x, u);
  add_scaled(1.0, b_, u);
}

double ScaledProblem::residual(std::span<const double> x, std::span<const double> u, bool convex) const {
  const double sum = total_sum(blocks(), [&](std::ptrdiff_t a) {
    const std::size_t i = a;
    const Eigen::Map<const Vec3> xa(x.data() + 3 * a), ua(u.data() + 3 * a);
    const bool relaxed = convex && frictional(problem_->kind[i]);
    return weight_[i] * (relaxed ? natural_map(xa, ua, 1.0, problem_->kind[i], parameter_[i]).squaredNorm()
                                 : squared_error(xa, ua, 1.0, problem_->kind[i], parameter_[i]));
  });
  return std::sqrt(sum);
}

double ScaledProblem::map_norm(std::span<const double> x, std::span<const double> u, bool convex) const {
  const double sum = total_sum(blocks(), [&](std::ptrdiff_t a) {
    const std::size_t i = a;
    const Eigen::Map<const Vec3> xa(x.data() + 3 * a), ua(u.data() + 3 * a);
    const Vec3 F = convex && frictional(problem_->kind[i]) ? Vec3(ua) : modified_velocity(ua, problem_->kind[i], parameter_[i]);
    return natural_map(xa, F, 1.0, problem_->kind[i], parameter_[i]).squaredNorm();
  });
  return std::sqrt(sum);
}

void ScaledProblem::from_impulses(std::span<const double> R, std::span<double> x) const {
  multiply_blocks(R, x, [&](std::size_t a) { return 1.0 / s_[a]; });
}
void ScaledProblem::to_impulses(std::span<const double> x, std::span<double> R) const {
  multiply_blocks(x, R, [&](std::size_t a) { return s_[a]; });
}
void ScaledProblem::from_velocities(std::span<const double> U, std::span<double> u) const {
  multiply_blocks(U, u, [&](std::size_t a) { return s_[a]; });
}
void ScaledProblem::to_velocities(std::span<const double> u, std::span<double> U) const {
  multiply_blocks(u, U, [&](std::size_t a) { return 1.0 / s_[a]; });
}

}  // namespace scree::solvers
