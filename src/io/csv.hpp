/// Export to comma-separated tables with one header line; numbers are written so that they read back exactly.
#pragma once

#include <string>

#include "io/selection.hpp"

namespace scree::io {

/// Write into `folder` (made when missing): steps.csv, energy.csv, body_table.csv, and of the selected
/// frames and bodies, one row a body or contact: bodies.csv, contacts.csv.
void export_csv(const ResultsReader& results, const std::string& folder, const Selection& selection = {});

}  // namespace scree::io
