/// The three ways Scree fails. Messages name the object, the argument, its value, what is allowed
/// and what to do next. Python sees ValueError, OSError and RuntimeError.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace scree {

/// Wrong input from the user: nothing has been changed.
class InputError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A file is missing, unreadable, truncated or malformed.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A run could not go on: non-convergence under the policy 'EXIT', unphysical penetration, ...
class SolveError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void raise_input(fmt::string_view text, fmt::format_args args);
[[noreturn]] void raise_file(fmt::string_view text, fmt::format_args args);
[[noreturn]] void raise_solve(fmt::string_view text, fmt::format_args args);

template <class... Args>
[[noreturn]] void throw_input(fmt::format_string<Args...> text, Args&&... args) {
  raise_input(text, fmt::make_format_args(args...));
}
template <class... Args>
[[noreturn]] void throw_file(fmt::format_string<Args...> text, Args&&... args) {
  raise_file(text, fmt::make_format_args(args...));
}
template <class... Args>
[[noreturn]] void throw_solve(fmt::format_string<Args...> text, Args&&... args) {
  raise_solve(text, fmt::make_format_args(args...));
}

}  // namespace scree
