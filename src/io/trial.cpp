#include "io/trial.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>

#include "core/error.hpp"

namespace scree::io {

namespace {

constexpr std::uintmax_t kSeconds = 20;                 ///< of the processor's time, for any file
constexpr std::uintmax_t kBytesPerSecond = 10'000'000;  ///< read in each of those that come on top

// A fuzzer wants to see what breaks.
#ifdef SCREE_FUZZ
constexpr bool kFuzzed = true;
#else
constexpr bool kFuzzed = false;
#endif

struct Pipe {
  int end[2] = {-1, -1};
  Pipe() {
    if (::pipe2(end, O_CLOEXEC) != 0) end[0] = end[1] = -1;
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    for (const int e : {0, 1}) close(e);
  }
  void close(int which) {
    if (end[which] >= 0) ::close(end[which]);
    end[which] = -1;
  }
};

[[noreturn]] void read_and_end(std::uintmax_t bytes, const std::function<void()>& read, int out) {
  const rlim_t seconds = kSeconds + bytes / kBytesPerSecond;
  const rlimit most{seconds, seconds}, no_core{0, 0};
  ::setrlimit(RLIMIT_CPU, &most);
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) ::signal(number, SIG_DFL);
  const int silent = ::open("/dev/null", O_WRONLY);  // what the C library says of a broken heap is nobody's business
  if (silent >= 0) ::dup2(silent, STDERR_FILENO);
  try {
    read();
  } catch (const FileError& error) {
    const std::string what = error.what();
    [[maybe_unused]] const auto written = ::write(out, what.data(), what.size());
  } catch (...) {
    // Not the file's fault: the parent meets it too.
  }
  ::_exit(0);
}

std::string read_all(int in) {
  std::string text;
  char part[4096];
  for (;;) {
    const auto count = ::read(in, part, sizeof part);
    if (count > 0) text.append(part, static_cast<std::size_t>(count));
    else if (count == 0 || errno != EINTR) return text;
  }
}

}  // namespace

void try_apart(const std::string& path, const std::function<void()>& read) {
  if (kFuzzed) return;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) return;  // the reader says what is wrong with it
  Pipe pipe;
  const pid_t child = ::fork();
  if (child == 0) read_and_end(bytes, read, pipe.end[1]);
  if (child < 0) throw_file("{}: no process can be made to try it in ({})", path, std::generic_category().message(errno));
  pipe.close(1);
  const std::string refused = pipe.end[0] >= 0 ? read_all(pipe.end[0]) : "";
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) break;  // somebody else has taken its status
  if (WIFSIGNALED(status)) {
    const bool endless = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL;
    throw_file("{}: HDF5 {}; the file is damaged or was made to harm", path, endless ? "does not come to an end with it" : "breaks down over it");
  }
  if (!refused.empty()) throw FileError(refused);
}

}  // namespace scree::io
