"""RUN and what steers it."""
import os
import sys

from .. import _check, ranks, session
from ..progress import Percent, Progress
from ._arguments import call_with, callback_with, routine
from .domain import UNFINISHED, domain
from .solvers import Solver, apply_default

__all__ = ["RUN", "OUTPUT", "EXTENTS", "CALLBACK", "REGISTER_CALLBACK", "UNPHYSICAL_PENETRATION"]

def _run(solfec, solver, duration):
    domain("RUN: solfec", solfec)
    if solver is not None and not isinstance(solver, Solver):
        raise ValueError(f"RUN: solver = {solver!r}: GAUSS_SEIDEL_SOLVER, NEWTON_SOLVER, EXPLICIT_SOLVER or None (AUTO) is expected")
    duration = _check.number("RUN: duration", duration, 0.0)
    quiet = True if solfec._verbose == "OFF" or session.current().quiet else None
    if solfec._reader is not None:
        if not quiet and ranks.rank == 0:
            print(f"scree: {solfec.outpath} holds finished results: RUN reads them ('READ' mode); remove the folder or choose another --out to run again",
                  file=sys.stderr)
        return
    solfec._solver = solver
    if solver is None:
        apply_default(solfec._sim)
    else:
        solver._bind(solfec._sim)
    solfec._sim._progress = Percent if solfec._verbose.startswith("%") else Progress
    marker = os.path.join(solfec.outpath, UNFINISHED)
    if ranks.rank == 0:
        os.makedirs(solfec.outpath, exist_ok=True)
        open(marker, "w").close()
    try:
        solfec._sim.run(duration, output=solfec._interval, quiet=quiet, compress=solfec._compress)
    except RuntimeError:
        if solver is None or not solver.stopped:
            raise
    if ranks.rank == 0:
        os.remove(marker)


def RUN(solfec, solver, duration):
    """RUN (solfec, solver, duration): simulate `duration` seconds. solver: a solver object, or None for AUTO.

    In 'READ' mode nothing is simulated. Raises RuntimeError when a solver with failure 'EXIT' misses its accuracy or bodies
    overlap by more than UNPHYSICAL_PENETRATION allows."""
    _run(solfec, solver, duration)


RUN = routine(RUN, name_errors=False)


@routine
def OUTPUT(solfec, interval, compression="OFF"):
    """OUTPUT (solfec, interval | compression): simulated seconds between frames of the results (default: every step).

    compression: 'OFF' or 'FASTLZ' ('ON'): the file is stored smaller, without loss, by HDF5's own filters (shuffle and deflate)."""
    domain("solfec", solfec)
    _check.choice("compression", compression, ("OFF", "FASTLZ", "ON"))
    solfec._interval = _check.number("interval", interval, 0.0)
    solfec._compress = compression != "OFF"


@routine
def EXTENTS(solfec, extents):
    """EXTENTS (solfec, extents): (xmin, ymin, zmin, xmax, ymax, zmax), m. Bodies whose mass centre leaves this box are deleted."""
    domain("solfec", solfec)
    if not isinstance(extents, (tuple, list)) or len(extents) != 6:
        raise ValueError(f"extents = {extents!r}: six numbers (xmin, ymin, zmin, xmax, ymax, zmax) are expected")
    solfec._sim.extents = (tuple(extents[:3]), tuple(extents[3:]))


@routine
def CALLBACK(solfec, interval, data, callback):
    """CALLBACK (solfec, interval, data, callback): call callback (data) every `interval` simulated seconds, first after the first
    step; 0 ends the RUN. A tuple as data is spread over the callback's arguments when it has as many."""
    domain("solfec", solfec)
    callback_with("callback", callback, data)

    def call(sim, given=None):
        return call_with(callback, given)

    solfec._sim.callback(_check.number("interval", interval, 0.0), call, data)


@routine
def REGISTER_CALLBACK(callback, data=None):
    """REGISTER_CALLBACK (callback | data): tell the processes of a parallel Solfec of a function that CALLBACK, FORCE or PUT_SPRING will name.
    As in Solfec's serial version there is nothing to tell: the function is not called."""
    _check.function("callback", callback)


@routine
def UNPHYSICAL_PENETRATION(solfec, depth):
    """UNPHYSICAL_PENETRATION (solfec, depth): stop with an error when two bodies overlap by more than this, m (default: never)."""
    domain("solfec", solfec)
    solfec._sim.contact_settings(unphysical_penetration=depth)
