#include "solvers/operator.hpp"

#include "core/error.hpp"
#include "core/reserve.hpp"
#include "core/threads.hpp"
#include "solvers/row_product.hpp"

namespace scree::solvers {

namespace {
constexpr int kRigidDofs = 6;
constexpr std::size_t kKeptNumbers = 1000000;   ///< larger buffers are given back after use

using ConstRigidRows = Eigen::Map<const Eigen::Matrix<double, 3, kRigidDofs, Eigen::RowMajor>>;
}  // namespace

bool Operator::condense_into(ExplicitForm&, double) const { return false; }

void BodyForm::reset(std::span<const int> body_dofs) {
  dof_start_.assign(1, 0);
  rigid_ = true;
  for (int dofs : body_dofs) {
    dof_start_.push_back(dof_start_.back() + dofs);
    rigid_ = rigid_ && dofs == kRigidDofs;
  }
  bodies_of_.clear();
  row_start_.assign(1, 0);
  rows_.clear();
}

void BodyForm::reset_rigid(int bodies) {
  dof_start_.resize(static_cast<std::size_t>(bodies) + 1);
  for (int b = 0; b <= bodies; ++b) dof_start_[b] = kRigidDofs * b;
  rigid_ = true;
  bodies_of_.clear();
  row_start_.assign(1, 0);
  rows_.clear();
}

void BodyForm::reserve(std::size_t blocks, std::size_t numbers) {
  reserve_anew(bodies_of_, blocks);
  reserve_anew(row_start_, 2 * blocks + 1);
  row_start_.push_back(0);
  reserve_anew(rows_, numbers);
}

std::array<std::span<double>, 2> BodyForm::add_block(int body0, int body1) {
  bodies_of_.push_back({body0, body1});
  const std::size_t start = row_start_.back();
  const std::size_t size0 = body0 < 0 ? 0 : 3 * static_cast<std::size_t>(body_dofs(body0));
  const std::size_t size1 = body1 < 0 ? 0 : 3 * static_cast<std::size_t>(body_dofs(body1));
  row_start_.push_back(start + size0);
  row_start_.push_back(start + size0 + size1);
  rows_.resize(start + size0 + size1);
  return {std::span<double>(rows_.data() + start, size0), std::span<double>(rows_.data() + start + size0, size1)};
}

void BodyForm::finish() {
  find_incidence();
  set_diagonal();
}

void BodyForm::finish(const Scale& scale) {
  find_incidence();
  parallel_for(bodies(), [&](std::ptrdiff_t b) {
    const int body = static_cast<int>(b);
    const auto blocks_here = incidence(body);
    const std::size_t size = 3 * static_cast<std::size_t>(body_dofs(body));
    if (blocks_here.empty() || size == 0) return;
    thread_local std::vector<double> stacked;
    stacked.resize(size * blocks_here.size());
    for (std::size_t k = 0; k < blocks_here.size(); ++k) std::copy_n(rows_.data() + row_start_[blocks_here[k]], size, stacked.data() + k * size);
    scale(body, stacked, 3 * static_cast<int>(blocks_here.size()));
    for (std::size_t k = 0; k < blocks_here.size(); ++k) std::copy_n(stacked.data() + k * size, size, rows_.data() + row_start_[blocks_here[k]]);
    if (stacked.size() > kKeptNumbers) std::vector<double>().swap(stacked);
  }, 1);
  set_diagonal();
}

void BodyForm::set_diagonal() {
  resize_anew(diagonal_, bodies_of_.size());
  parallel_for(added(), [&](std::ptrdiff_t a) {
    Mat3 sum = Mat3::Zero();
    for (int side = 0; side < 2; ++side) {
      const auto r = rows(static_cast<int>(a), side);
      if (r.empty()) continue;
      if (rigid_) {
        const ConstRigidRows Hs(r.data());
        sum.noalias() += Hs * Hs.transpose();
      } else {
        sum += body_block(r);
      }
    }
    diagonal_[a] = sum;
  });
}

void BodyForm::find_incidence() {
  // Blocks of each body in ascending order, so that gathered sums do not depend on threads.
  incidence_start_.assign(dof_start_.size(), 0);
  for (const auto& pair : bodies_of_)
    for (int body : pair)
      if (body >= 0) ++incidence_start_[body + 1];
  for (std::size_t b = 1; b < incidence_start_.size(); ++b) incidence_start_[b] += incidence_start_[b - 1];
  incidence_.resize(incidence_start_.back());
  std::vector<int> next(incidence_start_.begin(), incidence_start_.end() - 1);
  for (int a = 0; a < added(); ++a)
    for (int side = 0; side < 2; ++side)
      if (const int body = bodies_of_[a][side]; body >= 0)
        incidence_[next[body]++] = 2 * a + side;
}

void BodyForm::scatter(std::span<const double> R, std::span<double> y) const {
  if (rigid_ && threads() == 1) {
    // Block after block in one stream: each body still adds its blocks in ascending order.
    std::fill(y.begin(), y.end(), 0.0);
    for (int a = 0; a < blocks(); ++a) {
      const Eigen::Map<const Vec3> r(R.data() + 3 * a);
      if (r.isZero(0.0)) continue;
      for (int side = 0; side < 2; ++side)
        if (const int body = bodies_of(a)[side]; body >= 0)
          Eigen::Map<Vec6>(y.data() + kRigidDofs * body).noalias() += ConstRigidRows(rows(a, side).data()).transpose() * r;
    }
    return;
  }
  parallel_for(bodies(), [&](std::ptrdiff_t b) {
    const int body = static_cast<int>(b);
    Eigen::Map<VecX> sum(y.data() + dof_start(body), body_dofs(body));
    sum.setZero();
    for (int entry : incidence(body)) {
      const Eigen::Map<const Vec3> r(R.data() + 3 * (entry / 2));
      if (r.isZero(0.0)) continue;
      const auto h = rows(entry / 2, entry % 2);
      if (rigid_)
        sum.head<kRigidDofs>().noalias() += ConstRigidRows(h.data()).transpose() * r;
      else
        add_body_push(h, r, sum.data());
    }
  });
}

void BodyForm::gather(std::span<const double> y, std::span<double> U) const {
  parallel_for(blocks(), [&](std::ptrdiff_t a) {
    Vec3 sum = Vec3::Zero();
    for (int side = 0; side < 2; ++side) {
      const auto h = rows(static_cast<int>(a), side);
      if (h.empty()) continue;
      const int body = bodies_of_[a][side];
      const double* part = y.data() + dof_start(body);
      if (rigid_)
        sum.noalias() += ConstRigidRows(h.data()) * Eigen::Map<const Vec6>(part);
      else
        sum += body_row_product(h, part);
    }
    Eigen::Map<Vec3>(U.data() + 3 * a) = sum;
  });
}

void BodyForm::apply(std::span<const double> R, std::span<double> U) const {
  thread_local std::vector<double> y;
  y.resize(dofs());
  scatter(R, y);
  gather(y, U);
}

void BodyForm::visit_links(const VisitLink& visit) const {
  for (int a = 0; a < blocks(); ++a)
    for (int body : bodies_of(a))
      if (body >= 0 && body_dofs(body) > 0) visit(a, blocks() + body);
}

std::shared_ptr<const Operator> BodyForm::restricted(std::span<const int> blocks) const {
  std::vector<int> body_map;
  return std::make_shared<BodyForm>(restricted(blocks, body_map));
}

BodyForm BodyForm::restricted(std::span<const int> blocks, std::vector<int>& body_map) const {
  body_map.assign(bodies(), -1);
  std::vector<int> sizes;
  for (int a : blocks)
    for (int body : bodies_of(a))
      if (body >= 0 && body_map[body] < 0) {
        body_map[body] = static_cast<int>(sizes.size());
        sizes.push_back(body_dofs(body));
      }
  BodyForm part;
  part.reset(sizes);
  std::size_t numbers = 0;
  for (int a : blocks) numbers += rows(a, 0).size() + rows(a, 1).size();
  part.reserve(blocks.size(), numbers);
  for (int a : blocks) {
    const auto& pair = bodies_of(a);
    const auto mapped = [&](int body) { return body < 0 ? -1 : body_map[body]; };
    const auto sides = part.add_block(mapped(pair[0]), mapped(pair[1]));
    for (int side = 0; side < 2; ++side) {
      const auto from = rows(a, side);
      std::copy(from.begin(), from.end(), sides[side].begin());
    }
  }
  part.finish();
  return part;
}

ExplicitForm::ExplicitForm(std::vector<int> row_start, std::vector<int> columns, std::vector<RowMat3> values)
    : row_start_(std::move(row_start)), columns_(std::move(columns)), values_(std::move(values)) {
  if (row_start_.empty() || row_start_.back() != static_cast<int>(columns_.size()) || columns_.size() != values_.size())
    throw_input("W: row starts, columns and values disagree ({} rows, {} columns, {} values)",
                row_start_.empty() ? 0 : row_start_.size() - 1, columns_.size(), values_.size());
  const int blocks = static_cast<int>(row_start_.size()) - 1;
  diagonal_.assign(blocks, Mat3::Zero());
  for (int a = 0; a < blocks; ++a)
    for (std::size_t k = 0; k < this->columns(a).size(); ++k)
      if (this->columns(a)[k] == a) diagonal_[a] = this->values(a)[k];
}

void ExplicitForm::apply(std::span<const double> R, std::span<double> U) const {
  parallel_for(blocks(), [&](std::ptrdiff_t a) {
    const auto row = static_cast<int>(a);
    Eigen::Map<Vec3>(U.data() + 3 * a) = add_row_product(Vec3::Zero(), columns(row), values(row), R.data());
  }, 256);
}

void ExplicitForm::visit_links(const VisitLink& visit) const {
  for (int a = 0; a < blocks(); ++a)
    for (int column : columns(a)) visit(a, column);
}

std::shared_ptr<const Operator> ExplicitForm::restricted(std::span<const int> blocks) const {
  std::vector<int> place(diagonal_.size(), -1);
  for (std::size_t k = 0; k < blocks.size(); ++k) place[blocks[k]] = static_cast<int>(k);
  std::vector<int> row_start{0}, kept;
  std::vector<RowMat3> blocks_kept;
  for (int a : blocks) {
    for (std::size_t k = 0; k < columns(a).size(); ++k)
      if (const int column = place[columns(a)[k]]; column >= 0) {
        kept.push_back(column);
        blocks_kept.push_back(values(a)[k]);
      }
    row_start.push_back(static_cast<int>(kept.size()));
  }
  return std::make_shared<ExplicitForm>(std::move(row_start), std::move(kept), std::move(blocks_kept));
}

double ExplicitForm::asymmetry() const {
  double largest = 0.0, difference = 0.0;
  for (int a = 0; a < blocks(); ++a) {
    const auto cols = columns(a);
    for (std::size_t k = 0; k < cols.size(); ++k) {
      const RowMat3& block = values(a)[k];
      largest = std::max(largest, block.cwiseAbs().maxCoeff());
      // The mirrored block, zero when it is not stored.
      const auto mirror = columns(cols[k]);
      const auto found = std::lower_bound(mirror.begin(), mirror.end(), a);
      if (found != mirror.end() && *found == a) {
        const std::size_t position = found - mirror.begin();
        difference = std::max(difference, (block - values(cols[k])[position].transpose()).cwiseAbs().maxCoeff());
      } else {
        difference = std::max(difference, block.cwiseAbs().maxCoeff());
      }
    }
  }
  return largest > 0.0 ? difference / largest : 0.0;
}

}  // namespace scree::solvers
