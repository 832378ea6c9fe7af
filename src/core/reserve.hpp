/// Memory of long lists whose length changes a little from step to step.
#pragma once

#include <cstddef>
#include <vector>

namespace scree {

/// Empty the list and make room for `count` things, a sixteenth more where it has to grow: what is too small is given back first, and growing
/// one by one would keep up to twice as much.
template <class T>
void reserve_anew(std::vector<T>& list, std::size_t count) {
  list.clear();
  if (list.capacity() >= count) return;
  std::vector<T>().swap(list);
  list.reserve(count + count / 16);
}

/// Make a list whose old values do not matter so long, in the same way.
template <class T>
void resize_anew(std::vector<T>& list, std::size_t count) {
  if (list.capacity() < count) reserve_anew(list, count);
  list.resize(count);
}

}  // namespace scree
