/// Replace a file only by a complete one.
#pragma once

#include <string>

namespace scree::io {

/// The file that a temporary one stands for, to be named in messages; any other path as it is.
[[nodiscard]] std::string target_of(std::string path);

/// Write to temporary(), then commit(): the target then holds the new content, on disk, and never anything
/// in between. Without commit() the temporary file is removed and the target is left as it was.
class AtomicFile {
 public:
  explicit AtomicFile(std::string target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  [[nodiscard]] const std::string& temporary() const { return temporary_; }
  /// Rename, after flushing to disk when `durable`; FileError when either fails. The temporary file must be closed.
  void commit(bool durable = true);

 private:
  std::string target_, temporary_;
  bool done_ = false;
};

}  // namespace scree::io
