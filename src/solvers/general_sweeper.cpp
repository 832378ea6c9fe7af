#include "solvers/cone.hpp"
#include "solvers/row_product.hpp"
#include "solvers/sweeper.hpp"
#include "solvers/yardstick.hpp"

namespace scree::solvers {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Blocks in the given order, velocities of bodies (body form) or rows of W (explicit form).
class GeneralSweeper final : public Sweeper {
 public:
  explicit GeneralSweeper(const LocalIteration& how) : how_(how) {}

  bool begin(const ContactProblem& problem, std::span<const double> R) override;
  void set(std::span<const double> R) override;
  SweepSums sweep(const SweepRule& rule) override;
  void refresh() override;
  double squared_error() override;
  void get(std::span<double> R) const override { std::copy(R_.begin(), R_.end(), R.begin()); }

 private:
  [[nodiscard]] Vec3 velocity(int block) const;
  void push(int block, const Vec3& change);
  void extrapolate(double beta);

  LocalIteration how_;
  const ContactProblem* problem_ = nullptr;
  const BodyForm* bodies_ = nullptr;
  const ExplicitForm* rows_ = nullptr;
  std::vector<LocalBlock> local_;
  std::vector<double> R_, before_, y_, y_before_, multiplier_, U_;
  bool momentum_ready_ = false;
};

bool GeneralSweeper::begin(const ContactProblem& problem, std::span<const double> R) {
  problem_ = &problem;
  bodies_ = dynamic_cast<const BodyForm*>(problem.W.get());
  rows_ = dynamic_cast<const ExplicitForm*>(problem.W.get());
  local_.resize(at(problem.blocks()));
  for (int a = 0; a < problem.blocks(); ++a) local_[at(a)] = LocalBlock(problem.W->diagonal()[at(a)]);
  multiplier_.assign(at(problem.blocks()), 0.0);
  set(R);
  return true;
}

void GeneralSweeper::set(std::span<const double> R) {
  R_.assign(R.begin(), R.end());
  momentum_ready_ = false;
  refresh();
}

void GeneralSweeper::refresh() {
  if (!bodies_) return;
  y_.resize(at(bodies_->dofs()));
  bodies_->scatter(R_, y_);
  // The iterate before must be as exact, or momentum would multiply the difference by beta / (1 - beta).
  if (momentum_ready_) bodies_->scatter(before_, y_before_);
}

Vec3 GeneralSweeper::velocity(int block) const {
  Vec3 U = Eigen::Map<const Vec3>(problem_->B.data() + 3 * block);
  if (bodies_) {
    for (int side = 0; side < 2; ++side) {
      const int body = bodies_->bodies_of(block)[at(side)];
      if (body < 0) continue;
      U += body_row_product(bodies_->rows(block, side), y_.data() + bodies_->dof_start(body));
    }
  } else {
    return add_row_product(U, rows_->columns(block), rows_->values(block), R_.data());
  }
  return U;
}

void GeneralSweeper::push(int block, const Vec3& change) {
  if (!bodies_) return;
  for (int side = 0; side < 2; ++side) {
    const int body = bodies_->bodies_of(block)[at(side)];
    if (body < 0) continue;
    add_body_push(bodies_->rows(block, side), change, y_.data() + bodies_->dof_start(body));
  }
}

void GeneralSweeper::extrapolate(double beta) {
  const auto advance = [beta](std::vector<double>& now, std::vector<double>& old) {
    for (std::size_t k = 0; k < now.size(); ++k) {
      const double kept = now[k];
      now[k] += beta * (kept - old[k]);
      old[k] = kept;
    }
  };
  if (!momentum_ready_) {
    before_ = R_;
    y_before_ = y_;
    momentum_ready_ = true;
  }
  advance(R_, before_);
  advance(y_, y_before_);
}

SweepSums GeneralSweeper::sweep(const SweepRule& rule) {
  if (rule.momentum != 0.0 || momentum_ready_) extrapolate(rule.momentum);
  SweepSums sums;
  const int n = problem_->blocks();
  for (int k = 0; k < n; ++k) {
    const int a = rule.backward ? n - 1 - k : k;
    const BlockKind kind = problem_->kind[at(a)];
    const double mu = problem_->mu[at(a)];
    const LocalBlock& block = local_[at(a)];
    const Eigen::Map<Vec3> R(R_.data() + 3 * a);
    const Vec3 old = R;
    Vec3 next = old;
    const Vec3 q = velocity(a) - block.W * old;
    const LocalOutcome outcome = solve_local(how_, block, kind, mu, q, next, multiplier_[at(a)]);
    sums.diverged += outcome == LocalOutcome::diverged;
    sums.failed += outcome == LocalOutcome::failed;
    if (rule.relaxation != 1.0) next = project_on_block(old + rule.relaxation * (next - old), kind, mu);
    const Vec3 change = next - old;
    const double weight = 1.0 / block.rho;
    sums.size += weight * next.squaredNorm();
    if (change.isZero(0.0)) continue;
    Eigen::Map<Vec3>(R_.data() + 3 * a) = next;
    push(a, change);
    sums.change += weight * change.squaredNorm();
    if (momentum_ready_) sums.uphill -= weight * change.dot(next - Eigen::Map<const Vec3>(before_.data() + 3 * a));
  }
  return sums;
}

double GeneralSweeper::squared_error() {
  double sum = 0.0;
  for (int a = 0; a < problem_->blocks(); ++a) {
    const BlockKind kind = problem_->kind[at(a)];
    const double mu = problem_->mu[at(a)], rho = local_[at(a)].rho;
    const Vec3 R = Eigen::Map<const Vec3>(R_.data() + 3 * a);
    Vec3 U = velocity(a);
    if (kind == BlockKind::contact) U.x() += mu * std::hypot(U.y(), U.z());
    sum += (R - project_on_block(R - rho * U, kind, mu)).squaredNorm() / rho;
  }
  return sum;
}

}  // namespace

std::unique_ptr<Sweeper> make_general_sweeper(const LocalIteration& how) { return std::make_unique<GeneralSweeper>(how); }

}  // namespace scree::solvers
