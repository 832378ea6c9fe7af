/// HDF5 on top of JournaledFile: an HDF5 file that a killed process leaves in its last committed state.
///
/// Files of any origin are read through it too: HDF5 keeps no metadata between itself and this driver, which answers for every address. (Its own drivers let it
/// keep some, and a damaged address then makes it copy what lies beyond that.)
#pragma once

#include "io/hdf5.hpp"
#include "io/journaled_file.hpp"

namespace scree::io::h5 {

/// Open an existing file of any origin for reading; FileError when it is missing, a directory, empty, or not HDF5.
[[nodiscard]] Node open_file(const std::string& path);
/// Create, open for appending or open for reading a file that is written through a journal. FileError as open_file().
[[nodiscard]] Node create_journaled(const std::string& path);
[[nodiscard]] Node open_journaled(const std::string& path, bool append);

/// Flush HDF5 and commit: the file's state is what has been written so far. FileError when that fails.
void commit(const Node& file);

/// The journaled file under an HDF5 file opened by the functions above.
[[nodiscard]] JournaledFile& journaled_file(const Node& file);

}  // namespace scree::io::h5
