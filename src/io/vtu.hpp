/// Export to VTK's XML unstructured grids: one file a frame and a .pvd that lists them in time.
#pragma once

#include <string>

#include "io/selection.hpp"

namespace scree::io {

/// Write into `folder` (made when missing): surfaces_%06d.vtu, bodies_%06d.vtu, contacts_%06d.vtu and
/// surfaces.pvd, bodies.pvd, contacts.pvd, of the selected frames and bodies.
void export_vtu(const ResultsReader& results, const std::string& folder, const Selection& selection = {});

}  // namespace scree::io
