/// Random vectors. Arguments of a call are drawn in an order that compilers choose; components of these are not.
#pragma once

#include "core/vec.hpp"

namespace scree::testing {

/// Three draws, the last component first.
template <class Draw>
Vec3 vector_of(Draw&& draw) {
  const double z = draw(), y = draw(), x = draw();
  return {x, y, z};
}

}  // namespace scree::testing
