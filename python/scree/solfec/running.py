"""RUN and what steers it."""
import os
import sys

from .. import _check, session
from ._arguments import call_with, routine
from .domain import UNFINISHED, domain
from .solvers import Solver, apply_default

__all__ = ["RUN", "OUTPUT", "EXTENTS", "CALLBACK", "REGISTER_CALLBACK", "UNPHYSICAL_PENETRATION"]

_registered = []  #: (callback, data) called after every step of every RUN


def _run(solfec, solver, duration):
    domain("RUN: solfec", solfec)
    if solver is not None and not isinstance(solver, Solver):
        raise ValueError(f"RUN: solver = {solver!r}: GAUSS_SEIDEL_SOLVER, NEWTON_SOLVER, EXPLICIT_SOLVER or None (AUTO) is expected")
    duration = _check.number("RUN: duration", duration, 0.0)
    quiet = True if solfec._verbose == "OFF" or session.current().quiet else None
    if solfec._reader is not None:
        if not quiet:
            print(f"scree: {solfec.outpath} holds finished results: RUN reads them ('READ' mode); remove the folder or choose another --out to run again",
                  file=sys.stderr)
        return
    if solver is None:
        apply_default(solfec._sim)
    else:
        solver._bind(solfec._sim)
    _attach_registered(solfec)
    os.makedirs(solfec.outpath, exist_ok=True)
    marker = os.path.join(solfec.outpath, UNFINISHED)
    open(marker, "w").close()
    try:
        solfec._sim.run(duration, output=solfec._interval, quiet=quiet, compress=solfec._compress)
    except RuntimeError:
        if solver is None or not solver.stopped:
            raise
    os.remove(marker)


def _attach_registered(solfec):
    """Callbacks registered for all runs become callbacks of this one, each once."""
    for entry in _registered:
        if entry not in solfec._attached:
            solfec._attached.append(entry)
            solfec._sim.callback(0.0, lambda sim, callback=entry[0], data=entry[1]: call_with(callback, data))


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
    _check.function("callback", callback)

    def call(sim, given=None):
        return call_with(callback, given)

    solfec._sim.callback(_check.number("interval", interval, 0.0), call, data)


@routine
def REGISTER_CALLBACK(callback, data=None):
    """REGISTER_CALLBACK (callback | data): call callback (data) after every step of every RUN that begins from now on, of any SOLFEC; 0 ends
    that RUN. A tuple as data is spread over the callback's arguments when it has as many. None in place of a function forgets all of them."""
    if callback is None:
        _registered.clear()
        return
    _registered.append((_check.function("callback", callback), data))


@routine
def UNPHYSICAL_PENETRATION(solfec, depth):
    """UNPHYSICAL_PENETRATION (solfec, depth): stop with an error when two bodies overlap by more than this, m (default: never)."""
    domain("solfec", solfec)
    solfec._sim.contact_settings(unphysical_penetration=depth)
