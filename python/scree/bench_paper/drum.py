"""Whole runs of the rotating drum (Tables 2 and 3 of the quasi-Newton report): iterations a step of NEWTON and GAUSS_SEIDEL.

Whole runs are what the report counts. Beside them both methods solve the same steps, taken from one run with the impulses its solver began with."""
import numpy as np

LIMIT = 1000        #: iterations of a step, as in the report
TOLERANCE = 1e-8    #: merit
_EVERY = 20         #: steps between those solved by both methods

#: Scene -> method -> (iterations a step, steps that met the limit) of the report's Table 3, N = 100; and NEWTON of Table 2, absolute delta.
TABLE = {
    "drum": {"NEWTON": (9, 0), "GAUSS_SEIDEL": (112, 20), "NEWTON, absolute": (10, 0)},
    "drum_pseudo_rigid": {"NEWTON": (5, 0), "GAUSS_SEIDEL": (18, 0), "NEWTON, absolute": (5, 0)},
    "drum_spheres": {"NEWTON": (14, 0), "GAUSS_SEIDEL": (174, 330), "NEWTON, absolute": (12, 1)},
    "drum_spheres_pseudo_rigid": {"NEWTON": (4, 0), "GAUSS_SEIDEL": (21, 0), "NEWTON, absolute": (6, 44)},
}
#: Absolute delta (1/kg), epsilon and m of Table 2, rigid and deformable.
_ABSOLUTE = ({"delta": 1e-4, "epsilon": 0.25, "linmaxiter": 15}, {"delta": 1e-13, "epsilon": 0.25, "linmaxiter": 20})


def options(scene, method):
    """The report's: delta = 0.01 avg W_ii and (epsilon, m) = (0.25, 10), the defaults, or (0.01, 5) for deformable bodies. Newton's
    steps are not smoothed by sweeps and it has no Gauss-Seidel to fall back on, so that a step it cannot solve shows."""
    if not method.startswith("NEWTON"):
        return {}
    soft = scene.endswith("pseudo_rigid")
    bare = {"gsflag": "OFF", "sweeps": 0}
    if method.endswith("absolute"):
        return {**bare, "reldelta": "none", **_ABSOLUTE[soft]}
    return {**bare, **({"epsilon": 0.01, "linmaxiter": 5} if soft else {})}


def _mean(counts):
    """Mean over the steps that took some iterations and fewer than the limit, as in the report; None: there are none."""
    used = counts[(counts > 0) & (counts < LIMIT)]
    return float(used.mean()) if used.size else None


def run(scene, method, steps, sample):
    """Step table of a whole run; sample(sim) is called every so many steps unless None."""
    from .. import bench_scene, scenes
    sim = scenes.make(scene).sim
    sim.solver(method.split(",")[0], tolerance=TOLERANCE, yardstick="merit", max_iterations=LIMIT, **options(scene, method))
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


def _add_run(out, scene, method, steps, sample, theirs, say):
    """Rows of one whole run; the mean number of contacts."""
    table = run(scene, method, steps, sample)
    contacts, missed = int(table["contacts"].mean()), int((table["status"] != 0).sum())
    mean = _mean(table["iterations"])
    out.add(scene, contacts, method, "iterations a step", mean, theirs[0])
    out.add(scene, contacts, method, "steps not solved", missed, theirs[1], f"of {len(table)}")
    out.add(scene, contacts, method, "ms a step in the solver", 1e3 * float(table["solve"].mean()), None)
    say(f"quasi_newton {scene}: {method} {mean} iterations a step, {missed} steps not solved of {len(table)}")
    return contacts


def bench(out, seconds, say=lambda text: None):
    """Rows of so many seconds of the four drums."""
    steps = max(1, int(round(1000 * seconds)))
    for scene, methods in TABLE.items():
        taken = {method: [] for method in ("NEWTON", "GAUSS_SEIDEL")}
        for method, theirs in methods.items():
            contacts = _add_run(out, scene, method, steps, _both(scene, taken) if method == "NEWTON" else None, theirs, say)
        means = {}
        for method, found in taken.items():
            counts, solved = np.array([n for n, _ in found], dtype=int), [ok for _, ok in found]
            means[method] = _mean(counts)
            out.add(scene, contacts, method, "iterations, the same steps", means[method], methods[method][0], f"{len(counts)} steps, {solved.count(False)} not solved")
        if all(means.values()):
            out.add(scene, contacts, "GAUSS_SEIDEL / NEWTON", "iterations, the same steps", means["GAUSS_SEIDEL"] / means["NEWTON"], methods["GAUSS_SEIDEL"][0] / methods["NEWTON"][0])
        say(f"quasi_newton {scene}: the same steps: {means}")
