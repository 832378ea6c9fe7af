#include "core/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace scree {

namespace {

/// Edit distance without regard to case.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) == std::tolower(static_cast<unsigned char>(b[j - 1]));
      const std::size_t change = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(const std::string& name, std::span<const std::string> known) {
  std::size_t best = name.size() / 2 + 1;
  const std::string* nearest = nullptr;
  for (const std::string& candidate : known)
    if (const std::size_t d = distance(name, candidate); d < best) {
      best = d;
      nearest = &candidate;
    }
  if (nearest) return fmt::format("; did you mean '{}'?", *nearest);
  return known.empty() ? "" : fmt::format("; known: {}", fmt::join(known, ", "));
}

}  // namespace scree
