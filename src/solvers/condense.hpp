/// When to hold W itself instead of the rows of bodies (theory sec. 3.1).
#pragma once

#include "solvers/operator.hpp"

namespace scree::solvers {

/// True when a product with the explicit form touches at most `ratio` times the numbers of one with the body form and it fits into memory:
/// bodies with many scaled degrees of freedom and few blocks each. Newton's method gains from rows of W at larger ratios.
[[nodiscard]] bool condensing_pays(const BodyForm& form, double ratio = 1.0);

}  // namespace scree::solvers
