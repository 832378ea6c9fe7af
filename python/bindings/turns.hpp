/// Who may use a simulation now: one thread at a time, in the order they came, and inside a step only those who do not change it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "bindings.hpp"

namespace scree::python {

/// Turns of threads, first come first served. A thread that has the turn already need not ask.
class Turns {
 public:
  [[nodiscard]] bool mine() const { return owner_.load() == std::this_thread::get_id(); }
  /// Take the turn if nobody has it or waits for it.
  [[nodiscard]] bool try_take();
  /// Wait for the turn. Not while holding the interpreter: whoever has the turn may need it.
  void take();
  void give();

 private:
  std::mutex mutex_;
  std::condition_variable next_;
  long tickets_ = 0, served_ = 0;
  std::atomic<std::thread::id> owner_{};
};

enum class Use { reads, changes };

/// One call's use of a simulation. A call that comes from inside a step (a force function, on_failure) may read; RuntimeError, naming the routine the user
/// called and the function that a step was calling, when it would change what the step works with. Other threads wait until the step has ended.
class Access {
 public:
  Access(Turns& turns, Use use);
  ~Access();
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

 private:
  Turns& turns_;
  bool inside_;
};

/// A user's function that engine code may copy and drop without holding the interpreter: whoever drops it last takes it for that moment.
class Callback {
 public:
  /// name: as in "the step was calling NAME".
  Callback(std::string name, py::function function);

  /// Call it, holding the interpreter.
  template <class... Args>
  [[nodiscard]] py::object operator()(Args&&... args) const {
    const Running running(name_);
    return (*function_)(std::forward<Args>(args)...);
  }
  /// What a step is calling in this thread, empty when nothing.
  [[nodiscard]] static std::string running();

 private:
  /// Remembers what is being called.
  class Running {
   public:
    explicit Running(const std::string& name);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    const std::string* before_;
  };

  std::string name_;
  std::shared_ptr<const py::function> function_;
};

}  // namespace scree::python
