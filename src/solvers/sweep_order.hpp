/// In which order, and in which independent pieces, a body-form sweep visits its blocks.
///
/// Bodies are ordered breadth first and cut into chunks. Blocks inside a chunk form one task; blocks between
/// two chunks form another. Tasks of one phase touch different bodies, so they may run at the same time and
/// the result is that of running them one after the other. Everything depends on the problem only.
#pragma once

#include <array>
#include <vector>

#include "solvers/operator.hpp"

namespace scree::solvers {

class SweepOrder {
 public:
  /// Work out the order; costs nothing when the blocks join the same bodies as at the last call.
  void update(const BodyForm& form);

  [[nodiscard]] const std::vector<int>& blocks() const { return blocks_; }          ///< block at each place
  [[nodiscard]] const std::vector<int>& slot_of_body() const { return slot_; }      ///< place of each body
  [[nodiscard]] const std::vector<int>& task_start() const { return task_start_; }  ///< first place of each task
  [[nodiscard]] const std::vector<int>& phase_start() const { return phase_start_; }///< first task of each phase
  [[nodiscard]] int tasks() const { return static_cast<int>(task_start_.size()) - 1; }
  [[nodiscard]] int phases() const { return static_cast<int>(phase_start_.size()) - 1; }

 private:
  void order_bodies(const BodyForm& form);
  void cut_chunks(const BodyForm& form);
  void make_tasks(const BodyForm& form);

  std::vector<std::array<int, 2>> pairs_;   ///< what the order was made for
  int bodies_ = -1;
  std::vector<int> visited_, slot_, level_; ///< bodies in order, place of each body, breadth-first level by place
  std::vector<int> chunk_;                  ///< chunk of each place
  int chunks_ = 0;
  std::vector<int> blocks_, task_start_, phase_start_;
  std::vector<int> scratch_;
};

}  // namespace scree::solvers
