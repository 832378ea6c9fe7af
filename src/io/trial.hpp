/// A first reading of a file from outside, in a process of its own.
///
/// HDF5's library trusts what files say of themselves: damaged ones make it read and write beyond its memory, or turn in circles. What happens then happens to a
/// child process. What the child refuses is never read here.
#pragma once

#include <functional>
#include <string>

namespace scree::io {

/// Do `read` in a child process. FileError: the child's own, or that the child broke down or took more of the processor's time than a file of this size can.
void try_apart(const std::string& path, const std::function<void()>& read);

/// The result of `read`, after a trial.
template <class Read>
auto read_tried(const std::string& path, const Read& read) {
  try_apart(path, [&] { (void)read(); });
  return read();
}

}  // namespace scree::io
