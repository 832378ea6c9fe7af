/// Equality blocks (fixed points, fixed directions, prescribed velocities, links) taken out of a problem before it is solved (theory sec. 4.12, eq. 4.17 and 4.18).
///
/// In body form the rows E of these blocks confine the scaled velocities of the bodies they join:  E y = -b.  A rank-revealing orthogonal
/// factorisation of E, a group of joined bodies at a time, leaves contacts that see only the motions still free; redundant rows cost nothing, and
/// rows that contradict each other are met in the sense of least squares. No solver iterates equalities against contacts.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solvers/contact_problem.hpp"

namespace scree::solvers {

class Equalities {
 public:
  /// Factor the groups that are worth it. The problem must outlive this object.
  explicit Equalities(const ContactProblem& problem);
  ~Equalities();

  /// False when there is nothing to take out: no such block, an operator that knows no bodies, or groups too large for dense factors.
  [[nodiscard]] bool any() const { return !groups_.empty(); }
  /// The problem of the blocks that are left.
  [[nodiscard]] const ContactProblem& rest() const { return rest_; }
  /// Their numbers among all blocks.
  [[nodiscard]] std::span<const int> left() const { return left_; }
  /// Impulses of the blocks that are left out of those of all.
  [[nodiscard]] std::vector<double> rest_of(std::span<const double> R) const;
  /// All impulses from those of the blocks that are left: what equalities need besides, of least norm.
  void complete(std::span<const double> rest, std::span<double> R) const;
  /// What the yardstick `residual` says of equalities that contradict each other: no impulse makes it smaller.
  [[nodiscard]] double contradiction() const { return contradiction_; }

 private:
  struct Group;

  void find_groups();
  bool factor(Group& group);
  void form_rest();

  const ContactProblem& problem_;
  const BodyForm* form_ = nullptr;
  std::vector<Group> groups_;
  std::vector<int> group_of_;       ///< of each body, -1: none
  std::vector<int> left_;           ///< blocks that are left
  std::vector<double> weight_;      ///< of the yardstick `residual`
  double contradiction_ = 0.0;
  ContactProblem rest_;
};

}  // namespace scree::solvers
