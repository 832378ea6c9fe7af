"""The rotating drum of the quasi-Newton report (Tables 2 and 3): iterations a step of NEWTON and GAUSS_SEIDEL.

Whole runs are what the report counts. Beside them both methods solve the same steps, taken from one run with the impulses its solver began with."""
import numpy as np

LIMIT = 1000        #: iterations of a step, as in the report
TOLERANCE = 1e-8    #: merit
_EVERY = 20         #: steps between those solved by both methods

#: Scene -> method -> (iterations a step, steps that met the limit) of the report's Table 3, N = 100.
TABLE = {
    "drum": {"NEWTON": (9, 0), "GAUSS_SEIDEL": (112, 20)},
    "drum_pseudo_rigid": {"NEWTON": (5, 0), "GAUSS_SEIDEL": (18, 0)},
    "drum_spheres": {"NEWTON": (14, 0), "GAUSS_SEIDEL": (174, 330)},
    "drum_spheres_pseudo_rigid": {"NEWTON": (4, 0), "GAUSS_SEIDEL": (21, 0)},
}


def options(scene, method):
    """The report's: delta = 0.01 avg W_ii and (epsilon, m) = (0.25, 10), the defaults, or (0.01, 5) for deformable bodies. Newton's
    steps are not smoothed by sweeps and it has no Gauss-Seidel to fall back on, so that a step it cannot solve shows."""
    if method != "NEWTON":
        return {}
    return {"gsflag": "OFF", "sweeps": 0, **({"epsilon": 0.01, "linmaxiter": 5} if scene.endswith("pseudo_rigid") else {})}


def _mean(counts):
    """Mean over the steps that took some iterations and fewer than the limit, as in the report; None: there are none."""
    used = counts[(counts > 0) & (counts < LIMIT)]
    return float(used.mean()) if used.size else None


def run(scene, method, steps, sample):
    """Step table of a whole run; sample(sim) is called every so many steps unless None."""
    from . import bench_scene, scenes
    sim = scenes.make(scene).sim
    sim.solver(method, tolerance=TOLERANCE, yardstick="merit", max_iterations=LIMIT, **options(scene, method))
    if sample:
        sim.callback(_EVERY * sim.step, sample)
    return bench_scene._run_steps(sim, steps)[0]


def _both(scene, counts):
    """Callback that solves the last step with both methods from the guess it had; counts[method] receives (iterations, solved)."""
    def sample(sim):
        problem = sim.problem()
        for method in counts if problem.blocks else ():
            solution = problem.solve(method, TOLERANCE, "merit", max_iterations=LIMIT, guess=problem.guesses[0], **options(scene, method))
            counts[method].append((solution.iterations, solution.converged))
    return sample


def bench(row, scale=1.0, say=lambda text: None):
    """Rows of 10 s (times the scale) of the four drums; row(...) makes one."""
    rows, steps = [], max(1, int(10000 * scale))
    for scene, methods in TABLE.items():
        taken = {method: [] for method in methods}
        for method, (iterations, limited) in methods.items():
            table = run(scene, method, steps, _both(scene, taken) if method == "NEWTON" else None)
            contacts, missed = int(table["contacts"].mean()), int((table["status"] != 0).sum())
            rows.append(row(scene, contacts, method, "iterations a step", _mean(table["iterations"]), iterations))
            rows.append(row(scene, contacts, method, "steps not solved", missed, limited, f"of {len(table)}"))
            rows.append(row(scene, contacts, method, "ms a step in the solver", 1e3 * float(table["solve"].mean()), None))
            say(f"quasi_newton {scene}: {method} {rows[-3]['ours']} iterations a step, {missed} steps not solved of {len(table)}")
        means = {}
        for method, found in taken.items():
            counts, solved = np.array([n for n, _ in found], dtype=int), [ok for _, ok in found]
            means[method] = _mean(counts)
            rows.append(row(scene, contacts, method, "iterations, the same steps", means[method], methods[method][0], f"{len(counts)} steps, {solved.count(False)} not solved"))
        if all(means.values()):
            rows.append(row(scene, contacts, "GAUSS_SEIDEL / NEWTON", "iterations, the same steps", means["GAUSS_SEIDEL"] / means["NEWTON"],
                            methods["GAUSS_SEIDEL"][0] / methods["NEWTON"][0]))
        say(f"quasi_newton {scene}: the same steps: {means}")
    return rows
