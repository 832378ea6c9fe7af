#include "core/blas.hpp"

#include <dlfcn.h>
#include <omp.h>

#include <atomic>
#include <mutex>

#include "core/blas_kernel.hpp"

namespace scree {

namespace {

using Set = void (*)(int);
using Get = int (*)();

/// OpenBLAS' own switch, where that is the BLAS in use, and who relies on it now.
struct Switch {
  Switch() { choose_blas_kernel(); }

  Set set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  Get get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  std::mutex mutex;
  int users = 0, threads = 1;        ///< who relies on it, and what to go back to
  int serial_users = 0, levels = 1;
};

std::atomic<bool> used{false};

Switch& the_switch() {
  static Switch s;
  return s;
}

}  // namespace

bool blas_used() noexcept { return used.load(std::memory_order_relaxed); }

OneBlasThread::OneBlasThread(bool serial) : serial_(serial) {
  used.store(true, std::memory_order_relaxed);
  Switch& s = the_switch();
  const std::lock_guard lock(s.mutex);
  if (serial_ && s.serial_users++ == 0) {
    s.levels = omp_get_max_active_levels();
    omp_set_max_active_levels(0);
  }
  if (s.users++ > 0 || !s.set || !s.get) return;
  s.threads = s.get();
  if (s.threads != 1) s.set(1);
}

OneBlasThread::~OneBlasThread() {
  Switch& s = the_switch();
  const std::lock_guard lock(s.mutex);
  if (serial_ && --s.serial_users == 0) omp_set_max_active_levels(s.levels);
  if (--s.users == 0 && s.threads != 1 && s.set && s.get) s.set(s.threads);
}

}  // namespace scree
