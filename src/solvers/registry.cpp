#include "solvers/registry.hpp"

#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/spelling.hpp"
#include "core/timer.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/option_reader.hpp"

namespace scree::solvers {

namespace {

constexpr double kLargestGuess = 1e100;  ///< impulse, N s

const OptionInfo* find_option(const SolverInfo& info, const std::string& name) {
  for (const OptionInfo& option : info.options)
    if (option.name == name) return &option;
  return nullptr;
}

/// Integers are welcome where reals are expected; nothing else is converted.
OptionValue converted(const SolverInfo& info, const OptionInfo& option, const OptionValue& value) {
  if (option.default_value.index() == value.index()) return value;
  if (std::holds_alternative<double>(option.default_value) && std::holds_alternative<int>(value))
    return static_cast<double>(std::get<int>(value));
  static constexpr const char* kTypes[] = {"True or False", "an integer", "a number", "a string"};
  throw_input("{}: option '{}' takes {}, not {}", info.name, option.name, kTypes[option.default_value.index()],
              kTypes[value.index()]);
}

OptionValues checked(const SolverInfo& info, const OptionValues& values) {
  OptionValues result;
  for (const auto& [name, value] : values) {
    const OptionInfo* option = find_option(info, name);
    if (!option) {
      std::vector<std::string> names;
      for (const OptionInfo& known : info.options) names.push_back(known.name);
      throw_input("{}: unknown option '{}'{}", info.name, name, did_you_mean(name, names));
    }
    result[name] = converted(info, *option, value);
  }
  return result;
}

void check_stop_rule(const StopRule& stop) {
  if (!(stop.tolerance > 0.0)) throw_input("tolerance = {}: it must be positive, e.g. 1e-8", stop.tolerance);
  if (stop.max_iterations < 0) throw_input("max_iterations = {}: it must not be negative", stop.max_iterations);
  if (!(stop.max_seconds > 0.0)) throw_input("max_seconds = {}: it must be positive", stop.max_seconds);
}

/// Laws beyond the built-in ones are for solvers that ask the law itself.
void check_laws(const SolverInfo& info, const ContactProblem& problem) {
  if (info.any_law) return;
  const auto other = std::ranges::find_if_not(problem.kind, built_in);
  if (other == problem.kind.end()) return;
  std::vector<std::string> names;
  for (const SolverInfo& able : all_solvers())
    if (able.any_law) names.push_back(able.name);
  throw_input("{}: block {} obeys the law '{}', which this solver does not know; use one of {}", info.name, other - problem.kind.begin(),
              to_string(*other), fmt::join(names, ", "));
}

}  // namespace

const OptionValue& OptionReader::value(const std::string& name) const {
  if (const auto found = values_.find(name); found != values_.end()) return found->second;
  if (const OptionInfo* option = find_option(info_, name)) return option->default_value;
  throw_input("{}: option '{}' is not documented", info_.name, name);
}

const SolverInfo& find_solver(const std::string& name) {
  std::vector<std::string> names;
  for (const SolverInfo& info : all_solvers()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  if (name == "EXPLICIT")
    throw_input("solver 'EXPLICIT' steps simulations with spring-dashpot contacts; contact problems need one of {}", fmt::join(names, ", "));
  throw_input("solver '{}' is unknown{}", name, did_you_mean(name, names));
}

SolveReport solve(const std::string& solver, const ContactProblem& problem, const StopRule& stop,
                  const OptionValues& options, std::span<double> R) {
  const SolverInfo& info = find_solver(solver);
  check_stop_rule(stop);
  problem.validate();
  check_laws(info, problem);
  if (R.size() != problem.B.size()) throw_input("{}: the guess has {} numbers, {} expected", solver, R.size(), problem.B.size());
  // A guess that is not finite, or whose square is not, is no guess.
  if (!std::all_of(R.begin(), R.end(), [](double r) { return std::abs(r) < kLargestGuess; })) std::fill(R.begin(), R.end(), 0.0);
  const Timer timer;
  SolveReport report;
  try {
    report = info.solve(problem, stop, checked(info, options), R);
  } catch (const Interrupted&) {
    report.status = Status::interrupted;
  }
  report.seconds = timer.seconds();
  if (!report.residual_known) report.residual = measure(Yardstick::residual, problem, R);
  report.residual_known = true;
  return report;
}

}  // namespace scree::solvers
