#include <algorithm>

#include "solvers/law.hpp"
#include "solvers/packed_groups.hpp"
#include "solvers/row_product.hpp"
#include "solvers/sweeper.hpp"
#include "solvers/yardstick.hpp"

namespace scree::solvers {

namespace {

/// Change of a sweep, of what R has moved since the last refresh, below which rows that drift are refreshed: what they lose,
/// 2^-24 of the move, is then less than a thousandth of the change.
constexpr double kLeastChange = 1e-4;

/// Velocities of bodies kept along: a change of a block reaches its two bodies at once.
class BodyRows {
 public:
  static constexpr bool kDrifts = false;   ///< kept values are as exact as double precision lets them be

  explicit BodyRows(const BodyForm& form) : form_(form) {}

  void refresh(std::span<const double> R, std::span<const double> B) {
    B_ = B;
    kept_of(R, y_);
  }
  void kept_of(std::span<const double> R, std::vector<double>& kept) const {
    kept.resize(form_.dofs());
    form_.scatter(R, kept);
  }
  [[nodiscard]] Vec3 velocity(int block) const {
    Vec3 U = Eigen::Map<const Vec3>(B_.data() + 3 * block);
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
  std::span<const double> B_;
  std::vector<double> y_;
};

/// Rows of W itself, applied in single precision to what R has moved from a reference whose velocities are exact:
/// U = (W R' + B) + W (R - R'). What rounding leaves of a move is taken back by the next reference.
class StoredRows {
 public:
  static constexpr bool kDrifts = true;

  explicit StoredRows(const ExplicitForm& form) : form_(form), kernel_(packed::kernel()) {
    for (int a = 0; a < form.blocks(); ++a) add_row(form.columns(a), form.values(a));
  }

  void refresh(std::span<const double> R, std::span<const double> B) {
    reference_.assign(R.begin(), R.end());
    velocity_.resize(R.size());
    form_.apply(R, velocity_);
    for (std::size_t k = 0; k < R.size(); ++k) velocity_[k] += B[k];
    moved_.assign(R.size() + packed::kLanes, 0.0);
  }
  void kept_of(std::span<const double> R, std::vector<double>& kept) const {
    kept.assign(moved_.size(), 0.0);
    for (std::size_t k = 0; k < R.size(); ++k) kept[k] = R[k] - reference_[k];
  }
  [[nodiscard]] Vec3 velocity(int block) const {
    Vec3 U = Eigen::Map<const Vec3>(velocity_.data() + 3 * block);
    kernel_.add_runs(runs_.data() + run_start_[block], runs_.data() + run_start_[block + 1], values_.data() + value_start_[block], moved_.data(), U.data());
    return U;
  }
  void push(int block, const Vec3& change) { Eigen::Map<Vec3>(moved_.data() + 3 * block) += change; }
  [[nodiscard]] std::vector<double>& kept() { return moved_; }

 private:
  void add_row(std::span<const int> columns, std::span<const RowMat3> values) {
    for (std::size_t first = 0, last = 0; first < columns.size(); first = last) {
      while (last < columns.size() && columns[last] == columns[first] + static_cast<int>(last - first)) ++last;
      const std::size_t numbers = 3 * (last - first), quads = (numbers + packed::kLanes - 1) / packed::kLanes, from = values_.size();
      runs_.push_back({3 * columns[first], static_cast<std::int32_t>(quads)});
      values_.resize(from + 3 * packed::kLanes * quads, 0.0f);
      for (std::size_t k = 0; k < numbers; ++k)
        for (std::size_t row = 0; row < 3; ++row)
          values_[from + packed::kLanes * (3 * (k / packed::kLanes) + row) + k % packed::kLanes] = static_cast<float>(values[first + k / 3].data()[3 * row + k % 3]);
    }
    run_start_.push_back(runs_.size());
    value_start_.push_back(values_.size());
  }

  const ExplicitForm& form_;
  const packed::Kernel& kernel_;
  std::vector<packed::RowRun> runs_;
  std::vector<std::size_t> run_start_{0}, value_start_{0};
  std::vector<float> values_;
  std::vector<double> reference_, velocity_, moved_;
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
  void extrapolate(double beta);
  [[nodiscard]] double squared_move();

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
  rows_.refresh(R_, problem_->B);
  // The iterate before must be as exact, or momentum would multiply the difference by beta / (1 - beta).
  if (momentum_ready_) rows_.kept_of(before_, kept_before_);
}

/// How far R is from the last refresh, in the norm of a sweep's sums.
template <class Rows>
double GeneralSweeper<Rows>::squared_move() {
  double sum = 0.0;
  for (int a = 0; a < problem_->blocks(); ++a) sum += Eigen::Map<const Vec3>(rows_.kept().data() + 3 * a).squaredNorm() / local_[a].rho;
  return sum;
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
    const Vec3 q = rows_.velocity(a) - block.W * old;
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
  if constexpr (Rows::kDrifts)
    if (sums.change < kLeastChange * kLeastChange * squared_move()) refresh();
  return sums;
}

template <class Rows>
double GeneralSweeper<Rows>::squared_residual() {
  double sum = 0.0;
  for (int a = 0; a < problem_->blocks(); ++a) {
    const Vec3 R = Eigen::Map<const Vec3>(R_.data() + 3 * a);
    sum += weight_[a] * squared_error(R, rows_.velocity(a), local_[a].rho, problem_->kind[a], problem_->mu[a]);
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
