/// The numbers by which AUTO decides (theory sec. 4.11).
///
/// Costs are counted in sweeps: c is that of a Newton step (Operator::newton_cost), n the number of blocks, N the iterations allowed. What
/// each number is for, its unit, its range and its reason stand in kAutoParameters below.
///
/// Halving or doubling any of them changes costs, not success, on problems drawn at random (tests/solvers/auto_catalogue.hpp; the first 24, whose costs
/// tests/solvers/auto_parameters_test.cpp prints): these feel 9, check_interval, window, patience, warm_sweeps, shared_sweeps, even_blocks, gradient_steps, set_sweeps and
/// loose_sweeps; all costs together become 0.77 to 1.13 times as much, that of one problem 0.07 to 2.57 times, both by `window`. Of 48, of which one is not solved
/// by 20000 iterations whatever the numbers but with half of check_interval, sweep_share, newton_share, newton_sweeps, fewest_newtons, least_stall, warm_gain and
/// island_blocks are not felt either. The others decide where problems are large, iterations scarce or starts many: no random problem of this size says that they
/// are right.
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
  double newton_reach = 1e-6;
  double start_newtons = 20;
  double path_cost = 1.3;
  double finish = 0.3;
  // Few rough contacts that touch for the first time.
  double even_blocks = 8;
  double even_friction = 1.0;
  double sticky_friction = 100;
  double even_steps = 300;
  // Large packings.
  double large_cost = 280;
  double large_patience = 600;
  // The convex law.
  double gradient_steps = 500;
  // Working sets of deformable bodies.
  double set_dofs = 12;
  double set_sweeps = 120;
  double set_blocks = 400;
  double loose_rounds = 3;
  double loose_sweeps = 20;
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
    {"warm_sweeps", &AutoParameters::warm_sweeps, 10, 1e4, "sweeps", "from a warm start, which goes on where it promises to end within as many more, else from zero before the better one goes on: a warm start in a bad place costs more than it saves"},
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
    {"newton_reach", &AutoParameters::newton_reach, 1e-12, 1e-2, "residual", "from which Newton steps are tried from a convex start and in a large packing: farther away they stall"},
    {"start_newtons", &AutoParameters::start_newtons, 2, 1000, "Newton steps", "without gaining a factor 0.3 after which they are left"},
    {"path_cost", &AutoParameters::path_cost, 0.1, 10, "Newton steps", "of an interior-point step: two solves with factors of the same size"},
    {"finish", &AutoParameters::finish, 1e-3, 1, "of the tolerance", "that sweeps go on to from a convex start that solves the problem, before impulses of least norm are taken: these then still meet it"},
    {"even_blocks", &AutoParameters::even_blocks, 2, 100, "blocks", "up to which an impact that may have several solutions is solved by gradients, which keep its symmetry"},
    {"even_friction", &AutoParameters::even_friction, 0.1, 10, "", "mu above which it may have several"},
    {"sticky_friction", &AutoParameters::sticky_friction, 10, 1e6, "", "mu above which contacts stick and the solution is one again; gradients are slow there"},
    {"even_steps", &AutoParameters::even_steps, 10, 1e4, "iterations", "of gradients before sweeps take over"},
    {"large_cost", &AutoParameters::large_cost, 10, 1e5, "sweeps", "c beyond which a packing is large: neither Newton nor splitting is a match for sweeps (1500 contacts of rigid bodies)"},
    {"large_patience", &AutoParameters::large_patience, 1, 1e5, "Newton steps", "patience there"},
    {"gradient_steps", &AutoParameters::gradient_steps, 10, 1e5, "iterations", "of the convex law before Newton is tried, doubled each time"},
    {"set_dofs", &AutoParameters::set_dofs, 6, 1000, "unknowns", "of a body, on average, beyond which AUTO works on sets of blocks: pseudo-rigid bodies have 12, and sweeps do well there"},
    {"set_sweeps", &AutoParameters::set_sweeps, 1, 1e4, "sweeps", "before Newton on a working set: set_sweeps max(1, n / set_blocks)^2"},
    {"set_blocks", &AutoParameters::set_blocks, 10, 1e5, "blocks", "above which a Newton step costs the square more"},
    {"loose_rounds", &AutoParameters::loose_rounds, 1, 100, "rounds", "in which a few sweeps find more of the set"},
    {"loose_sweeps", &AutoParameters::loose_sweeps, 1, 1000, "sweeps", "of such a round"},
    {"condense_blocks", &AutoParameters::condense_blocks, 10, 1e5, "blocks", "up to which rows of W are formed at condense_ratio: beyond, Newton systems are smaller in the space of bodies"},
    {"condense_ratio", &AutoParameters::condense_ratio, 0.1, 100, "", "numbers of the rows of W over those of bodies up to which Newton gains from them"},
};

}  // namespace scree::solvers
