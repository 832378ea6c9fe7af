#include "signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>

#include "bindings.hpp"
#include "core/interrupt.hpp"

namespace scree::python {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

std::array<struct sigaction, kSignals.size()> python_handlers;  ///< of those replaced
bool watched = false;
std::atomic<int> came{0};
std::atomic<bool> end_at_second{false};

void handle(int number) {
  if (came.fetch_add(1) > 0 && end_at_second) {
    struct sigaction plain{};
    plain.sa_handler = SIG_DFL;
    sigaction(number, &plain, nullptr);
    kill(getpid(), number);  // delivered when this handler returns
    return;
  }
  request_stop();
  for (std::size_t k = 0; k < kSignals.size(); ++k)
    if (kSignals[k] == number) python_handlers[k].sa_handler(number);
}

bool in_main_thread() {
  const py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

SignalWatch::SignalWatch(bool second_ends) {
  if (watched || !in_main_thread()) return;
  watching_ = watched = true;
  came = 0;
  end_at_second = second_ends;
  for (std::size_t k = 0; k < kSignals.size(); ++k) {
    struct sigaction& old = python_handlers[k];
    sigaction(kSignals[k], nullptr, &old);
    // Those that are ignored stay so, as under nohup, and those that end the process do.
    if (old.sa_handler == SIG_DFL || old.sa_handler == SIG_IGN) continue;
    struct sigaction ours = old;
    ours.sa_handler = handle;
    sigaction(kSignals[k], &ours, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  if (!watching_) return;
  for (std::size_t k = 0; k < kSignals.size(); ++k) {
    struct sigaction now{};
    sigaction(kSignals[k], nullptr, &now);
    if (now.sa_handler == handle) sigaction(kSignals[k], &python_handlers[k], nullptr);
  }
  watched = false;
  clear_stop();
}

void SignalWatch::call_handlers() const {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

void SignalWatch::raise_stop() const {
  call_handlers();
  if (watching_ || !stop_requested() || !in_main_thread()) return;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

}  // namespace scree::python
