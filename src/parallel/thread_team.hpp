/// Ranks that are threads of one process: for unit tests, sanitizers, and for counting what any number of ranks would send.
#pragma once

#include <functional>

#include "core/team.hpp"

namespace scree::parallel {

/// Run `body` on `ranks` threads, each with its own rank of the team. When it throws on some ranks, those that wait for them throw too, and the
/// first rank's own error is thrown here.
void run_team(int ranks, const std::function<void(Team&)>& body);

}  // namespace scree::parallel
