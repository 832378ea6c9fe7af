/// A file that changes from one consistent state to the next, whatever kills the process in between.
///
/// The committed part of the file is never overwritten in place. Pages of it that change are kept in memory
/// until commit(), which writes their changed lines to a journal beside the file, then into the file, then
/// empties the journal. What lies beyond the committed size is invisible to readers of the old state and is
/// written at once. So at any moment either the file is consistent, or the journal is complete and says how
/// to make it so. Journal layout: docs/results_format.md.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace scree::io {

/// Changes are kept by pages, of which the lines that differ from the file are written: HDF5 hands over whole chunks
/// and headers of which a frame changes a few bytes.
inline constexpr std::size_t kPage = 4096, kLine = kPage / 64;

/// Name of the journal of a file.
[[nodiscard]] std::string journal_path(const std::string& path);

/// A mark that changes whenever a writer begins or ends to change the committed part of a file. What was read
/// between two equal marks is of one state.
struct JournalMark {
  std::uint64_t sequence = 0;
  std::int64_t size = -1;  ///< of the journal; -1: there is none

  friend bool operator==(const JournalMark&, const JournalMark&) = default;
};
[[nodiscard]] JournalMark journal_mark(const std::string& path);

class JournaledFile {
 public:
  enum class Mode {
    read,    ///< never changes anything on disk; a complete journal is read as part of the file
    append,  ///< an existing file; a complete journal is applied first
    create   ///< a new file, replacing an old one
  };

  /// FileError when the file cannot be opened, or somebody is writing it.
  JournaledFile(const std::string& path, Mode mode);
  ~JournaledFile();
  JournaledFile(const JournaledFile&) = delete;
  JournaledFile& operator=(const JournaledFile&) = delete;

  /// Bytes at `address`; beyond the end they are zero. False on an I/O error.
  [[nodiscard]] bool read(std::uint64_t address, std::size_t size, char* bytes) const;
  [[nodiscard]] bool write(std::uint64_t address, std::size_t size, const char* bytes);
  /// Make everything written so far the state of the file, `size` bytes long. False on an I/O error: the
  /// file stays in its last state and refuses further writes.
  [[nodiscard]] bool commit(std::uint64_t size);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// A write failed, or this is a copy that fork() made: the state on disk is final.
  [[nodiscard]] bool failed() const { return failed_ || copied(); }
  /// In a process that fork() made: the file is the other's, who still changes it.
  [[nodiscard]] bool copied() const;
  /// Written to since the last commit.
  [[nodiscard]] bool dirty() const { return dirty_; }

  /// Also survive a power cut, not only the death of the process: flush to disk at every commit.
  bool durable = false;

 private:
  struct Page {
    std::uint64_t changed = 0;  ///< bit k: line k differs from the file
    std::unique_ptr<char[]> bytes;
  };

  void open_journal(bool create);
  void load_journal();
  [[nodiscard]] bool write_journal(std::uint64_t size) const;
  [[nodiscard]] bool apply_pages() const;
  [[nodiscard]] bool clear_journal();
  [[nodiscard]] Page* page_for_write(std::uint64_t index);

  std::string path_, journal_name_;  ///< as given; whole, whatever becomes of the working directory
  Mode mode_;
  pid_t process_;  ///< that opened it
  int file_ = -1, journal_ = -1;
  std::uint64_t size_ = 0;       ///< of the file as seen through this object
  std::uint64_t committed_ = 0;  ///< bytes that belong to the last state
  std::uint64_t sequence_ = 0;   ///< number of commits
  bool failed_ = false, dirty_ = false;
  std::unordered_map<std::uint64_t, Page> pages_;  ///< changed pages of the committed part
};

}  // namespace scree::io
