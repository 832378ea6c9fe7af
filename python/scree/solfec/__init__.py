"""The Solfec input language: the routines of its manual under their own names and argument orders, on Scree's engine.

`scree run script.py` has these names without an import; elsewhere: `from scree.solfec import *`. Differences from the manual:

- RUN takes None as the solver and then uses AUTO; SOLVER gives every other solver of Scree.
- ENERGY keeps the manual's order (kinetic, internal, external, contact, friction).
- Without OUTPUT every step is a frame of the results.
- Faces that meet get several contact points; solfec.simulation.contact_settings(one_point_per_overlap=True) is Solfec's rule.
- Errors are ValueError and name routine, argument and remedy. An object that was emptied says by which call.
"""
from . import access, bodies, constraints, cutting, domain, fragments, loads, mesh, meshing, modes, python2, running, shapes, solvers, springs, state, utilities
from .access import *
from .bodies import *
from .constraints import *
from .cutting import *
from .domain import *
from .fragments import *
from .loads import *
from .mesh import *
from .meshing import *
from .modes import *
from .running import *
from .shapes import *
from .solvers import *
from .springs import *
from .state import *
from .utilities import *

__all__ = [name for module in (shapes, mesh, meshing, cutting, domain, bodies, loads, solvers, constraints, springs, running, utilities, access, state, modes, fragments) for name in module.__all__]
