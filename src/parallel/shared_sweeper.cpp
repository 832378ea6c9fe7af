#include "parallel/shared_sweeper.hpp"

#include <algorithm>
#include <array>

#include "solvers/law.hpp"
#include "solvers/row_product.hpp"
#include "solvers/totals.hpp"
#include "solvers/yardstick.hpp"

namespace scree::parallel {

namespace {

constexpr int kLocalSweeps = 5;   ///< over blocks that are no contacts, of the variant SIMPLIFIED

using Rows = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>;

/// The diagonal block of a body form whose bodies are split into copies.
Mat3 split_diagonal(const solvers::BodyForm& form, int block, std::span<const int> copies) {
  Mat3 W = Mat3::Zero();
  for (int side = 0; side < 2; ++side) {
    const int body = form.bodies_of(block)[side];
    if (body < 0 || form.body_dofs(body) == 0) continue;
    const Rows rows(form.rows(block, side).data(), 3, form.body_dofs(body));
    W += copies[body] * (rows * rows.transpose());
  }
  return W;
}

}  // namespace

bool SharedSweeper::begin(const solvers::ContactProblem& problem, std::span<const double> R) {
  problem_ = &problem;
  multiplier_.assign(at(problem.blocks()), 0.0);
  weight_ = solvers::residual_weights(problem);
  parts_.clear();
  for (SharedForm::Phase& phase : form_.phases()) parts_.push_back(make_part(std::move(phase)));
  set(R);
  return true;
}

SharedSweeper::Part SharedSweeper::make_part(SharedForm::Phase phase) const {
  Part part{std::move(phase), {}, {}, std::vector<int>(at(problem_->blocks()), -1), std::vector<char>(at(form_.part().bodies()), 0)};
  std::vector<int>& blocks = part.phase.blocks;
  if (form_.variant() == SweepVariant::simplified) {
    const auto rest = std::stable_partition(blocks.begin(), blocks.end(), [&](int a) { return solvers::frictional(problem_->kind[a]); });
    part.again.assign(rest, blocks.end());
  }
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const int a = blocks[k];
    const auto& bodies = form_.part().bodies_of(a);
    const bool split = std::ranges::any_of(bodies, [&](int body) { return body >= 0 && part.phase.copies[body] > 1; });
    part.place[a] = static_cast<int>(k);
    part.local.emplace_back(split ? split_diagonal(form_.part(), a, part.phase.copies) : problem_->W->diagonal()[a]);
  }
  for (const BodySums::Body& body : part.phase.sums.bodies()) part.shared[body.body] = 1;
  return part;
}

void SharedSweeper::set(std::span<const double> R) {
  R_.assign(R.begin(), R.end());
  momentum_ready_ = false;
  refresh();
}

void SharedSweeper::refresh() {
  const auto dofs = at(form_.part().dofs());
  if (momentum_ready_) {
    // The iterate before must be as exact, or momentum would multiply the difference by beta / (1 - beta).
    y_before_.resize(dofs);
    form_.scatter(before_, y_before_);
  }
  y_.resize(dofs);
  start_.resize(dofs);
  change_.resize(dofs);
  form_.scatter(R_, y_);
}

void SharedSweeper::extrapolate(double momentum) {
  if (!momentum_ready_) before_ = R_, y_before_ = y_;
  momentum_ready_ = true;
  const auto advance = [momentum](std::vector<double>& now, std::vector<double>& old) {
    for (std::size_t k = 0; k < now.size(); ++k) {
      const double kept = now[k];
      now[k] += momentum * (kept - old[k]);
      old[k] = kept;
    }
  };
  advance(R_, before_);
  advance(y_, y_before_);
}

Vec3 SharedSweeper::velocity(int block) const {
  const solvers::BodyForm& form = form_.part();
  Vec3 U = Eigen::Map<const Vec3>(problem_->B.data() + 3 * block);
  for (int side = 0; side < 2; ++side)
    if (const int body = form.bodies_of(block)[side]; body >= 0) U += solvers::body_row_product(form.rows(block, side), y_.data() + form.dof_start(body));
  return U;
}

void SharedSweeper::push(const Part& part, int block, const Vec3& change) {
  const solvers::BodyForm& form = form_.part();
  for (int side = 0; side < 2; ++side) {
    const int body = form.bodies_of(block)[side];
    if (body < 0) continue;
    const auto rows = form.rows(block, side);
    solvers::add_body_push(rows, part.phase.copies[body] * change, y_.data() + form.dof_start(body));
    if (part.shared[body]) solvers::add_body_push(rows, change, change_.data() + form.dof_start(body));
  }
}

void SharedSweeper::solve_block(const Part& part, int block, const solvers::SweepRule& rule, solvers::SweepSums& sums) {
  const auto kind = problem_->kind[block];
  const double mu = problem_->mu[block];
  const solvers::LocalBlock& local = part.local[part.place[block]];
  const Eigen::Map<Vec3> R(R_.data() + 3 * block);
  const Vec3 old = R;
  Vec3 next = old;
  const Vec3 q = velocity(block) - local.W * old;
  const solvers::LocalOutcome outcome = solvers::solve_local(how_, local, kind, mu, q, next, multiplier_[block]);
  sums.diverged += outcome == solvers::LocalOutcome::diverged;
  sums.failed += outcome == solvers::LocalOutcome::failed;
  if (rule.relaxation != 1.0) next = solvers::project_on_block(old + rule.relaxation * (next - old), kind, mu);
  const Vec3 change = next - old;
  const double weight = 1.0 / solvers::block_rho(form_.diagonal()[block]);
  sums.size += weight * next.squaredNorm();
  if (change.isZero(0.0)) return;
  Eigen::Map<Vec3>(R_.data() + 3 * block) = next;
  push(part, block, change);
  sums.change += weight * change.squaredNorm();
  if (momentum_ready_) sums.uphill -= weight * change.dot(next - Eigen::Map<const Vec3>(before_.data() + 3 * block));
}

void SharedSweeper::run(Part& part, const solvers::SweepRule& rule, solvers::SweepSums& sums) {
  const solvers::BodyForm& form = form_.part();
  const auto each_told = [&](auto&& visit) {
    for (const BodySums::Body& told : part.phase.sums.bodies())
      for (int k = form.dof_start(told.body); k < form.dof_start(told.body + 1); ++k) visit(at(k));
  };
  each_told([&](std::size_t k) { start_[k] = y_[k], change_[k] = 0.0; });
  const auto& blocks = part.phase.blocks;
  for (std::size_t k = 0; k < blocks.size(); ++k) solve_block(part, rule.backward ? blocks[blocks.size() - 1 - k] : blocks[k], rule, sums);
  solvers::SweepSums beside;
  for (int sweep = 0; sweep < kLocalSweeps && !part.again.empty(); ++sweep)
    for (const int a : part.again) solve_block(part, a, rule, beside);
  sums.failed += beside.failed;
  part.phase.sums.add_up(change_);
  each_told([&](std::size_t k) { y_[k] = start_[k] + change_[k]; });
}

solvers::SweepSums SharedSweeper::sweep(const solvers::SweepRule& rule) {
  if (rule.momentum != 0.0 || momentum_ready_) extrapolate(rule.momentum);
  solvers::SweepSums here;
  for (std::size_t p = 0; p < parts_.size(); ++p) run(parts_[rule.backward ? parts_.size() - 1 - p : p], rule, here);
  const auto sums = solvers::total(std::array<double, 5>{here.change, here.size, here.uphill, static_cast<double>(here.diverged), static_cast<double>(here.failed)});
  return {sums[0], sums[1], sums[2], static_cast<int>(sums[3]), static_cast<int>(sums[4])};
}

double SharedSweeper::squared_residual() {
  return solvers::total_sum(problem_->blocks(), [&](std::ptrdiff_t a) {
    const std::size_t i = a;
    const Vec3 R = Eigen::Map<const Vec3>(R_.data() + 3 * a);
    return weight_[i] * solvers::squared_error(R, velocity(static_cast<int>(a)), solvers::block_rho(form_.diagonal()[i]), problem_->kind[i], problem_->mu[i]);
  });
}

}  // namespace scree::parallel
