/// W of a problem whose blocks are divided among ranks: each has the rows of its own blocks, over all bodies that they touch.
///
/// y = Hs^T R is summed over the ranks that act on a body: every one of them sends its part to the others, and all add in rank order, so that
/// they hold the same bits. One exchange a product.
#pragma once

#include "core/team.hpp"
#include "solvers/operator.hpp"

namespace scree::parallel {

class SharedForm final : public solvers::Operator {
 public:
  /// `whole` has all blocks, the same on every rank; rank[a] is whose block a is.
  SharedForm(const solvers::BodyForm& whole, std::span<const int> rank, Team& team);

  void apply(std::span<const double> R, std::span<double> U) const override;
  /// Blocks of this rank, ascending.
  [[nodiscard]] std::span<const int> mine() const { return mine_; }
  /// The rows of this rank, with bodies that c ranks act on split into c copies: times sqrt(c).
  [[nodiscard]] solvers::BodyForm split() const;
  /// Bodies that this rank and others act on.
  [[nodiscard]] std::size_t shared_bodies() const { return shared_.size(); }

  [[nodiscard]] int nodes() const override { return part_.nodes(); }
  void visit_links(const VisitLink& visit) const override { part_.visit_links(visit); }
  [[nodiscard]] std::shared_ptr<const Operator> restricted(std::span<const int> blocks) const override;
  [[nodiscard]] std::unique_ptr<solvers::Sweeper> make_sweeper(const solvers::LocalIteration& how) const override;
  [[nodiscard]] std::unique_ptr<solvers::ShiftedFactor> make_shifted_factor(std::span<const double> scale) const override;
  [[nodiscard]] std::unique_ptr<solvers::NewtonSystem> make_newton_system(solvers::ScaledProblem& scaled) const override;
  [[nodiscard]] std::unique_ptr<solvers::InteriorPointSystem> make_direct_barrier(solvers::ScaledProblem& scaled) const override;
  [[nodiscard]] std::unique_ptr<solvers::InteriorPointSystem> make_krylov_barrier(solvers::ScaledProblem& scaled, int max_iterations) const override;
  [[nodiscard]] double newton_cost() const override { return part_.newton_cost(); }
  [[nodiscard]] double dofs_per_body() const override { return part_.dofs_per_body(); }

 private:
  /// A body of this rank's part that other ranks act on, too.
  struct Shared {
    int body = -1;            ///< in the part
    std::vector<int> ranks;   ///< ascending, this one included
  };

  void add_parts(std::span<double> y) const;

  Team& team_;
  std::vector<int> mine_;
  solvers::BodyForm part_;
  std::vector<Shared> shared_;   ///< in the order of the whole's bodies: the same on all ranks
  mutable std::vector<Bytes> outgoing_, incoming_;
  mutable std::vector<double> y_;
};

}  // namespace scree::parallel
