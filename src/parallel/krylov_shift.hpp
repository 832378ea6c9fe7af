/// (S W S + sigma I)^-1 without factors: conjugate gradients from the last answer, preconditioned by the blocks of the diagonal. The linear solve
/// of splitting methods where W is divided among ranks.
#pragma once

#include <vector>

#include "solvers/conjugate_gradient.hpp"
#include "solvers/operator.hpp"
#include "solvers/shifted_factor.hpp"

namespace scree::parallel {

class KrylovShift final : public solvers::ShiftedFactor {
 public:
  /// `W` must outlive the solves.
  KrylovShift(const solvers::Operator& W, std::span<const double> scale);

  bool factor(double sigma) override;
  void solve(std::span<const double> b, std::span<double> x) override;

 private:
  void multiply(std::span<const double> in, std::span<double> out);

  const solvers::Operator& W_;
  std::vector<double> scale_;
  double sigma_ = 0.0;
  std::vector<Mat3> inverse_;           ///< of the blocks of the diagonal
  std::vector<double> last_, rest_, scratch_;
  solvers::ConjugateGradient gradients_;
};

}  // namespace scree::parallel
