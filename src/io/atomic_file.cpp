#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/error.hpp"
#include "io/journaled_file.hpp"

namespace scree::io {
namespace {

bool flush_to_disk(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags);
  if (descriptor < 0) return false;
  const bool done = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return done;
}

}  // namespace

std::string target_of(std::string path) {
  for (;;) {
    const std::size_t at = path.rfind(".part");
    if (at == std::string::npos || path.find_first_not_of("0123456789", at + 5) != std::string::npos) return path;
    path.resize(at);
  }
}

AtomicFile::AtomicFile(std::string target) : target_(std::move(target)) {
  if (std::filesystem::is_directory(target_)) throw_file("{}: is a directory, a file is to be written there", target_);
  // One name a process: two writers never share a temporary file.
  temporary_ = fmt::format("{}.part{}", target_, ::getpid());
}

AtomicFile::~AtomicFile() {
  if (done_) return;
  std::remove(temporary_.c_str());
  std::remove(journal_path(temporary_).c_str());
}

void AtomicFile::commit(bool durable) {
  if (durable && !flush_to_disk(temporary_, O_RDWR)) throw_file("{}: cannot flush to disk: {}", target_of(target_), std::strerror(errno));
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
    throw_file("{}: cannot put the new file in place: {}", target_of(target_), std::strerror(errno));
  done_ = true;
  if (!durable) return;
  // The rename itself must survive a power cut too; some file systems cannot sync a folder, which is no error.
  const auto folder = std::filesystem::path(target_).parent_path();
  flush_to_disk(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY);
}

}  // namespace scree::io
