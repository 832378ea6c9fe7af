"""Test problems of the papers behind the solvers, generated and solved: our table beside theirs.

The papers' machines are gone and their exact packings were never published; iteration counts and the ratios between methods are what
carries over. Grains settle by Scree's own steps (solvers/grain_pile.hpp), the same on every machine.
"""
import numpy as np

from . import _check, _scree, bench_drum
from .problem import Problem

_MANY = 2**31 - 1


def pile(**options):
    """The contact problem of grains settled in a vessel; keywords as in solvers/grain_pile.hpp, lengths in m."""
    return Problem(_scree.Problem.grain_pile(**options))


def _grains(count, scale):
    return max(20, int(round(count * scale)))


def _row(paper, problem, contacts, method, quantity, ours, theirs=None, note=""):
    return {"paper": paper, "problem": problem, "contacts": contacts, "method": method, "quantity": quantity, "ours": ours, "paper_value": theirs,
            "note": note}


# --- Krylov and spectral methods ------------------------------------------------------------------------------------

#: The paper's four methods, as printed there: no scaling of the unknowns, Jacobi with omega 0.3 and lambda 1.
_KRYLOV = {"JACOBI": {"omega": 0.3}, "GPMINRES": {"preconditioner": "none"}, "SPG": {}, "KUCERA": {}}


def objective(problem, solution):
    """1/2 R.W R + B.R, J."""
    return 0.5 * float(np.sum(solution.R * (solution.U + problem.B)))


class _Descent:
    """Objective of a method above the best one, against its iterations; each point is a solve of its own from zero."""

    def __init__(self, problem, method, options, best):
        self._problem, self._method, self._options, self._best, self._points = problem, method, options, best, {}

    def at(self, iterations):
        """(relative gap, seconds) after so many iterations."""
        if iterations not in self._points:
            solution = self._problem.solve(self._method, 1e-15, max_iterations=iterations, formulation="frictionless", **self._options)
            gap = (objective(self._problem, solution) - self._best) / abs(self._best)
            self._points[iterations] = max(gap, 1e-16), solution.seconds
        return self._points[iterations]

    def reach(self, gap, most):
        """(iterations, seconds) to a gap, between two counts a factor 1.5 apart by its logarithm; (None, None) above `most`."""
        low, high = 1, 8
        while self.at(high)[0] > gap:
            if high >= most:
                return None, None
            low, high = high, min(int(1.5 * high), most)
        above, below = np.log(self.at(low)[0]), np.log(self.at(high)[0])
        share = (above - np.log(gap)) / max(above - below, 1e-12)
        count = low + min(1.0, max(0.0, share)) * (high - low)
        return int(round(count)), self.at(high)[1] * count / high


def _krylov_first(scale, say, gaps=(3.4e-4, 1e-6)):
    """Problem 1: how many Jacobi iterations reach what GPMINRES does. The paper stops 3.4e-4 short of the best value it knows."""
    rows = []
    problem = pile(grains=_grains(1000, scale), vessel_radius=0.75 * scale ** (1 / 3), settling_steps=250, reach=0.1)
    best = objective(problem, problem.solve("AUTO", 1e-11, max_iterations=_MANY, max_seconds=60))
    minres, jacobi = (_Descent(problem, name, _KRYLOV[name], best) for name in ("GPMINRES", "JACOBI"))
    for gap in gaps:
        theirs = (1000, 43000, 43.0, 14.2) if gap == 3.4e-4 else (None,) * 4
        (a, a_seconds), (b, b_seconds) = minres.reach(gap, 20000), jacobi.reach(gap, 300000)
        label = f"objective to {gap:g}"
        rows.append(_row("krylov", "1", problem.contacts, "GPMINRES", "iterations, " + label, a, theirs[0]))
        rows.append(_row("krylov", "1", problem.contacts, "JACOBI", "iterations, " + label, b, theirs[1]))
        rows.append(_row("krylov", "1", problem.contacts, "JACOBI / GPMINRES", "iterations, " + label, b / a if a and b else None, theirs[2]))
        rows.append(_row("krylov", "1", problem.contacts, "JACOBI / GPMINRES", "seconds, " + label, b_seconds / a_seconds if a and b else None, theirs[3]))
        say(f"krylov 1: objective to {gap:g}: GPMINRES {a}, Jacobi {b} iterations")
    return rows


def _krylov_equal(name, problem, iterations, say):
    """Objective (relative to the best) and residual of the four methods after equal iterations."""
    rows = []
    best = objective(problem, problem.solve("AUTO", 1e-11, max_iterations=_MANY, max_seconds=60))
    for method, options in _KRYLOV.items():
        solution = problem.solve(method, 1e-15, max_iterations=iterations, formulation="frictionless", **options)
        gap = (objective(problem, solution) - best) / abs(best)
        rows.append(_row("krylov", name, problem.contacts, method, f"objective gap after {iterations}", gap))
        rows.append(_row("krylov", name, problem.contacts, method, f"residual after {iterations}", solution.ccp))
        say(f"krylov {name}: {method} gap {gap:.2e} residual {solution.ccp:.2e}")
    return rows


def krylov(scale=1.0, say=lambda text: None):
    """Frictionless spheres of 0.1 m and 6.28 kg in a cylinder: problem 1 (1000 in a narrow one), 2 (1000, 2000, 4000 in 2 m), 3 (a
    heavy lid of 1, 4 and 16 t on 1000 in 1.5 m)."""
    rows = _krylov_first(scale, say)
    sides = scale ** (1 / 3)
    for letter, count, theirs in (("a", 1000, 3634), ("b", 2000, 8507), ("c", 4000, 17161)):
        problem = pile(grains=_grains(count, scale), vessel_radius=2.0 * sides, settling_steps=150, reach=0.1)
        rows.append(_row("krylov", "2" + letter, problem.contacts, "", "contacts", problem.contacts, theirs if scale == 1 else None))
        rows += _krylov_equal("2" + letter, problem, 1000, say)
    for letter, mass in (("a", 1000.0), ("b", 4000.0), ("c", 16000.0)):
        problem = pile(grains=_grains(1000, scale), vessel_radius=1.5 * sides, settling_steps=250, reach=0.1, lid_mass=mass * scale, lid_radius=1.125 * sides)
        rows.append(_row("krylov", "3" + letter, problem.contacts, "", "contacts", problem.contacts, 4295 if scale == 1 else None, f"{mass:g} kg"))
        rows += _krylov_equal("3" + letter, problem, 1000, say)
    return rows


# --- interior point ------------------------------------------------------------------------------------------------

#: Problem -> spheres and potential contacts of the paper; the last one's counts to 5e-4 are printed there, and "more than 200 times" in time.
_PILES = {"1": (2048, 8378), "2": (5040, 21050), "3": (10192, 43409)}
_PILE_RADIUS = 0.012


def dense_pile(grains):
    """Spheres that do not turn, settled in a box; potential contacts are those nearer than half a mean radius, as in the paper. They settle
    without friction, so that they pack: with it a lattice of spheres that cannot turn stands as it was stacked, with 1.3 contacts a sphere
    where the paper has 4.1 to 4.3."""
    across = max(3, int(round(0.95 * grains ** (1 / 3))))
    # Taller piles take longer to come together.
    steps = max(50, int(round(100 * (grains / 2048) ** (1 / 3))))
    return pile(grains=grains, radius=_PILE_RADIUS, spread=0.3, density=2600.0, mu=0.25, settling_mu=0.0, rotating=False,
                vessel_width=2.8 * _PILE_RADIUS * across, settling_step=5e-3, settling_steps=steps, reach=0.5, step=1e-2)


def interior_point(scale=1.0, say=lambda text: None):
    """Dense piles, convex relaxation: Krylov iterations of IPM against projected Jacobi, and the steps of IPM_DIRECT."""
    rows = []
    for name, (count, theirs) in _PILES.items():
        problem = dense_pile(_grains(count, scale))
        rows.append(_row("interior_point", name, problem.contacts, "", "contacts", problem.contacts, theirs if scale == 1 else None))
        for tolerance in (5e-2, 1e-2, 5e-4):
            printed = (2757, 73600, 26.7, 200.0) if name == "3" and tolerance == 5e-4 else (None,) * 4
            label, solved = f"iterations to {tolerance:g}", {}
            for method, options in (("IPM", {}), ("JACOBI", {"omega": 0.3}), ("IPM_DIRECT", {})):
                solution = problem.solve(method, tolerance, formulation="convex", max_iterations=1000 if method != "JACOBI" else 400000, max_seconds=600, **options)
                solved[method] = solution if solution.converged else None
                say(f"interior_point {name}: {tolerance:g}: {method} {solution.status}, {solution.iterations} iterations, {solution.linear_iterations} Krylov, {solution.seconds:.3g} s")
            ipm, jacobi, direct = (solved[method] for method in ("IPM", "JACOBI", "IPM_DIRECT"))
            rows.append(_row("interior_point", name, problem.contacts, "IPM", "Krylov " + label, ipm and ipm.linear_iterations, printed[0], f"{ipm.iterations} steps" if ipm else ""))
            rows.append(_row("interior_point", name, problem.contacts, "JACOBI", label, jacobi and jacobi.iterations, printed[1]))
            rows.append(_row("interior_point", name, problem.contacts, "IPM_DIRECT", label, direct and direct.iterations))
            if ipm and jacobi:
                rows.append(_row("interior_point", name, problem.contacts, "JACOBI / IPM", label, jacobi.iterations / ipm.linear_iterations, printed[2]))
                rows.append(_row("interior_point", name, problem.contacts, "JACOBI / IPM", f"seconds to {tolerance:g}", jacobi.seconds / ipm.seconds, printed[3]))
    return rows


# --- conjugate projected gradients -------------------------------------------------------------------------------------

def cpg(scale=1.0, say=lambda text: None):
    """Disks deposited in a box of 1 m: iterations of Gauss-Seidel over those of CPG and PCPG on one step, three accuracies."""
    rows = []
    for count, friction in ((1000, 0.1), (1000, 0.4), (4000, 0.1), (10000, 0.1), (33000, 0.1)):
        grains = _grains(count, scale)
        problem = pile(grains=grains, radius=0.5 * (0.8 / grains) ** 0.5, spread=0.2, density=2500.0, mu=friction, planar=True, vessel_width=1.0,
                       settling_step=3e-3, settling_steps=200, settling_tolerance=1e-2, reach=0.02, step=1e-3)
        name = f"{grains} disks, mu {friction:g}"
        for tolerance in (1e-2, 3e-3, 1e-3):
            counts = {}
            for method in ("GAUSS_SEIDEL", "CPG", "PCPG"):
                solution = problem.solve(method, tolerance, max_iterations=200000, max_seconds=240)
                counts[method] = solution.iterations if solution.converged else None
                rows.append(_row("cpg", name, problem.contacts, method, f"iterations to {tolerance:g}", counts[method]))
            for method in ("CPG", "PCPG"):
                ratio = counts["GAUSS_SEIDEL"] / counts[method] if counts["GAUSS_SEIDEL"] and counts[method] else None
                rows.append(_row("cpg", name, problem.contacts, "GAUSS_SEIDEL / " + method, f"iterations to {tolerance:g}", ratio, "2.98 to 9.5"))
            say(f"cpg {name}: {tolerance:g}: {counts}")
            if not counts["GAUSS_SEIDEL"]:
                break
    return rows


# --- projected quasi-Newton ------------------------------------------------------------------------------------------

def quasi_newton(scale=1.0, say=lambda text: None):
    """The rotating drum for 10 s (times the scale), rigid and pseudo-rigid, ellipsoids and spheres."""
    return bench_drum.bench(lambda *values: _row("quasi_newton", *values), scale, say)


PAPERS = {"krylov": krylov, "interior_point": interior_point, "cpg": cpg, "quasi_newton": quasi_newton}


def bench(name, scale=1.0, say=lambda text: None):
    """Rows of one paper's tests; `scale` multiplies the number of grains."""
    return PAPERS[_check.choice("paper", name, PAPERS)](_check.positive("scale", scale), say)


def table(rows):
    """The rows as text, ours beside the paper's."""
    def cell(value):
        if value is None:
            return "-"
        return value if isinstance(value, str) else f"{value:d}" if isinstance(value, int) else f"{value:.3g}"
    lines = [f"{'problem':<24} {'contacts':>8}  {'method':<22} {'quantity':<34} {'ours':>10} {'paper':>12}"]
    for row in rows:
        lines.append(f"{row['problem']:<24} {row['contacts']:>8}  {row['method']:<22} {row['quantity']:<34} {cell(row['ours']):>10} {cell(row['paper_value']):>12}"
                     + (f"  {row['note']}" if row["note"] else ""))
    return "\n".join(lines)
