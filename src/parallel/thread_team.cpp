#include "parallel/thread_team.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace scree::parallel {

namespace {

/// Thrown on ranks that wait for one that is gone: it has failed, or has ended without them.
class Left : public SolveError {
 public:
  using SolveError::SolveError;
};

/// Where the threads meet.
class Hall {
 public:
  explicit Hall(int size) : gathered(static_cast<std::size_t>(size)), boxes(static_cast<std::size_t>(size)), size_(size) {}

  /// Wait for all ranks.
  void wait() {
    std::unique_lock lock(mutex_);
    if (left_) throw Left("another rank has left the team");
    const long round = round_;
    if (++waiting_ == size_) {
      waiting_ = 0;
      ++round_;
      all_here_.notify_all();
      return;
    }
    all_here_.wait(lock, [&] { return round_ != round || left_; });
    if (round_ == round) throw Left("another rank has left the team");
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    left_ = true;
    all_here_.notify_all();
  }

  std::vector<std::span<const std::byte>> gathered;   ///< by rank
  std::vector<std::span<const Bytes>> boxes;          ///< what each rank sends to each

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  const int size_;
  int waiting_ = 0;
  long round_ = 0;
  bool left_ = false;
};

class Member final : public Team {
 public:
  Member(Hall& hall, int rank, int size) : hall_(hall), rank_(rank), size_(size) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  [[noreturn]] void abort(int status) override { throw_solve("rank {} aborted the team with status {}", rank_, status); }

 private:
  void gather_bytes(std::span<const std::byte> mine, std::span<const std::size_t> sizes, std::span<std::byte> all) override {
    hall_.gathered[rank_] = mine;
    hall_.wait();
    auto out = all.begin();
    bool as_said = true;
    for (std::size_t r = 0; r < sizes.size(); ++r) {
      as_said = as_said && hall_.gathered[r].size() == sizes[r];
      if (as_said) out = std::ranges::copy(hall_.gathered[r], out).out;
    }
    hall_.wait();
    if (!as_said) throw_solve("rank {}: another rank brought more or less than was agreed", rank_);
  }

  void exchange_bytes(std::span<const Bytes> outgoing, std::span<Bytes> incoming) override {
    hall_.boxes[rank_] = outgoing;
    hall_.wait();
    for (std::size_t r = 0; r < incoming.size(); ++r)
      if (static_cast<int>(r) != rank_) std::ranges::copy(hall_.boxes[r][rank_], incoming[r].begin());
    hall_.wait();
  }

  Hall& hall_;
  int rank_, size_;
};

}  // namespace

void run_team(int ranks, const std::function<void(Team&)>& body) {
  Hall hall(ranks);
  std::vector<std::exception_ptr> errors(ranks);
  std::vector<char> own(errors.size(), 0);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      const std::size_t r = rank;
      Member member(hall, rank, ranks);
      try {
        body(member);
      } catch (const Left&) {
        errors[r] = std::current_exception();
      } catch (...) {
        own[r] = 1;
        errors[r] = std::current_exception();
      }
      hall.leave();
    });
  for (std::thread& thread : threads) thread.join();
  for (const bool wanted : {true, false})
    for (std::size_t r = 0; r < errors.size(); ++r)
      if (errors[r] && static_cast<bool>(own[r]) == wanted) std::rethrow_exception(errors[r]);
}

}  // namespace scree::parallel
