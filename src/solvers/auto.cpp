#include "solvers/auto.hpp"

#include "core/error.hpp"
#include "solvers/apgd.hpp"
#include "solvers/auto_deformable.hpp"
#include "solvers/auto_laws.hpp"
#include "solvers/auto_stages.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/law.hpp"
#include "solvers/first_order.hpp"
#include "solvers/local_solve.hpp"
#include "solvers/option_reader.hpp"
#include "solvers/watch.hpp"

namespace scree::solvers {

namespace {

/// What the stages of a connected problem decide by.
struct Situation {
  AutoStages& stages;
  const AutoParameters& parameters;
  const Watch& watch;
  bool warm;         ///< the guess is not zero
  bool newton;       ///< Newton and splitting are allowed
  bool cold_later;   ///< a warm start that led nowhere is given up for zero once more
  double patience;   ///< sweeps
  int sweep_limit;
  bool lost = false; ///< sweeps from the warm start led nowhere

  void sweep_warm() {
    const double before = watch.best_value();
    stages.sweeps(patience, sweep_limit, static_cast<int>(parameters.warm_sweeps));
    lost = watch.best_value() > parameters.warm_gain * before;
  }
};

struct Stage {
  const char* name;
  bool (*wanted)(const Situation&);
  void (*run)(Situation&);
};

/// In this order, until the problem is solved or a limit is reached.
constexpr Stage kStages[] = {
    {"sweeps from the warm start", [](const Situation& s) { return s.warm; }, [](Situation& s) { s.sweep_warm(); }},
    {"the same from zero", [](const Situation& s) { return s.lost; },
     [](Situation& s) { s.stages.sweeps_from_zero(kInfinity, static_cast<int>(s.parameters.warm_sweeps)); }},
    {"sweeps from the better one", [](const Situation&) { return true; }, [](Situation& s) { s.stages.sweeps(s.patience, s.sweep_limit); }},
    {"a round of Newton and splitting", [](const Situation& s) { return s.cold_later && s.lost; }, [](Situation& s) { s.stages.newton_and_global(1); }},
    {"sweeps from zero once more", [](const Situation& s) { return s.cold_later && s.lost; },
     [](Situation& s) { s.stages.sweeps_from_zero(s.patience, s.sweep_limit); }},
    {"Newton and splitting to the end", [](const Situation& s) { return s.newton; }, [](Situation& s) { s.stages.newton_and_global(kNoLimit); }},
};

/// One connected problem (or one taken as such): all stages, from the best iterate of the watch.
void solve_connected(const ContactProblem& problem, const AutoOptions& options, Watch& watch, SweeperMemory& sweepers) {
  const AutoParameters& p = options.parameters;
  AutoStages stages(problem, options, watch, sweepers);
  stages.allow_starts();
  const bool warm = std::ranges::any_of(watch.best(), [](double r) { return r != 0.0; }), large = stages.large();
  const double patience = options.newton ? (large ? p.large_patience : p.patience) * stages.newton_cost() : kInfinity;
  const int limit = large || !options.newton ? kNoLimit : static_cast<int>(p.sweep_share * watch.rest().max_iterations);
  Situation situation{stages, p, watch, warm, options.newton, options.newton && warm && !large, patience, limit};
  for (const Stage& stage : kStages)
    if (!watch.ended() && stage.wanted(situation)) stage.run(situation);
}

/// Squared error and share of the squared tolerance of each island.
class IslandLedger {
 public:
  IslandLedger(const ContactProblem& problem, AutoWorkspace& work) : problem_(problem), work_(work), weight_(residual_weights(problem)) {
    work_.share = tolerance_shares(problem, weight_, work.islands.count(), [&](int i) { return work.islands.blocks(i); });
  }

  /// Islands that miss the tolerance, from U = W R + B in the workspace.
  [[nodiscard]] std::vector<int> open_islands(std::span<const double> R, double tolerance) const {
    std::vector<int> open;
    for (int i = 0; i < work_.islands.count(); ++i) {
      double error = 0.0;
      for (int a : work_.islands.blocks(i)) error += squared_error(a, R);
      if (error > tolerance * tolerance * work_.share[i]) open.push_back(i);
    }
    return open;
  }

  /// Weights with which these islands are measured alone.
  [[nodiscard]] std::vector<double> weights_of(std::span<const int> blocks, std::span<const int> islands) const {
    double share = 0.0;
    for (int i : islands) share += work_.share[i];
    std::vector<double> weight = part_of(weight_, blocks);
    for (double& value : weight) value /= share;
    return weight;
  }

 private:
  [[nodiscard]] double squared_error(int a, std::span<const double> R) const {
    return weight_[a] * solvers::squared_error(Eigen::Map<const Vec3>(R.data() + 3 * a), Eigen::Map<const Vec3>(work_.U.data() + 3 * a),
                                  block_rho(problem_.W->diagonal()[a]), problem_.kind[a], problem_.mu[a]);
  }

  const ContactProblem& problem_;
  AutoWorkspace& work_;
  std::vector<double> weight_;
};

class AutoRun {
 public:
  AutoRun(const ContactProblem& problem, const AutoOptions& options, std::span<double> R, AutoWorkspace& work)
      : problem_(problem), options_(options), work_(work), watch_(problem, first_rule(options), R, &work.U) {
    if (has_goal(options)) watch_.ease(options.tolerance, options.goal_iterations);
  }

  SolveReport run() {
    watch_.set_stage("warm start");
    watch_.offer_guess();
    if (!watch_.solved() && problem_.blocks() == 1 && options_.max_iterations > 0) solve_in_closed_form();
    if (!watch_.ended() && shared_in_several_ways()) solve_evenly();
    if (!watch_.ended() && suits_working_set(problem_, options_)) {
      solve_working_set(problem_, options_, watch_, work_);
      // What follows wants the velocities of the best iterate.
      if (!watch_.ended()) watch_.offer(watch_.best());
    }
    if (!watch_.ended()) solve_islands();
    return finish();
  }

 private:
  /// The goal counts first, where there is one.
  static StopRule first_rule(const AutoOptions& options) {
    StopRule rule = options;
    if (has_goal(options)) rule.tolerance = options.goal;
    return rule;
  }
  static bool has_goal(const AutoOptions& options) { return options.goal > 0.0 && options.goal < options.tolerance; }

  /// A single block needs no iteration.
  void solve_in_closed_form() {
    double multiplier = 0.0;
    const Vec3 R = solve_exact(LocalBlock(problem_.W->diagonal()[0]), problem_.kind[0], problem_.mu[0],
                               Eigen::Map<const Vec3>(problem_.B.data()), multiplier);
    if (watch_.offer(std::span<const double>(R.data(), 3)) > watch_.tolerance()) return;
    watch_.count();
    watch_.set_stage("closed form");
  }

  /// Few rough contacts that touch for the first time: an impact that may have several solutions.
  [[nodiscard]] bool shared_in_several_ways() const {
    const AutoParameters& p = options_.parameters;
    return problem_.blocks() > 1 && problem_.blocks() <= p.even_blocks && options_.yardstick == Yardstick::residual &&
           std::ranges::all_of(problem_.mu, [&](double mu) { return mu <= p.sticky_friction; }) && std::ranges::any_of(problem_.mu, [&](double mu) { return mu > p.even_friction; }) &&
           std::ranges::all_of(watch_.best(), [](double r) { return r == 0.0; });
  }

  /// Gradients treat all blocks alike and keep the symmetry of the problem; sweeps load the first block most.
  void solve_evenly() {
    ApgdOptions gradients;
    static_cast<StopRule&>(gradients) = watch_.rest(static_cast<int>(options_.parameters.even_steps));
    gradients.history = false;
    std::vector<double> R(problem_.B.size(), 0.0);
    watch_.add(solve_apgd(problem_, gradients, R));
    if (watch_.offer(R) <= watch_.tolerance()) watch_.set_stage("gradients");
  }

  void solve_islands() {
    const bool look = options_.islands && options_.yardstick == Yardstick::residual && problem_.blocks() >= options_.parameters.island_blocks;
    if (look) work_.islands.find(*problem_.W);
    if (look && work_.islands.count() > 1) solve_apart();
    else solve_connected(problem_, options_, watch_, work_.sweepers);
  }

  void solve_apart() {
    std::vector<double> R(watch_.best().begin(), watch_.best().end());
    const IslandLedger ledger(problem_, work_);
    std::vector<int> open = ledger.open_islands(R, watch_.tolerance());
    const std::vector<int> small = without_dominant(open);
    if (small.size() > 1) {
      sweep_together(small, ledger, R);
      watch_.offer(R);
      open = ledger.open_islands(R, watch_.tolerance());
    }
    // The small ones first: they are done soon, and each that is left open is as wrong as it was.
    std::ranges::stable_sort(open, {}, [&](int island) { return work_.islands.blocks(island).size(); });
    for (int island : open)
      if (!watch_.spent()) solve_island(island, ledger, R);
    watch_.offer(R);
  }

  /// Those of so many that none of them is most of the work: what is gets its sweeps in one run, by itself.
  [[nodiscard]] std::vector<int> without_dominant(std::vector<int> islands) const {
    const auto size = [&](int i) { return work_.islands.blocks(i).size(); };
    std::size_t sum = 0;
    for (const int i : islands) sum += size(i);
    std::erase_if(islands, [&](int i) { return 2 * size(i) > sum; });
    return islands;
  }

  /// Open islands in one run of sweeps: cheap for the many small ones.
  void sweep_together(const std::vector<int>& open, const IslandLedger& ledger, std::span<double> R) {
    work_.active.clear();
    for (int island : open)
      for (int a : work_.islands.blocks(island)) work_.active.push_back(a);
    std::sort(work_.active.begin(), work_.active.end());
    solve_part(work_.active, ledger.weights_of(work_.active, open), R, [&](const ContactProblem& part, Watch& watch) {
      const double most = options_.parameters.shared_sweeps;
      if (!watch.ended()) AutoStages(part, options_, watch, work_.sweepers).sweeps(most, static_cast<int>(most));
    });
  }

  void solve_island(int island, const IslandLedger& ledger, std::span<double> R) {
    const auto blocks = work_.islands.blocks(island);
    solve_part(blocks, ledger.weights_of(blocks, std::array{island}), R,
               [&](const ContactProblem& part, Watch& watch) { solve_connected(part, options_, watch, work_.sweepers); });
  }

  /// Some blocks alone, measured with weights of their own.
  template <class Solve>
  void solve_part(std::span<const int> blocks, std::vector<double> weight, std::span<double> R, Solve&& solve) {
    ContactProblem part = restrict_to(problem_, blocks);
    part.weight = std::move(weight);
    std::vector<double> part_R;
    gather_part(R, blocks, part_R);
    StopRule rule = watch_.rest();
    rule.history = false;   // values of parts are not those of the whole
    Watch watch(part, rule, part_R);
    const double share = static_cast<double>(blocks.size()) / problem_.blocks();
    watch.ease_with(watch_, share);
    watch.set_stage("warm start");
    watch.offer(part_R);
    solve(part, watch);
    scatter_part(part_R, blocks, R);
    const SolveReport report = watch.report("");
    watch_.add(report, share);
    watch_.set_stage(report.stage.c_str());
  }

  SolveReport finish() {
    // What missed the goal may have met the tolerance.
    if (!watch_.solved() && has_goal(options_)) watch_.ease(options_.tolerance, 0.0);
    const double best = watch_.best_value();
    const bool unchanged = watch_.iterations() == 0 && watch_.solved();
    SolveReport report = watch_.report("raise max_iterations or max_seconds, or loosen the tolerance");
    if (options_.yardstick == Yardstick::residual) report.residual = best;
    else if (unchanged) report.residual = measure(Yardstick::residual, problem_, watch_.best(), watch_.velocity());
    report.residual_known = options_.yardstick == Yardstick::residual || unchanged;
    return report;
  }

  const ContactProblem& problem_;
  const AutoOptions& options_;
  AutoWorkspace& work_;
  Watch watch_;
};

}  // namespace

SolveReport solve_auto(const ContactProblem& problem, const AutoOptions& options, std::span<double> R, AutoWorkspace& workspace) {
  return AutoRun(problem, options, R, workspace).run();
}

SolverInfo auto_info() {
  SolverInfo info;
  info.name = "AUTO";
  info.text =
      "The default: checks the warm start, takes independent islands apart, sweeps with momentum, then a "
      "proximal semismooth Newton with ADMM beside it where sweeps are too slow. Robust to high accuracy; choices never depend on the clock.";
  info.formulations = {std::begin(kEveryFormulation), std::end(kEveryFormulation)};
  info.options = {
      {"formulation", std::string("coulomb"), "law: coulomb, convex, tresca (thresholds mu R_N of the guess) or frictionless"},
      {"islands", true, "solve independent parts apart (yardstick residual only)"},
      {"newton", true, "allow Newton and ADMM stages; False: accelerated sweeps only"},
      {"margin", 1.0, "share of the tolerance, in (0, 1], that sweeps go on to while it costs at most half as much again"},
      {"goal", 0.0, "below the tolerance: worked towards for goal_iterations; then the tolerance is enough. 0: the tolerance"},
      {"goal_iterations", 1000, "sweeps' worth of work for the goal, not negative; simulations give what earlier steps have saved"},
  };
  info.solve = [](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
    const OptionReader read(find_solver("AUTO"), values);
    AutoOptions options;
    static_cast<StopRule&>(options) = stop;
    options.islands = read.flag("islands");
    options.newton = read.flag("newton");
    options.margin = read.real("margin");
    if (!(options.margin > 0.0 && options.margin <= 1.0)) throw_input("AUTO: margin = {} is outside (0, 1]; 1 stops at the tolerance", options.margin);
    options.goal = read.real("goal");
    options.goal_iterations = read.integer("goal_iterations");
    if (!(options.goal >= 0.0)) throw_input("AUTO: goal = {} is negative; 0 means the tolerance", options.goal);
    if (options.goal_iterations < 0) throw_input("AUTO: goal_iterations = {} is negative", options.goal_iterations);
    thread_local AutoWorkspace workspace;  // keeps its memory from step to step
    return solve_auto_law(problem, formulation_from(read.text("formulation"), kEveryFormulation), options, R, workspace);
  };
  return info;
}

}  // namespace scree::solvers
