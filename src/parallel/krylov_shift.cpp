#include "parallel/krylov_shift.hpp"

#include "core/threads.hpp"

namespace scree::parallel {

namespace {
constexpr double kAccuracy = 1e-10;   ///< of an answer, relative to the right-hand side
constexpr int kMostSteps = 1000;
}  // namespace

KrylovShift::KrylovShift(const solvers::Operator& W, std::span<const double> scale) : W_(W), scale_(scale.begin(), scale.end()), inverse_(scale.size()) {
  last_.assign(3 * scale.size(), 0.0);
  rest_ = scratch_ = last_;
  gradients_.resize(last_.size());
}

bool KrylovShift::factor(double sigma) {
  sigma_ = sigma;
  for (std::size_t a = 0; a < inverse_.size(); ++a) {
    Mat3 block = scale_[a] * scale_[a] * W_.diagonal()[a];
    block.diagonal().array() += sigma;
    inverse_[a] = block.inverse();
  }
  return true;
}

void KrylovShift::multiply(std::span<const double> in, std::span<double> out) {
  for (std::size_t k = 0; k < in.size(); ++k) scratch_[k] = scale_[k / 3] * in[k];
  W_.apply(scratch_, out);
  for (std::size_t k = 0; k < in.size(); ++k) out[k] = scale_[k / 3] * out[k] + sigma_ * in[k];
}

void KrylovShift::solve(std::span<const double> b, std::span<double> x) {
  const auto apply = [&](std::span<const double> in, std::span<double> out) { multiply(in, out); };
  const auto precondition = [&](std::span<const double> in, std::span<double> out) {
    parallel_for(static_cast<std::ptrdiff_t>(inverse_.size()), [&](std::ptrdiff_t a) {
      Eigen::Map<Vec3>(out.data() + 3 * a).noalias() = inverse_[a] * Eigen::Map<const Vec3>(in.data() + 3 * a);
    });
  };
  multiply(last_, rest_);
  for (std::size_t k = 0; k < b.size(); ++k) rest_[k] = b[k] - rest_[k];
  gradients_.solve(apply, precondition, rest_, x, kAccuracy * solvers::norm(b), kMostSteps);
  for (std::size_t k = 0; k < b.size(); ++k) last_[k] = x[k] += last_[k];
}

}  // namespace scree::parallel
