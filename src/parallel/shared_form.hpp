/// W of a problem whose blocks are divided among ranks: each has the rows of its own blocks, over all bodies that they touch.
///
/// y = Hs^T R is summed over the ranks that act on a body: every one of them sends its part to the others, and all add in rank order, so that
/// they hold the same bits. One exchange a product.
#pragma once

#include "core/team.hpp"
#include "parallel/body_sums.hpp"
#include "parallel/phases.hpp"
#include "solvers/operator.hpp"

namespace scree::parallel {

class SharedForm final : public solvers::Operator {
 public:
  /// `whole` has all blocks, the same on every rank; rank[a] is whose block a is, -1: it is left out. Both must outlive this form.
  SharedForm(const solvers::BodyForm& whole, std::span<const int> rank, Team& team, SweepVariant variant = SweepVariant::boundary_jacobi);

  void apply(std::span<const double> R, std::span<double> U) const override;
  /// y = Hs^T R of all ranks.
  void scatter(std::span<const double> R, std::span<double> y) const;
  /// Blocks of this rank, ascending, and their rows.
  [[nodiscard]] std::span<const int> mine() const { return mine_; }
  [[nodiscard]] const solvers::BodyForm& part() const { return part_; }
  /// Bodies that this rank and others act on.
  [[nodiscard]] const std::vector<BodySums::Body>& shared() const { return sums_.bodies(); }

  /// A part of a sweep, after which ranks tell each other what they did.
  struct Phase {
    std::vector<int> blocks;     ///< of this rank's part
    std::vector<int> copies;     ///< ranks that act on a body of the part meanwhile; 1 where it is this rank's alone
    BodySums sums;
  };
  [[nodiscard]] std::vector<Phase> phases() const;
  [[nodiscard]] SweepVariant variant() const { return variant_; }

  [[nodiscard]] int nodes() const override { return part_.nodes(); }
  void visit_links(const VisitLink& visit) const override { part_.visit_links(visit); }
  [[nodiscard]] std::shared_ptr<const Operator> restricted(std::span<const int> blocks) const override;
  [[nodiscard]] std::unique_ptr<solvers::Sweeper> make_sweeper(const solvers::LocalIteration& how) const override;
  /// By conjugate gradients, a product each.
  [[nodiscard]] std::unique_ptr<solvers::ShiftedFactor> make_shifted_factor(std::span<const double> scale) const override;
  [[nodiscard]] std::unique_ptr<solvers::NewtonSystem> make_newton_system(solvers::ScaledProblem& scaled) const override;
  [[nodiscard]] std::unique_ptr<solvers::InteriorPointSystem> make_direct_barrier(solvers::ScaledProblem& scaled) const override;
  [[nodiscard]] std::unique_ptr<solvers::InteriorPointSystem> make_krylov_barrier(solvers::ScaledProblem& scaled, int max_iterations) const override;
  [[nodiscard]] bool has_rigid_bodies() const override { return whole_.rigid(); }
  [[nodiscard]] double newton_cost() const override { return part_.newton_cost(); }
  [[nodiscard]] double dofs_per_body() const override { return part_.dofs_per_body(); }

 private:
  [[nodiscard]] std::vector<BodySums::Body> find_shared() const;

  const solvers::BodyForm& whole_;
  std::span<const int> rank_;
  Team& team_;
  SweepVariant variant_;
  std::vector<int> mine_, place_;   ///< place of the whole's bodies in the part, or -1
  solvers::BodyForm part_;
  BodySums sums_;
  mutable std::vector<double> y_;
};

}  // namespace scree::parallel
