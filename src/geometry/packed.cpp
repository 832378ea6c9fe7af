#include "geometry/packed.hpp"

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "geometry/checks.hpp"

namespace scree::geometry {

std::span<const int> PackedList::next() {
  ++index_;
  const int count = list_[at_];
  if (count < 1 || count > nodes_) {
    throw_input("{}: {} {} starts (entry {} of the list) with the count {}: it must lie between 1 and {}", what_, record_, index_, at_,
                count, nodes_);
  }
  const std::size_t left = list_.size() - at_ - 1;
  if (left < static_cast<std::size_t>(count) + 1) {
    throw_input("{}: the list ends inside {} {}: {} {} indices and an identifier are announced, {} entries are left", what_, record_,
                index_, count, noun_, left);
  }
  const auto indices = list_.subspan(at_ + 1, count);
  check_indices(indices);
  identifier_ = list_[at_ + 1 + count];
  at_ += static_cast<std::size_t>(count) + 2;
  return indices;
}

void PackedList::check_indices(std::span<const int> indices) const {
  for (int i : indices) {
    if (i < 0 || i >= nodes_) throw_input("{}: {} {} names {} {}: indices run from 0 to {}", what_, record_, index_, noun_, i, nodes_ - 1);
  }
  std::vector<int> sorted(indices.begin(), indices.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    throw_input("{}: {} {} ({}) names {} {} twice: each may appear once", what_, record_, index_, text(indices), noun_, *twice);
  }
}

}  // namespace scree::geometry
