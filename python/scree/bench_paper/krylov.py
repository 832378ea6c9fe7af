"""Krylov and spectral methods: frictionless spheres of 0.1 m and 6.28 kg in a cylinder."""
import dataclasses
import time

import numpy as np

from .experiment import MANY, Experiment, Outcome, axes_of, pile, timed

#: The paper's four methods, as printed there: no scaling of the unknowns, Jacobi with omega 0.3 and lambda 1.
METHODS = {"JACOBI": {"omega": 0.3}, "GPMINRES": {"preconditioner": "none"}, "SPG": {}, "KUCERA": {}}
#: tau_g of eq. 24; the paper says "a small value".
TAU = 1e-6
#: Iterations after which methods are compared, and where their curves are sampled.
ITERATIONS = 1000
SAMPLES = (5, 10, 20, 40, 80, 160, 320, 640, 1000)


def objective(problem, solution):
    """1/2 R.W R + B.R, J."""
    return 0.5 * float(np.sum(solution.R * (solution.U + problem.B)))


def error(solution):
    """Norm of eq. 24 of the paper, m/s."""
    force, speed = solution.R[:, 0], solution.U[:, 0]
    return float(np.linalg.norm((force - np.maximum(0.0, force - TAU * speed)) / TAU))


def solve(problem, method, iterations):
    """The best iterate of so many iterations from zero."""
    return timed(problem, method, 1e-15, max_iterations=iterations, formulation="frictionless", **METHODS[method])


def best_objective(problem):
    """The least value known, of AUTO at 1e-9."""
    return objective(problem, problem.solve("AUTO", 1e-9, max_iterations=MANY, max_seconds=15))


class Descent:
    """Objective of a method above the best one, against its iterations; each point is a solve of its own from zero."""

    def __init__(self, problem, method, best):
        self._problem, self._method, self._best, self._points = problem, method, best, {}

    def at(self, iterations):
        """(relative gap, seconds) after so many iterations."""
        if iterations not in self._points:
            solution = solve(self._problem, self._method, iterations)
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


# --- problem 1 -----------------------------------------------------------------------------------------------------------------

def first_problem(settings):
    """1000 spheres in a cylinder of 0.75 m."""
    return pile(grains=settings.grains(1000), vessel_radius=0.75 * settings.scale ** (1 / 3), settling_steps=250, reach=0.1)


#: Rows of Table I: method, iterations, FOFV, gamma_max, seconds.
TABLE_I = (("GPMINRES", 1000, -2.9035, 7.7487, 6.70), ("GPMINRES", 10000, -2.9045, 8.2002, 61.07), ("GPMINRES-P", 100, -2.8854, 6.8551, 1675.0), ("JACOBI", 1000, -2.5077, 4.4961, 3.66),
           ("JACOBI", 10000, -2.8983, 7.4953, 24.66), ("JACOBI", 43000, -2.9035, 7.9254, 95.41), ("JACOBI", 100000, -2.9043, 8.0619, 231.7))


def _normal_matrix(problem):
    """The normal parts of W as a sparse matrix."""
    from scipy.sparse import csr_matrix
    start, columns, blocks = problem._native.block_rows()
    return csr_matrix((blocks.reshape(-1, 3, 3)[:, 0, 0], columns, start), shape=(problem.blocks, problem.blocks)).tocsc()


class _Preconditioned:
    """GPMINRES-P as the paper describes it: on each face one minimal-residual step preconditioned by LU factors of the free rows, zero pivots perturbed."""

    def __init__(self, problem):
        self.N, self.r = _normal_matrix(problem), problem.B[:, 0].copy()
        self.x, self.g = np.zeros_like(self.r), self.r.copy()

    def _search(self, d, t):
        """x <- max(0, x + t d), t halved until the objective falls; what was gained."""
        for _ in range(40):
            step = np.maximum(0.0, self.x + t * d) - self.x
            change = self.N @ step
            slope = self.g @ step
            if slope < 0.0 and slope + 0.5 * step @ change <= 1e-4 * slope:
                self.x += step
                self.g += change
                return -(slope + 0.5 * step @ change)
            t *= 0.5
        return 0.0

    def _project(self):
        greatest = 0.0
        for _ in range(20):
            active = self.x <= 0.0
            p = np.where(active, np.minimum(self.g, 0.0), self.g)
            pNp = p @ (self.N @ p)
            gain = self._search(-self.g, p @ p / pNp if pNp > 0.0 else 1.0)
            if gain <= 0.1 * greatest or np.array_equal(active, self.x <= 0.0):
                return
            greatest = max(greatest, gain)

    def step(self):
        """One change of the active set with one step on it."""
        from scipy.sparse import identity
        from scipy.sparse.linalg import splu
        self._project()
        free = np.flatnonzero(self.x > 0.0)
        A = self.N[free][:, free].tocsc()
        shift = 1e-8 * A.diagonal().max()
        factors = splu(A + shift * identity(len(free), format="csc"), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        p = -factors.solve(self.g[free])
        Ap = A @ p
        alpha = (p @ Ap) / (Ap @ factors.solve(Ap))
        d = np.zeros_like(self.x)
        d[free] = p
        self._search(d, alpha)


def _preconditioned(problem, steps):
    """(impulses, objective, seconds) after so many steps."""
    begun, method = time.process_time(), _Preconditioned(problem)
    for _ in range(steps):
        method.step()
    return method.x, 0.5 * method.x @ (method.g + method.r), time.process_time() - begun


def table_one(settings):
    """Table I and Figures 4, 5."""
    out, problem = Outcome(), first_problem(settings if settings.full else dataclasses.replace(settings, scale=0.1 * settings.scale))
    best = best_objective(problem)
    theirs_best, impulses = min(row[2] for row in TABLE_I), {}
    for method, iterations, *theirs in TABLE_I:
        value, largest, seconds = theirs if settings.scale == 1.0 else (None,) * 3
        count = max(10, int(iterations * min(1.0, settings.scale)))
        if method == "GPMINRES-P":
            force, q, took = _preconditioned(problem, count)
        else:
            solution = solve(problem, method, count)
            force, q, took = solution.R[:, 0], objective(problem, solution), solution.seconds
        name = f"{method}, {count}"
        impulses[name] = np.sort(force)
        out.add("1", problem.contacts, name, "objective, of the best known", f"{q / best:.5f}", value and f"{value / theirs_best:.5f}", f"{q:.5g} J")
        out.add("1", problem.contacts, name, "largest impulse, N s", float(force.max()), largest, f"least {force.min():.2g}")
        out.add("1", problem.contacts, name, "CPU s", took, seconds)
        settings.say(f"krylov.table1: {name}: {q / best:.5f} of the best, {took:.3g} s")
    out.figures.append(("krylov_impulses", "Figure 5: impulses sorted by size; they grow sharper as iterations go on", lambda figure: _draw_impulses(figure, impulses)))
    return out


def _draw_impulses(figure, impulses):
    axes, = axes_of(figure, "problem 1")
    for name, force in impulses.items():
        axes.plot(np.arange(len(force)), force, lw=1.0, label=name)
    axes.set(xlabel="contact", ylabel="impulse, N s")
    axes.legend(fontsize=7)


def ratio(settings, gaps=(3.4e-4, 1e-6)):
    """How many Jacobi iterations reach what GPMINRES does. The paper stops 3.4e-4 short of the best value it knows."""
    out, problem = Outcome(), first_problem(settings if settings.full else dataclasses.replace(settings, scale=0.1 * settings.scale))
    best = best_objective(problem)
    minres, jacobi = (Descent(problem, name, best) for name in ("GPMINRES", "JACOBI"))
    for gap in gaps:
        theirs = (1000, 43000, 43.0, 14.2) if gap == 3.4e-4 else (None,) * 4
        (a, a_seconds), (b, b_seconds) = minres.reach(gap, 20000), jacobi.reach(gap, 300000)
        label = f"objective to {gap:g}"
        for method, quantity, ours, paper in (("GPMINRES", "iterations", a, theirs[0]), ("JACOBI", "iterations", b, theirs[1]), ("JACOBI / GPMINRES", "iterations", b / a if a and b else None, theirs[2]),
                                              ("JACOBI / GPMINRES", "seconds", b_seconds / a_seconds if a and b else None, theirs[3])):
            out.add("1", problem.contacts, method, f"{quantity}, {label}", ours, paper)
        settings.say(f"krylov.ratio: objective to {gap:g}: GPMINRES {a}, Jacobi {b} iterations")
    return out


# --- problems 2 and 3 ---------------------------------------------------------------------------------------------------------

def curves(problem, samples):
    """Method -> list of solutions at the sampled iterations, each a solve from zero."""
    return {method: [solve(problem, method, count) for count in samples] for method in METHODS}


def _gaps(problem, best, solutions):
    return [max((objective(problem, s) - best) / abs(best), 1e-16) for s in solutions]


def _add_ends(out, name, problem, best, found):
    for method, solutions in found.items():
        out.add(name, problem.contacts, method, f"objective gap after {ITERATIONS}", _gaps(problem, best, solutions[-1:])[0])
        out.add(name, problem.contacts, method, f"error of eq. 24 after {ITERATIONS}, m/s", error(solutions[-1]))


def _draw_curves(figure, problem, best, found, samples):
    left, right = axes_of(figure, f"{problem.contacts} contacts: objective above the best", "error of eq. 24, m/s")
    for method, solutions in found.items():
        left.loglog(samples, _gaps(problem, best, solutions), "o-", ms=3, label=method)
        right.loglog(samples, [max(error(s), 1e-16) for s in solutions], "o-", ms=3, label=method)
    left.set_xlabel("iterations")
    right.set_xlabel("iterations")
    left.legend(fontsize=7)


def _draw_active(figure, active, samples):
    for axes, (contacts, methods) in zip(axes_of(figure, *(f"{contacts} contacts" for contacts in active)), active.items()):
        for method, sizes in methods.items():
            axes.semilogx(samples, sizes, "o-", ms=3, label=method)
        axes.set_xlabel("iterations")
        axes.legend(fontsize=7)


def _add_feasibility(out, name, problem, found):
    """Figure 9: f_i = gamma_i (N gamma + r)_i at the end."""
    for method, solutions in found.items():
        f = np.abs(solutions[-1].R[:, 0] * solutions[-1].U[:, 0])
        for what, value in (("mean", f.mean()), ("standard deviation", f.std()), ("largest", f.max())):
            out.add(name, problem.contacts, method, f"|gamma (N gamma + r)|, {what}, J", float(value))


#: Spheres, contacts there, contacts of problem 2 ahead of each sphere in radii, steps to settle.
SIZES = (("a", 1000, 3634), ("b", 2000, 8507), ("c", 4000, 17161))


def sizes(settings):
    """Problem 2: 1000, 2000, 4000 spheres in a cylinder of 2 m."""
    out, active = Outcome(), {}
    # The short form keeps the proportions.
    share = settings.scale * (1.0 if settings.full else 0.1)
    sides = share ** (1 / 3)
    for letter, count, theirs in SIZES:
        grains = max(20, int(round(count * share)))
        problem = pile(grains=grains, vessel_radius=2.0 * sides, settling_steps=400, reach=0.1)
        name, best, found = "2" + letter, best_objective(problem), curves(problem, SAMPLES)
        out.add(name, problem.contacts, "", "contacts", problem.contacts, theirs if share == 1 else None)
        _add_ends(out, name, problem, best, found)
        if letter == "a":
            _add_feasibility(out, name, problem, found)
        active[problem.contacts] = {method: [int((s.R[:, 0] <= 0.0).sum()) for s in found[method]] for method in ("GPMINRES", "KUCERA")}
        out.figures.append((f"krylov_sizes_{letter}", f"Figure {'678'['abc'.index(letter)]}: problem 2, {grains} spheres",
                            lambda figure, a=(problem, best, found): _draw_curves(figure, *a, SAMPLES)))
        settings.say(f"krylov.sizes: {name}: {problem.contacts} contacts")
    out.figures.append(("krylov_active", "Figure 10: size of the active set, of the best iterate so far", lambda figure: _draw_active(figure, active, SAMPLES)))
    return out


#: Masses of the lid, kg.
LIDS = (("a", 1000.0), ("b", 4000.0), ("c", 16000.0))


def lid(settings):
    """Problem 3: a lid of 1, 4, 16 t on one packing of 1000 spheres, settled under the lightest."""
    out, shown = Outcome(), {}
    share = settings.scale * (1.0 if settings.full else 0.15)
    sides = share ** (1 / 3)
    for letter, mass in LIDS:
        problem = pile(grains=max(20, int(round(1000 * share))), vessel_radius=1.5 * sides, settling_steps=250, reach=LID_REACH, lid_mass=mass * share, lid_radius=1.125 * sides,
                       settling_lid_mass=LIDS[0][1] * share)
        name, best, found = "3" + letter, best_objective(problem), curves(problem, SAMPLES)
        out.add(name, problem.contacts, "", "contacts", problem.contacts, 4295 if share == 1 else None, f"{mass * share:g} kg")
        _add_ends(out, name, problem, best, found)
        shown[f"{mass / 1000:g} t"] = problem, best, found
        settings.say(f"krylov.lid: {mass:g} kg: {problem.contacts} contacts")
    out.figures.append(("krylov_lid", "Figures 12 and 13: a lid of 1, 4 and 16 t on the same spheres; the objective is scaled so that its least value is -1", lambda figure: _draw_lids(figure, shown)))
    return out


LID_REACH = 0.33  #: contacts of problem 3 have gaps below this share of the radius: as many as in the paper


def _draw_lids(figure, shown):
    left, right = axes_of(figure, "objective + 1", "error of eq. 24, m/s")
    for (name, (problem, best, found)), style in zip(shown.items(), ("-", "--", ":")):
        for method, colour in zip(METHODS, ("tab:red", "tab:blue", "tab:green", "tab:orange")):
            left.loglog(SAMPLES, _gaps(problem, best, found[method]), style, color=colour, label=f"{method}, {name}")
            right.loglog(SAMPLES, [max(error(s), 1e-16) for s in found[method]], style, color=colour)
    for axes in (left, right):
        axes.set_xlabel("iterations")
    left.legend(fontsize=6, ncol=2)


EXPERIMENTS = [
    Experiment("krylov.table1", "Problem 1: the methods", "Table I, Figure 5", "100 spheres", "1000 spheres, as in the paper",
               "The geometry of problem 1 is not given; a cylinder of 0.75 m was chosen, so that objectives are compared as shares of the best value known. GPMINRES-P is a reference of the paper's description (LU of the free rows, zero pivots perturbed, one minimal-residual step a face).",
               table_one),
    Experiment("krylov.ratio", "Problem 1: iterations to the same objective", "Table I, Figure 4", "100 spheres", "1000 spheres, as in the paper",
               "Between two counts a factor 1.5 apart the objective is interpolated by its logarithm; each count is a solve from zero.", ratio),
    Experiment("krylov.sizes", "Problem 2: three sizes", "Figures 6-10", "100, 200 and 400 spheres", "1000, 2000 and 4000 spheres, as in the paper",
               "Curves are those of the best iterate so far by the yardstick, as the solvers return it: the paper plots every iterate.", sizes),
    Experiment("krylov.lid", "Problem 3: a heavy lid on light spheres", "Figures 12, 13", "150 spheres, lids as heavy in proportion", "1000 spheres, as in the paper",
               "The lid is guided along its axis; spheres settle under the lightest one, and the same places and contacts serve all three masses.", lid),
]
