/// The numbers by which AUTO decides (theory sec. 4.11).
///
/// Costs are counted in sweeps: c is that of a Newton step (Operator::newton_cost), n the number of blocks, N the iterations allowed. What
/// each number is for, its unit, its range and its reason stand in kAutoParameters below.
///
/// Halving or doubling any of them changed costs, not success, on 48 generated problems taken as they come (packings, 24 or 40 random contacts with mu 0.6 to 5,
/// soft bodies; N = 20000). These feel 12 of the 37: check_interval, window, patience, island_blocks, stall_sweeps, most_stall, slice, admm_cost, admm_steps,
/// set_sweeps, loose_rounds, loose_sweeps; the cost of a single problem became 0.27 to 8.95 times as much, both by `patience`. The others decide where problems
/// are large, iterations scarce, guesses bad or starts many; tests/solvers/auto_parameters_test.cpp has problems made to feel each of them. Where N is short,
/// success does depend on them: of a problem that needs 800 iterations, 1200 do not solve it with twice fewest_newtons (then 100) or half of most_stall.
#pragma once

#include <algorithm>

namespace scree::solvers {

struct AutoParameters {
  // Sweeps.
  double check_interval = 10;
  double window = 60;
  double patience = 60;
  double warm_sweeps = 400;
  double warm_gain = 0.1;
  double sweep_share = 1.0 / 3.0;
  // Islands.
  double island_blocks = 32;
  double shared_sweeps = 300;
  // Newton steps.
  double newton_share = 0.5;
  double newton_sweeps = 30;
  double fewest_newtons = 25;
  double stall_sweeps = 10000;
  double least_stall = 12;
  double most_stall = 400;
  // Sweeps and splitting in turn with Newton steps.
  double slice = 20;
  double slice_growth = 1.5;
  double admm_cost = 15;
  double admm_steps = 25;
  // Convex starts and interior points.
  double start_blocks = 2000;
  double start_share = 20;
  double start_sweeps = 30;
  double start_gain = 0.3;
  double start_reach = 1e-6;
  double start_newtons = 20;
  double path_cost = 1.3;
  // Large packings.
  double large_cost = 280;
  double large_patience = 600;
  double large_reach = 1e-6;
  // The convex law.
  double gradient_steps = 500;
  // Working sets of deformable bodies.
  double set_dofs = 12;
  double set_sweeps = 120;
  double set_blocks = 400;
  double loose_rounds = 3;
  double loose_sweeps = 20;
  double set_rounds = 30;
  double condense_blocks = 1000;
  double condense_ratio = 4;

  /// Newton steps without gaining a factor 0.3 after which Newton is left.
  [[nodiscard]] int newton_stall(double cost) const { return static_cast<int>(std::clamp(stall_sweeps / cost, least_stall, most_stall)); }
};

struct AutoParameter {
  const char* name;
  double AutoParameters::*value;
  double least, most;   ///< sensible range
  const char* unit;
  const char* use;      ///< formula and reason
};

inline constexpr AutoParameter kAutoParameters[] = {
    {"check_interval", &AutoParameters::check_interval, 1, 100, "sweeps", "between measurements, which cost about a sweep; also when a sweep's change forecasts the end, half as often in a row"},
    {"window", &AutoParameters::window, 10, 1000, "sweeps", "progress is judged over max(window, half of all): momentum makes shorter stretches misleading"},
    {"patience", &AutoParameters::patience, 1, 1e4, "Newton steps", "sweeps go on while log(e / tolerance) / rate <= patience c: Newton needs about that many steps from a poor start"},
    {"warm_sweeps", &AutoParameters::warm_sweeps, 10, 1e4, "sweeps", "from a warm start, then from zero, before the better one goes on: a warm start in a bad place costs more than it saves"},
    {"warm_gain", &AutoParameters::warm_gain, 1e-6, 1, "", "factor by which warm_sweeps must lower the residual: a guess that does so is not left for zero"},
    {"sweep_share", &AutoParameters::sweep_share, 0.01, 1, "of N", "that sweeps may take before Newton gets its turn"},
    {"island_blocks", &AutoParameters::island_blocks, 2, 1e4, "blocks", "problems of fewer are not searched for islands: they cost less than the search"},
    {"shared_sweeps", &AutoParameters::shared_sweeps, 10, 1e4, "sweeps", "of all open islands together before they are taken apart: most small ones end there"},
    {"newton_share", &AutoParameters::newton_share, 0.01, 1, "of N", "at most for Newton steps: min(newton_share, newton_sweeps / c) N"},
    {"newton_sweeps", &AutoParameters::newton_sweeps, 1, 1000, "sweeps", "a Newton step may cost this many times its share: it gains more than sweeps do"},
    {"fewest_newtons", &AutoParameters::fewest_newtons, 1, 1000, "Newton steps", "when N / c is less Newton is left out: the analysis would not pay"},
    {"stall_sweeps", &AutoParameters::stall_sweeps, 100, 1e6, "sweeps", "worth of Newton steps without gain, stall_sweeps / c within [least_stall, most_stall], before others take over"},
    {"least_stall", &AutoParameters::least_stall, 2, 100, "Newton steps", "fewer say nothing: a proximal step alone takes up to 12"},
    {"most_stall", &AutoParameters::most_stall, 20, 1e4, "Newton steps", "some problems pass over a hill of a hundred steps"},
    {"slice", &AutoParameters::slice, 1, 1000, "Newton steps", "worth of sweeps, slice c, and of splitting side by side where Newton stalls"},
    {"slice_growth", &AutoParameters::slice_growth, 1.25, 10, "", "factor of the slice from round to round, so that no way is given up for good"},
    {"admm_cost", &AutoParameters::admm_cost, 1, 1000, "sweeps", "of an ADMM iteration, a solve with factors: slice c / admm_cost + admm_steps of them"},
    {"admm_steps", &AutoParameters::admm_steps, 1, 1000, "iterations", "that ADMM needs before its penalty has settled"},
    {"start_blocks", &AutoParameters::start_blocks, 10, 1e5, "blocks", "up to which convex starts and the interior-point path are tried: their factors fill in beyond"},
    {"start_share", &AutoParameters::start_share, 0.1, 100, "slices", "worth of convex starts in each round: most problems that need them need one to ten"},
    {"start_sweeps", &AutoParameters::start_sweeps, 1, 1000, "Newton steps", "worth of sweeps from a convex start, start_sweeps c, and again while they gain: they cost less than the start itself"},
    {"start_gain", &AutoParameters::start_gain, 1e-3, 0.9, "", "factor by which sweeps from a start must gain to go on, and a start must beat the main line to replace it"},
    {"start_reach", &AutoParameters::start_reach, 1e-12, 1e-2, "residual", "from which Newton steps are tried there: farther away they stall"},
    {"start_newtons", &AutoParameters::start_newtons, 2, 1000, "Newton steps", "without gaining a factor 0.3 after which they are left"},
    {"path_cost", &AutoParameters::path_cost, 0.1, 10, "Newton steps", "of an interior-point step: two solves with factors of the same size"},
    {"large_cost", &AutoParameters::large_cost, 10, 1e5, "sweeps", "c beyond which a packing is large: neither Newton nor splitting is a match for sweeps (1500 contacts of rigid bodies)"},
    {"large_patience", &AutoParameters::large_patience, 1, 1e5, "Newton steps", "patience there"},
    {"large_reach", &AutoParameters::large_reach, 1e-12, 1e-2, "residual", "from which Newton steps are tried there: farther away they stall"},
    {"gradient_steps", &AutoParameters::gradient_steps, 10, 1e5, "iterations", "of the convex law before Newton is tried, doubled each time"},
    {"set_dofs", &AutoParameters::set_dofs, 6, 1000, "unknowns", "of a body, on average, beyond which AUTO works on sets of blocks: pseudo-rigid bodies have 12, and sweeps do well there"},
    {"set_sweeps", &AutoParameters::set_sweeps, 1, 1e4, "sweeps", "before Newton on a working set: set_sweeps max(1, n / set_blocks)^2"},
    {"set_blocks", &AutoParameters::set_blocks, 10, 1e5, "blocks", "above which a Newton step costs the square more"},
    {"loose_rounds", &AutoParameters::loose_rounds, 1, 100, "rounds", "in which a few sweeps find more of the set"},
    {"loose_sweeps", &AutoParameters::loose_sweeps, 1, 1000, "sweeps", "of such a round"},
    {"set_rounds", &AutoParameters::set_rounds, 2, 1000, "rounds", "of adding blocks at most"},
    {"condense_blocks", &AutoParameters::condense_blocks, 10, 1e5, "blocks", "up to which rows of W are formed at condense_ratio: beyond, Newton systems are smaller in the space of bodies"},
    {"condense_ratio", &AutoParameters::condense_ratio, 0.1, 100, "", "numbers of the rows of W over those of bodies up to which Newton gains from them"},
};

}  // namespace scree::solvers
