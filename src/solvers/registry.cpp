#include "solvers/registry.hpp"

#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/spelling.hpp"
#include "core/timer.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/equalities.hpp"
#include "solvers/option_reader.hpp"
#include "solvers/totals.hpp"

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

bool asks_for(const OptionValues& options, Formulation law) {
  const auto found = options.find("formulation");
  return found == options.end() ? law == Formulation::coulomb : found->second == OptionValue(to_string(law));
}

/// How far R is from the law that was asked for. Of Tresca's the solver alone knows the thresholds: nothing.
std::optional<double> law_error(const ContactProblem& problem, const StopRule& stop, const OptionValues& options, std::span<const double> R) {
  if (asks_for(options, Formulation::coulomb)) return measure(stop.yardstick, problem, R);
  if (stop.yardstick != Yardstick::residual) return {};
  if (asks_for(options, Formulation::convex)) return measure(Yardstick::ccp, problem, R);
  if (!asks_for(options, Formulation::frictionless)) return {};
  ContactProblem smooth = problem;
  std::ranges::fill(smooth.mu, 0.0);
  return measure(stop.yardstick, smooth, R);
}

/// A solver, or what takes its place.
struct Method {
  const SolverInfo& info;
  const SolveInstead& instead;

  SolveReport solve(const ContactProblem& problem, std::span<const int> blocks, const StopRule& stop, const OptionValues& options, std::span<double> R) const {
    return instead ? instead(problem, blocks, stop, options, R) : info.solve(problem, stop, options, R);
  }
};

/// A solve of the problem itself, or of some of its blocks.
SolveReport run(const Method& method, const ContactProblem& problem, std::span<const int> blocks, const StopRule& stop, const OptionValues& options, std::span<double> R) {
  const auto bound = [&](std::size_t a) { return bounded_parameter(problem.kind[a], problem.mu[a]); };
  std::size_t a = 0;
  while (a < problem.mu.size() && bound(a) == problem.mu[a]) ++a;
  if (a == problem.mu.size()) return method.solve(problem, blocks, stop, options, R);
  ContactProblem bounded = problem;
  for (; a < bounded.mu.size(); ++a) bounded.mu[a] = bound(a);
  return method.solve(bounded, blocks, stop, options, R);
}

/// A solve of what equalities leave (equalities.hpp).
SolveReport run_apart(const Method& method, const ContactProblem& problem, const Equalities& equalities, const StopRule& stop, const OptionValues& options,
                      std::span<double> R) {
  constexpr int kMostRounds = 3;
  std::vector<double> rest = equalities.rest_of(R);
  SolveReport report;
  report.status = Status::converged;
  report.iterations = 1;
  report.stage = "equalities";
  StopRule rule = stop;
  double value = kInfinity;
  int iterations = 0;
  double work = 0.0;
  for (int round = 0; round < kMostRounds; ++round, rule.tolerance *= 0.1) {
    if (!rest.empty()) report = run(method, equalities.rest(), equalities.left(), rule, options, rest);
    iterations += report.iterations;
    work += report.work;
    equalities.complete(rest, R);
    const double before = value;
    const std::optional<double> error = law_error(problem, stop, options, R);
    if (!error) break;
    value = *error;
    // Errors of what is left may weigh a little more in the whole.
    if (value <= stop.tolerance || value > 0.5 * before || report.status != Status::converged || rest.empty()) break;
  }
  report.iterations = iterations;
  report.work = work;
  report.residual_known = false;
  if (value == kInfinity) return report;
  if (value <= stop.tolerance) {
    report.status = Status::converged;
    report.advice.clear();
  } else if (report.status == Status::converged) {
    report.status = Status::max_iterations;
    report.advice = equalities.contradiction() > stop.tolerance
                        ? "prescribed constraints contradict each other and are met in the sense of least squares; remove one, or make them agree"
                        : "raise max_iterations or max_seconds, or loosen the tolerance";
  }
  return report;
}

/// What a guess must meet to be kept as it is.
double aim(const StopRule& stop, const OptionValues& options) {
  const auto goal = options.find("goal");
  const double* value = goal == options.end() ? nullptr : std::get_if<double>(&goal->second);
  return value && *value > 0.0 ? std::min(*value, stop.tolerance) : stop.tolerance;
}

/// Equalities first where there are any, unless the guess will do.
SolveReport run_solver(const Method& method, const ContactProblem& problem, const StopRule& stop, const OptionValues& options, std::span<double> R) {
  const bool constrained = std::ranges::any_of(problem.kind, [](BlockKind kind) { return equations(kind) > 0; });
  if (!constrained || measure(stop.yardstick, problem, R) <= aim(stop, options)) return run(method, problem, {}, stop, options, R);
  const Equalities equalities(problem);
  return equalities.any() ? run_apart(method, problem, equalities, stop, options, R) : run(method, problem, {}, stop, options, R);
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
  return solve(solver, problem, stop, options, R, {});
}

SolveReport solve(const std::string& solver, const ContactProblem& problem, const StopRule& stop,
                  const OptionValues& options, std::span<double> R, const SolveInstead& instead) {
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
    report = run_solver({info, instead}, problem, stop, checked(info, options), R);
  } catch (const Interrupted&) {
    report.status = Status::interrupted;
  }
  report.seconds = timer.seconds();
  if (!report.residual_known) report.residual = measure(Yardstick::residual, problem, R);
  report.residual_known = true;
  return report;
}

}  // namespace scree::solvers
