#include "solvers/body_network.hpp"

#include <algorithm>
#include <cmath>

#include "core/dense.hpp"
#include "core/threads.hpp"
#include "solvers/operator.hpp"

namespace scree::solvers {

namespace {

constexpr int kCheck = 8;         ///< products between looks at the contacts
constexpr int kLargestBody = 24;  ///< degrees of freedom up to which bodies are preconditioned by their inverse

using Rows = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>;

}  // namespace

BodyNetwork::BodyNetwork(ScaledProblem& scaled, const BodyForm& W) : scaled_(scaled), W_(W), contact_(scaled.size()) {
  const std::size_t size = W.dofs();
  cg_.resize(size);
  for (auto* v : {&right_side_, &inner_}) v->resize(size);
  for (int b = 0; b < W.bodies(); ++b) inverse_.emplace_back(W.body_dofs(b), W.body_dofs(b));
  diagonal_ = inverse_;
}

bool BodyNetwork::suits(const BodyForm& W, const ContactProblem& problem) {
  for (int b = 0; b < W.bodies(); ++b)
    if (W.body_dofs(b) > kLargestBody) return false;
  return std::ranges::all_of(problem.kind, [](auto kind) { return frictional(kind); });
}

void BodyNetwork::set(std::span<const Mat3> G) {
  G_ = G;
  parallel_for(W_.bodies(), [&](std::ptrdiff_t body) {
    const std::size_t b = body;
    MatX& D = diagonal_[b];
    D.setIdentity();
    for (const int entry : W_.incidence(static_cast<int>(body))) {
      const std::size_t a = entry / 2;
      const double s = scaled_.scale()[a];
      const Rows H(W_.rows(entry / 2, entry % 2).data(), 3, D.cols());
      const Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, kLargestBody> GH = (s * s * G_[a]).lazyProduct(H);
      D.noalias() += H.transpose().lazyProduct(GH);
    }
    if (!cholesky(D.data(), D.cols())) D.setIdentity();  // lost in rounding
    inverse_[b].setIdentity();
    for (Eigen::Index j = 0; j < D.cols(); ++j) solve_lower(D.data(), D.cols(), &inverse_[b](0, j));
  });
}

void BodyNetwork::to_bodies(std::span<double> u, std::span<double> y) {
  scaled_.to_impulses(u, u);
  W_.scatter(u, y);
}

void BodyNetwork::to_contacts(std::span<const double> y, std::span<double> u) {
  W_.gather(y, u);
  scaled_.from_velocities(u, u);
}

void BodyNetwork::weigh(std::span<double> u) const {
  parallel_for(W_.blocks(), [&](std::ptrdiff_t a) {
    Eigen::Map<Vec3> part(u.data() + 3 * a);
    part = (G_[a] * part).eval();
  });
}

template <class Good>
void BodyNetwork::solve_until(std::span<const double> r, Good&& good, int most, std::span<double> z) {
  times_inverse(r, right_side_, false);
  const auto apply = [&](std::span<const double> in, std::span<double> out) {
    times_inverse(in, inner_, true);
    to_contacts(inner_, contact_);
    weigh(contact_);
    to_bodies(contact_, out);
    add_scaled(1.0, inner_, out);
    times_inverse(out, out, false);
    ++products_;
  };
  const auto none = [](std::span<const double> in, std::span<double> out) { std::copy(in.begin(), in.end(), out.begin()); };
  cg_.solve_until(apply, none, right_side_, z, good, most);
  times_inverse(z, z, true);
}

void BodyNetwork::solve(std::span<const double> r, double goal, int most, std::span<double> z) {
  solve_until(r, [&](std::span<const double>, double size, int) { return size <= goal; }, most, z);
}

void BodyNetwork::solve_for_contacts(std::span<const double> r, double goal, int most, std::span<double> z) {
  const auto good = [&](std::span<const double> residual, double, int iterations) {
    if (iterations % kCheck != 0) return false;
    times_factor(residual, inner_);
    to_contacts(inner_, contact_);
    return weighed_norm(contact_) <= goal;
  };
  solve_until(r, good, most, z);
}

double BodyNetwork::size(std::span<const double> r) {
  times_inverse(r, inner_, false);
  return norm(inner_);
}

void BodyNetwork::times_inverse(std::span<const double> in, std::span<double> out, bool transposed) const {
  parallel_for(W_.bodies(), [&](std::ptrdiff_t body) {
    const MatX& L = inverse_[body];
    const auto first = W_.dof_start(static_cast<int>(body));
    double* result = out.data() + first;
    std::copy(in.data() + first, in.data() + first + L.rows(), result);
    if (transposed) multiply_lower_transposed(L.data(), L.rows(), result);
    else multiply_lower(L.data(), L.rows(), result);
  });
}

void BodyNetwork::times_factor(std::span<const double> in, std::span<double> out) const {
  parallel_for(W_.bodies(), [&](std::ptrdiff_t body) {
    const MatX& L = diagonal_[body];
    const auto first = W_.dof_start(static_cast<int>(body));
    std::copy(in.data() + first, in.data() + first + L.rows(), out.data() + first);
    multiply_lower(L.data(), L.rows(), out.data() + first);
  });
}

double BodyNetwork::weighed_norm(std::span<const double> u) const {
  return std::sqrt(parallel_sum(W_.blocks(), [&](std::ptrdiff_t a) {
    const Eigen::Map<const Vec3> part(u.data() + 3 * a);
    return part.dot(G_[a] * part);
  }));
}

}  // namespace scree::solvers
