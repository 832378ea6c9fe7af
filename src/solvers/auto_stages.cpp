#include "solvers/auto_stages.hpp"

#include <optional>

#include "core/interrupt.hpp"
#include "solvers/accelerated_sweeps.hpp"
#include "solvers/admm.hpp"
#include "solvers/gauss_seidel.hpp"
#include "solvers/interior_point.hpp"
#include "solvers/least_norm.hpp"

namespace scree::solvers {

namespace {

constexpr int kOtherRound = 1;   ///< from which convex starts are tried: what one round of Newton and splitting solves needs none
constexpr int kLateRound = 2;    ///< from which Newton alone and interior points for Coulomb's law are tried too

int whole(double count) { return static_cast<int>(std::min(count, 1e9)); }

}  // namespace

AutoStages::AutoStages(const ContactProblem& problem, const AutoOptions& options, Watch& watch, SweeperMemory& sweepers)
    : problem_(problem), parameters_(options.parameters), watch_(watch), margin_(options.margin),
      scale_(residual_scale(problem)), newton_cost_(problem.W->newton_cost()), large_(newton_cost_ > parameters_.large_cost),
      sweepers_(sweepers), current_(watch.best().begin(), watch.best().end()), trial_(current_.size()) {
  const double most = watch.rest().max_iterations;
  const double granted = most * std::min(parameters_.newton_share, parameters_.newton_sweeps / newton_cost_);
  newton_left_ = most / newton_cost_ >= parameters_.fewest_newtons ? static_cast<int>(granted) : 0;
}

void AutoStages::allow_starts() {
  if (!large_ && problem_.blocks() <= parameters_.start_blocks && ConvexStarts::suit(problem_)) starts_ = std::make_unique<ConvexStarts>(problem_);
}

void AutoStages::restart() { current_.assign(watch_.best().begin(), watch_.best().end()); }

StopRule AutoStages::stage_rule(int most, double each) const {
  StopRule rule = watch_.rest(std::min(most, watch_.until_eased(each)));
  rule.history = false;
  return rule;
}

double AutoStages::offer(std::span<const double> R, const char* stage) {
  const double before = watch_.best_value(), value = watch_.offer(R);
  if (value < before) watch_.set_stage(stage);
  return value;
}

void AutoStages::begin_at(std::span<const double> R) {
  if (sweeper_) sweeper_->set(R);
  else sweeper_ = &begin_sweeps(problem_, {}, R, sweepers_);
}

double AutoStages::sweep_value() {
  const Yardstick yardstick = watch_.stop().yardstick;
  if (yardstick == Yardstick::residual) return std::sqrt(sweeper_->squared_residual());
  sweeper_->get(trial_);
  return measure(yardstick, problem_, trial_);
}

double AutoStages::run_sweeps(std::span<double> R, double patience, int limit, bool mixed, int trial) {
  begin_at(R);
  std::optional<AndersonSweeps> anderson;
  if (mixed) anderson.emplace(problem_, *sweeper_, R);
  MomentumSweeps momentum(*sweeper_);
  double lowest = kInfinity, mark = kInfinity, forecast_ratio = 1.0;
  int marked = 0, checked = 0, reached = 0, hopes = 0;
  const int interval = static_cast<int>(parameters_.check_interval), window = static_cast<int>(parameters_.window);
  limit = watch_.rest(limit).max_iterations;
  for (int sweep = 1; sweep <= limit; ++sweep) {
    const SweepSums sums = anderson ? anderson->sweep() : momentum.sweep();
    watch_.count();
    watch_.count_products(1);
    if (!std::isfinite(sums.change) || stop_requested()) break;
    const double change = std::sqrt(sums.change), tolerance = watch_.tolerance(), aim = tolerance * (watch_.eased() ? finish_ : std::min(margin_, finish_));
    const bool hopeful = scale_ > 0.0 && hopes < std::max(1, interval / 2) && forecast_ratio * change <= (reached > 0 ? aim : tolerance) * scale_;
    if (!hopeful && sweep - checked < interval && sweep < limit) continue;
    hopes = sweep - checked < interval ? hopes + 1 : 0;
    checked = sweep;
    const double value = sweep_value();
    if (change > 0.0) forecast_ratio = std::max(value * scale_ / change, 0.1 * forecast_ratio);
    if (value < lowest) {
      lowest = value;
      sweeper_->get(R);
    }
    // Past the tolerance, some more sweeps for the margin.
    if (reached == 0 && value <= tolerance) reached = sweep;
    const bool enough = reached > 0 && (lowest <= aim || sweep >= reached + reached / 2 + interval);
    if (enough && offer(R, "sweeps") <= tolerance) return lowest;
    if (watch_.seconds() >= watch_.stop().max_seconds) break;
    // Leave when the rate of the last window does not promise an end in time.
    const bool tried = sweep >= trial && sweep - interval < trial;
    if (tried) patience = std::min<double>(patience, trial);
    if (tried || sweep >= std::max(window, 2 * marked)) {
      const double gain = std::log(mark / lowest);
      const double left = std::log(lowest / tolerance) * (sweep - marked);
      if (mark < kInfinity && left > patience * gain) break;
      mark = lowest;
      marked = sweep;
    }
    if (!mixed && sweep / kRefreshInterval != (sweep - interval) / kRefreshInterval) sweeper_->refresh();
  }
  return offer(R, "sweeps");
}

double AutoStages::run_admm(std::span<double> R, int limit) {
  AdmmOptions options;
  static_cast<StopRule&>(options) = stage_rule(limit, parameters_.admm_cost);
  if (watch_.ended()) return kInfinity;
  watch_.add(solve_admm(problem_, options, R), parameters_.admm_cost);
  return offer(R, "ADMM");
}

void AutoStages::sweeps(double patience, int limit, int trial) {
  restart();
  // Sweeps that led away from where they began are not gone on from.
  if (run_sweeps(current_, patience, limit, false, trial) > watch_.best_value()) restart();
}

void AutoStages::sweeps_from_zero(double patience, int limit) {
  std::fill(current_.begin(), current_.end(), 0.0);
  run_sweeps(current_, patience, limit, false);
}

void AutoStages::newton() {
  SemismoothNewtonOptions options;
  static_cast<StopRule&>(options) = stage_rule(newton_left_, newton_cost_);
  options.stall_limit = parameters_.newton_stall(newton_cost_);
  if (newton_left_ < 1 || watch_.ended()) return;
  if (!newton_) {
    newton_ = std::make_unique<SemismoothNewton>(problem_);
    newton_->start(current_, options);
  } else {
    newton_->jump(current_);
  }
  // Where the tolerance eases on the way they go on.
  bool eased = false;
  do {
    eased = watch_.eased();
    static_cast<StopRule&>(options) = stage_rule(newton_left_, newton_cost_);
    charge(newton_->advance(options));
    newton_->best(trial_);
    offer(trial_, "proximal Newton");
  } while (eased != watch_.eased() && newton_left_ > 0 && !watch_.ended());
  // Go on from where Newton stands, not from its best: some problems must pass over a hill.
  newton_->current(current_);
}

void AutoStages::charge(const SolveReport& part, double cost) {
  newton_left_ -= static_cast<int>(cost * part.iterations);
  watch_.add(part, cost * newton_cost_);
}

double AutoStages::follow_start() {
  const int sweeps = whole(parameters_.start_sweeps * newton_cost_);
  const int begun = watch_.iterations();
  double value = run_sweeps(start_, kInfinity, sweeps, false);
  for (double before = kInfinity; value <= parameters_.start_gain * before && !watch_.ended();) {
    before = value;
    value = run_sweeps(start_, kInfinity, sweeps, false);
  }
  const double work = watch_.iterations() - begun;
  if (watch_.ended() || newton_left_ < 1 || value > parameters_.newton_reach) return work;
  SemismoothNewtonOptions options;
  static_cast<StopRule&>(options) = stage_rule(newton_left_, newton_cost_);
  options.stall_limit = static_cast<int>(parameters_.start_newtons);
  if (!finisher_) finisher_ = std::make_unique<SemismoothNewton>(problem_);
  finisher_->start(start_, options);
  const SolveReport steps = finisher_->advance(options);
  charge(steps);
  finisher_->best(start_);
  offer(start_, "convex start");
  return work + newton_cost_ * steps.iterations;
}

void AutoStages::other_ways(int round, double slice) {
  try_starts(parameters_.start_share * slice);
  if (round < kLateRound) return;
  lone_newton(slice / newton_cost_);
  if (round == kLateRound) interior_path();
}

void AutoStages::try_starts(double budget) {
  const double before = watch_.best_value();
  start_.resize(current_.size());
  double work = 0.0;
  while (work < budget && newton_left_ > 0 && !watch_.ended()) {
    const SolveReport path = starts_->next(stage_rule(newton_left_, path_work()), start_);
    charge(path, parameters_.path_cost);
    work += path_work() * path.iterations;
    if (!watch_.ended()) work += follow_start();
  }
  if (watch_.solved()) take_least_norm();
  if (watch_.best_value() <= parameters_.start_gain * before) restart();
}

void AutoStages::take_least_norm() {
  watch_.set_stage("convex start");
  // Values of other yardsticks say little about bodies' impulses.
  if (watch_.stop().yardstick != Yardstick::residual) return;
  finish_ = parameters_.finish;
  restart();
  run_sweeps(current_, kInfinity, whole(parameters_.start_sweeps * newton_cost_), false);
  watch_.set_stage("convex start");   // sweeps have named themselves
  if (solvers::take_least_norm(problem_, watch_.tolerance(), watch_.best())) watch_.begin(measure(Yardstick::residual, problem_, watch_.best()));
}

void AutoStages::lone_newton(double steps) {
  SemismoothNewtonOptions options;
  if (newton_left_ < 1 || watch_.ended()) return;
  if (!lone_) {
    lone_ = std::make_unique<SemismoothNewton>(problem_);
    GaussSeidelOptions sweeps;
    static_cast<StopRule&>(sweeps) = stage_rule(options.sweeps, 1.0);
    GaussSeidelWorkspace workspace;
    std::fill(trial_.begin(), trial_.end(), 0.0);
    watch_.add(solve_gauss_seidel(problem_, sweeps, trial_, workspace));
    lone_->start(trial_, options);
  }
  static_cast<StopRule&>(options) = stage_rule(std::min(newton_left_, whole(steps)), newton_cost_);
  charge(lone_->advance(options));
  lone_->best(trial_);
  offer(trial_, "proximal Newton");
}

void AutoStages::interior_path() {
  if (newton_left_ < 1 || watch_.ended()) return;
  InteriorPointOptions options;
  const int most = options.max_iterations;
  static_cast<StopRule&>(options) = stage_rule(std::min(most, newton_left_), path_work());
  options.linear_solver = BarrierSolver::direct;
  std::fill(trial_.begin(), trial_.end(), 0.0);
  charge(solve_interior_point(problem_, options, trial_), parameters_.path_cost);
  offer(trial_, "interior point");
}

void AutoStages::sweep_and_split(double slice, bool mixed) {
  const int sweeps = whole(slice), splits = whole(slice / parameters_.admm_cost + parameters_.admm_steps);
  swept_ = split_ = current_;
  const double from_sweeps = run_sweeps(swept_, kInfinity, sweeps, mixed);
  if (watch_.solved()) return;
  const double from_admm = run_admm(split_, splits);
  const bool admm_wins = from_admm < from_sweeps;
  current_.swap(admm_wins ? split_ : swept_);
  double value = std::min(from_admm, from_sweeps);
  while (!watch_.ended()) {
    const double before = value;
    value = admm_wins ? run_admm(current_, splits) : run_sweeps(current_, kInfinity, sweeps, mixed);
    if (!(value <= 0.5 * before)) break;
  }
}

void AutoStages::newton_and_global(int rounds) {
  newton_.reset();
  double slice = parameters_.slice * newton_cost_;
  bool mixed = false;
  for (int round = 0; round < rounds && !watch_.ended(); ++round, slice *= parameters_.slice_growth) {
    if (!large_ || watch_.best_value() <= parameters_.newton_reach) newton();
    if (watch_.ended()) return;
    if (newton_left_ <= 0) {
      // Newton had its share: what is left belongs to sweeps.
      restart();
      run_sweeps(current_, kInfinity, watch_.stop().max_iterations, false);
      return;
    }
    watch_.count_fallback();
    if (large_) {
      restart();
      run_sweeps(current_, kInfinity, whole(slice), false);
      restart();
    } else {
      if (starts_ && round >= kOtherRound) other_ways(round, slice);
      if (watch_.ended()) return;
      // Another way of sweeping every time.
      sweep_and_split(slice, mixed);
      mixed = !mixed;
    }
  }
}

}  // namespace scree::solvers
