"""Conjugate projected gradients: disks on one step, and whole processes."""
import time

import numpy as np

from . import processes
from .experiment import Experiment, Outcome, axes_of, pile


def deposit(settings, count, friction):
    """Disks deposited in a box of 1 m: the problem of one step."""
    grains = settings.grains(count)
    problem = pile(grains=grains, radius=0.5 * (0.8 / grains) ** 0.5, spread=0.2, density=2500.0, mu=friction, planar=True, vessel_width=1.0,
                   settling_step=3e-3, settling_steps=200, settling_tolerance=1e-2, reach=0.02, step=1e-3)
    return grains, problem


def one_step(settings):
    """Figures 9 to 12: iterations of Gauss-Seidel over those of CPG and PCPG, three accuracies."""
    out = Outcome()
    sizes = ((1000, 0.1), (1000, 0.4), (4000, 0.1), (10000, 0.1), (33000, 0.1))
    for count, friction in sizes if settings.full else ((200, 0.1), (200, 0.4)):
        grains, problem = deposit(settings, count, friction)
        name = f"{grains} disks, mu {friction:g}"
        for tolerance in (1e-2, 3e-3, 1e-3):
            counts = {}
            for method in ("GAUSS_SEIDEL", "CPG", "PCPG"):
                solution = problem.solve(method, tolerance, max_iterations=200000, max_seconds=240 if settings.full else 20)
                counts[method] = solution.iterations if solution.converged else None
                out.add(name, problem.contacts, method, f"iterations to {tolerance:g}", counts[method])
            for method in ("CPG", "PCPG"):
                ratio = counts["GAUSS_SEIDEL"] / counts[method] if counts["GAUSS_SEIDEL"] and counts[method] else None
                out.add(name, problem.contacts, "GAUSS_SEIDEL / " + method, f"iterations to {tolerance:g}", ratio, "2.98 to 9.5")
            settings.say(f"cpg.step {name}: {tolerance:g}: {counts}")
            if not counts["GAUSS_SEIDEL"]:
                break
    return out


# --- energy and criteria -------------------------------------------------------------------------------------------------------------

SAMPLES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)


def energy(settings):
    """Figure 8: energy of a deposit without friction over iterations."""
    out, shown = Outcome(), {}
    grains, problem = deposit(settings, 14000 if settings.full else 500, 0.0)
    value = lambda s: 0.5 * float(np.sum(s.R * (s.U + problem.B)))
    best = value(problem.solve("AUTO", 1e-10, formulation="frictionless", max_iterations=10**6, max_seconds=60))
    for method in ("GAUSS_SEIDEL", "PG", "CPG", "PCPG"):
        options = {} if method == "GAUSS_SEIDEL" else {"formulation": "frictionless"}
        gaps = [max((value(problem.solve(method, 1e-15, max_iterations=k, **options)) - best) / abs(best), 1e-16) for k in SAMPLES]
        shown[method] = gaps
        out.add(f"{grains} disks", problem.contacts, method, "energy above the least after 100, of it", gaps[SAMPLES.index(100)])
        out.add(f"{grains} disks", problem.contacts, method, "energy above the least after 2000, of it", gaps[-1])
        settings.say(f"cpg.energy: {method}: {gaps[-1]:.3g}")
    out.figures.append(("cpg_energy", "Figure 8: energy above its least over iterations, no friction", lambda figure: _draw_energy(figure, shown)))
    return out


def _draw_energy(figure, shown):
    axes, = axes_of(figure, "(E - E_min) / |E_min|")
    for method, gaps in shown.items():
        axes.loglog(SAMPLES, gaps, "o-", ms=3, label=method)
    axes.set_xlabel("iterations")
    axes.legend(fontsize=7)


def criteria_of(problem, R, change):
    """The paper's e_Q and e_m of an iterate R and the change W_aa (R' - R) of velocities it makes: what a further iteration does, as work, over the reference energy."""
    diagonal = problem.diagonal()
    velocity = np.einsum("aij,aj->ai", diagonal, R)
    energy, works = float(np.sum(R * velocity)), np.sum(change * R, axis=1)
    active = max(1, int(np.count_nonzero(R[:, 0])))
    return np.sqrt(active * float(np.sum(works**2))) / energy, abs(float(np.sum(works))) / energy


def criteria(settings):
    """Our residual beside e_Q and e_m along the iterates of Gauss-Seidel."""
    out, (grains, problem) = Outcome(), deposit(settings, 4000 if settings.full else 200, 0.1)
    rows, wanted = [], [1.66e-4, 1.66e-5, 1.66e-6]
    count = 20
    while wanted and count < 20000:
        one, two = (problem.solve("GAUSS_SEIDEL", 1e-15, max_iterations=k).R for k in (count, count + 1))
        quadratic, mean = criteria_of(problem, one, np.einsum("aij,aj->ai", problem.diagonal(), two - one))
        rows.append((count, problem.measure(one), quadratic, mean))
        while wanted and 0.0 < quadratic < wanted[0]:
            target = wanted.pop(0)
            out.add(f"{grains} disks", problem.contacts, "GAUSS_SEIDEL", f"our residual where e_Q < {target:g}", rows[-1][1], None, f"{count} iterations, e_m {mean:.2g}")
        count = int(1.4 * count)
    settings.say(f"cpg.criteria: {rows[-1]}")
    out.figures.append(("cpg_criteria", "Our residual and the paper's criteria along the iterates of Gauss-Seidel", lambda figure: _draw_criteria(figure, rows)))
    return out


def _draw_criteria(figure, rows):
    axes, = axes_of(figure, "Gauss-Seidel on a deposit")
    counts, *values = zip(*rows)
    for name, line in zip(("residual", "e_Q", "e_m"), values):
        axes.loglog(counts, np.maximum(line, 1e-16), "o-", ms=3, label=name)
    axes.set_xlabel("iterations")
    axes.legend(fontsize=7)


# --- processes ---------------------------------------------------------------------------------------------------------------------

#: Process -> what makes it, short (disks, extent), full ones with what the paper found: tolerance there, ratio of iterations and of CPU time.
PROCESSES = {
    "drum": (processes.drum, (50, 0.004), [(7200, 1.0, "1.6e-4", 2.75, 0.95)]),
    "biaxial": (processes.biaxial, (36, 0.008), [(1024, 0.1, "1.6e-4", 3.26, 1.69), (9216, 0.1, "1.6e-4", 2.17, 0.81)]),
    "shear": (processes.shear, (36, 0.03), [(1024, 0.2, "1.6e-4", 3.32, 2.23), (9216, 0.2, "1.6e-4", 3.66, 1.70)]),
    "compaction": (processes.compaction, (64, 0.15), [(1000, 1.0, "1.6e-4", 2.99, 1.56), (10000, 1.0, "1.6e-4", 1.31, 0.82)]),
}
METHODS = ("GAUSS_SEIDEL", "CPG", "PCPG")
TOLERANCE = 5e-3   #: of our residual: about where e_Q is 1.6e-4 (cpg.criteria)


def _run(make, count, extent, method):
    """Iterations of every step, CPU seconds of the steps, steps missed and the macroscopic curves of one run."""
    process = make(count, extent)
    process.sim.solver(method, tolerance=TOLERANCE, max_iterations=20000)
    iterations, seconds, missed, contacts = [], 0.0, 0, []
    curves = {name: [] for name in process.curves}
    for step in range(max(process.steps, 5)):
        begun = time.process_time()
        row = process.sim.advance(1)[0]
        seconds += time.process_time() - begun
        iterations.append(int(row["iterations"]))
        contacts.append(int(row["contacts"]))
        missed += bool(row["status"])
        if step % max(1, process.steps // 50) == 0:
            for name, function in process.curves.items():
                curves[name].append((process.sim.time, function(process.sim)))
    return {"iterations": iterations, "seconds": seconds, "missed": missed, "curves": curves, "contacts": int(np.mean(contacts))}


def _process(name):
    def run(settings):
        make, short, full = PROCESSES[name]
        out = Outcome()
        for count, extent, theirs, iterations, seconds in full if settings.full else [(*short, *full[0][2:])]:
            count, extent = settings.grains(count), extent * min(1.0, settings.scale)
            runs = {method: _run(make, count, extent, method) for method in METHODS}
            sweeps = runs["GAUSS_SEIDEL"]
            label = f"{count} disks"
            for method, figures in runs.items():
                out.add(label, figures["contacts"], method, "iterations a step", float(np.mean(figures["iterations"])), {"GAUSS_SEIDEL": 290, "PCPG": 102}.get(method) if name == "drum" else None,
                        f"{len(figures['iterations'])} steps, {figures['missed']} missed")
            for method in METHODS[1:]:
                figures = runs[method]
                out.add(label, figures["contacts"], "GAUSS_SEIDEL / " + method, "iterations", float(np.mean(sweeps["iterations"]) / max(1e-9, np.mean(figures["iterations"]))), iterations if method == "CPG" else None)
                out.add(label, figures["contacts"], "GAUSS_SEIDEL / " + method, "CPU seconds", sweeps["seconds"] / max(1e-9, figures["seconds"]), seconds if method == "CPG" else None)
            for curve in sweeps["curves"]:
                ends = {method: np.mean([v for _, v in figures["curves"][curve][-5:]]) for method, figures in runs.items()}
                out.add(label, sweeps["contacts"], "GAUSS_SEIDEL", f"{curve}, at the end", float(ends["GAUSS_SEIDEL"]), None, ", ".join(f"{m} {v:.3g}" for m, v in ends.items() if m != "GAUSS_SEIDEL"))
            settings.say(f"cpg.{name}: {label}: " + ", ".join(f"{m} {np.mean(f['iterations']):.1f}" for m, f in runs.items()))
            out.figures.append((f"cpg_{name}_{count}", f"{name} of {count} disks: iterations a step and macroscopic curves", lambda figure, runs=runs: _draw_runs(figure, runs)))
        return out
    return run


def _draw_runs(figure, runs):
    names = list(runs["GAUSS_SEIDEL"]["curves"])
    axes = axes_of(figure, "iterations a step", *names)
    for method, figures in runs.items():
        axes[0].semilogy(np.maximum(figures["iterations"], 0.5), lw=0.8, label=method)
        for place, name in zip(axes[1:], names):
            t, value = zip(*figures["curves"][name])
            place.plot(t, value, lw=1.0)
    axes[0].set_xlabel("step")
    for place in axes[1:]:
        place.set_xlabel("t, s")
    axes[0].legend(fontsize=7)


_DIFFERS = "Whole runs, each method on its own path from the same settled state, to 5e-3 of our residual at every step, about the 1.6e-4 of e_Q (cpg.criteria). "

EXPERIMENTS = [
    Experiment("cpg.step", "Disks on one step", "Figures 9-12", "200 disks, at most 20 s a solve", "1000 to 33,000 disks, at most 240 s a solve",
               "Accuracies are of our residual. Frictional deposits at mu = 0.4 converge slowly with every method.", one_step),
    Experiment("cpg.energy", "Energy over iterations", "Figure 8", "500 disks", "14,000 disks, 28,000 contacts", "Gauss-Seidel solves Coulomb's law with no friction; curves are of the best iterate so far by the yardstick.", energy),
    Experiment("cpg.criteria", "The paper's criteria beside our residual", "Section 5.3", "200 disks", "4000 disks", "The printed formulas are garbled; e_Q and e_m are taken as the work of the next change of velocities on the impulses, over sum R.W_aa R.", criteria),
    Experiment("cpg.drum", "Rotating drum", "Figure 13, Table 8", "50 disks, 0.004 turns", "7200 disks, one turn", _DIFFERS + "Disks of 3 mm; the drum shrinks with their number.", _process("drum")),
    Experiment("cpg.biaxial", "Biaxial compression", "Figures 14, 15, Table 8", "36 disks to 0.8 %", "1024 and 9216 disks to 10 %", _DIFFERS + "Pressure 10 kPa, friction 0.3.", _process("biaxial")),
    Experiment("cpg.shear", "Simple shear", "Figures 16, 17, Table 8", "36 disks to 0.03 rad", "1024 and 9216 disks to 0.2 rad", _DIFFERS + "Pressure 10 kPa, friction 0.3.", _process("shear")),
    Experiment("cpg.compaction", "Compaction with a free surface", "Figure 18, Table 8", "64 disks, 0.15 s", "1000 and 10,000 disks, 1 s", _DIFFERS + "The wall moves in with a speed that rises to 0.3 m/s and falls to 0 every 0.2 s.", _process("compaction")),
]
