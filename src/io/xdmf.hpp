/// XDMF: XML that tells ParaView what the numbers of an HDF5 file mean.
#pragma once

#include <string>

#include "io/selection.hpp"

namespace scree::io {

/// Light description of selected frames as points in time: all bodies (radius, body, velocities, rotation) and contacts (gap, force along the contact
/// axes). Nothing is copied: every item is a hyperslab of the results file, which must stay where it is, seen from the XDMF file. Open it with ParaView's
/// "XDMF Reader".
void export_points(const ResultsReader& results, const std::string& path, const Selection& selection = {});

/// Full export for any XDMF reader (2 or 3): `path` and heavy data beside it (.xdmf -> .heavy.h5). Surfaces
/// of bodies in space with their velocity, centres of bodies, contacts with force vectors.
/// Of the selected frames and bodies; spheres become polygons when the selection says so.
void export_xdmf(const ResultsReader& results, const std::string& path, const Selection& selection = {});

}  // namespace scree::io
