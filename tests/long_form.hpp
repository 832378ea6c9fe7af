#pragma once

#include <cstdlib>

namespace scree {

/// True in `make test-long`: more draws, steps or sizes of what is tested anyway.
inline bool long_form() { return std::getenv("SCREE_LONG") != nullptr; }

}  // namespace scree
