"""Scree: many bodies in contact with friction, implicitly and exactly.

    import scree

    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.5)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
    block = sim.rigid(scree.box(center=(0, 0, 0.5)), density=2000, velocity=(2, 0, 0))
    sim.run(1.0)
    print(block.position, sim.report["residual"])

SI units throughout. The Solfec input language is in scree.solfec; the command line is `scree --help`.
"""
from . import _native

_scree = _native.load(__path__)

from . import _check, session

_check.in_words(_scree)

from .export import export
from .handles import Body, BulkMaterial, Constraint, SurfaceMaterial
from .pictures import picture, render
from .problem import Problem, Solution, add_solver, solvers
from .results import Results, read
from .series import TimeSeries
from .shapes import (Shape, box, convex, copy, ellipsoid, hex, hull, join, mass_center, mesh, pipe, read_mesh, rotate, rough_hex, scale, sphere,
                     split, translate)
from .simulation import Simulation

__version__ = _scree.version


def set_threads(count):
    """Number of threads of everything that follows, where a simulation does not say otherwise; answers do not depend on it."""
    session.default_threads = _check.integer("threads", count, 1, 4096)
    _scree.set_threads(session.default_threads)


def threads():
    """Number of threads in use."""
    return _scree.threads()


def __getattr__(name):
    """Modules that few scripts need are loaded when first asked for: scree.measure, scree.plot (figures), scree.view (the browser)."""
    if name in ("measure", "plot", "view"):
        import importlib
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'scree' has no attribute '{name}'")


__all__ = ["add_solver", "Body", "BulkMaterial", "Constraint", "Problem", "Results", "Shape", "Simulation", "Solution", "SurfaceMaterial", "TimeSeries",
           "box", "convex", "copy", "ellipsoid", "export", "hex", "hull", "join", "mass_center", "mesh", "picture", "pipe", "read", "read_mesh", "render", "rotate", "rough_hex", "scale",
           "set_threads", "solvers", "sphere", "split", "threads", "translate"]
