/// The operator W = H A^-1 H^T of local dynamics, never a dense matrix (theory sec. 3.1).
///
/// Blocks are 3 x 3; vectors of impulses R (N s) and relative velocities U (m/s) hold three entries a
/// block in the order (N, T1, T2).
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/vec.hpp"

namespace scree::solvers {

using RowMat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

class Operator {
 public:
  virtual ~Operator() = default;

  /// U = W R. Sizes 3 blocks(). Threaded; same bits for any thread count.
  virtual void apply(std::span<const double> R, std::span<double> U) const = 0;

  [[nodiscard]] int blocks() const { return static_cast<int>(diagonal_.size()); }
  /// Diagonal blocks W_aa.
  [[nodiscard]] const std::vector<Mat3>& diagonal() const { return diagonal_; }

 protected:
  std::vector<Mat3> diagonal_;
};

/// Body form:  W = Hs Hs^T,  Hs = H L^-T  with A = L L^T a body at a time. Off-diagonal blocks are
/// never formed. `y = Hs^T R` are mass-scaled body velocities (rigid bodies: 6 a body, the linear part is
/// sqrt(m) v, the angular part D^1/2 Q^T W in principal axes), so that U = Hs y and |y|^2/2 is an energy.
class BodyForm final : public Operator {
 public:
  /// Start over with bodies of the given numbers of scaled degrees of freedom (6 for rigid ones).
  void reset(std::span<const int> body_dofs);
  /// Start over with `bodies` rigid bodies; keeps the memory of the last use.
  void reset_rigid(int bodies);

  /// Add a block between two bodies (-1: none, an obstacle or the ground); returns the 3 x dofs row-major
  /// storage of the two sides, to be filled by the caller before finish(). Absent sides are empty.
  /// Spans die with the next add_block().
  std::array<std::span<double>, 2> add_block(int body0, int body1);
  /// Compute diagonal blocks and incidence; call once after the last block.
  void finish();
  /// The same for rows that still miss a factor: first scale(body, rows, count) changes all rows of each body at once, `count` contiguous
  /// vectors of body_dofs(body) numbers. Called for several bodies at a time by several threads.
  using Scale = std::function<void(int body, std::span<double> rows, int count)>;
  void finish(const Scale& scale);

  void apply(std::span<const double> R, std::span<double> U) const override;

  /// y = Hs^T R and U = Hs y (the two halves of apply).
  void scatter(std::span<const double> R, std::span<double> y) const;
  void gather(std::span<const double> y, std::span<double> U) const;

  /// Blocks added so far.
  [[nodiscard]] int added() const { return static_cast<int>(bodies_of_.size()); }
  [[nodiscard]] int bodies() const { return static_cast<int>(dof_start_.size()) - 1; }
  [[nodiscard]] int dofs() const { return dof_start_.back(); }
  [[nodiscard]] int dof_start(int body) const { return dof_start_[static_cast<std::size_t>(body)]; }
  [[nodiscard]] int body_dofs(int body) const { return dof_start(body + 1) - dof_start(body); }
  [[nodiscard]] const std::array<int, 2>& bodies_of(int block) const { return bodies_of_[static_cast<std::size_t>(block)]; }
  /// Row-major 3 x body_dofs scaled rows of one side (0 or 1) of a block; empty for an absent body.
  [[nodiscard]] std::span<const double> rows(int block, int side) const {
    const auto k = static_cast<std::size_t>(2 * block + side);
    return {rows_.data() + row_start_[k], row_start_[k + 1] - row_start_[k]};
  }
  /// True when every body has 6 degrees of freedom: the fast path of sweeps.
  [[nodiscard]] bool rigid() const { return rigid_; }
  /// Blocks that touch a body, ascending, as 2 * block + side.
  [[nodiscard]] std::span<const int> incidence(int body) const {
    const auto b = static_cast<std::size_t>(body);
    return {incidence_.data() + incidence_start_[b], static_cast<std::size_t>(incidence_start_[b + 1] - incidence_start_[b])};
  }

  /// The same operator restricted to some blocks; bodies they do not touch are left out, and
  /// `body_map` (size bodies()) receives each body's new index or -1.
  [[nodiscard]] BodyForm restricted(std::span<const int> blocks, std::vector<int>& body_map) const;

 private:
  void find_incidence();
  void set_diagonal();

  std::vector<int> dof_start_{0};
  std::vector<std::array<int, 2>> bodies_of_;
  std::vector<std::size_t> row_start_{0};
  std::vector<double> rows_;
  std::vector<int> incidence_start_, incidence_;
  bool rigid_ = true;
};

/// Explicit block-sparse form, rows as given (not necessarily symmetric).
class ExplicitForm final : public Operator {
 public:
  /// Block compressed rows: row a has columns[row_start[a] .. row_start[a+1]), ascending. A missing
  /// diagonal block counts as zero.
  ExplicitForm(std::vector<int> row_start, std::vector<int> columns, std::vector<RowMat3> values);
  /// The rows of a body-form operator, block after block in the same order; keeps the memory of the last use.
  ExplicitForm() = default;
  void condense(const BodyForm& form);

  void apply(std::span<const double> R, std::span<double> U) const override;

  [[nodiscard]] std::span<const int> columns(int row) const {
    const auto a = static_cast<std::size_t>(row);
    return {columns_.data() + row_start_[a], static_cast<std::size_t>(row_start_[a + 1] - row_start_[a])};
  }
  [[nodiscard]] std::span<const RowMat3> values(int row) const {
    const auto a = static_cast<std::size_t>(row);
    return {values_.data() + row_start_[a], static_cast<std::size_t>(row_start_[a + 1] - row_start_[a])};
  }
  /// Blocks stored.
  [[nodiscard]] std::size_t stored() const { return columns_.size(); }
  /// Largest |W - W^T| entry relative to the largest |W| entry.
  [[nodiscard]] double asymmetry() const;

 private:
  std::vector<int> row_start_{0}, columns_;
  std::vector<RowMat3> values_;
  std::vector<double> products_;   ///< of condense(): rows times rows, body after body
};

/// Explicit form of a body-form operator (for tests, exports and solvers that need rows).
[[nodiscard]] ExplicitForm make_explicit(const BodyForm& form);

}  // namespace scree::solvers
