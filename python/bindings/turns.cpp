#include "turns.hpp"

namespace scree::python {

namespace {

thread_local const std::string* running_name = nullptr;

/// The routine a user called: the last function of the package on the way out to the user's own code.
std::string routine() { return py::cast<std::string>(py::module_::import("scree._check").attr("routine")()); }

[[noreturn]] void refuse() {
  const std::string caller = Callback::running();
  const std::string text =
      fmt::format("{}: a step is being made{}; nothing may be changed before it has ended. Change it between steps: in a function given to "
                  "Simulation.callback() or CALLBACK, or after the run", routine(), caller.empty() ? "" : ", and this call came from " + caller);
  PyErr_SetString(PyExc_RuntimeError, text.c_str());
  throw py::error_already_set();
}

}  // namespace

bool Turns::try_take() {
  const std::lock_guard lock(mutex_);
  if (tickets_ != served_) return false;
  ++tickets_;
  owner_ = std::this_thread::get_id();
  return true;
}

void Turns::take() {
  std::unique_lock lock(mutex_);
  const long ticket = tickets_++;
  next_.wait(lock, [&] { return served_ == ticket; });
  owner_ = std::this_thread::get_id();
}

void Turns::give() {
  const std::lock_guard lock(mutex_);
  owner_ = std::thread::id();
  ++served_;
  next_.notify_all();
}

Access::Access(Turns& turns, Use use) : turns_(turns), inside_(turns.mine()) {
  if (inside_) {
    if (use == Use::changes) refuse();
    return;
  }
  if (turns_.try_take()) return;
  py::gil_scoped_release release;
  turns_.take();
}

Access::~Access() {
  if (!inside_) turns_.give();
}

Callback::Callback(std::string name, py::function function)
    : name_(std::move(name)), function_(new py::function(std::move(function)), [](const py::function* last) {
        py::gil_scoped_acquire acquire;
        delete last;
      }) {}

std::string Callback::running() { return running_name ? *running_name : std::string(); }

Callback::Running::Running(const std::string& name) : before_(std::exchange(running_name, &name)) {}
Callback::Running::~Running() { running_name = before_; }

}  // namespace scree::python
