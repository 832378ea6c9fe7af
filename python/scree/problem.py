"""Frictional contact problems from files or arrays, and the solvers for them."""
import inspect
import math
import os
import time

import numpy as np

from . import _check, _scree


#: Forms of FCLIB files.
FORMS = ("local", "global")


class Solution:
    """Answer of a solver: R (impulses, N s) and U (relative velocities, m/s), rows (normal, tangent 1, tangent 2), and the
    report's fields: status, iterations, products, linear_iterations (Krylov steps of linear systems inside), fallbacks, residual, merit, siconos, ccp, seconds, history, stage, advice."""

    def __init__(self, solver, R, U, report):
        self.solver = solver
        self.R = R.reshape(-1, 3)
        self.U = U.reshape(-1, 3)
        self.__dict__.update(report)

    @property
    def converged(self):
        return self.status == "converged"

    def __repr__(self):
        stage = f" ({self.stage})" if self.stage else ""
        return (f"<Solution by {self.solver}{stage}: {self.status}, {self.iterations} iterations, residual {self.residual:.2e}, "
                f"{self.seconds:.3g} s>")


class Problem:
    """Find R in the Coulomb cones with  U = W R + B  obeying Signorini's and Coulomb's laws.

    Problem(path) reads an FCLIB file (local or global form). Problem.from_arrays(W, B, mu) takes a matrix of 3 n rows,
    normal first in every block of three."""

    def __init__(self, source):
        self.path, self._rows = None, None
        if isinstance(source, (str, os.PathLike)):
            self.path = _check.path("Problem: path", source)
            source = _scree.Problem.read(self.path)
        elif not isinstance(source, _scree.Problem):
            raise ValueError(f"Problem({source!r}): the name of an FCLIB file is expected; Problem.from_arrays() takes W, B and mu")
        self._native = source

    @classmethod
    def from_arrays(cls, W, B, mu, dimension=3):
        """W: (d n, d n) array or SciPy sparse matrix; B: d n numbers, m/s; mu: n friction coefficients; d = dimension, 3 or 2 (normal and one
        tangent a contact: the second tangent of the problem made is inactive)."""
        d = _check.integer("dimension", dimension, 2, 3)
        B, mu = (np.ascontiguousarray(np.ravel(_check._array(f"Problem: {name}", value, "numbers are"))) for name, value in (("B", B), ("mu", mu)))
        n = len(mu)
        dense = _check._array("Problem: W", W.toarray() if hasattr(W, "toarray") else W, "a matrix is")
        if dense.shape != (d * n, d * n) or B.shape != (d * n,):
            raise ValueError(f"Problem: {n} friction coefficients need W of shape ({d * n}, {d * n}) and B of {d * n}, not {dense.shape} and {B.size}")
        blocks = np.zeros((n, n, 3, 3))
        blocks[:, :, :d, :d] = dense.reshape(n, d, n, d).transpose(0, 2, 1, 3)
        if d == 2:
            # Decoupled, and as easy to move as the first tangent, so that no block is singular.
            blocks[range(n), range(n), 2, 2] = blocks[range(n), range(n), 1, 1]
        used = blocks.any(axis=(2, 3)) | np.eye(n, dtype=bool)
        rows, columns = np.nonzero(used)
        start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
        values = np.ascontiguousarray(blocks[rows, columns].reshape(-1, 3))
        B = np.hstack([B.reshape(n, d), np.zeros((n, 3 - d))])
        return cls(_scree.Problem.from_rows(start.tolist(), columns.tolist(), values, B.ravel().tolist(), mu.tolist(), d))

    @classmethod
    def packing(cls, across=8, up=8, mu=0.5, shear=0.0, reach=0.06, ellipsoids=False, seed=1):
        """A generated dense packing of across x across x up spheres (or ellipsoids) in an open box, in body form: under
        gravity, or with its top moving at `shear` m/s against its bottom. Gaps below `reach` times the radius count as closed:
        0.06 gives 2.3 times as many contact equations as degrees of freedom, 0.02 gives 1.7. The same seed gives the same problem."""
        return cls(_scree.packing(_check.integer("across", across, 1), _check.integer("up", up, 1), _check.number("mu", mu, 0.0),
                                  _check.number("shear", shear), _check.number("reach", reach, -0.1), _check.flag("ellipsoids", ellipsoids), _check.integer("seed", seed, 0)))

    @property
    def name(self):
        """File name without its ending."""
        return os.path.splitext(os.path.basename(self.path))[0] if self.path else "problem"

    @property
    def contacts(self):
        """Number of contacts."""
        return self._native.contacts

    @property
    def blocks(self):
        """Number of blocks of three unknowns, bilateral ones included."""
        return self._native.blocks

    @property
    def body_form(self):
        """True when W is kept as bodies (M, H), False for explicit rows."""
        return self._native.body_form

    @property
    def B(self):
        """Free relative velocities, (blocks, 3), m/s."""
        return self._native.B.reshape(-1, 3)

    @property
    def mu(self):
        """Friction coefficients."""
        return self._native.mu

    @property
    def asymmetry(self):
        """Largest entry of |W - W^T| relative to the largest of |W| (0 in body form)."""
        return self._native.asymmetry()

    def velocity(self, R):
        """U = W R + B, (blocks, 3), m/s."""
        if self._rows is None:
            start, columns, blocks = self._native.block_rows()
            self._rows = np.repeat(np.arange(self.blocks), np.diff(start)), columns, blocks
        rows, columns, blocks = self._rows
        U = self.B.copy()
        np.add.at(U, rows, np.einsum("kij,kj->ki", blocks, np.reshape(np.asarray(R, dtype=float), (-1, 3))[columns]))
        return U

    def diagonal(self):
        """The diagonal blocks of W, (blocks, 3, 3)."""
        start, columns, blocks = self._native.block_rows()
        result, rows = np.zeros((self.blocks, 3, 3)), np.repeat(np.arange(self.blocks), np.diff(start))
        result[rows[rows == columns]] = blocks[rows == columns]
        return result

    @property
    def solution(self):
        """(R, U) stored in the file, or None."""
        r, u = self._native.solution_r, self._native.solution_u
        return (r.reshape(-1, 3), u.reshape(-1, 3)) if r.size else None

    @property
    def guesses(self):
        """Guesses of R stored in the file, a list of (blocks, 3) arrays; a step of a simulation has the one its solver began with."""
        return [guess.reshape(-1, 3) for guess in self._native.guesses]

    @property
    def form(self):
        """'global' when the file has M and H, else 'local'."""
        return "global" if self._native.is_global else "local"

    @property
    def dimension(self):
        """Components of a contact in files, 3 or 2."""
        return self._native.dimension

    def measure(self, R, yardstick="residual"):
        """A yardstick ('residual', 'merit', 'scaled_merit', 'siconos', 'ccp') at impulses R: dimensionless, 0 is exact."""
        return self._native.measure(yardstick, np.ravel(np.asarray(R, dtype=float)).tolist())

    def solve(self, solver="AUTO", tolerance=1e-8, yardstick="residual", max_iterations=None, max_seconds=math.inf,
              history=False, guess=None, threads=None, **options):
        """Solve; returns a Solution. Not reaching the tolerance is a status, not an error."""
        if threads is not None:
            _scree.set_threads(_check.integer("threads", threads, 1, 4096))
        if solver in _added:
            return _added[solver].solve(self, tolerance, yardstick, max_iterations, max_seconds, history, guess, options)
        limits = {} if max_iterations is None else {"max_iterations": _check.integer("max_iterations", max_iterations, 0)}
        stop = _scree.StopRule(tolerance=_check.positive("tolerance", tolerance), yardstick=_check.text("yardstick", yardstick),
                               max_seconds=min(1e30, _check.unbounded("max_seconds", max_seconds, _check.number, 0.0)), history=_check.flag("history", history), **limits)
        start = [] if guess is None else np.ravel(np.asarray(guess, dtype=float)).tolist()
        return Solution(solver, *self._native.solve(str(solver), stop, options, start))

    def write(self, path, solution=None, guesses=None, form=None):
        """Write an FCLIB file.

        solution: a Solution, stored as r and u (and v in the global form); None: none. guesses: list of R; None: those of the problem.
        form: 'local' (W) or 'global' (M, H; needs bodies); None: as read. Bodies without stated masses have mass-scaled velocities, M = 1."""
        R, U = ([], []) if solution is None else (np.ravel(solution.R).tolist(), np.ravel(solution.U).tolist())
        guesses = [np.ravel(np.asarray(guess, dtype=float)).tolist() for guess in (self.guesses if guesses is None else guesses)]
        chosen = self.form if form is None else _check.choice("form", form, FORMS)
        self._native.write(_check.path("path", path), R, U, guesses, chosen == "global")

    def __repr__(self):
        form = "body form" if self.body_form else "explicit W"
        return f"<Problem {self.name}: {self.contacts} contacts, {form}>"


class Watch:
    """What a solver added in Python is given beside the problem: when to stop, and a place for its iterates.

    `while not watch.finished(R):` measures R, remembers the best, counts iterations and keeps to the limits."""

    def __init__(self, problem, tolerance, yardstick, max_iterations, max_seconds):
        self.problem, self.tolerance, self.yardstick = problem, tolerance, yardstick
        self.max_iterations, self.max_seconds = max_iterations, max_seconds
        self.best, self.value, self.iterations, self.history, self._begun = None, math.inf, -1, [], time.perf_counter()

    @property
    def seconds(self):
        return time.perf_counter() - self._begun

    def finished(self, R):
        """Measure an iterate (its first call: the guess); True when the solver must return."""
        R = np.reshape(np.asarray(R, dtype=float), (-1, 3))
        value = self.problem.measure(R, self.yardstick) if np.isfinite(R).all() else math.inf
        self.iterations += 1
        self.history.append(value)
        if self.best is None or value < self.value:
            self.best, self.value = R.copy(), value
        return self.value <= self.tolerance or self.iterations >= self.max_iterations or self.seconds >= self.max_seconds

    def status(self):
        if self.value <= self.tolerance:
            return "converged"
        if self.seconds >= self.max_seconds:
            return "max_seconds"
        return "max_iterations" if self.iterations >= self.max_iterations else "diverged"


class _Added:
    """A solver written in Python, dressed like the others."""

    def __init__(self, name, function, text, options):
        self.name, self.function, self.text, self.options = name, function, text, options

    def solve(self, problem, tolerance, yardstick, max_iterations, max_seconds, history, guess, options):
        for key in options:
            _check.choice(f"{self.name}: option", key, self.options)
        watch = Watch(problem, _check.positive("tolerance", tolerance), str(yardstick), 10000 if max_iterations is None else max_iterations, max_seconds)
        R = np.zeros((problem.blocks, 3)) if guess is None else np.reshape(np.asarray(guess, dtype=float), (problem.blocks, 3)).copy()
        if not np.isfinite(R).all():
            R[:] = 0.0
        if not watch.finished(R):
            self.function(problem, watch, R, **options)
        seconds = watch.seconds
        report = {"status": watch.status(), "iterations": max(0, watch.iterations), "products": watch.iterations + 1, "linear_iterations": 0, "fallbacks": 0,
                  "seconds": seconds, "history": watch.history if history else [], "stage": "", "advice": ""}
        for name in ("residual", "merit", "siconos", "ccp"):
            report[name] = problem.measure(watch.best, name)
        return Solution(self.name, watch.best, problem.velocity(watch.best), report)


_added = {}


def add_solver(name, function, text=""):
    """Add a solver to those of Problem.solve and `scree bench solvers`.

    function(problem, watch, R, **options) starts from the guess R (blocks, 3) and shows every iterate to watch.finished(R), which says
    when to return; its keyword arguments with defaults become the solver's options. The best iterate shown is the answer."""
    name = str(name)
    if name in [entry["name"] for entry in solvers()] and name not in _added:
        raise ValueError(f"add_solver: '{name}' is a solver of Scree already; choose another name")
    if not callable(function):
        raise ValueError(f"add_solver: {name}: function must be callable, not {function!r}")
    parameters = list(inspect.signature(function).parameters.values())[3:]
    options = {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}
    _added[name] = _Added(name, function, text or inspect.getdoc(function) or "", options)


#: The penalty solver of simulations: no contact problem is formed, so it is listed but solves no files.
_EXPLICIT = {"name": "EXPLICIT", "formulations": ["spring-dashpot"], "options": [], "problems": False,
             "text": "Springs and dashpots in every contact, implicit in the contact itself and explicit between contacts (the Solfec manual's "
                     "explicit solver). For simulations only: stiffness and damping are those of the surface materials."}


def solvers():
    """Every solver: list of dictionaries with name, text, formulations, options (name, default, text) and problems (False: simulations only)."""
    added = [{"name": a.name, "text": a.text, "formulations": ["coulomb"], "problems": True,
              "options": [{"name": key, "default": value, "text": "see its source"} for key, value in a.options.items()]} for a in _added.values()]
    return [{**entry, "problems": True} for entry in _scree.list_solvers()] + [_EXPLICIT] + added
