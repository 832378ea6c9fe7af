#include "core/abandon.hpp"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace scree {

namespace {

constexpr std::chrono::milliseconds kLook{20};  ///< between looks for a request

std::atomic<int> abandoned{0};

/// What the worker and whoever waits for it share.
struct Job {
  std::mutex mutex;
  std::condition_variable ended;
  std::function<void()> work;
  std::exception_ptr error;
  bool done = false, alone = false;
};

void do_job(const std::shared_ptr<Job>& job) {
  std::exception_ptr error;
  try {
    job->work();
  } catch (...) {
    error = std::current_exception();
  }
  job->work = nullptr;
  const std::lock_guard lock(job->mutex);
  job->error = error;
  job->done = true;
  if (job->alone) abandoned.fetch_sub(1);
  job->ended.notify_one();
}

}  // namespace

void run_abandonable(std::function<void()> work) {
  throw_if_stopped();
  const auto job = std::make_shared<Job>();
  job->work = std::move(work);
  std::thread(do_job, job).detach();
  std::unique_lock lock(job->mutex);
  while (!job->ended.wait_for(lock, kLook, [&] { return job->done; })) {
    if (!stop_requested()) continue;
    job->alone = true;
    abandoned.fetch_add(1);
    throw Interrupted();
  }
  if (job->error) std::rethrow_exception(job->error);
}

int abandoned_work() noexcept { return abandoned.load(); }

}  // namespace scree
