#include "solvers/newton_system.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/threads.hpp"
#include "solvers/block_lu.hpp"
#include "solvers/body_space.hpp"
#include "solvers/dense_system.hpp"
#include "solvers/gmres.hpp"

namespace scree::solvers {

namespace {

constexpr double kRelativeAccuracy = 1e-8;   ///< of the linear solves; Newton gains nothing beyond it
constexpr int kKrylovSize = 60;
constexpr double kLargestBodyLu = 5e7;       ///< block products above which Cholesky with GMRES takes over
constexpr double kLargestLu = 5e7;           ///< block products above which ILU(0) with GMRES takes over
constexpr double kDenseShare = 0.5;          ///< of all blocks stored, from which a dense LU is chosen at once
constexpr double kDenseWork = 1.0 / 100.0;   ///< block products over blocks cubed (1/3 when all fill in) from which it pays
constexpr double kMostDenseBlocks = 2500;    ///< 450 MB

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
    work_ = lu_.factor_products();
    complete_ = work_ <= kLargestLu;
    if (!complete_) lu_.analyse(row_start, columns, BlockLu<3>::Fill::none);
    row_start_ = std::move(row_start);
    columns_ = std::move(columns);
    values_.resize(columns_.size());
    right_side_.resize(scaled.size());
    correction_.resize(scaled.size());
  }

  /// Block products of a complete factorisation.
  [[nodiscard]] double work() const { return work_; }

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
      const std::size_t a = row;
      const auto given = W_.values(static_cast<int>(row));
      for (int k = row_start_[a]; k < row_start_[a + 1]; ++k) {
        const std::size_t entry = k;
        const std::size_t m = k - row_start_[a];
        const std::size_t b = columns_[entry];
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
      if (open[a])
        o = alpha * i;
      else
        o = (D[a] * o + alpha * i).eval();
    });
  }

  ScaledProblem& scaled_;
  const ExplicitForm& W_;
  BlockLu<3> lu_;
  double work_ = 0.0;
  bool complete_ = true;
  Gmres gmres_;
  std::vector<int> row_start_, columns_;
  std::vector<Mat3> values_;
  std::vector<double> right_side_, correction_;
};

/// The same system in the space of bodies:
///   (I + Hs^T G Hs) z = -Hs^T s f,   G = (s^2 / alpha) D,   dx = -f - s^-1 G Hs z.
class BodySystem : public NewtonSystem {
 public:
  BodySystem(ScaledProblem& scaled, const BodyForm& W) : scaled_(scaled), W_(W) {
    const std::size_t n = W.dofs();
    right_side_.resize(n);
    z_.resize(n);
    contact_.resize(scaled.size());
    G_.resize(W.blocks());
    gmres_.resize(n, kKrylovSize);
  }

  bool solve(double alpha, std::span<const Mat3> D, std::span<const char> open, std::span<const double> f,
             std::span<double> dx) override {
    const auto& s = scaled_.scale();
    parallel_for(W_.blocks(), [&](std::ptrdiff_t a) {
      const std::size_t i = a;
      G_[i] = (s[i] * s[i] / alpha) * D[i];
    });
    if (!factor(open)) return false;
    scaled_.to_impulses(f, contact_);
    W_.scatter(contact_, right_side_);
    for (double& value : right_side_) value = -value;

    // The factors alone, then Krylov steps for what they miss.
    const auto apply = [&](std::span<const double> in, std::span<double> out) {
      W_.gather(in, contact_);
      multiply_G(contact_);
      W_.scatter(contact_, out);
      add_scaled(1.0, in, out);
      ++products_;
    };
    const auto precondition = [&](std::span<const double> in, std::span<double> out) { solve_factors(in, out); };
    solve_factors(right_side_, z_);
    if (!std::isfinite(norm(z_))) return false;
    gmres_.solve(apply, precondition, right_side_, z_, kRelativeAccuracy * norm(right_side_), 2 * kKrylovSize);

    W_.gather(z_, contact_);
    multiply_G(contact_);
    scaled_.from_impulses(contact_, contact_);
    parallel_for(static_cast<std::ptrdiff_t>(dx.size()), [&](std::ptrdiff_t k) {
      dx[k] = -f[k] - contact_[k];
    });
    return std::isfinite(norm(dx));
  }

 protected:
  /// Factor the matrix of G_, or one near it; false when it cannot be done.
  virtual bool factor(std::span<const char> open) = 0;
  virtual void solve_factors(std::span<const double> in, std::span<double> out) = 0;

  ScaledProblem& scaled_;
  const BodyForm& W_;
  std::vector<Mat3> G_;

 private:
  void multiply_G(std::span<double> u) const {
    parallel_for(W_.blocks(), [&](std::ptrdiff_t a) {
      Eigen::Map<Vec3> part(u.data() + 3 * a);
      part = (G_[a] * part).eval();
    });
  }

  Gmres gmres_;
  std::vector<double> right_side_, z_, contact_;
};

/// Any bodies: Cholesky factors of the symmetric part.
class CholeskySystem final : public BodySystem {
 public:
  CholeskySystem(ScaledProblem& scaled, const BodyForm& W) : BodySystem(scaled, W), symmetric_(G_.size()) { space_.analyse(W); }

 private:
  bool factor(std::span<const char> open) override {
    parallel_for(W_.blocks(), [&](std::ptrdiff_t a) {
      const std::size_t i = a;
      symmetric_[i] = definite_part(G_[i], open[i] != 0);
    });
    return space_.factor(symmetric_);
  }
  void solve_factors(std::span<const double> in, std::span<double> out) override { space_.solve(in, out); }

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

  BodySpace space_;
  std::vector<Mat3> symmetric_;
};

/// Rigid bodies: block LU of the matrix itself.
class RigidSystem final : public BodySystem {
 public:
  RigidSystem(ScaledProblem& scaled, const BodyForm& W) : BodySystem(scaled, W) {
    // Rows of bodies, their columns, and where each contact adds to them.
    std::vector<int> row_start{0}, columns, row;
    for (int b = 0; b < W.bodies(); ++b) {
      row.assign(1, b);
      for (int entry : W.incidence(b))
        for (int body : W.bodies_of(entry / 2))
          if (body >= 0) row.push_back(body);
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      const auto slot = [&](int body) {
        return body < 0 ? -1 : row_start.back() + static_cast<int>(std::lower_bound(row.begin(), row.end(), body) - row.begin());
      };
      diagonal_.push_back(slot(b));
      for (int entry : W.incidence(b)) slots_.push_back({slot(W.bodies_of(entry / 2)[0]), slot(W.bodies_of(entry / 2)[1])});
      columns.insert(columns.end(), row.begin(), row.end());
      row_start.push_back(static_cast<int>(columns.size()));
    }
    first_slot_.assign(1, 0);
    for (int b = 0; b < W.bodies(); ++b) first_slot_.push_back(first_slot_.back() + W.incidence(b).size());
    lu_.analyse(row_start, columns, BlockLu<6>::Fill::complete);
    row_start_ = std::move(row_start);
    values_.resize(columns.size());
    full_rows_.assign(W.bodies(), 0);
  }

  /// Block products of a factorisation.
  [[nodiscard]] double work() const { return lu_.factor_products(); }

 private:
  using Rows = Eigen::Map<const Eigen::Matrix<double, 3, 6, Eigen::RowMajor>>;

  bool factor(std::span<const char> open) override {
    parallel_for(W_.bodies(), [&](std::ptrdiff_t row) {
      const std::size_t b = row;
      for (int k = row_start_[b]; k < row_start_[b + 1]; ++k) values_[k].setZero();
      values_[diagonal_[b]].setIdentity();
      std::size_t next = first_slot_[b];
      for (int entry : W_.incidence(static_cast<int>(row))) {
        const auto& slot = slots_[next++];
        const int contact = entry / 2;
        if (open[contact]) continue;
        const Eigen::Matrix<double, 6, 3> left = Rows(W_.rows(contact, entry % 2).data()).transpose() * G_[contact];
        for (int side = 0; side < 2; ++side)
          if (slot[side] >= 0)
            values_[slot[side]].noalias() +=
                left * Rows(W_.rows(contact, side).data());
      }
    });
    return lu_.factor(values_, full_rows_);
  }
  void solve_factors(std::span<const double> in, std::span<double> out) override { lu_.solve(in, out); }

  BlockLu<6> lu_;
  std::vector<int> row_start_, diagonal_;
  std::vector<std::size_t> first_slot_;
  std::vector<std::array<int, 2>> slots_;
  std::vector<BlockLu<6>::Block> values_;
  std::vector<char> full_rows_;
};

}  // namespace

std::unique_ptr<NewtonSystem> BodyForm::make_newton_system(ScaledProblem& scaled) const {
  if (rigid()) {
    auto system = std::make_unique<RigidSystem>(scaled, *this);
    if (system->work() <= kLargestBodyLu) return system;
  }
  return std::make_unique<CholeskySystem>(scaled, *this);
}

std::unique_ptr<NewtonSystem> ExplicitForm::make_newton_system(ScaledProblem& scaled) const {
  // Dense kernels run twenty times as fast as blocks one by one.
  const double n = blocks();
  if (static_cast<double>(stored()) >= kDenseShare * n * n) return make_dense_system(scaled, *this);
  auto system = std::make_unique<ExplicitSystem>(scaled, *this);
  if (system->work() >= kDenseWork * n * n * n && n <= kMostDenseBlocks) return make_dense_system(scaled, *this);
  return system;
}

// Newton steps against sweeps, from measurements: packings of 300 to 30k contacts, explicit rows of 60 to 600.
double BodyForm::newton_cost() const { return std::max(15.0, 300.0 * std::pow(blocks() / 1600.0, 1.1)); }
double ExplicitForm::newton_cost() const { return std::max(10.0, 10.0 * std::pow(blocks() / 500.0, 0.8)); }

}  // namespace scree::solvers
