"""Solver objects of the language. They are settings; RUN hands them to the engine, and changes made later reach it too."""
import weakref

from .. import _check, _scree, plain_values
from ..simulation import asked
from ._arguments import Strict, call_with, callback_with, flag, routine

__all__ = ["GAUSS_SEIDEL_SOLVER", "EXPLICIT_SOLVER", "PENALTY_SOLVER", "NEWTON_SOLVER", "TEST_SOLVER", "SICONOS_SOLVER", "HYBRID_SOLVER", "SOLVER"]

#: Diagonal solvers by the names of the manual and of later versions, with the engine's.
_DIAGONAL = {"SEMISMOOTH_NEWTON": "SEMISMOOTH_NEWTON", "PROJECTED_GRADIENT": "PROJECTED_GRADIENT", "DE_SAXE_AND_FENG": "DE_SAXE_AND_FENG",
             "DE_SAXCE_FENG": "DE_SAXE_AND_FENG", "PROJECTED_NEWTON": "SEMISMOOTH_NEWTON"}
_VARIANTS = ("FULL", "MIDDLE_JACOBI", "BOUNDARY_JACOBI", "SIMPLIFIED")


class Solver(Strict):
    """Base of solver objects: knows the simulation it solves for."""

    _sim_reference = None
    _made = False  #: set once the constructor is done: from then on messages name the object
    stopped = False  #: set when a failure callback ended the run
    _failing = None  #: report of the solve that a failure callback is asked about; its step is not made yet

    @property
    def _sim(self):
        return self._sim_reference and self._sim_reference()

    def _bind(self, sim):
        """Hand the settings to a simulation."""
        self._sim_reference, self._made = weakref.ref(sim), True
        self.stopped = False
        self._apply(sim)

    def _changed(self):
        sim = self._sim
        if sim is not None:
            self._apply(sim)

    @property
    def _report(self):
        if self._failing is not None:
            return self._failing
        sim = self._sim
        return sim.solve_report if sim is not None and sim.steps else None

    @property
    def iters(self):
        """Iterations of the last solve."""
        report = self._report
        return 0 if report is None else int(report["iterations"])

    def _checkpoint_key(self):
        """The solver of a run is the one that the script hands to RUN when it goes on."""
        solfec = getattr(self._sim, "_solfec", None)
        return ("solfec_solver",) if solfec is not None and solfec._solver is self else None

    _itershist = "OFF"

    @property
    def itershist(self):
        """Iterations of all solves so far, a list; assign 'ON' before RUN to have it kept, else None."""
        if self._itershist == "OFF":
            return None
        solfec = None if self._sim is None else getattr(self._sim, "_solfec", None)
        return [] if solfec is None or not self._sim.steps else [int(n) for n in solfec._results().steps["iterations"]]

    @itershist.setter
    def itershist(self, value):
        self._itershist = flag(f"{type(self).__name__}: itershist", value)

    def _values(self):
        """What the last solve measured, iteration by iteration."""
        report = self._report
        return [] if report is None else [float(x) for x in report["history"]]


plain_values.RESOLVERS["solfec_solver"] = lambda sim: sim._solfec._solver


def _member(name, check, text):
    """A readable and writable member; assigned values are checked and reach a running simulation."""
    def read(self):
        return getattr(self, "_" + name)

    def write(self, value):
        setattr(self, "_" + name, check(f"{type(self).__name__}: {name}" if self._made else name, value))
        self._changed()

    return property(read, write, doc=text)


def _count(name, value):
    return _check.integer(name, value, 1)


class GAUSS_SEIDEL_SOLVER(Solver):
    """obj = GAUSS_SEIDEL_SOLVER (epsilon, maxiter | failure, diagepsilon, diagmaxiter, diagsolver, data, callback).

    epsilon: relative change of the reactions in a sweep that ends the solve, as velocities and of each group of bodies that touch by itself: light bodies beside heavy ones are solved
    as they would be alone. maxiter: most sweeps. failure: what to do when
    they do not suffice: 'CONTINUE', 'EXIT' (RuntimeError) or 'CALLBACK': callback (obj, data) is called and 0 ends the run
    (without a callback: 'EXIT'). diagepsilon (default epsilon / 100), diagmaxiter (default max (100, maxiter / 100)), diagsolver
    ('SEMISMOOTH_NEWTON', 'PROJECTED_GRADIENT', 'DE_SAXE_AND_FENG' or 'DE_SAXCE_FENG', 'PROJECTED_NEWTON'): how each block is solved; left out, each
    is solved exactly, as it is where the one given fails.

    A number as the third argument, or the keyword meritval, is a bound of the merit function that must hold as well, as in later scripts
    (1 or more: not used); the other arguments move on by one place. The merit, an error in energy relative to that of the free motion, is measured
    with the mass each constraint feels, so that it means the same for bodies of grams and of tons, and bounds the residual, so that these may be in one
    scene (theory, 3.4)."""

    @routine
    def __init__(self, epsilon, maxiter, *later, meritval=None, failure=None, diagepsilon=None, diagmaxiter=None, diagsolver=None, data=None,
                 callback=None):
        given = dict(meritval=meritval, failure=failure, diagepsilon=diagepsilon, diagmaxiter=diagmaxiter, diagsolver=diagsolver, data=data,
                     callback=callback)
        order = [k for k in given if k != "meritval" or (later and not isinstance(later[0], str))]
        if len(later) > len(order):
            raise ValueError(f"{2 + len(later)} arguments are too many; they are (epsilon, maxiter, {', '.join(order)})")
        for name, value in zip(order, later):
            if given[name] is not None:
                raise ValueError(f"{name} is given twice")
            given[name] = value
        self._set(epsilon, maxiter, **given)

    def _set(self, epsilon, maxiter, meritval, failure, diagepsilon, diagmaxiter, diagsolver, data, callback):
        self._epsilon = _check.positive("epsilon", epsilon)
        self._maxiter = _count("maxiter", maxiter)
        self._meritval = None if meritval is None else _check.positive("meritval", meritval)
        self._failure = _check.choice("failure", "CONTINUE" if failure is None else failure, ("CONTINUE", "EXIT", "CALLBACK"))
        self._diagepsilon = self._epsilon / 100 if diagepsilon is None else _check.positive("diagepsilon", diagepsilon)
        self._diagmaxiter = max(100, self._maxiter // 100) if diagmaxiter is None else _count("diagmaxiter", diagmaxiter)
        self._diagsolver = None if diagsolver is None else _check.choice("diagsolver", diagsolver, _DIAGONAL)
        self._data = data
        self._callback = None if callback is None else callback_with("callback", callback, data, "solver")
        self._history, self._reverse, self._variant, self._innerloops = "OFF", "OFF", "FULL", 1

    epsilon = _member("epsilon", _check.positive, "Relative change of the reactions that ends a solve.")
    maxiter = _member("maxiter", _count, "Most sweeps.")
    meritval = _member("meritval", _check.positive, "Bound of the merit function at the end of a solve; None: epsilon alone ends it.")
    diagepsilon = _member("diagepsilon", _check.positive, "Relative accuracy of a block's solve.")
    diagmaxiter = _member("diagmaxiter", _count, "Most iterations of a block's solve.")
    history = _member("history", flag, "'ON' or 'OFF': keep the error of every sweep in rerhist.")
    reverse = _member("reverse", flag, "'ON' or 'OFF': alternate forward and backward sweeps.")
    innerloops = _member("innerloops", _count, "Sweeps of a process between exchanges with others; one process has none to wait for.")
    variant = _member("variant", lambda n, v: _check.choice(n, v, _VARIANTS), "Variant of the sweeps on several processes: 'FULL', 'MIDDLE_JACOBI', 'BOUNDARY_JACOBI' or 'SIMPLIFIED'.")

    @property
    def diagsolver(self):
        """How a block is solved. One that was never given reads 'SEMISMOOTH_NEWTON', Solfec's, and the exact solve is used."""
        return self._diagsolver or "SEMISMOOTH_NEWTON"

    @diagsolver.setter
    def diagsolver(self, value):
        self._diagsolver = _check.choice("GAUSS_SEIDEL_SOLVER: diagsolver", value, _DIAGONAL)
        self._changed()

    @property
    def failure(self):
        """What happens when a solve fails."""
        return self._failure

    @property
    def data(self):
        """Data of the failure callback."""
        return self._data

    @property
    def callback(self):
        """The failure callback."""
        return self._callback

    @property
    def error(self):
        """'OK', 'DIVERGED', 'DIAGONAL_DIVERGED' or 'DIAGONAL_FAILED': of the last solve. The engine finishes blocks that their
        solver cannot by an exact solve; they are reported when the sweeps as a whole failed too."""
        report = self._report
        if report is None or report["status"] == "converged":
            return "OK"
        return "DIAGONAL_DIVERGED" if report["fallbacks"] else "DIVERGED"

    @property
    def rerhist(self):
        """Relative changes of the last solve, sweep by sweep; None unless history is 'ON', empty for a solver with a meritval, which keeps
        merhist."""
        return None if self._history == "OFF" else [] if self._by_merit else self._values()

    @property
    def merhist(self):
        """Merit values of the last solve, sweep by sweep; None unless history is 'ON', empty for a solver without a meritval."""
        return None if self._history == "OFF" else self._values() if self._by_merit else []

    @property
    def _by_merit(self):
        return self._meritval is not None and self._meritval < 1.0

    def _apply(self, sim):
        by_merit = self._by_merit
        stop = _scree.StopRule(tolerance=self._meritval if by_merit else self._epsilon, yardstick="scaled_merit" if by_merit else "residual",
                               max_iterations=self._maxiter, history=self._history == "ON")
        options = {"criterion": "yardstick" if by_merit else "relative_change", "change": self._epsilon, "diagonal_solver": "EXACT" if self._diagsolver is None else _DIAGONAL[self._diagsolver],
                   "diagonal_epsilon": self._diagepsilon, "diagonal_max_iterations": self._diagmaxiter, "reverse": self._reverse == "ON",
                   "variant": self._variant}
        calls = self._failure == "CALLBACK" and self._callback is not None
        policy = "callback" if calls else "continue" if self._failure == "CONTINUE" else "raise"
        sim._engine.set_solver("GAUSS_SEIDEL", stop, options, policy, self._failed if calls else None)

    def _failed(self, report):
        self._failing = report
        try:
            answer = call_with(self._callback, self._data, self)
        finally:
            self._failing = None
        self.stopped = answer is not None and not answer
        return not self.stopped


class EXPLICIT_SOLVER(Solver):
    """obj = EXPLICIT_SOLVER (): contacts by springs and dashpots, one at a time; every surface material is then taken as
    'SPRING_DASHPOT', so give it a spring. Prescribed constraints are solved exactly."""

    @routine
    def __init__(self):
        pass

    def _apply(self, sim):
        sim._engine.set_solver("EXPLICIT", _scree.StopRule(), {}, "continue", None)


class PENALTY_SOLVER(EXPLICIT_SOLVER):
    """obj = PENALTY_SOLVER (| variant): the later name of EXPLICIT_SOLVER. variant: 'IMPLICIT', the law of the manual, which is implicit in each contact
    and explicit between contacts; 'EXPLICIT', the same without its implicit part, is refused."""

    @routine
    def __init__(self, variant="IMPLICIT"):
        if _check.choice("variant", variant, ("IMPLICIT", "EXPLICIT")) == "EXPLICIT":
            raise ValueError("variant = 'EXPLICIT': forces of springs and dashpots at the start of a step alone are not offered; 'IMPLICIT' is the same law, stable for "
                             "longer steps, and its answer in the limit of short ones")
        self._variant = variant

    @property
    def variant(self):
        """As given."""
        return self._variant


def _optional(check):
    """A check that lets None, the engine's own choice, pass."""
    return lambda name, value: None if value is None else check(name, value)


def _reldelta(name, value):
    names = {"OFF": "none", "ON": "avg", **{f"{kind}{tail}": kind for kind in ("avg", "min", "max") for tail in ("", "W", "Wii")}, "none": "none"}
    return None if value is None else names[_check.choice(name, value, names)]


class NEWTON_SOLVER(Solver):
    """obj = NEWTON_SOLVER (| meritval, maxiter, locdyn, linver, linmaxiter, maxmatvec, epsilon, delta, theta, omega, gsflag, reldelta).

    Projected quasi-Newton method. meritval: bound of the merit function that ends a solve (see GAUSS_SEIDEL_SOLVER). maxiter: most steps. linver: 'GMRES' (or
    'PQN') or 'DIAG'. linmaxiter, maxmatvec, epsilon, delta, reldelta, theta, omega: its linear solves and smoothing, see `scree solvers`
    (None: the engine's choice). gsflag: 'ON' lets Gauss-Seidel sweeps take over when it fails. locdyn: 'ON' or 'OFF', not used: W is never assembled."""

    _own = ("linmaxiter", "maxmatvec", "epsilon", "delta", "theta", "omega", "reldelta")

    @routine
    def __init__(self, meritval=1e-8, maxiter=1000, locdyn="ON", linver="GMRES", linmaxiter=None, maxmatvec=None, epsilon=None, delta=None,
                 theta=None, omega=None, gsflag="ON", reldelta=None):
        for name, value in list(locals().items()):
            if name != "self":
                setattr(self, name, value)

    meritval = _member("meritval", _check.positive, "Bound of the merit function that ends a solve.")
    maxiter = _member("maxiter", _count, "Most Newton steps.")
    locdyn = _member("locdyn", flag, "'ON' or 'OFF'; not used: W is never assembled.")
    linver = _member("linver", lambda n, v: _check.choice(n, v, ("GMRES", "PQN", "DIAG")), "How the linear systems are solved.")
    linmaxiter = _member("linmaxiter", _optional(_count), "Most iterations of a linear solve.")
    maxmatvec = _member("maxmatvec", _optional(_count), "Most matrix-vector products of a solve.")
    epsilon = _member("epsilon", _optional(_check.positive), "Relative accuracy of the linear solves.")
    delta = _member("delta", _optional(_check.number), "Diagonal shift of the linear systems.")
    theta = _member("theta", _optional(_check.positive), "Relaxation of the steps.")
    omega = _member("omega", _optional(_check.number), "Smoothing of the cone.")
    gsflag = _member("gsflag", flag, "'ON': Gauss-Seidel sweeps take over when Newton fails.")
    reldelta = _member("reldelta", _reldelta, "What delta is relative to.")

    @property
    def failure(self):
        """'CONTINUE': a solve that fails is a figure in the results."""
        return "CONTINUE"

    @property
    def merhist(self):
        """Merit values of the last solve, iteration by iteration."""
        return self._values()

    @property
    def mvhist(self):
        """Matrix-vector products of the last solve: one number, their sum."""
        report = self._report
        return [] if report is None else [int(report["products"])]

    @property
    def error(self):
        """'OK' or 'DIVERGED': of the last solve."""
        report = self._report
        return "OK" if report is None or report["status"] == "converged" else "DIVERGED"

    def _apply(self, sim):
        stop = _scree.StopRule(tolerance=self._meritval, yardstick="scaled_merit", max_iterations=max(10000, self._maxiter), history=True)
        own = {name: getattr(self, name) for name in self._own if getattr(self, name) is not None}
        options = {"maxiter": self._maxiter, "linver": "DIAG" if self._linver == "DIAG" else "GMRES", "gsflag": self._gsflag, **own}
        sim._engine.set_solver("NEWTON", stop, options, "continue", None)


class TEST_SOLVER(NEWTON_SOLVER):
    """obj = TEST_SOLVER (| meritval, maxiter, ...): a test bench of Solfec's developers, with the arguments of NEWTON_SOLVER. Here it is AUTO with that
    meritval."""

    def _apply(self, sim):
        sim._engine.set_solver("AUTO", _scree.StopRule(tolerance=self._meritval, yardstick="scaled_merit", max_iterations=max(10000, self._maxiter), history=True),
                               {}, "continue", None)


class SICONOS_SOLVER(Solver):
    """obj = SICONOS_SOLVER (| epsilon, maxiter, verbose): Solfec's interface to the Gauss-Seidel solver of another library. Here it is Scree's own,
    to the same relative change of the reactions."""

    @routine
    def __init__(self, epsilon=1e-4, maxiter=1000, verbose="OFF"):
        self._epsilon, self._maxiter = _check.positive("epsilon", epsilon), _count("maxiter", maxiter)
        flag("verbose", verbose)

    epsilon = _member("epsilon", _check.positive, "Relative change of the reactions that ends a solve.")
    maxiter = _member("maxiter", _count, "Most sweeps.")

    def _apply(self, sim):
        stop = _scree.StopRule(tolerance=self._epsilon, yardstick="residual", max_iterations=self._maxiter)
        sim._engine.set_solver("GAUSS_SEIDEL", stop, {"criterion": "relative_change"}, "continue", None)


def HYBRID_SOLVER(*args, **kwargs):
    """HYBRID_SOLVER (parmec_file, parmec_step, parmec2solfec, solfec_solver | parmec_argv, boundary_contact_detection): refused. It couples Solfec
    with Parmec, a separate program of particles on springs, which is not part of Scree. Make all bodies in one SOLFEC object, with PUT_SPRING
    between them, and use NEWTON_SOLVER or None (AUTO)."""
    raise ValueError("HYBRID_SOLVER: it couples Solfec with the separate particle program Parmec, which Scree does not have; make the particles RIGID "
                     "bodies of the same SOLFEC object, join them with PUT_SPRING, and RUN with NEWTON_SOLVER or None (AUTO)")


class SOLVER(Solver):
    """obj = SOLVER (| name, tolerance, yardstick, maxiter, options): any solver of Scree (`scree solvers` lists them), beyond the manual.

    tolerance: bound of the yardstick ('residual', 'merit', ...) that ends a solve; without one AUTO takes 1e-3, and works towards
    1e-8 for the work of 300 sweeps a step in the mean. maxiter: most iterations. options: dictionary of
    the solver's own options. failure: 'CONTINUE' or 'EXIT' (RuntimeError when the tolerance is missed)."""

    @routine
    def __init__(self, name="AUTO", tolerance=None, yardstick="residual", maxiter=10000, options=None, failure="CONTINUE"):
        self._name, self._options = _scree.find_solver(str(name)), dict(options or {})
        must, self._goal = asked(self._name, tolerance, None, yardstick)
        self._stop = _scree.StopRule(tolerance=must, yardstick=str(yardstick), max_iterations=_count("maxiter", maxiter))
        self._policy = "raise" if _check.choice("failure", failure, ("CONTINUE", "EXIT")) == "EXIT" else "continue"

    @property
    def name(self):
        """Name of the solver."""
        return self._name

    @property
    def error(self):
        """'OK' or 'DIVERGED': of the last solve."""
        report = self._report
        return "OK" if report is None or report["status"] == "converged" else "DIVERGED"

    def _apply(self, sim):
        sim._engine.set_solver(self._name, self._stop, self._options, self._policy, None, self._goal)


def apply_default(sim):
    """What RUN uses when it is given no solver: AUTO, to a residual of 1e-8."""
    tolerance, goal = asked("AUTO", None, None, "residual")
    sim._engine.set_solver("AUTO", _scree.StopRule(tolerance=tolerance), {}, "continue", None, goal)
