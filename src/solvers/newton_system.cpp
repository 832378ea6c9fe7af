#include "solvers/newton_system.hpp"

#include <algorithm>

#include "core/threads.hpp"
#include "solvers/block_lu.hpp"
#include "solvers/body_space.hpp"
#include "solvers/gmres.hpp"

namespace scree::solvers {

namespace {

constexpr double kRelativeAccuracy = 1e-8;   ///< of the linear solves; Newton gains nothing beyond it
constexpr int kKrylovSize = 60;
constexpr double kLargestLu = 5e7;           ///< block products above which ILU(0) with GMRES takes over

/// (alpha I + D W) in the space of contacts, W explicit.
class ExplicitSystem final : public NewtonSystem {
 public:
  ExplicitSystem(ScaledProblem& scaled, const ExplicitForm& W) : scaled_(scaled), W_(W) {
    std::vector<int> row_start{0}, columns;
    for (int a = 0; a < W.blocks(); ++a) {
      columns.insert(columns.end(), W.columns(a).begin(), W.columns(a).end());
      // The diagonal block may be missing from W but not from the system.
      if (!std::binary_search(W.columns(a).begin(), W.columns(a).end(), a)) columns.push_back(a);
      row_start.push_back(static_cast<int>(columns.size()));
    }
    lu_.analyse(row_start, columns, BlockLu<3>::Fill::complete);
    complete_ = lu_.factor_products() <= kLargestLu;
    if (!complete_) lu_.analyse(row_start, columns, BlockLu<3>::Fill::none);
    row_start_ = std::move(row_start);
    columns_ = std::move(columns);
    values_.resize(columns_.size());
    right_side_.resize(scaled.size());
    correction_.resize(scaled.size());
  }

  bool solve(double alpha, std::span<const Mat3> D, std::span<const char> open, std::span<const double> f,
             std::span<double> dx) override {
    fill(alpha, D, open);
    if (!lu_.factor(values_, open)) return false;
    for (std::size_t k = 0; k < f.size(); ++k) right_side_[k] = -alpha * f[k];
    lu_.solve(right_side_, dx);

    // One look at the residual; Krylov steps where the factors are incomplete or lost digits.
    const auto apply = [&](std::span<const double> in, std::span<double> out) { multiply(alpha, D, open, in, out); };
    const double target = kRelativeAccuracy * norm(right_side_);
    if (complete_) {
      apply(dx, correction_);
      combine(right_side_, -1.0, correction_, correction_);
      const double error = norm(correction_);
      if (error <= target) return true;
    }
    gmres_.resize(f.size(), kKrylovSize);
    const auto precondition = [&](std::span<const double> in, std::span<double> out) { lu_.solve(in, out); };
    if (!std::all_of(dx.begin(), dx.end(), [](double v) { return std::isfinite(v); })) std::fill(dx.begin(), dx.end(), 0.0);
    gmres_.solve(apply, precondition, right_side_, dx, target, complete_ ? 20 : 2 * kKrylovSize);
    return std::isfinite(norm(dx));
  }

 private:
  /// Blocks of alpha I + D s W s.
  void fill(double alpha, std::span<const Mat3> D, std::span<const char> open) {
    const auto& s = scaled_.scale();
    parallel_for(W_.blocks(), [&](std::ptrdiff_t row) {
      const auto a = static_cast<std::size_t>(row);
      const auto given = W_.values(static_cast<int>(row));
      for (int k = row_start_[a]; k < row_start_[a + 1]; ++k) {
        const auto entry = static_cast<std::size_t>(k);
        const auto m = static_cast<std::size_t>(k - row_start_[a]);
        const auto b = static_cast<std::size_t>(columns_[entry]);
        Mat3& value = values_[entry];
        if (open[a] || m >= given.size())
          value.setZero();
        else
          value.noalias() = D[a] * ((s[a] * s[b]) * given[m]);
        if (b == a) value.diagonal().array() += alpha;
      }
    });
  }

  void multiply(double alpha, std::span<const Mat3> D, std::span<const char> open, std::span<const double> in,
                std::span<double> out) {
    scaled_.apply(in, out);
    ++products_;
    parallel_for(W_.blocks(), [&](std::ptrdiff_t a) {
      Eigen::Map<Vec3> o(out.data() + 3 * a);
      const Eigen::Map<const Vec3> i(in.data() + 3 * a);
      if (open[static_cast<std::size_t>(a)])
        o = alpha * i;
      else
        o = (D[static_cast<std::size_t>(a)] * o + alpha * i).eval();
    });
  }

  ScaledProblem& scaled_;
  const ExplicitForm& W_;
  BlockLu<3> lu_;
  bool complete_ = true;
  Gmres gmres_;
  std::vector<int> row_start_, columns_;
  std::vector<Mat3> values_;
  std::vector<double> right_side_, correction_;
};

/// z + Hs^T G Hs z = -Hs^T f,  dx = -f - (G/..) Hs z : the same system in the space of bodies.
class BodySystem final : public NewtonSystem {
 public:
  BodySystem(ScaledProblem& scaled, const BodyForm& W) : scaled_(scaled), W_(W) {
    space_.analyse(W);
    const auto n = static_cast<std::size_t>(W.dofs());
    right_side_.resize(n);
    z_.resize(n);
    contact_.resize(scaled.size());
    G_.resize(static_cast<std::size_t>(W.blocks()));
    symmetric_.resize(G_.size());
    gmres_.resize(n, kKrylovSize);
  }

  bool solve(double alpha, std::span<const Mat3> D, std::span<const char> open, std::span<const double> f,
             std::span<double> dx) override {
    const auto& s = scaled_.scale();
    parallel_for(W_.blocks(), [&](std::ptrdiff_t a) {
      const auto i = static_cast<std::size_t>(a);
      G_[i] = (s[i] * s[i] / alpha) * D[i];
      symmetric_[i] = definite_part(G_[i], open[i] != 0);
    });
    if (!space_.factor(symmetric_)) return false;

    // Right-hand side -Hs^T s f, then Krylov steps for the part that is not symmetric.
    scaled_.to_impulses(f, contact_);
    W_.scatter(contact_, right_side_);
    for (double& value : right_side_) value = -value;
    std::fill(z_.begin(), z_.end(), 0.0);
    const auto apply = [&](std::span<const double> in, std::span<double> out) {
      W_.gather(in, contact_);
      multiply_G(contact_);
      W_.scatter(contact_, out);
      add_scaled(1.0, in, out);
      ++products_;
    };
    const auto precondition = [&](std::span<const double> in, std::span<double> out) { space_.solve(in, out); };
    gmres_.solve(apply, precondition, right_side_, z_, kRelativeAccuracy * norm(right_side_), 2 * kKrylovSize);

    // dx = -f - s^-1 G Hs z
    W_.gather(z_, contact_);
    multiply_G(contact_);
    scaled_.from_impulses(contact_, contact_);
    parallel_for(static_cast<std::ptrdiff_t>(dx.size()), [&](std::ptrdiff_t k) {
      dx[static_cast<std::size_t>(k)] = -f[static_cast<std::size_t>(k)] - contact_[static_cast<std::size_t>(k)];
    });
    return std::isfinite(norm(dx));
  }

 private:
  /// The symmetric part, made semidefinite: a slipping block couples its normal with the slip direction only
  /// one way, which would make it indefinite; the missing diagonal entry of the slip direction is restored.
  static Mat3 definite_part(const Mat3& G, bool open) {
    if (open) return Mat3::Zero();
    Mat3 part = 0.5 * (G + G.transpose());
    if (G(0, 0) > 0.0) {
      const Vec2 coupling = G.block<2, 1>(1, 0);
      part.block<2, 2>(1, 1) += coupling * coupling.transpose() / (4.0 * G(0, 0));
    }
    return part;
  }

  void multiply_G(std::span<double> u) const {
    parallel_for(W_.blocks(), [&](std::ptrdiff_t a) {
      Eigen::Map<Vec3> part(u.data() + 3 * a);
      part = (G_[static_cast<std::size_t>(a)] * part).eval();
    });
  }

  ScaledProblem& scaled_;
  const BodyForm& W_;
  BodySpace space_;
  Gmres gmres_;
  std::vector<Mat3> G_, symmetric_;
  std::vector<double> right_side_, z_, contact_;
};

}  // namespace

std::unique_ptr<NewtonSystem> make_newton_system(ScaledProblem& scaled) {
  const Operator* W = scaled.problem().W.get();
  if (const auto* body = dynamic_cast<const BodyForm*>(W)) return std::make_unique<BodySystem>(scaled, *body);
  if (const auto* rows = dynamic_cast<const ExplicitForm*>(W)) return std::make_unique<ExplicitSystem>(scaled, *rows);
  return nullptr;
}

}  // namespace scree::solvers
