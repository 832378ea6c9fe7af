#include "solvers/equalities.hpp"

#include <algorithm>
#include <numeric>

#include "core/dense.hpp"
#include "solvers/islands.hpp"

namespace scree::solvers {

namespace {

constexpr double kRank = 1e-7;         ///< rows nearer than this to a combination of others are redundant: impulses a billion times as large would be noise
constexpr double kGone = 1e-10;        ///< rows of which less is left have no motion to act on
constexpr double kMostWork = 4e6;      ///< unknowns times rows squared of a group that is factored
constexpr int kLargePacking = 2000;    ///< blocks from which packed sweeps over plain bodies are worth more than a group partly free

using Rows = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>;
using RowsOut = Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>;

}  // namespace

/// Bodies joined by equalities, with the factors of their rows E (one a unit length).
struct Equalities::Group {
  std::vector<int> bodies, blocks;
  std::vector<int> start;                                   ///< first column of each body, then their number
  std::vector<double> length;                               ///< of the rows before they were made unit vectors
  OrthogonalFactor factors;                                 ///< of E^T
  MatX held;                                                ///< orthonormal motions that E confines
  VecX driven;                                              ///< y with E y = -b, of least norm
  bool joined() const { return bodies.size() > 1; }
  bool fixed() const { return held.cols() == start.back(); }
  int place = -1;                                           ///< of a joined group among the bodies of what is left
  MatX free;                                                ///< orthonormal motions left to a joined group
};

Equalities::~Equalities() = default;

Equalities::Equalities(const ContactProblem& problem) : problem_(problem), form_(problem.W->body_rows()) {
  if (!form_ || std::ranges::none_of(problem.kind, [](BlockKind kind) { return equations(kind) > 0; })) return;
  weight_ = residual_weights(problem);
  find_groups();
  std::erase_if(groups_, [&](Group& group) { return !factor(group); });
  group_of_.assign(form_->bodies(), -1);
  std::vector<char> taken(problem.kind.size(), 0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const int body : groups_[g].bodies) group_of_[body] = static_cast<int>(g);
    for (const int block : groups_[g].blocks) taken[block] = 1;
  }
  for (int a = 0; a < problem.blocks(); ++a)
    if (!taken[a]) left_.push_back(a);
  if (any()) form_rest();
}

void Equalities::find_groups() {
  // Bodies that an equality joins belong together.
  std::vector<int> parent(form_->bodies());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int body) {
    while (parent[body] != body) body = parent[body] = parent[parent[body]];
    return body;
  };
  const auto movable = [&](int body) { return body >= 0 && form_->body_dofs(body) > 0; };
  for (int a = 0; a < problem_.blocks(); ++a) {
    const auto& [one, two] = form_->bodies_of(a);
    if (equations(problem_.kind[a]) == 0 || !movable(one) || !movable(two)) continue;
    const int i = root(one), j = root(two);
    parent[std::max(i, j)] = std::min(i, j);
  }
  std::vector<int> group(form_->bodies(), -1);
  for (int a = 0; a < problem_.blocks(); ++a) {
    if (equations(problem_.kind[a]) == 0) continue;
    const auto& [one, two] = form_->bodies_of(a);
    if (!movable(one) && !movable(two)) continue;
    int& index = group[root(movable(one) ? one : two)];
    if (index < 0) {
      index = static_cast<int>(groups_.size());
      groups_.emplace_back();
    }
    groups_[index].blocks.push_back(a);
  }
  for (int b = 0; b < form_->bodies(); ++b)
    if (const int index = group[root(b)]; index >= 0) groups_[index].bodies.push_back(b);
}

bool Equalities::factor(Group& group) {
  group.start.assign(1, 0);
  for (const int body : group.bodies) group.start.push_back(group.start.back() + form_->body_dofs(body));
  int count = 0;
  for (const int a : group.blocks) count += equations(problem_.kind[a]);
  const double unknowns = group.start.back(), rank = std::min<double>(unknowns, count);
  const bool large = problem_.blocks() >= kLargePacking;
  if (unknowns * count * rank > kMostWork || (large && group.joined())) return false;

  // Rows of unit length, so that rank does not depend on masses.
  MatX E = MatX::Zero(count, group.start.back());
  VecX b(count);
  int row = 0;
  for (const int a : group.blocks)
    for (int i = 0; i < equations(problem_.kind[a]); ++i, ++row) {
      for (int side = 0; side < 2; ++side) {
        const int body = form_->bodies_of(a)[side];
        if (body < 0 || form_->body_dofs(body) == 0) continue;
        const auto place = std::ranges::lower_bound(group.bodies, body) - group.bodies.begin();
        E.row(row).segment(group.start[place], form_->body_dofs(body)) += Rows(form_->rows(a, side).data(), 3, form_->body_dofs(body)).row(i);
      }
      const double length = E.row(row).norm();
      group.length.push_back(length > 0.0 ? length : 1.0);
      E.row(row) /= group.length.back();
      b[row] = problem_.B[3 * a + i] / group.length.back();
    }
  group.factors = OrthogonalFactor(E.transpose(), kRank);
  const Eigen::Index r = group.factors.rank();
  if (large && r < group.start.back()) return false;
  const MatX Q = group.factors.Q();
  group.held = Q.leftCols(r);
  if (group.joined()) group.free = Q.rightCols(group.start.back() - r);
  group.driven = group.factors.solve_transposed(b);
  group.driven *= -1.0;
  // What the rows of a contradiction leave, in the weights of the yardstick.
  const VecX left = E * group.driven + b;
  row = 0;
  double squared = 0.0;
  for (const int a : group.blocks)
    for (int i = 0; i < equations(problem_.kind[a]); ++i, ++row) {
      const double error = block_rho(form_->diagonal()[a]) * left[row] * group.length[row];
      squared += weight_[a] * error * error;
    }
  contradiction_ = std::hypot(contradiction_, std::sqrt(squared));
  return true;
}

void Equalities::form_rest() {
  // Bodies of what is left: single ones keep their place and their unknowns, joined ones become one body that has the motions still free.
  std::vector<int> dofs, place(form_->bodies(), -1);
  for (int b = 0; b < form_->bodies(); ++b) {
    const int g = group_of_[b];
    if (g >= 0 && groups_[g].fixed()) continue;
    if (g >= 0 && groups_[g].joined()) {
      if (groups_[g].place < 0) {
        groups_[g].place = static_cast<int>(dofs.size());
        dofs.push_back(static_cast<int>(groups_[g].free.cols()));
      }
      place[b] = groups_[g].place;
    } else {
      place[b] = static_cast<int>(dofs.size());
      dofs.push_back(form_->body_dofs(b));
    }
  }
  auto form = std::make_shared<BodyForm>();
  form->reset(dofs);
  rest_ = {};
  for (const int a : left_) {
    Vec3 B = Eigen::Map<const Vec3>(problem_.B.data() + 3 * a);
    std::array<int, 2> to{-1, -1};
    std::array<MatX, 2> rows;
    for (std::size_t side = 0; side < 2; ++side) {
      const int body = form_->bodies_of(a)[side];
      if (body < 0 || form_->body_dofs(body) == 0) continue;
      const MatX from = Rows(form_->rows(a, static_cast<int>(side)).data(), 3, form_->body_dofs(body));
      to[side] = place[body];
      const int g = group_of_[body];
      if (g < 0) {
        rows[side] = from;
        continue;
      }
      const Group& group = groups_[g];
      const std::size_t k = std::ranges::lower_bound(group.bodies, body) - group.bodies.begin();
      const int first = group.start[k], size = group.start[k + 1] - first;
      B += from * VecX(group.driven.segment(first, size));
      if (group.fixed()) continue;
      if (group.joined()) rows[side] = from * MatX(group.free.middleRows(first, size));
      else rows[side] = from - (from * group.held) * group.held.transpose();
      for (int i = 0; i < 3; ++i)
        if (rows[side].row(i).norm() < kGone * from.row(i).norm()) rows[side].row(i).setZero();
    }
    // Two bodies of one joined group are one body now.
    if (to[0] >= 0 && to[0] == to[1]) {
      rows[0] += rows[1];
      to[1] = -1;
    }
    const auto out = form->add_block(to[0], to[1]);
    for (std::size_t side = 0; side < 2; ++side)
      if (to[side] >= 0) RowsOut(out[side].data(), 3, rows[side].cols()) = rows[side];
    rest_.kind.push_back(problem_.kind[a]);
    rest_.mu.push_back(problem_.mu[a]);
    rest_.B.insert(rest_.B.end(), {B.x(), B.y(), B.z()});
  }
  form->finish();
  // Errors of velocities weigh as before.
  rest_.weight = part_of(weight_, left_);
  for (std::size_t k = 0; k < left_.size(); ++k) {
    const double ratio = block_rho(form_->diagonal()[left_[k]]) / block_rho(form->diagonal()[k]);
    rest_.weight[k] *= ratio * ratio;
  }
  rest_.W = std::move(form);
}

std::vector<double> Equalities::rest_of(std::span<const double> R) const {
  std::vector<double> part;
  gather_part(R, left_, part);
  return part;
}

void Equalities::complete(std::span<const double> rest, std::span<double> R) const {
  std::fill(R.begin(), R.end(), 0.0);
  scatter_part(rest, left_, R);
  std::vector<double> y(form_->dofs());
  form_->scatter(R, y);
  // E^T R_e + y must be the driven motion where E confines it.
  for (const Group& group : groups_) {
    VecX moved(group.start.back());
    for (std::size_t k = 0; k < group.bodies.size(); ++k)
      moved.segment(group.start[k], group.start[k + 1] - group.start[k]) = Eigen::Map<const VecX>(y.data() + form_->dof_start(group.bodies[k]), group.start[k + 1] - group.start[k]);
    const VecX impulse = group.factors.solve(group.driven - group.held * (group.held.transpose() * moved));
    std::size_t row = 0;
    for (const int a : group.blocks)
      for (int i = 0; i < equations(problem_.kind[a]); ++i, ++row) R[3 * a + i] = impulse[static_cast<Eigen::Index>(row)] / group.length[row];
  }
}

}  // namespace scree::solvers
