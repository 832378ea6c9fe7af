/// Parts of a problem that do not feel each other.
///
/// Two blocks belong to one island when a chain of links of the operator joins them: bodies with degrees of freedom, or stored blocks.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "solvers/contact_problem.hpp"

namespace scree::solvers {

/// Keeps its memory from problem to problem.
class Islands {
 public:
  void find(const Operator& W);

  [[nodiscard]] int count() const { return static_cast<int>(start_.size()) - 1; }
  /// Blocks of an island, ascending; islands are numbered by their first block.
  [[nodiscard]] std::span<const int> blocks(int island) const {
    const std::size_t i = island;
    return {blocks_.data() + start_[i], static_cast<std::size_t>(start_[i + 1] - start_[i])};
  }

 private:
  int root(int node);
  void join(int a, int b);

  std::vector<int> parent_, island_, start_{0}, blocks_;
};

/// The problem of some blocks alone. What the others would add to their velocity is left out: meant for
/// unions of islands. The result has no weights.
[[nodiscard]] ContactProblem restrict_to(const ContactProblem& problem, std::span<const int> blocks);

/// Numbers of some blocks out of those of all, one a block.
[[nodiscard]] std::vector<double> part_of(std::span<const double> whole, std::span<const int> blocks);

/// What each of some parts that do not overlap may use of the squared tolerance, so that it adds up to 1: as much as it has to do, and a little by its size. `weight` is
/// residual_weights(), blocks(i) are those of part i.
[[nodiscard]] std::vector<double> tolerance_shares(const ContactProblem& problem, std::span<const double> weight, int parts, const std::function<std::span<const int>(int)>& blocks);

/// Impulses of some blocks out of all, and back.
void gather_part(std::span<const double> whole, std::span<const int> blocks, std::vector<double>& part);
void scatter_part(std::span<const double> part, std::span<const int> blocks, std::span<double> whole);

}  // namespace scree::solvers
