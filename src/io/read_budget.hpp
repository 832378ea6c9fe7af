/// How much memory a file may ask for: compressed files of a few kilobytes can claim gigabytes.
#pragma once

#include <cstdint>
#include <string>

namespace scree::io {

/// Bytes that all of a file's numbers together may take: far more than files of ours or of other programs hold for their size, far less than a
/// malicious one can claim.
[[nodiscard]] std::uint64_t most_bytes(std::uint64_t file_size);

/// While it lives, everything read at once from HDF5 by this thread counts as read from one file.
class ReadBudget {
 public:
  explicit ReadBudget(const std::string& path);
  ~ReadBudget();
  ReadBudget(const ReadBudget&) = delete;
  ReadBudget& operator=(const ReadBudget&) = delete;

  /// Count bytes about to be read from the file at hand, if there is one. FileError when they are more than a file of its size may hold.
  static void charge(const std::string& file, const std::string& name, std::uint64_t bytes);

 private:
  ReadBudget* before_;
  std::uint64_t most_, used_ = 0;
};

}  // namespace scree::io
