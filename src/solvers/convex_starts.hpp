/// Starts for problems whose solutions carry more self-stress than sweeps from zero ever build up (theory sec. 4.13).
///
/// Each start solves the convex relaxation (eq. 3.8) by interior points, with friction scaled down a little, another way every time: what can
/// jam sticks there, and few contacts are left to move. Sweeps with the true friction finish from it, or do not; then the next start is tried.
#pragma once

#include <span>

#include "solvers/report.hpp"

namespace scree::solvers {

class ConvexStarts {
 public:
  /// The problem must outlive this object.
  explicit ConvexStarts(const ContactProblem& problem) : problem_(problem) {}

  /// Some contact has friction, and every block a law that interior points know.
  [[nodiscard]] static bool suit(const ContactProblem& problem);

  /// R receives the next start, within the limits of `rule` (its tolerance and yardstick are not used). Steps and products are reported.
  /// The sequence depends on the problem alone.
  SolveReport next(const StopRule& rule, std::span<double> R);

 private:
  /// The relaxation of the next start: all contacts alike first, then drawn contact by contact.
  [[nodiscard]] ContactProblem relaxation() const;

  const ContactProblem& problem_;
  int count_ = 0;   ///< of starts made
};

}  // namespace scree::solvers
