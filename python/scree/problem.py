"""Frictional contact problems from files or arrays, and the solvers for them."""
import math
import os

import numpy as np

from . import _check, _scree


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
        self.path = None
        if isinstance(source, (str, os.PathLike)):
            self.path = os.fspath(source)
            source = _scree.Problem.read(self.path)
        self._native = source

    @classmethod
    def from_arrays(cls, W, B, mu):
        """W: (3n, 3n) array or SciPy sparse matrix; B: 3n numbers, m/s; mu: n friction coefficients."""
        B = np.ascontiguousarray(np.ravel(B), dtype=float)
        mu = np.ascontiguousarray(np.ravel(mu), dtype=float)
        n = len(mu)
        dense = np.asarray(W.toarray() if hasattr(W, "toarray") else W, dtype=float)
        if dense.shape != (3 * n, 3 * n) or B.shape != (3 * n,):
            raise ValueError(f"Problem: {n} friction coefficients need W of shape ({3 * n}, {3 * n}) and B of {3 * n}, not {dense.shape} and {B.size}")
        blocks = dense.reshape(n, 3, n, 3).transpose(0, 2, 1, 3)
        used = blocks.any(axis=(2, 3)) | np.eye(n, dtype=bool)
        rows, columns = np.nonzero(used)
        start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
        values = np.ascontiguousarray(blocks[rows, columns].reshape(-1, 3))
        return cls(_scree.Problem.from_rows(start.tolist(), columns.tolist(), values, B.tolist(), mu.tolist()))

    @classmethod
    def packing(cls, across=8, up=8, mu=0.5, shear=0.0, ellipsoids=False, seed=1):
        """A generated dense packing of across x across x up spheres (or ellipsoids) in an open box, in body form: under
        gravity, or with its top moving at `shear` m/s against its bottom. The same seed gives the same problem."""
        return cls(_scree.packing(_check.integer("across", across, 1), _check.integer("up", up, 1), _check.number("mu", mu, 0.0),
                                  float(shear), bool(ellipsoids), _check.integer("seed", seed, 0)))

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

    @property
    def solution(self):
        """(R, U) stored in the file, or None."""
        r, u = self._native.solution_r, self._native.solution_u
        return (r.reshape(-1, 3), u.reshape(-1, 3)) if r.size else None

    def measure(self, R, yardstick="residual"):
        """A yardstick ('residual', 'merit', 'siconos', 'ccp') at impulses R: dimensionless, 0 is exact."""
        return self._native.measure(yardstick, np.ravel(np.asarray(R, dtype=float)).tolist())

    def solve(self, solver="AUTO", tolerance=1e-8, yardstick="residual", max_iterations=None, max_seconds=math.inf,
              history=False, guess=None, threads=None, **options):
        """Solve; returns a Solution. Not reaching the tolerance is a status, not an error."""
        if threads is not None:
            _scree.set_threads(_check.integer("threads", threads, 1, 4096))
        limits = {} if max_iterations is None else {"max_iterations": _check.integer("max_iterations", max_iterations, 0)}
        stop = _scree.StopRule(tolerance=_check.positive("tolerance", tolerance), yardstick=str(yardstick),
                               max_seconds=min(1e30, float(max_seconds)), history=bool(history), **limits)
        start = [] if guess is None else np.ravel(np.asarray(guess, dtype=float)).tolist()
        return Solution(solver, *self._native.solve(str(solver), stop, options, start))

    def write(self, path, solution=None):
        """Write an FCLIB file, with a Solution's r and u when given."""
        R, U = ([], []) if solution is None else (np.ravel(solution.R).tolist(), np.ravel(solution.U).tolist())
        self._native.write(os.fspath(path), R, U)

    def __repr__(self):
        form = "body form" if self.body_form else "explicit W"
        return f"<Problem {self.name}: {self.contacts} contacts, {form}>"


#: The penalty solver of simulations: no contact problem is formed, so it is listed but solves no files.
_EXPLICIT = {"name": "EXPLICIT", "formulations": ["spring-dashpot"], "options": [], "problems": False,
             "text": "Springs and dashpots in every contact, implicit in the contact itself and explicit between contacts (the Solfec manual's "
                     "explicit solver). For simulations only: stiffness and damping are those of the surface materials."}


def solvers():
    """Every solver: list of dictionaries with name, text, formulations, options (name, default, text) and problems (False: simulations only)."""
    return [{**entry, "problems": True} for entry in _scree.list_solvers()] + [_EXPLICIT]
