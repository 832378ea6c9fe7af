/// Suggestions for misspelt names.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace scree {

/// "; did you mean 'X'?" for the nearest known name, else "; known: A, B, ...".
[[nodiscard]] std::string did_you_mean(const std::string& name, std::span<const std::string> known);

}  // namespace scree
