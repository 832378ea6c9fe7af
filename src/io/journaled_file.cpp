#include "io/journaled_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "io/atomic_file.hpp"

namespace scree::io {
namespace {

// Head of a journal: what it is and how many commits have been applied.
struct Head {
  char magic[8] = {'S', 'C', 'R', 'E', 'E', 'J', 'N', '2'};
  std::uint64_t sequence = 0;
};
// One commit: this, `pages` entries, the changed lines of each page, a checksum of it all.
struct Record {
  std::uint64_t sequence = 0, pages = 0, size = 0;
};
struct Entry {
  std::uint64_t index = 0, changed = 0;  // of a page, and which of its lines follow
};

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 50;

// "process 123" that holds the lock on an open file, as the kernel lists it; "another process" where it does not tell.
std::string lock_process(int descriptor) {
  struct stat file {};
  if (::fstat(descriptor, &file) != 0) return "another process";
  // 1: FLOCK  ADVISORY  WRITE 123 fe:00:4711 0 EOF
  std::ifstream locks("/proc/locks");
  const std::string inode = fmt::format(":{}", file.st_ino);
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, advisory, access, process, place;
    if (words >> number >> kind >> advisory >> access >> process >> place && kind == "FLOCK" && place.ends_with(inode)) return "process " + process;
  }
  return "another process";
}

// Who holds the lock on an open file, as the kernel lists it, and what to do.
std::string lock_holder(int descriptor) {
  const std::string own = fmt::format("process {}", ::getpid());
  const std::string holder = lock_process(descriptor);
  return holder == own ? "another simulation of this process is writing it; give each a folder of its own" : holder + " is writing it; wait for it, or choose another folder";
}

bool read_all(int descriptor, std::uint64_t address, std::size_t size, char* bytes) {
  while (size > 0) {
    const ssize_t got = ::pread(descriptor, bytes, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) {
      std::memset(bytes, 0, size);
      return true;
    }
    bytes += got;
    address += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int descriptor, std::uint64_t address, std::size_t size, const char* bytes) {
  while (size > 0) {
    const ssize_t put = ::pwrite(descriptor, bytes, size, static_cast<off_t>(address));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes += put;
    address += static_cast<std::uint64_t>(put);
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

std::uint64_t checksum(const std::vector<char>& bytes, std::size_t size) {
  StateHash hash;
  for (std::size_t k = 0; k + 8 <= size; k += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + k, 8);
    hash.add(word);
  }
  return hash.value();
}

template <class Value>
void append(std::vector<char>& bytes, const Value& value) {
  const char* first = reinterpret_cast<const char*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(Value));
}

std::uint64_t size_on_disk(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// Call action(first byte, bytes) for every run of changed lines of a page.
template <class Action>
void each_run(std::uint64_t changed, Action&& action) {
  for (int line = 0; line < 64;) {
    line += std::countr_zero(changed >> line);
    if (line >= 64) return;
    const int count = std::countr_one(changed >> line);
    action(static_cast<std::size_t>(line) * kLine, static_cast<std::size_t>(count) * kLine);
    line += count;
  }
}

// Put bytes into a page and mark the lines they change.
void put(char* page, std::size_t offset, std::size_t size, const char* bytes, std::uint64_t& changed) {
  while (size > 0) {
    const std::size_t count = std::min(size, kLine - offset % kLine);
    if (std::memcmp(page + offset, bytes, count) != 0) {
      std::memcpy(page + offset, bytes, count);
      changed |= std::uint64_t{1} << (offset / kLine);
    }
    offset += count;
    bytes += count;
    size -= count;
  }
}

// Pages and lines of the commit a journal holds; not complete when it holds none or only part of one.
struct Pending {
  bool complete = false;
  Record record;
  std::vector<Entry> entries;
  std::vector<char> bytes;
  std::size_t first_line = 0;
};

Pending read_pending(int descriptor, std::uint64_t journal_size) {
  Pending pending;
  if (journal_size < sizeof(Head) + sizeof(Record) + 8) return pending;
  std::vector<char> bytes(journal_size - sizeof(Head));
  if (!read_all(descriptor, sizeof(Head), bytes.size(), bytes.data())) return pending;
  std::memcpy(&pending.record, bytes.data(), sizeof(Record));
  const std::uint64_t pages = pending.record.pages;
  if (pages > (bytes.size() - sizeof(Record)) / sizeof(Entry)) return pending;
  pending.entries.resize(pages);
  std::memcpy(pending.entries.data(), bytes.data() + sizeof(Record), pages * sizeof(Entry));
  pending.first_line = sizeof(Record) + pages * sizeof(Entry);
  std::size_t body = pending.first_line;
  for (const Entry& entry : pending.entries) {
    if (entry.changed == 0 || pending.record.size > kLargestFile || entry.index > pending.record.size / kPage) return pending;
    body += static_cast<std::size_t>(std::popcount(entry.changed)) * kLine;
  }
  if (bytes.size() < body + 8) return pending;
  std::uint64_t stored;
  std::memcpy(&stored, bytes.data() + body, 8);
  if (stored != checksum(bytes, body)) return pending;
  pending.bytes = std::move(bytes);
  pending.complete = true;
  return pending;
}

}  // namespace

std::string journal_path(const std::string& path) { return path + ".journal"; }

JournalMark journal_mark(const std::string& path) {
  const int journal = ::open(journal_path(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (journal < 0) return {};
  Head head;
  const JournalMark mark{read_all(journal, 0, sizeof(Head), reinterpret_cast<char*>(&head)) ? head.sequence : 0,
                         static_cast<std::int64_t>(size_on_disk(journal))};
  ::close(journal);
  return mark;
}

JournaledFile::JournaledFile(const std::string& path, Mode mode)
    : path_(path), mode_(mode), process_(::getpid()) {
  std::error_code none;
  journal_name_ = std::filesystem::absolute(journal_path(path), none).string();
  if (mode == Mode::read) {
    // The journal first: what it holds may be in the file by the time the file is read, but not less.
    load_journal();
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } else {
    open_journal(mode == Mode::create);
    file_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | (mode == Mode::create ? O_CREAT | O_TRUNC : 0), 0666);
  }
  struct stat found {};
  if (file_ < 0 || ::fstat(file_, &found) != 0) {
    const std::string reason = std::strerror(errno);
    if (journal_ >= 0) ::close(journal_);
    if (file_ >= 0) ::close(file_);
    throw_file("{}: cannot open: {}", target_of(path), reason);
  }
  size_ = std::max(size_, static_cast<std::uint64_t>(found.st_size));
  committed_ = mode == Mode::create ? 0 : size_;
  // A complete journal left by a killed process: finish its work.
  if (mode == Mode::append && !pages_.empty()) failed_ = !(apply_pages() && clear_journal());
}

JournaledFile::~JournaledFile() {
  // Pages may reach beyond the end of the committed state; nothing refers to that.
  if (mode_ != Mode::read && !failed() && !dirty_ && committed_ < size_on_disk(file_)) failed_ = ::ftruncate(file_, static_cast<off_t>(committed_)) != 0;
  if (file_ >= 0) ::close(file_);
  if (journal_ < 0) return;
  if (mode_ != Mode::read && !failed()) ::unlink(journal_name_.c_str());
  ::close(journal_);
}

bool JournaledFile::copied() const { return ::getpid() != process_; }

// Writers hold a lock on the journal as long as they live.
void JournaledFile::open_journal(bool create) {
  const std::string name = journal_path(path_);
  journal_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (journal_ < 0) throw_file("{}: cannot write there: {}", target_of(path_), std::strerror(errno));
  if (::flock(journal_, LOCK_EX | LOCK_NB) != 0) {
    const std::string holder = lock_holder(journal_);
    ::close(journal_);
    throw_file("{}: {}", target_of(path_), holder);
  }
  if (!create) load_journal();
  if (create || pages_.empty()) failed_ = !clear_journal();
}

void JournaledFile::load_journal() {
  if (mode_ == Mode::read) journal_ = ::open(journal_path(path_).c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (journal_ < 0 || ::fstat(journal_, &status) != 0) return;
  Head head, expected;
  if (status.st_size < static_cast<off_t>(sizeof(Head)) || !read_all(journal_, 0, sizeof(Head), reinterpret_cast<char*>(&head)) ||
      std::memcmp(head.magic, expected.magic, 8) != 0)
    return;
  sequence_ = head.sequence;
  const Pending pending = read_pending(journal_, static_cast<std::uint64_t>(status.st_size));
  if (!pending.complete || pending.record.sequence != sequence_) return;
  const char* line = pending.bytes.data() + pending.first_line;
  for (const Entry& entry : pending.entries) {
    Page& page = pages_[entry.index];
    page.changed = entry.changed;
    page.bytes = std::make_unique<char[]>(kPage);
    each_run(entry.changed, [&](std::size_t offset, std::size_t count) {
      std::memcpy(page.bytes.get() + offset, line, count);
      line += count;
    });
  }
  size_ = pending.record.size;
}

bool JournaledFile::read(std::uint64_t address, std::size_t size, char* bytes) const {
  if (!read_all(file_, address, size, bytes)) return false;
  if (pages_.empty()) return true;
  // Changed lines hide what the file holds.
  for (std::uint64_t index = address / kPage; index * kPage < address + size; ++index) {
    const auto found = pages_.find(index);
    if (found == pages_.end()) continue;
    each_run(found->second.changed, [&](std::size_t offset, std::size_t count) {
      const std::uint64_t first = std::max(address, index * kPage + offset), last = std::min(address + size, index * kPage + offset + count);
      if (first < last) std::memcpy(bytes + (first - address), found->second.bytes.get() + (first - index * kPage), last - first);
    });
  }
  return true;
}

JournaledFile::Page* JournaledFile::page_for_write(std::uint64_t index) {
  Page& page = pages_[index];
  if (!page.bytes) {
    page.bytes = std::make_unique<char[]>(kPage);
    if (!read_all(file_, index * kPage, kPage, page.bytes.get())) return nullptr;
  }
  return &page;
}

bool JournaledFile::write(std::uint64_t address, std::size_t size, const char* bytes) {
  if (failed() || mode_ == Mode::read) return false;
  dirty_ = true;
  // The committed part page by page into memory, the rest straight into the file.
  const std::uint64_t limit = (committed_ + kPage - 1) / kPage * kPage;
  while (size > 0 && address < limit) {
    const std::size_t offset = address % kPage, count = std::min(size, kPage - offset);
    Page* page = page_for_write(address / kPage);
    if (!page) return !(failed_ = true);
    put(page->bytes.get(), offset, count, bytes, page->changed);
    address += count;
    bytes += count;
    size -= count;
    size_ = std::max(size_, address);
  }
  if (size == 0) return true;
  if (!write_all(file_, address, size, bytes)) return !(failed_ = true);
  size_ = std::max(size_, address + size);
  return true;
}

bool JournaledFile::write_journal(std::uint64_t size) const {
  std::vector<Entry> order;
  for (const auto& [index, page] : pages_)
    if (page.changed) order.push_back({index, page.changed});
  std::sort(order.begin(), order.end(), [](const Entry& a, const Entry& b) { return a.index < b.index; });
  std::vector<char> bytes;
  append(bytes, Record{sequence_, order.size(), size});
  for (const Entry& entry : order) append(bytes, entry);
  for (const Entry& entry : order)
    each_run(entry.changed, [&](std::size_t offset, std::size_t count) {
      const char* first = pages_.at(entry.index).bytes.get() + offset;
      bytes.insert(bytes.end(), first, first + count);
    });
  append(bytes, checksum(bytes, bytes.size()));
  return write_all(journal_, sizeof(Head), bytes.size(), bytes.data());
}

bool JournaledFile::apply_pages() const {
  bool done = true;
  for (const auto& [index, page] : pages_)
    each_run(page.changed, [&, at = index * kPage, from = page.bytes.get()](std::size_t offset, std::size_t count) {
      done = done && write_all(file_, at + offset, count, from + offset);
    });
  return done;
}

bool JournaledFile::clear_journal() {
  // The new number first: a record left behind by an interrupted truncation no longer matches it.
  Head head;
  head.sequence = ++sequence_;
  pages_.clear();
  return write_all(journal_, 0, sizeof(Head), reinterpret_cast<const char*>(&head)) && ::ftruncate(journal_, sizeof(Head)) == 0;
}

bool JournaledFile::commit(std::uint64_t size) {
  if (failed() || mode_ == Mode::read) return false;
  const auto flushed = [&](int descriptor) { return !durable || ::fsync(descriptor) == 0; };
  // New data before the pages that refer to it, the journal before the file.
  bool done = size_on_disk(file_) >= size || ::ftruncate(file_, static_cast<off_t>(size)) == 0;
  done = done && flushed(file_) && write_journal(size) && flushed(journal_) && apply_pages() && flushed(file_) && clear_journal();
  failed_ = !done;
  committed_ = size_ = size;
  dirty_ = false;
  return done;
}

}  // namespace scree::io
