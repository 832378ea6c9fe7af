#include "solvers/watch.hpp"

#include "core/interrupt.hpp"
#include "solvers/totals.hpp"

namespace scree::solvers {

namespace {

/// What is not a number counts as infinite.
double ordered(double value) { return std::isfinite(value) ? value : kInfinity; }

}  // namespace

Watch::Watch(const ContactProblem& problem, const StopRule& stop, std::span<double> best, std::vector<double>* memory)
    : problem_(problem), stop_(stop), best_(best), U_(memory ? memory : &own_) {
  constexpr int kMostReserved = 1 << 20;
  if (stop.history) report_.history.reserve(static_cast<std::size_t>(std::min(stop.max_iterations, kMostReserved)) + 1);
}

double Watch::offer(std::span<const double> R) {
  U_->resize(R.size());
  relative_velocity(problem_, R, *U_);
  count_products(1);
  const double value = ordered(measure(stop_.yardstick, problem_, R, *U_));
  note(value, R);
  return value;
}

double Watch::offer(std::span<const double> R, std::span<const double> U) {
  double value = ordered(measure(stop_.yardstick, problem_, R, U));
  if (value <= tolerance()) value = std::max(value, measure(stop_.yardstick, problem_, R));
  note(value, R);
  return value;
}

double Watch::offer_guess() {
  if (offer(best_) <= 1.0) return best_value_;
  std::vector<double> zero(best_.size(), 0.0);
  const double at_rest = ordered(measure(stop_.yardstick, problem_, zero, problem_.B));
  if (best_value_ <= at_rest) return best_value_;
  std::fill(best_.begin(), best_.end(), 0.0);
  std::copy(problem_.B.begin(), problem_.B.end(), U_->begin());
  improve(at_rest);
  return value_ = at_rest;
}

bool Watch::note(double value, std::span<const double> R) {
  return note(value, [&](std::span<double> best) {
    if (best.data() != R.data()) std::copy(R.begin(), R.end(), best.begin());
  });
}

void Watch::improve(double value) {
  best_value_ = value;
  improved_ = iterations();
  if (!(value < gain_ * mark_)) return;
  mark_ = value;
  marked_ = iterations();
}

void Watch::be_patient(double gain) {
  gain_ = gain;
  mark_ = best_value_;
  marked_ = improved_ = iterations();
}

bool Watch::spent() {
  if (spent_) return true;
  // Of several ranks, one may have been asked to stop, and the first looks at the clock.
  const double why = total_max(stop_requested() ? 2.0 : team().rank() == 0 && timer_.seconds() >= stop_.max_seconds ? 1.0 : 0.0);
  if (why == 2.0) report_.status = Status::interrupted;
  else if (why == 1.0) report_.status = Status::max_seconds;
  else if (iterations() >= stop_.max_iterations) report_.status = Status::max_iterations;
  else return false;
  return spent_ = true;
}

StopRule Watch::rest(int most) const {
  constexpr double kLeastSeconds = 1e-9;
  StopRule left = stop_;
  left.tolerance = tolerance();
  left.max_iterations = std::clamp(stop_.max_iterations - iterations(), 0, most);
  left.max_seconds = std::max(kLeastSeconds, stop_.max_seconds - timer_.seconds());
  return left;
}

int Watch::until_eased(double each) const {
  const double left = (ease_at_ - report_.work) / each;
  return left > 0.0 && left < 1e9 ? std::max(1, static_cast<int>(left)) : 1 << 30;
}

void Watch::add(const SolveReport& part, double each) {
  report_.iterations += part.iterations;
  report_.work += each * (part.work > 0.0 ? part.work : part.iterations);
  report_.products += part.products;
  report_.linear_iterations += part.linear_iterations;
  report_.fallbacks += part.fallbacks;
  if (stop_.history) report_.history.insert(report_.history.end(), part.history.begin(), part.history.end());
}

SolveReport Watch::report(const char* advice, Status otherwise) {
  if (solved()) report_.status = Status::converged;
  else if (!spent_ && !spent()) report_.status = otherwise;
  if (!std::isfinite(best_value_) && report_.status != Status::interrupted) report_.status = Status::diverged;
  if (report_.status != Status::converged) report_.advice = advice;
  report_.seconds = timer_.seconds();
  return std::move(report_);
}

}  // namespace scree::solvers
