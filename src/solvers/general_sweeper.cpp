#include "solvers/law.hpp"
#include "solvers/row_product.hpp"
#include "solvers/sweeper.hpp"
#include "solvers/yardstick.hpp"

namespace scree::solvers {

namespace {

/// Velocities of bodies kept along: a change of a block reaches its two bodies at once.
class BodyRows {
 public:
  explicit BodyRows(const BodyForm& form) : form_(form) {}

  void refresh(std::span<const double> R) {
    y_.resize(form_.dofs());
    form_.scatter(R, y_);
  }
  [[nodiscard]] Vec3 velocity(int block, Vec3 U, const double*) const {
    for (int side = 0; side < 2; ++side)
      if (const int body = form_.bodies_of(block)[side]; body >= 0)
        U += body_row_product(form_.rows(block, side), y_.data() + form_.dof_start(body));
    return U;
  }
  void push(int block, const Vec3& change) {
    for (int side = 0; side < 2; ++side)
      if (const int body = form_.bodies_of(block)[side]; body >= 0)
        add_body_push(form_.rows(block, side), change, y_.data() + form_.dof_start(body));
  }
  [[nodiscard]] std::vector<double>& kept() { return y_; }

 private:
  const BodyForm& form_;
  std::vector<double> y_;
};

/// Rows of W itself: nothing is kept along.
class StoredRows {
 public:
  explicit StoredRows(const ExplicitForm& form) : form_(form) {}

  void refresh(std::span<const double>) {}
  [[nodiscard]] Vec3 velocity(int block, const Vec3& U, const double* R) const {
    return add_row_product(U, form_.columns(block), form_.values(block), R);
  }
  void push(int, const Vec3&) {}
  [[nodiscard]] std::vector<double>& kept() { return none_; }

 private:
  const ExplicitForm& form_;
  std::vector<double> none_;
};

/// Blocks in the given order.
template <class Rows>
class GeneralSweeper final : public Sweeper {
 public:
  template <class Form>
  GeneralSweeper(const Form& form, const LocalIteration& how) : how_(how), rows_(form) {}

  bool begin(const ContactProblem& problem, std::span<const double> R) override;
  void set(std::span<const double> R) override;
  SweepSums sweep(const SweepRule& rule) override;
  void refresh() override;
  double squared_residual() override;
  void get(std::span<double> R) const override { std::copy(R_.begin(), R_.end(), R.begin()); }

 private:
  [[nodiscard]] Vec3 velocity(int block) const {
    return rows_.velocity(block, Eigen::Map<const Vec3>(problem_->B.data() + 3 * block), R_.data());
  }
  void extrapolate(double beta);

  LocalIteration how_;
  const ContactProblem* problem_ = nullptr;
  Rows rows_;
  std::vector<LocalBlock> local_;
  std::vector<double> R_, before_, kept_before_, multiplier_, weight_;
  bool momentum_ready_ = false;
};

template <class Rows>
bool GeneralSweeper<Rows>::begin(const ContactProblem& problem, std::span<const double> R) {
  problem_ = &problem;
  local_.resize(problem.blocks());
  for (int a = 0; a < problem.blocks(); ++a) local_[a] = LocalBlock(problem.W->diagonal()[a]);
  multiplier_.assign(problem.blocks(), 0.0);
  weight_ = residual_weights(problem);
  set(R);
  return true;
}

template <class Rows>
void GeneralSweeper<Rows>::set(std::span<const double> R) {
  R_.assign(R.begin(), R.end());
  momentum_ready_ = false;
  refresh();
}

template <class Rows>
void GeneralSweeper<Rows>::refresh() {
  if (momentum_ready_) {
    // The iterate before must be as exact, or momentum would multiply the difference by beta / (1 - beta).
    rows_.refresh(before_);
    kept_before_ = rows_.kept();
  }
  rows_.refresh(R_);
}

template <class Rows>
void GeneralSweeper<Rows>::extrapolate(double beta) {
  const auto advance = [beta](std::vector<double>& now, std::vector<double>& old) {
    for (std::size_t k = 0; k < now.size(); ++k) {
      const double kept = now[k];
      now[k] += beta * (kept - old[k]);
      old[k] = kept;
    }
  };
  if (!momentum_ready_) {
    before_ = R_;
    kept_before_ = rows_.kept();
    momentum_ready_ = true;
  }
  advance(R_, before_);
  advance(rows_.kept(), kept_before_);
}

template <class Rows>
SweepSums GeneralSweeper<Rows>::sweep(const SweepRule& rule) {
  if (rule.momentum != 0.0 || momentum_ready_) extrapolate(rule.momentum);
  SweepSums sums;
  const int n = problem_->blocks();
  for (int k = 0; k < n; ++k) {
    const int a = rule.backward ? n - 1 - k : k;
    const auto kind = problem_->kind[a];
    const double mu = problem_->mu[a];
    const LocalBlock& block = local_[a];
    const Eigen::Map<Vec3> R(R_.data() + 3 * a);
    const Vec3 old = R;
    Vec3 next = old;
    const Vec3 q = velocity(a) - block.W * old;
    const LocalOutcome outcome = solve_local(how_, block, kind, mu, q, next, multiplier_[a]);
    sums.diverged += outcome == LocalOutcome::diverged;
    sums.failed += outcome == LocalOutcome::failed;
    if (rule.relaxation != 1.0) next = project_on_block(old + rule.relaxation * (next - old), kind, mu);
    const Vec3 change = next - old;
    const double weight = 1.0 / block.rho;
    sums.size += weight * next.squaredNorm();
    if (change.isZero(0.0)) continue;
    Eigen::Map<Vec3>(R_.data() + 3 * a) = next;
    rows_.push(a, change);
    sums.change += weight * change.squaredNorm();
    if (momentum_ready_) sums.uphill -= weight * change.dot(next - Eigen::Map<const Vec3>(before_.data() + 3 * a));
  }
  return sums;
}

template <class Rows>
double GeneralSweeper<Rows>::squared_residual() {
  double sum = 0.0;
  for (int a = 0; a < problem_->blocks(); ++a) {
    const Vec3 R = Eigen::Map<const Vec3>(R_.data() + 3 * a);
    sum += weight_[a] * squared_error(R, velocity(a), local_[a].rho, problem_->kind[a], problem_->mu[a]);
  }
  return sum;
}

}  // namespace

std::unique_ptr<Sweeper> BodyForm::make_sweeper(const LocalIteration& how) const { return std::make_unique<GeneralSweeper<BodyRows>>(*this, how); }
std::unique_ptr<Sweeper> ExplicitForm::make_sweeper(const LocalIteration& how) const {
  return std::make_unique<GeneralSweeper<StoredRows>>(*this, how);
}

Sweeper& begin_sweeps(const ContactProblem& problem, const LocalIteration& how, std::span<const double> R, SweeperMemory& memory) {
  if (how.solver == DiagonalSolver::exact && problem.W->rigid_rows()) {
    if (!memory.packed) memory.packed = make_packed_sweeper();
    if (memory.packed->begin(problem, R)) return *memory.packed;
  }
  memory.general = problem.W->make_sweeper(how);
  memory.general->begin(problem, R);
  return *memory.general;
}

}  // namespace scree::solvers
