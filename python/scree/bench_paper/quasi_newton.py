"""The projected quasi-Newton report: the rotating drum of 100 particles, its tables, and how sensitive NEWTON is to its parameters.

The report runs a whole simulation for every choice of parameters; here the same contact problems, taken from one run with the impulses its
solver began with, are solved with every choice, so that what differs is the choice alone."""
import time

import numpy as np

from . import drum
from .experiment import Experiment, Outcome

#: Values of the parameters that are tried.
DELTAS = (1e-4, 1e-3, 1e-2, 2.5e-2, 1e-1, 1.0)
ABSOLUTE = (1e-13, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1)
EPSILONS = (1e-3, 1e-2, 0.05, 0.25, 0.5)
LIMITS = (5, 10, 20, 50)
NORMS = ("none", "min", "avg", "max")
SCENES = {"rigid": "drum", "defo": "drum_pseudo_rigid"}
BASE = {"rigid": {"delta": 0.01, "epsilon": 0.25, "linmaxiter": 10}, "defo": {"delta": 0.01, "epsilon": 0.01, "linmaxiter": 5}}
#: Table 4: norm -> (runtime s, delta, epsilon, m) of the shortest runs; without a norm, those of section 8.1.1.
TABLE_4 = {"rigid": {"none": (525, 1e-4, 0.25, 15), "min": (495, 0.025, 0.25, 15), "avg": (467, 0.01, 0.25, 10), "max": (525, 0.01, 0.25, 20)},
           "defo": {"none": (356, 1e-13, 0.25, 20), "min": (378, 0.1, 0.1, 20), "avg": (352, 0.01, 0.01, 5), "max": (385, 0.01, 0.05, 10)}}
_PATIENCE = 20  #: times as many steps are looked at as are needed
_LARGE = 1000   #: m where epsilon alone ends a linear solve


def problems(kind, count, first=1.4, every=0.01, density=100.0, friction=0.3):
    """So many contact problems of the turning drum, from `first` s on, `every` s apart, with the impulses NEWTON began with."""
    from .. import bench_scene, scenes
    sim = scenes.drum(soft=kind == "defo", friction=friction, density=density).sim
    sim._threads = 1
    sim.solver("NEWTON", tolerance=drum.TOLERANCE, yardstick="merit", max_iterations=drum.LIMIT, **({"epsilon": 0.01, "linmaxiter": 5} if kind == "defo" else {}))
    found = []

    def take(sim):
        if sim.time < first - 1e-9 or not sim.problem().blocks:
            return True
        # What is solved already, as in a step of deformable bodies that was repeated, tells nothing.
        problem = sim.problem()
        if problem.measure(problem.guesses[0], "merit") > drum.TOLERANCE:
            found.append(problem)
        return len(found) < count
    sim.callback(every, take)
    bench_scene._run_steps(sim, int(round((first + _PATIENCE * every * count) / sim.step)))
    return found


def measure(found, limit, **options):
    """All problems solved with these options: iterations, mean of those solved, how many were not, linear iterations, seconds."""
    iterations, failed, linear, begun = [], 0, 0, time.process_time()
    for problem in found:
        solution = problem.solve("NEWTON", drum.TOLERANCE, "merit", max_iterations=limit, guess=problem.guesses[0], gsflag="OFF", sweeps=0, **options)
        failed += not solution.converged
        iterations.append(solution.iterations)
        linear += solution.linear_iterations
    solved = [n for n in iterations if n < limit]
    return {"total": sum(iterations), "mean": float(np.mean(solved)) if solved else float("nan"), "failed": failed, "linear": linear, "seconds": time.process_time() - begun}


def _grids(norm):
    """The report's three cases: (a) delta and epsilon at m = 1000, (b) delta and m at epsilon = 1e-3, (c) delta and pairs of both."""
    deltas = ABSOLUTE if norm == "none" else DELTAS
    pairs = [(e, m) for e in (1e-2, 0.1, 0.25) for m in (5, 10, 15, 20)]
    return {"a": [(d, e, _LARGE) for d in deltas for e in EPSILONS], "b": [(d, 1e-3, m) for d in deltas for m in LIMITS], "c": [(d, e, m) for d in deltas for e, m in pairs]}


def _size(settings):
    """Problems of each kind, and iterations after which a solve counts as failed."""
    return (60, drum.LIMIT) if settings.full else (max(2, int(2 * settings.scale)), 100)


def sensitivity(settings):
    """Figures 2 to 11 and Table 4."""
    out, (count, limit) = Outcome(), _size(settings)
    for kind in SCENES:
        found = problems(kind, count)
        contacts, best = int(np.mean([p.contacts for p in found])), {}
        for norm in NORMS:
            cases = {case: [(point, measure(found, limit, delta=point[0], epsilon=point[1], linmaxiter=point[2], reldelta=norm)) for point in points] for case, points in _grids(norm).items()}
            _add_best(out, kind, norm, contacts, [entry for points in cases.values() for entry in points], best)
            figure = {"rigid": {"none": "2, 4", "min": "6", "avg": "7", "max": "8"}, "defo": {"none": "3, 5", "min": "9", "avg": "10", "max": "11"}}[kind][norm]
            out.figures.append((f"newton_{kind}_{norm}", f"Figure {figure}: {kind}, delta {'absolute' if norm == 'none' else 'relative to ' + norm + ' W_ii'}: mean iterations of the steps solved; crosses: some were not",
                                lambda figure, cases=cases: _draw_cases(figure, cases)))
            settings.say(f"quasi_newton.sensitivity: {kind} {norm}: best {best[norm]}")
    return out


def _add_best(out, kind, norm, contacts, entries, best):
    """The cheapest choice without a failure, and how much of the grid has none."""
    robust = [entry for entry in entries if entry[1]["failed"] == 0]
    name = f"ell. {kind}, delta " + ("absolute" if norm == "none" else f"of {norm} W_ii")
    out.add(name, contacts, "NEWTON", "share of choices without failure", len(robust) / len(entries))
    if not robust:
        best[norm] = None
        return
    point, figures = min(robust, key=lambda entry: (entry[1]["linear"] + entry[1]["total"], entry[0]))
    best[norm] = point
    theirs = TABLE_4[kind][norm]
    for what, ours, paper in zip(("delta", "epsilon", "m"), point, theirs[1:]):
        out.add(name, contacts, "NEWTON", f"cheapest {what}", ours, paper)
    out.add(name, contacts, "NEWTON", "iterations a step there", figures["mean"])


def _draw_cases(figure, cases):
    rows = figure.subplots(1, 3)
    for axes, (case, points) in zip(rows, cases.items()):
        deltas = sorted({p[0] for p, _ in points})
        columns = list(dict.fromkeys((p[1], p[2]) for p, _ in points))
        grid = np.full((len(columns), len(deltas)), np.nan)
        for (delta, epsilon, m), figures in points:
            place = columns.index((epsilon, m)), deltas.index(delta)
            grid[place] = figures["mean"]
            if figures["failed"]:
                axes.plot(place[1], place[0], "kx", ms=3)
        shown = axes.imshow(np.log10(np.maximum(grid, 1.0)), origin="lower", aspect="auto", cmap="viridis", vmin=0.0, vmax=2.3)
        axes.set_xticks(range(len(deltas)), [f"{d:g}" for d in deltas], rotation=60, fontsize=6)
        axes.set_yticks(range(len(columns)), [{"a": f"{e:g}", "b": f"{m}", "c": f"{e:g}, {m}"}[case] for e, m in columns], fontsize=6)
        axes.set_xlabel("delta", fontsize=7)
        axes.set_title(f"({case}) " + {"a": "epsilon, m = 1000", "b": "m, epsilon = 0.001", "c": "epsilon, m"}[case], fontsize=8)
    figure.colorbar(shown, ax=rows[-1], label="log10 iterations a step")


# --- density and friction --------------------------------------------------------------------------------------------------------

DENSITIES = (1.0, 100.0, 10000.0)
FRICTIONS = (0.1, 0.3, 0.9)


def _study(settings, what, values, choose):
    """Iterations over delta for several values of a material's number, each with a run of its own."""
    out, (count, limit) = Outcome(), _size(settings)
    count, shown = max(2, count // 2), {}
    for kind in SCENES:
        for value in values:
            found = problems(kind, count, **choose(value))
            contacts = int(np.mean([p.contacts for p in found]))
            points = [(d, measure(found, limit, **{**BASE[kind], "delta": d})) for d in DELTAS]
            shown[kind, value] = [(d, figures["mean"], figures["failed"]) for d, figures in points]
            robust = [entry for entry in points if entry[1]["failed"] == 0]
            cheapest = min(robust, key=lambda entry: entry[1]["linear"] + entry[1]["total"]) if robust else None
            name = f"ell. {kind}, {what} {value:g}"
            out.add(name, contacts, "NEWTON", "cheapest delta of avg W_ii", cheapest and cheapest[0])
            at = dict(points)[BASE[kind]["delta"]]
            out.add(name, contacts, "NEWTON", "iterations a step at delta = 0.01", at["mean"], None, f"{at['failed']} of {count} not solved")
        settings.say(f"quasi_newton: {kind}, {what} done")
    out.figures.append((f"newton_{what}", f"{what} against delta (of avg W_ii): iterations a step; crosses: some were not solved", lambda figure: _draw_study(figure, what, shown)))
    return out


def _draw_study(figure, what, shown):
    for axes, kind in zip(figure.subplots(1, 2, sharey=True), SCENES):
        for (of, value), points in shown.items():
            if of != kind:
                continue
            deltas, means, failed = (np.array(column) for column in zip(*points))
            line, = axes.loglog(deltas, means, "o-", ms=3, label=f"{what} {value:g}")
            axes.plot(deltas[failed > 0], means[failed > 0], "kx")
        axes.set(title=f"ell. {kind}", xlabel="delta", ylabel="iterations a step")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7)


def density(settings):
    """Figures 12, 13."""
    return _study(settings, "density", DENSITIES, lambda value: {"density": value})


def friction(settings):
    """Section 8.1.4, which the report leaves empty."""
    return _study(settings, "friction", FRICTIONS, lambda value: {"friction": value})


# --- whole runs -----------------------------------------------------------------------------------------------------------------

def table_three(settings):
    """Tables 2 and 3: whole runs."""
    out = Outcome()
    seconds = (10.0 if settings.full else 0.6) * settings.scale
    drum.bench(out, seconds, settings.say)
    return out


EXPERIMENTS = [
    Experiment("quasi_newton.runs", "The drum of 100 particles: whole runs", "Tables 2, 3", "0.6 s of the drum, in which particles fall", "10 s, as in the report",
               "Newton's steps are not smoothed by sweeps and have no Gauss-Seidel to fall back on, so that a step it cannot solve shows. Both methods also solve the same steps, taken from one run with the impulses its solver began with.",
               table_three),
    Experiment("quasi_newton.sensitivity", "Sensitivity to delta, epsilon, m", "Figures 2-11, Table 4", "2 problems a kind of body, at most 100 iterations", "60 problems, at most 1000 iterations",
               "The report runs 10 s for every choice; here the same problems, steps of the turning drum 0.01 s and more apart, are solved with every choice. Cheapest means fewest Newton and linear iterations together among choices that solve all problems; the report takes run times.",
               sensitivity),
    Experiment("quasi_newton.density", "Density against delta", "Figures 12, 13", "2 problems for each of 3 densities", "30 problems, at most 1000 iterations",
               "Every density has a run of its own.", density),
    Experiment("quasi_newton.friction", "Friction against delta", "Section 8.1.4 (announced, empty)", "2 problems for each of 3 coefficients", "30 problems, at most 1000 iterations",
               "The report leaves the section empty.", friction),
]
