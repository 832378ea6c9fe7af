/// Checkpoints: an Archive as one HDF5 file, complete or not there at all.
///
/// Layout (all datasets at the root): format "scree-checkpoint", version, checksum; per value, in order of
/// name: name_end, kind (0 reals, 1 integers, 2 text), value_end; the concatenated names, reals, integers
/// and text. Ends count entries of the array they cut.
#pragma once

#include <string>

#include "core/archive.hpp"

namespace scree::io {

/// Write beside the target, flush to disk, then replace it: the old checkpoint stays until the new one is
/// whole. FileError when the disk refuses.
void write_checkpoint(const std::string& path, Archive archive);

/// Every bit as written, or a FileError: wrong format, newer version, truncation, any altered value.
[[nodiscard]] Archive read_checkpoint(const std::string& path);

}  // namespace scree::io
