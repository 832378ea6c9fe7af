/// What an export takes from results: frames and bodies.
#pragma once

#include <cstdint>
#include <vector>

#include "io/results.hpp"

namespace scree::io {

struct Selection {
  std::vector<std::int64_t> frames;  ///< in this order; empty: all
  std::vector<std::int32_t> bodies;  ///< rows of the body table; empty: all
  bool spheres = false;              ///< draw spheres and ellipsoids as polygons, too
};

/// The frames a selection asks for. InputError when one does not exist.
[[nodiscard]] std::vector<std::int64_t> selected_frames(const ResultsReader& results, const Selection& selection);

/// A frame with the selected bodies alone (without their states, when some are left out), their points, and the contacts that touch one of them. InputError
/// when a body row does not exist.
[[nodiscard]] Frame selected_frame(const ResultsReader& results, std::int64_t frame, const Selection& selection);

}  // namespace scree::io
