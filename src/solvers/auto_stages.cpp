#include "solvers/auto_stages.hpp"

#include <optional>

#include "solvers/accelerated_sweeps.hpp"
#include "solvers/admm.hpp"

namespace scree::solvers {

namespace {

constexpr int kMostMixedBlocks = 2000;   ///< Anderson mixing is tried up to here
constexpr int kCheckInterval = 10;       ///< sweeps between measurements
constexpr int kWindow = 60;              ///< sweeps over which progress is judged at first; later half of all
constexpr int kRefresh = 150;
constexpr int kLongStall = 200, kShortStall = 25;   ///< Newton steps without gaining a factor 0.3: when cheap, when dear
constexpr double kDearNewton = 100.0;    ///< in sweeps
constexpr double kFewestNewtons = 25.0;  ///< fewer than these are not worth a start
constexpr double kSmallNewton = 300.0;    ///< cost, in sweeps, up to which Newton steps may take a share of the iterations
constexpr double kSmallShare = 0.1;
constexpr double kCheapNewton = 30.0;     ///< cost up to which that share is half: explicit rows, a few hundred contacts of bodies
constexpr double kCheapShare = 0.5;
constexpr int kLongRowBlocks = 200;      ///< from here on, rows of kLongRow blocks make a factor cheaper than the sweeps it saves
constexpr std::size_t kLongRow = 20;
constexpr double kStackSigma = 3e-3;     ///< stacks mostly stick: a weak penalty lets them find it in ten steps
constexpr int kStackSteps = 15;
constexpr double kAdmmCost = 15.0;       ///< of an ADMM iteration, in sweeps
constexpr int kMostGlobalBlocks = 1500;  ///< beyond, ADMM is no match for sweeps in body form
constexpr double kNewtonReach = 1e-6;      ///< residual from which Newton steps are tried on large packings
constexpr int kLargeStall = 12;          ///< Newton steps without gain there
constexpr int kMostHopes = 5;            ///< measurements in a row that a wrong forecast may cause

/// Newton steps against sweeps, from measurements: explicit rows of 60 to 600 contacts, packings of 300 to 30k.
double estimated_newton_cost(const ContactProblem& problem) {
  if (dynamic_cast<const BodyForm*>(problem.W.get())) return std::max(15.0, 300.0 * std::pow(problem.blocks() / 1600.0, 1.1));
  return std::max(10.0, 10.0 * std::pow(problem.blocks() / 500.0, 0.8));
}

}  // namespace

AutoStages::AutoStages(const ContactProblem& problem, const StopRule& stop, double margin, std::span<const double> R, double value,
                       std::unique_ptr<Sweeper>& packed)
    : problem_(problem), stop_(stop), goal_(margin * stop.tolerance), scale_(residual_scale(problem)), newton_cost_(estimated_newton_cost(problem)),
      large_(problem.blocks() > kMostGlobalBlocks && dynamic_cast<const BodyForm*>(problem.W.get())),
      packed_(packed),
      best_(R.begin(), R.end()), current_(best_), trial_(best_.size()), U_(best_.size()) {
  // Newton may cost as much as all the sweeps allowed, or it is left out; small problems get a share of the count.
  const double affordable = stop.max_iterations / newton_cost_;
  const double share = newton_cost_ <= kCheapNewton ? kCheapShare : newton_cost_ <= kSmallNewton ? kSmallShare : 0.0;
  const double granted = std::max(affordable, share * stop.max_iterations);
  newton_left_ = affordable >= kFewestNewtons ? static_cast<int>(std::min(1e9, granted)) : 0;
  if (value < 0.0) {
    offer(current_, "warm start");
  } else {
    best_value_ = value;
    report_.stage = "warm start";
  }
}

bool AutoStages::exhausted() const {
  return report_.iterations >= stop_.max_iterations || timer_.seconds() >= stop_.max_seconds;
}

double AutoStages::offer(std::span<const double> R, const char* stage) {
  relative_velocity(problem_, R, U_);
  ++report_.products;
  const double value = measure(stop_.yardstick, problem_, R, U_);
  if (stop_.history) report_.history.push_back(value);
  if (value < best_value_) {
    best_value_ = value;
    best_.assign(R.begin(), R.end());
    report_.stage = stage;
  }
  return std::isfinite(value) ? value : kInfinity;
}

SolveReport AutoStages::report() const {
  SolveReport report = report_;
  report.seconds = timer_.seconds();
  report.status = solved() ? Status::converged : timer_.seconds() >= stop_.max_seconds ? Status::max_seconds : Status::max_iterations;
  if (!solved()) report.advice = "raise max_iterations or max_seconds, or loosen the tolerance";
  return report;
}

void AutoStages::choose_sweeper(std::span<const double> R) {
  if (sweeper_) {
    sweeper_->set(R);
    return;
  }
  if (!packed_) packed_ = make_packed_sweeper();
  if (packed_->begin(problem_, R)) {
    sweeper_ = packed_.get();
    return;
  }
  general_ = make_general_sweeper({});
  general_->begin(problem_, R);
  sweeper_ = general_.get();
}

double AutoStages::sweep_value() {
  if (stop_.yardstick == Yardstick::residual && scale_ > 0.0) return std::sqrt(sweeper_->squared_error()) / scale_;
  sweeper_->get(trial_);
  return measure(stop_.yardstick, problem_, trial_);
}

double AutoStages::run_sweeps(std::span<double> R, double patience, int limit, bool mixed) {
  choose_sweeper(R);
  std::optional<AndersonSweeps> anderson;
  if (mixed) anderson.emplace(problem_, *sweeper_, R);
  MomentumSweeps momentum(*sweeper_);
  double lowest = kInfinity, mark = kInfinity, forecast_ratio = 1.0;
  int marked = 0, checked = 0, reached = 0, hopes = 0;
  limit = std::min(limit, stop_.max_iterations - report_.iterations);
  for (int sweep = 1; sweep <= limit; ++sweep) {
    const SweepSums sums = anderson ? anderson->sweep() : momentum.sweep();
    ++report_.iterations;
    ++report_.products;
    if (!std::isfinite(sums.change)) break;
    const double change = std::sqrt(sums.change);
    const bool hopeful = scale_ > 0.0 && hopes < kMostHopes && forecast_ratio * change <= (reached > 0 ? goal_ : stop_.tolerance) * scale_;
    if (!hopeful && sweep - checked < kCheckInterval && sweep < limit) continue;
    hopes = sweep - checked < kCheckInterval ? hopes + 1 : 0;
    checked = sweep;
    const double value = sweep_value();
    if (change > 0.0) forecast_ratio = std::max(value * scale_ / change, 0.1 * forecast_ratio);
    if (value < lowest) {
      lowest = value;
      sweeper_->get(R);
    }
    // Past the tolerance, some more sweeps for the margin.
    if (reached == 0 && value <= stop_.tolerance) reached = sweep;
    const bool enough = reached > 0 && (lowest <= goal_ || sweep >= reached + reached / 2 + kCheckInterval);
    if (enough && offer(R, "sweeps") <= stop_.tolerance) return lowest;
    if (timer_.seconds() >= stop_.max_seconds) break;
    // Leave when the rate of the last window does not promise an end in time.
    if (sweep >= std::max(kWindow, 2 * marked)) {
      const double gain = std::log(mark / lowest);
      const double left = std::log(lowest / stop_.tolerance) * (sweep - marked);
      if (mark < kInfinity && left > patience * gain) break;
      mark = lowest;
      marked = sweep;
    }
    if (!mixed && sweep / kRefresh != (sweep - kCheckInterval) / kRefresh) sweeper_->refresh();
  }
  return offer(R, "sweeps");
}

double AutoStages::run_admm(std::span<double> R, int limit) {
  AdmmOptions options;
  static_cast<StopRule&>(options) = stop_;
  options.history = false;
  options.max_iterations = std::min(limit, stop_.max_iterations - report_.iterations);
  options.max_seconds = stop_.max_seconds - timer_.seconds();
  if (options.max_iterations < 1 || options.max_seconds <= 0.0) return kInfinity;
  const SolveReport admm = solve_admm(problem_, options, R);
  report_.iterations += admm.iterations;
  report_.products += admm.products;
  return offer(R, "ADMM");
}

void AutoStages::sweeps(double patience, int limit) {
  current_ = best_;
  run_sweeps(current_, patience, limit, false);
}

void AutoStages::sweeps_from_zero(double patience, int limit) {
  std::fill(current_.begin(), current_.end(), 0.0);
  run_sweeps(current_, patience, limit, false);
}

void AutoStages::splitting_where_rows_are_long() {
  const auto* rows = dynamic_cast<const ExplicitForm*>(problem_.W.get());
  if (!rows || problem_.blocks() < kLongRowBlocks) return;
  std::size_t stored = 0;
  for (int a = 0; a < rows->blocks(); ++a) stored += rows->columns(a).size();
  if (stored < kLongRow * static_cast<std::size_t>(rows->blocks())) return;
  AdmmOptions options;
  static_cast<StopRule&>(options) = stop_;
  options.history = false;
  options.sigma = kStackSigma;
  options.relaxation = 1.0;
  options.max_iterations = std::min(kStackSteps, stop_.max_iterations - report_.iterations);
  options.max_seconds = stop_.max_seconds - timer_.seconds();
  if (options.max_iterations < 1 || options.max_seconds <= 0.0) return;
  current_ = best_;
  const SolveReport admm = solve_admm(problem_, options, current_);
  report_.iterations += admm.iterations;
  report_.products += admm.products;
  offer(current_, "ADMM");
}

void AutoStages::newton() {
  SemismoothNewtonOptions options;
  static_cast<StopRule&>(options) = stop_;
  options.history = false;
  options.stall_limit = large_ ? kLargeStall : newton_cost_ < kDearNewton ? kLongStall : kShortStall;
  options.max_iterations = std::min(newton_left_, stop_.max_iterations - report_.iterations);
  options.max_seconds = stop_.max_seconds - timer_.seconds();
  if (options.max_iterations < 1 || options.max_seconds <= 0.0) return;
  if (!newton_) {
    newton_ = std::make_unique<SemismoothNewton>(problem_);
    newton_->start(current_, options);
  } else {
    newton_->jump(current_);
  }
  const SolveReport steps = newton_->advance(options);
  newton_left_ -= steps.iterations;
  report_.iterations += steps.iterations;
  report_.products += steps.products;
  report_.linear_iterations += steps.linear_iterations;
  newton_->best(trial_);
  offer(trial_, "proximal Newton");
  // Go on from where Newton stands, not from its best: some problems must pass over a hill.
  newton_->current(current_);
}

void AutoStages::newton_and_global(int rounds) {
  newton_.reset();
  double slice = 20.0 * newton_cost_;
  bool mixed = false;
  std::vector<double> swept, split;
  for (int round = 0; round < rounds && !solved() && !exhausted(); ++round) {
    if (!large_ || best_value_ <= kNewtonReach) newton();
    if (solved() || exhausted()) return;
    if (newton_left_ <= 0) {
      // Newton had its share: what is left belongs to sweeps.
      current_ = best_;
      run_sweeps(current_, kInfinity, stop_.max_iterations, false);
      return;
    }
    ++report_.fallbacks;
    if (large_) {
      current_ = best_;
      run_sweeps(current_, kInfinity, static_cast<int>(slice), false);
      current_ = best_;
      slice *= 2.0;
      continue;
    }
    // The same number of sweeps' worth for both; the winner goes on while it halves the error.
    swept = current_;
    split = current_;
    const double from_sweeps = run_sweeps(swept, kInfinity, static_cast<int>(slice), mixed);
    if (solved()) return;
    const double from_admm = run_admm(split, static_cast<int>(slice / kAdmmCost) + 25);
    const bool admm_wins = from_admm < from_sweeps;
    current_.swap(admm_wins ? split : swept);
    double value = std::min(from_admm, from_sweeps);
    while (!solved() && !exhausted()) {
      const double before = value;
      value = admm_wins ? run_admm(current_, static_cast<int>(slice / kAdmmCost) + 25)
                        : run_sweeps(current_, kInfinity, static_cast<int>(slice), mixed);
      if (!(value <= 0.5 * before)) break;
    }
    // Another way of sweeping and longer slices next time.
    mixed = !mixed && problem_.blocks() <= kMostMixedBlocks;
    slice *= 1.5;
  }
}

}  // namespace scree::solvers
