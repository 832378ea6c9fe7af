#include "solvers/interior_point_system.hpp"

#include <algorithm>
#include <vector>

#include "core/dense.hpp"
#include "core/threads.hpp"
#include "solvers/block_lu.hpp"
#include "solvers/body_network.hpp"
#include "solvers/body_space.hpp"
#include "solvers/conjugate_gradient.hpp"
#include "solvers/gmres.hpp"

namespace scree::solvers {

namespace {

constexpr int kRestart = 50;
constexpr int kRefinements = 5;
constexpr double kSymmetric = 1e-10;  ///< asymmetry of W up to which conjugate gradients are used

/// out = (W + S) in on free components, 0 elsewhere.
void multiply(ScaledProblem& scaled, std::span<const BarrierBlock> blocks, std::span<const double> in, std::span<double> out) {
  scaled.apply(in, out);
  parallel_for(scaled.blocks(), [&](std::ptrdiff_t a) {
    const BarrierBlock& block = blocks[a];
    Eigen::Map<Vec3> o(out.data() + 3 * a);
    o += block.multiply(Eigen::Map<const Vec3>(in.data() + 3 * a));
    for (int k = block.free; k < 3; ++k) o(k) = 0.0;
  });
}

/// Krylov steps on  L^-1 (W + S) L^-T  with L L^T the diagonal blocks: split, so that residuals are measured in
/// energy and contacts near the boundary of their cone do not drown the others.
class KrylovSystem final : public InteriorPointSystem {
 public:
  KrylovSystem(ScaledProblem& scaled, int max_iterations) : scaled_(scaled), max_iterations_(max_iterations) {
    symmetric_ = scaled.problem().W->asymmetry() <= kSymmetric;
    if (symmetric_)
      cg_.resize(scaled.size());
    else
      gmres_.resize(scaled.size(), kRestart);
    inverse_.resize(scaled.blocks());
    right_side_.resize(scaled.size());
    inner_.resize(scaled.size());
  }

  bool prepare(std::span<const BarrierBlock> blocks, double) override {
    blocks_ = blocks;
    parallel_for(scaled_.blocks(), [&](std::ptrdiff_t a) {
      const std::size_t i = a;
      const double s = scaled_.scale()[i];
      const Mat3& W = scaled_.problem().W->diagonal()[i];
      inverse_[i].setZero();
      if (blocks[i].free == 3) {
        const std::optional<Mat3> inverse = inverse_cholesky(0.5 * s * s * (W + W.transpose()) + blocks[i].matrix());
        if (inverse) inverse_[i] = *inverse;
        else inverse_[i] = blocks[i].matrix().diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse().asDiagonal();
      } else {
        inverse_[i](0, 0) = 1.0 / std::sqrt(s * s * W(0, 0) + blocks[i].d(0));
      }
    });
    return true;
  }

  void solve(std::span<const double> r, double accuracy, std::span<double> d) override {
    const auto apply = [&](std::span<const double> in, std::span<double> out) {
      times_inverse(in, inner_, true);
      multiply(scaled_, blocks_, inner_, out);
      times_inverse(out, out, false);
      ++products_;
    };
    const auto none = [](std::span<const double> in, std::span<double> out) { std::copy(in.begin(), in.end(), out.begin()); };
    times_inverse(r, right_side_, false);
    std::fill(d.begin(), d.end(), 0.0);
    const double tolerance = accuracy * norm(right_side_);
    if (symmetric_)
      cg_.solve(apply, none, right_side_, d, tolerance, max_iterations_);
    else
      gmres_.solve(apply, none, right_side_, d, tolerance, max_iterations_);
    times_inverse(d, d, true);
  }

 private:
  /// out = L^-1 in, or L^-T in.
  void times_inverse(std::span<const double> in, std::span<double> out, bool transposed) const {
    parallel_for(scaled_.blocks(), [&](std::ptrdiff_t a) {
      const Mat3& L = inverse_[a];
      const Vec3 v = Eigen::Map<const Vec3>(in.data() + 3 * a);
      Eigen::Map<Vec3>(out.data() + 3 * a) = transposed ? Vec3(L.transpose() * v) : Vec3(L * v);
    });
  }

  ScaledProblem& scaled_;
  int max_iterations_;
  bool symmetric_ = true;
  ConjugateGradient cg_;
  Gmres gmres_;
  std::span<const BarrierBlock> blocks_;
  std::vector<Mat3> inverse_;
  std::vector<double> right_side_, inner_;
};

/// Conjugate gradients in the space of bodies,  (I + Hs^T S^-1 Hs) z = Hs^T S^-1 r,  d = S^-1 (r - Hs z)  (theory eq. 4.15).
/// Where contacts outnumber what bodies can resist, W + S is all but singular along most impulses as S falls; here those are gone, and
/// what remains is an elastic network.
class BodyKrylovSystem final : public InteriorPointSystem {
 public:
  BodyKrylovSystem(ScaledProblem& scaled, const BodyForm& W, int max_iterations)
      : network_(scaled, W), max_iterations_(max_iterations), G_(scaled.blocks()), contact_(scaled.size()), right_side_(W.dofs()), z_(W.dofs()) {}

  bool prepare(std::span<const BarrierBlock> blocks, double size) override {
    size_ = size;
    for (std::size_t a = 0; a < G_.size(); ++a) G_[a] = blocks[a].inverse;
    network_.set(G_);
    return true;
  }

  [[nodiscard]] bool in_body_space() const override { return true; }

  void solve(std::span<const double> r, double accuracy, std::span<double> d) override {
    std::copy(r.begin(), r.end(), contact_.begin());
    network_.weigh(contact_);
    network_.to_bodies(contact_, right_side_);
    // What the residual leaves of the contacts' equations must be small against the velocities there: in the norm of S^-1.
    const long before = network_.products();
    network_.solve_for_contacts(right_side_, accuracy * size_, max_iterations_, z_);
    products_ += network_.products() - before;
    network_.to_contacts(z_, contact_);
    combine(r, -1.0, contact_, d);
    network_.weigh(d);
  }

 private:
  BodyNetwork network_;
  int max_iterations_;
  double size_ = 0.0;
  std::vector<Mat3> G_;   ///< S^-1
  std::vector<double> contact_, right_side_, z_;
};

/// Direct factors with iterative refinement.
class DirectSystem : public InteriorPointSystem {
 public:
  explicit DirectSystem(ScaledProblem& scaled) : scaled_(scaled), residual_(scaled.size()), correction_(scaled.size()) {}

  void solve(std::span<const double> r, double accuracy, std::span<double> d) override {
    solve_factors(r, d);
    const double target = accuracy * norm(r);
    double last = kInfinity;
    for (int k = 0; k < kRefinements; ++k) {
      multiply(scaled_, blocks_, d, residual_);
      ++products_;
      combine(r, -1.0, residual_, residual_);
      const double error = norm(residual_);
      if (!(error > target) || error > 0.5 * last) break;
      last = error;
      solve_factors(residual_, correction_);
      add_scaled(1.0, correction_, d);
    }
  }

 protected:
  virtual void solve_factors(std::span<const double> r, std::span<double> d) = 0;

  ScaledProblem& scaled_;
  std::span<const BarrierBlock> blocks_;

 private:
  std::vector<double> residual_, correction_;
};

/// d = S^-1 (r - Hs z),  (I + Hs^T S^-1 Hs) z = Hs^T S^-1 r   (rows scaled).
class BodySpaceSystem final : public DirectSystem {
 public:
  BodySpaceSystem(ScaledProblem& scaled, const BodyForm& W) : DirectSystem(scaled), W_(W) {
    space_.analyse(W);
    G_.resize(W.blocks());
    contact_.resize(scaled.size());
    body_.resize(W.dofs());
  }

  bool prepare(std::span<const BarrierBlock> blocks, double) override {
    blocks_ = blocks;
    parallel_for(W_.blocks(), [&](std::ptrdiff_t a) {
      const std::size_t i = a;
      const double s = scaled_.scale()[i];
      G_[i] = s * s * blocks[i].inverse;
    });
    return space_.factor(G_);
  }

 private:
  void multiply_inverse(std::span<double> u) const {
    parallel_for(W_.blocks(), [&](std::ptrdiff_t a) {
      Eigen::Map<Vec3> part(u.data() + 3 * a);
      part = (blocks_[a].inverse * part).eval();
    });
  }
  void solve_factors(std::span<const double> r, std::span<double> d) override {
    std::copy(r.begin(), r.end(), contact_.begin());
    multiply_inverse(contact_);
    scaled_.to_impulses(contact_, contact_);
    W_.scatter(contact_, body_);
    space_.solve(body_, body_);
    W_.gather(body_, contact_);
    scaled_.from_velocities(contact_, contact_);
    combine(r, -1.0, contact_, d);
    multiply_inverse(d);
  }

  const BodyForm& W_;
  BodySpace space_;
  std::vector<Mat3> G_;
  std::vector<double> contact_, body_;
};

/// Block LU of the explicit matrix, masked rows replaced by the identity.
class ExplicitDirectSystem final : public DirectSystem {
 public:
  ExplicitDirectSystem(ScaledProblem& scaled, const ExplicitForm& W) : DirectSystem(scaled), W_(W) {
    std::vector<int> columns;
    row_start_.assign(1, 0);
    for (int a = 0; a < W.blocks(); ++a) {
      columns.insert(columns.end(), W.columns(a).begin(), W.columns(a).end());
      if (!std::binary_search(W.columns(a).begin(), W.columns(a).end(), a)) columns.push_back(a);
      row_start_.push_back(static_cast<int>(columns.size()));
    }
    lu_.analyse(row_start_, columns, BlockLu<3>::Fill::complete);
    columns_ = std::move(columns);
    values_.resize(columns_.size());
    full_rows_.assign(W.blocks(), 0);
  }

  bool prepare(std::span<const BarrierBlock> blocks, double) override {
    blocks_ = blocks;
    const auto& s = scaled_.scale();
    parallel_for(W_.blocks(), [&](std::ptrdiff_t row) {
      const std::size_t a = row;
      const auto given = W_.values(static_cast<int>(row));
      for (int k = row_start_[a]; k < row_start_[a + 1]; ++k) {
        const std::size_t entry = k, m = k - row_start_[a];
        const std::size_t b = columns_[entry];
        Mat3& value = values_[entry];
        value.setZero();
        if (m < given.size()) value = s[a] * s[b] * given[m];
        if (b == a) value += blocks[a].matrix();
        for (int c = blocks[a].free; c < 3; ++c) value.row(c).setZero();
        for (int c = blocks[b].free; c < 3; ++c) value.col(c).setZero();
        if (b == a)
          for (int c = blocks[a].free; c < 3; ++c) value(c, c) = 1.0;
      }
    });
    return lu_.factor(values_, full_rows_);
  }

 private:
  void solve_factors(std::span<const double> r, std::span<double> d) override { lu_.solve(r, d); }

  const ExplicitForm& W_;
  BlockLu<3> lu_;
  std::vector<int> row_start_, columns_;
  std::vector<Mat3> values_;
  std::vector<char> full_rows_;
};

/// Contacts alone between small bodies that have fewer degrees of freedom than the contacts have unknowns.
bool overdetermined(const BodyForm& W, const ContactProblem& problem) { return 3 * W.blocks() > W.dofs() && BodyNetwork::suits(W, problem); }

}  // namespace

std::unique_ptr<InteriorPointSystem> BodyForm::make_direct_barrier(ScaledProblem& scaled) const { return std::make_unique<BodySpaceSystem>(scaled, *this); }
std::unique_ptr<InteriorPointSystem> ExplicitForm::make_direct_barrier(ScaledProblem& scaled) const {
  return std::make_unique<ExplicitDirectSystem>(scaled, *this);
}

std::unique_ptr<InteriorPointSystem> BodyForm::make_krylov_barrier(ScaledProblem& scaled, int max_iterations) const {
  if (overdetermined(*this, scaled.problem())) return std::make_unique<BodyKrylovSystem>(scaled, *this, max_iterations);
  return std::make_unique<KrylovSystem>(scaled, max_iterations);
}
std::unique_ptr<InteriorPointSystem> ExplicitForm::make_krylov_barrier(ScaledProblem& scaled, int max_iterations) const {
  return std::make_unique<KrylovSystem>(scaled, max_iterations);
}

}  // namespace scree::solvers
