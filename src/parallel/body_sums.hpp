/// One exchange that adds up what ranks do to the bodies they share.
#pragma once

#include <span>
#include <vector>

#include "core/team.hpp"
#include "solvers/operator.hpp"

namespace scree::parallel {

class BodySums {
 public:
  /// A body that this rank and others have rows of.
  struct Body {
    int body = -1;             ///< in this rank's part
    std::vector<int> acting;   ///< ranks that do something to it, ascending
    std::vector<int> knowing;  ///< ranks that want to know, ascending; those that act are among them
  };

  /// Bodies in an order that is the same on all ranks. `part` is this rank's form; both must outlive the sums.
  BodySums(const solvers::BodyForm& part, std::vector<Body> bodies, Team& team);

  /// Entries of every body become the sum over the ranks that act on it, in rank order: the same bits on all that know it.
  void add_up(std::span<double> entries) const;
  [[nodiscard]] const std::vector<Body>& bodies() const { return bodies_; }

 private:
  [[nodiscard]] bool acts(const Body& body) const;

  const solvers::BodyForm* part_;
  std::vector<Body> bodies_;
  Team* team_;
  mutable std::vector<Bytes> outgoing_, incoming_;
  mutable std::vector<double> own_;
};

}  // namespace scree::parallel
