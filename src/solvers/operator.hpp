/// The operator W = H A^-1 H^T of local dynamics, never a dense matrix (theory sec. 3.1).
///
/// An operator offers all that solvers do with W: products, its diagonal blocks, the graph of what it couples, its restriction to some
/// blocks, sweeps, and linear systems with factors. Each form answers in the way that suits it; no solver asks which form it has.
/// Blocks are 3 x 3; vectors of impulses R (N s) and relative velocities U (m/s) hold three entries a
/// block in the order (N, T1, T2).
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/vec.hpp"

namespace scree::solvers {

using RowMat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

class BodyForm;
class ExplicitForm;
class InteriorPointSystem;
class NewtonSystem;
class ScaledProblem;
class ShiftedFactor;
class Sweeper;
struct LocalIteration;

class Operator {
 public:
  virtual ~Operator() = default;

  /// U = W R. Sizes 3 blocks(). Threaded; same bits for any thread count.
  virtual void apply(std::span<const double> R, std::span<double> U) const = 0;

  [[nodiscard]] int blocks() const { return static_cast<int>(diagonal_.size()); }
  /// Diagonal blocks W_aa.
  [[nodiscard]] const std::vector<Mat3>& diagonal() const { return diagonal_; }
  /// Largest |W - W^T| entry relative to the largest |W| entry.
  [[nodiscard]] virtual double asymmetry() const { return 0.0; }

  /// @name Neighbours and parts
  /// @{
  /// Blocks are coupled through nodes: blocks themselves, 0 to blocks() - 1, and perhaps others after them (bodies).
  [[nodiscard]] virtual int nodes() const = 0;
  /// visit(block, node) for every link; blocks that share a node, or are linked to one another, feel each other.
  using VisitLink = std::function<void(int block, int node)>;
  virtual void visit_links(const VisitLink& visit) const = 0;
  /// The same operator among some blocks: rows and columns of the others are left out.
  [[nodiscard]] virtual std::shared_ptr<const Operator> restricted(std::span<const int> blocks) const = 0;
  /// @}

  /// @name Rows as they are held, for what divides, condenses or writes a problem
  /// @{
  /// Rows of bodies; null where bodies are not known.
  [[nodiscard]] virtual const BodyForm* body_rows() const { return nullptr; }
  /// Rows of W itself; null where it is not formed.
  [[nodiscard]] virtual const ExplicitForm* block_rows() const { return nullptr; }
  /// @}

  /// @name Sweeps (sweeper.hpp)
  /// @{
  /// Sweeps over its rows, for any law and local solver. The operator must outlive them.
  [[nodiscard]] virtual std::unique_ptr<Sweeper> make_sweeper(const LocalIteration& how) const = 0;
  /// Rows of rigid bodies, for packed sweeps; null when there are none.
  [[nodiscard]] virtual const BodyForm* rigid_rows() const { return nullptr; }
  /// Whether all bodies are rigid, on all ranks where they share the operator: what decides how much is swept must be the same everywhere.
  [[nodiscard]] virtual bool has_rigid_bodies() const { return rigid_rows() != nullptr; }
  /// @}

  /// @name Linear systems. The operator, and `scaled` where given, must outlive them.
  /// @{
  /// (S W S + sigma I)^-1 with S = diag(scale), one factor a block (shifted_factor.hpp).
  [[nodiscard]] virtual std::unique_ptr<ShiftedFactor> make_shifted_factor(std::span<const double> scale) const = 0;
  /// Systems of proximal Newton steps (newton_system.hpp). `scaled` is a problem with this operator.
  [[nodiscard]] virtual std::unique_ptr<NewtonSystem> make_newton_system(ScaledProblem& scaled) const = 0;
  /// Systems of interior-point steps (interior_point_system.hpp): by factors, or by at most so many products a solve.
  [[nodiscard]] virtual std::unique_ptr<InteriorPointSystem> make_direct_barrier(ScaledProblem& scaled) const = 0;
  [[nodiscard]] virtual std::unique_ptr<InteriorPointSystem> make_krylov_barrier(ScaledProblem& scaled, int max_iterations) const = 0;
  /// @}

  /// @name What it costs
  /// @{
  /// A Newton step, estimated, in sweeps.
  [[nodiscard]] virtual double newton_cost() const = 0;
  /// Blocks of W held in memory; 0 where W is never formed.
  [[nodiscard]] virtual std::size_t stored() const { return 0; }
  /// Mean number of scaled degrees of freedom of a body; 0 where bodies are not known.
  [[nodiscard]] virtual double dofs_per_body() const { return 0.0; }
  /// Form W in `rows` where a product then touches at most `ratio` times the numbers; false where it does not, or W is formed already.
  [[nodiscard]] virtual bool condense_into(ExplicitForm& rows, double ratio) const;
  /// @}

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

  /// Room for so many blocks and numbers of rows, after a reset.
  void reserve(std::size_t blocks, std::size_t numbers);
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
  [[nodiscard]] int dof_start(int body) const { return dof_start_[body]; }
  [[nodiscard]] int body_dofs(int body) const { return dof_start(body + 1) - dof_start(body); }
  [[nodiscard]] const std::array<int, 2>& bodies_of(int block) const { return bodies_of_[block]; }
  /// Row-major 3 x body_dofs scaled rows of one side (0 or 1) of a block; empty for an absent body.
  [[nodiscard]] std::span<const double> rows(int block, int side) const {
    const std::size_t k = 2 * block + side;
    return {rows_.data() + row_start_[k], row_start_[k + 1] - row_start_[k]};
  }
  /// True when every body has 6 degrees of freedom: the fast path of sweeps.
  [[nodiscard]] bool rigid() const { return rigid_; }
  /// Blocks that touch a body, ascending, as 2 * block + side.
  [[nodiscard]] std::span<const int> incidence(int body) const {
    const std::size_t b = body;
    return {incidence_.data() + incidence_start_[b], static_cast<std::size_t>(incidence_start_[b + 1] - incidence_start_[b])};
  }

  [[nodiscard]] int nodes() const override { return blocks() + bodies(); }
  void visit_links(const VisitLink& visit) const override;
  [[nodiscard]] std::shared_ptr<const Operator> restricted(std::span<const int> blocks) const override;
  [[nodiscard]] std::unique_ptr<Sweeper> make_sweeper(const LocalIteration& how) const override;
  [[nodiscard]] const BodyForm* body_rows() const override { return this; }
  [[nodiscard]] const BodyForm* rigid_rows() const override { return rigid_ ? this : nullptr; }
  [[nodiscard]] std::unique_ptr<ShiftedFactor> make_shifted_factor(std::span<const double> scale) const override;
  [[nodiscard]] std::unique_ptr<NewtonSystem> make_newton_system(ScaledProblem& scaled) const override;
  [[nodiscard]] std::unique_ptr<InteriorPointSystem> make_direct_barrier(ScaledProblem& scaled) const override;
  [[nodiscard]] std::unique_ptr<InteriorPointSystem> make_krylov_barrier(ScaledProblem& scaled, int max_iterations) const override;
  [[nodiscard]] double newton_cost() const override;
  [[nodiscard]] double dofs_per_body() const override { return bodies() > 0 ? static_cast<double>(dofs()) / bodies() : 0.0; }
  [[nodiscard]] bool condense_into(ExplicitForm& rows, double ratio) const override;

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
    const std::size_t a = row;
    return {columns_.data() + row_start_[a], static_cast<std::size_t>(row_start_[a + 1] - row_start_[a])};
  }
  [[nodiscard]] std::span<const RowMat3> values(int row) const {
    const std::size_t a = row;
    return {values_.data() + row_start_[a], static_cast<std::size_t>(row_start_[a + 1] - row_start_[a])};
  }
  [[nodiscard]] const ExplicitForm* block_rows() const override { return this; }
  [[nodiscard]] std::size_t stored() const override { return columns_.size(); }
  [[nodiscard]] double asymmetry() const override;

  [[nodiscard]] int nodes() const override { return blocks(); }
  void visit_links(const VisitLink& visit) const override;
  [[nodiscard]] std::shared_ptr<const Operator> restricted(std::span<const int> blocks) const override;
  [[nodiscard]] std::unique_ptr<Sweeper> make_sweeper(const LocalIteration& how) const override;
  [[nodiscard]] std::unique_ptr<ShiftedFactor> make_shifted_factor(std::span<const double> scale) const override;
  [[nodiscard]] std::unique_ptr<NewtonSystem> make_newton_system(ScaledProblem& scaled) const override;
  [[nodiscard]] std::unique_ptr<InteriorPointSystem> make_direct_barrier(ScaledProblem& scaled) const override;
  [[nodiscard]] std::unique_ptr<InteriorPointSystem> make_krylov_barrier(ScaledProblem& scaled, int max_iterations) const override;
  [[nodiscard]] double newton_cost() const override;

 private:
  std::vector<int> row_start_{0}, columns_;
  std::vector<RowMat3> values_;
  std::vector<double> products_;   ///< of condense(): rows times rows, body after body
};

/// Explicit form of a body-form operator (for tests, exports and solvers that need rows).
[[nodiscard]] ExplicitForm make_explicit(const BodyForm& form);

}  // namespace scree::solvers
