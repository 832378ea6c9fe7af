#include "solvers/shifted_factor.hpp"

#include <algorithm>
#include <vector>

#include "core/threads.hpp"
#include "solvers/block_lu.hpp"
#include "solvers/body_space.hpp"

namespace scree::solvers {

namespace {

/// Factors in the space of bodies.
class BodyShifted final : public ShiftedFactor {
 public:
  BodyShifted(const BodyForm& form, std::span<const double> scale)
      : form_(form), scale_(scale.begin(), scale.end()), G_(scale.size()), y_(form.dofs()), work_(3 * scale.size()) {
    space_.analyse(form);
  }

  bool factor(double sigma) override {
    sigma_ = sigma;
    for (std::size_t a = 0; a < G_.size(); ++a) G_[a] = Mat3::Identity() * (scale_[a] * scale_[a] / sigma);
    return space_.factor(G_);
  }

  void solve(std::span<const double> b, std::span<double> x) override {
    over_blocks([&](std::size_t a) { part(work_, a) = scale_[a] * part(b, a); });
    form_.scatter(work_, y_);
    space_.solve(y_, y_);
    form_.gather(y_, work_);
    over_blocks([&](std::size_t a) { part(x, a) = (part(b, a) - scale_[a] * part(work_, a) / sigma_) / sigma_; });
  }

 private:
  static Eigen::Map<Vec3> part(std::span<double> v, std::size_t a) { return Eigen::Map<Vec3>(v.data() + 3 * a); }
  static Eigen::Map<const Vec3> part(std::span<const double> v, std::size_t a) { return Eigen::Map<const Vec3>(v.data() + 3 * a); }
  static Eigen::Map<Vec3> part(std::vector<double>& v, std::size_t a) { return Eigen::Map<Vec3>(v.data() + 3 * a); }
  template <class Body>
  void over_blocks(Body&& body) const {
    parallel_for(form_.blocks(), [&](std::ptrdiff_t a) { body(static_cast<std::size_t>(a)); });
  }

  const BodyForm& form_;
  std::vector<double> scale_;
  BodySpace space_;
  std::vector<Mat3> G_;
  std::vector<double> y_, work_;
  double sigma_ = 1.0;
};

/// Block LU of the scaled matrix.
class StoredShifted final : public ShiftedFactor {
 public:
  StoredShifted(const ExplicitForm& form, std::span<const double> s) : plain_(s.size(), 0) {
    std::vector<int> row_start{0}, columns;
    const auto push = [&](int column, const Mat3& block) {
      columns.push_back(column);
      matrix_.push_back(block);
    };
    for (int a = 0; a < form.blocks(); ++a) {
      // A diagonal block that is not stored is zero, but the factors need its place.
      const auto stored = form.columns(a);
      const std::size_t place = std::lower_bound(stored.begin(), stored.end(), a) - stored.begin();
      for (std::size_t k = 0; k <= stored.size(); ++k) {
        if (k == place) diagonal_.push_back(matrix_.size());
        if (k == place && (k == stored.size() || stored[k] != a)) push(a, Mat3::Zero());
        if (k < stored.size()) push(stored[k], s[a] * s[stored[k]] * form.values(a)[k]);
      }
      row_start.push_back(static_cast<int>(columns.size()));
    }
    lu_.analyse(row_start, columns, BlockLu<3>::Fill::complete);
  }

  bool factor(double sigma) override {
    values_ = matrix_;
    for (std::size_t k : diagonal_) values_[k].diagonal().array() += sigma;
    return lu_.factor(values_, plain_);
  }

  void solve(std::span<const double> b, std::span<double> x) override { lu_.solve(b, x); }

 private:
  BlockLu<3> lu_;
  std::vector<Mat3> matrix_, values_;
  std::vector<std::size_t> diagonal_;
  std::vector<char> plain_;
};

}  // namespace

std::unique_ptr<ShiftedFactor> BodyForm::make_shifted_factor(std::span<const double> scale) const {
  return std::make_unique<BodyShifted>(*this, scale);
}
std::unique_ptr<ShiftedFactor> ExplicitForm::make_shifted_factor(std::span<const double> scale) const {
  return std::make_unique<StoredShifted>(*this, scale);
}

}  // namespace scree::solvers
