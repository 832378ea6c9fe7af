#include "solvers/dense_system.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/abandon.hpp"
#include "core/blas.hpp"
#include "core/threads.hpp"

namespace scree::solvers {

namespace {

constexpr int kManyRows = 1000;  ///< factoring so many takes longer than a user waits for an answer to Ctrl-C

class DenseSystem final : public NewtonSystem {
 public:
  DenseSystem(ScaledProblem& scaled, const ExplicitForm& W) : scaled_(scaled), W_(W), place_(scaled.size()), product_(scaled.size()) {}

  bool solve(double alpha, std::span<const Mat3> D, std::span<const char> open, std::span<const double> f, std::span<double> dx) override {
    choose_rows(D, open);
    // The others are known: dx = -f. What they cause goes to the right-hand side.
    for (std::size_t k = 0; k < f.size(); ++k) dx[k] = place_[k] < 0 ? -f[k] : 0.0;
    if (active_ == 0) return true;
    scaled_.apply(dx, product_);
    ++products_;
    fill(alpha, D);
    right_side_.resize(active_);
    for (std::size_t k = 0; k < f.size(); ++k)
      if (place_[k] >= 0) right_side_[place_[k]] = -alpha * f[k] - D[k / 3].row(static_cast<Eigen::Index>(k % 3)).dot(Eigen::Map<const Vec3>(product_.data() + 3 * (k / 3)));
    if (!factor_and_solve()) return false;
    for (std::size_t k = 0; k < f.size(); ++k)
      if (place_[k] >= 0) dx[k] = right_side_[place_[k]];
    return true;
  }

 private:
  /// Number the rows with a derivative.
  void choose_rows(std::span<const Mat3> D, std::span<const char> open) {
    active_ = 0;
    for (std::size_t k = 0; k < place_.size(); ++k) {
      const bool zero = open[k / 3] || D[k / 3].row(static_cast<Eigen::Index>(k % 3)).isZero(0.0);
      place_[k] = zero ? -1 : active_++;
    }
  }

  /// Row after row of  alpha I + D s W s  among the active ones.
  void fill(double alpha, std::span<const Mat3> D) {
    const std::size_t n = active_;
    matrix_.assign(n * n, 0.0);
    const auto& s = scaled_.scale();
    parallel_for(W_.blocks(), [&](std::ptrdiff_t row) {
      const std::size_t a = row;
      const int* mine = place_.data() + 3 * a;
      if (mine[0] < 0 && mine[1] < 0 && mine[2] < 0) return;
      const auto columns = W_.columns(static_cast<int>(row));
      const auto values = W_.values(static_cast<int>(row));
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const std::size_t b = columns[k];
        const int* other = place_.data() + 3 * b;
        if (other[0] < 0 && other[1] < 0 && other[2] < 0) continue;
        const Mat3 block = D[a] * ((s[a] * s[b]) * values[k]);
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            if (mine[i] >= 0 && other[j] >= 0) matrix_[static_cast<std::size_t>(mine[i]) * n + static_cast<std::size_t>(other[j])] = block(i, j);
      }
      for (int i = 0; i < 3; ++i)
        if (mine[i] >= 0) matrix_[static_cast<std::size_t>(mine[i]) * (n + 1)] += alpha;
    }, 64);
  }

  bool factor_and_solve() {
    const int one = 1;
    int info = 0;
    pivots_.resize(active_);
    if (active_ < kManyRows) info = factor(active_, matrix_, pivots_);
    else factor_abandonable(info);
    if (info != 0) return false;
    const OneBlasThread guard;
    dgetrs_("T", &active_, &one, matrix_.data(), &active_, pivots_.data(), right_side_.data(), &active_, &info);
    return std::ranges::all_of(right_side_, [](double v) { return std::isfinite(v); });
  }

  /// LU with pivots; rows lie as columns of the transposed matrix. Returns LAPACK's answer.
  static int factor(int n, std::vector<double>& matrix, std::vector<int>& pivots) {
    const OneBlasThread guard;
    int info = 0;
    dgetrf_(&n, &n, matrix.data(), &n, pivots.data(), &info);
    return info;
  }
  /// The same so that a request to stop is answered: the numbers belong to the factorisation as long as it runs.
  void factor_abandonable(int& info) {
    struct Numbers {
      std::vector<double> matrix;
      std::vector<int> pivots;
      int info = 0;
    };
    const auto mine = std::make_shared<Numbers>(Numbers{std::move(matrix_), std::move(pivots_)});
    run_abandonable([mine, n = active_] { mine->info = factor(n, mine->matrix, mine->pivots); });
    matrix_ = std::move(mine->matrix);
    pivots_ = std::move(mine->pivots);
    info = mine->info;
  }

  ScaledProblem& scaled_;
  const ExplicitForm& W_;
  std::vector<int> place_;   ///< of each row among the active ones, -1 when it is not
  int active_ = 0;
  std::vector<double> matrix_, right_side_, product_;
  std::vector<int> pivots_;
};

}  // namespace

std::unique_ptr<NewtonSystem> make_dense_system(ScaledProblem& scaled, const ExplicitForm& W) { return std::make_unique<DenseSystem>(scaled, W); }

}  // namespace scree::solvers
