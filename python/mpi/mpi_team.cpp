#include "mpi_team.hpp"

#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace scree::mpi {

namespace {

// A rank that waits looks often at first, then lets others have its core, then sleeps: another rank may be solving for minutes.
constexpr double kLook = 50e-6;    ///< s
constexpr double kYield = 1e-3;    ///< s
constexpr auto kSleep = std::chrono::microseconds(100);

int to_int(std::size_t size) {
  if (size > static_cast<std::size_t>(INT_MAX)) throw_solve("ranks: a message of {} bytes is larger than MPI sends in one piece", size);
  return static_cast<int>(size);
}

}  // namespace

MpiTeam::MpiTeam() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

void MpiTeam::wait(std::span<MPI_Request> requests) {
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  for (;;) {
    int done = 0;
    MPI_Testall(to_int(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done) return;
    const double waited = std::chrono::duration<double>(Clock::now() - begun).count();
    if (waited > patience_) {
      std::fputs(last_words_.c_str(), stderr);
      std::fflush(stderr);
      abort(1);
    }
    if (waited > kYield) std::this_thread::sleep_for(kSleep);
    else if (waited > kLook) std::this_thread::yield();
  }
}

void MpiTeam::gather_bytes(std::span<const std::byte> mine, std::span<const std::size_t> sizes, std::span<std::byte> all) {
  std::vector<int> counts(sizes.size()), first(sizes.size());
  std::size_t total = 0;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    counts[r] = to_int(sizes[r]);
    first[r] = to_int(total);
    total += sizes[r];
  }
  (void)to_int(total);
  MPI_Request request;
  MPI_Iallgatherv(mine.data(), counts[static_cast<std::size_t>(rank_)], MPI_BYTE, all.data(), counts.data(), first.data(), MPI_BYTE, MPI_COMM_WORLD, &request);
  wait({&request, 1});
}

void MpiTeam::exchange_bytes(std::span<const Bytes> outgoing, std::span<Bytes> incoming) {
  std::vector<MPI_Request> requests;
  for (int r = 0; r < size_; ++r) {
    Bytes& in = incoming[static_cast<std::size_t>(r)];
    if (r == rank_ || in.empty()) continue;
    MPI_Irecv(in.data(), to_int(in.size()), MPI_BYTE, r, 0, MPI_COMM_WORLD, &requests.emplace_back());
  }
  for (int r = 0; r < size_; ++r) {
    const Bytes& out = outgoing[static_cast<std::size_t>(r)];
    if (r == rank_ || out.empty()) continue;
    MPI_Isend(out.data(), to_int(out.size()), MPI_BYTE, r, 0, MPI_COMM_WORLD, &requests.emplace_back());
  }
  wait(requests);
}

void MpiTeam::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

void MpiTeam::set_patience(double seconds, const std::string& last_words) {
  patience_ = seconds;
  last_words_ = last_words;
}

}  // namespace scree::mpi
