"""Utility routines: finding and deleting things, contact filters, and what concerns the machine."""
import math
import sys
import warnings

from .. import _check, ranks
from . import _settings
from ._arguments import flag, routine
from .bodies import BODY, body_of, with_domain
from .constraints import CONSTRAINT
from .domain import domain
from .springs import Spring

__all__ = ["IMBALANCE_TOLERANCE", "NCPU", "RANK", "BARRIER", "HERE", "VIEWER", "DELETE", "BYLABEL", "CONTACT_EXCLUDE_BODIES",
           "CONTACT_EXCLUDE_OBJECTS", "CONTACT_EXCLUDE_SURFACES", "CONTACT_SPARSIFY", "NON_SOLFEC_ARGV", "SUBDIR", "GEOMETRIC_EPSILON", "WARNINGS"]

@routine
def IMBALANCE_TOLERANCE(solfec, tolerance=1.3, *more, weightfactor=1.0, updatefreq=10):
    """IMBALANCE_TOLERANCE (solfec, tolerance | weightfactor, updatefreq): largest ratio of work between processes, 1.0 or more, weight of
    local dynamics and steps between balancings (these two are left to Scree). One process has nothing to balance."""
    domain("solfec", solfec)
    tolerance = _check.number("tolerance", tolerance, 1.0)
    if ranks.size > 1:
        solfec._engine.set_division(imbalance=tolerance)


@routine
def NCPU(solfec=None):
    """num = NCPU (): number of processes of the run."""
    return ranks.size


@routine
def RANK():
    """num = RANK (): number of this process, from 0."""
    return ranks.rank


@routine
def BARRIER():
    """BARRIER (): wait for all processes."""
    ranks.barrier()


@routine
def VIEWER():
    """obj = VIEWER (): False; results are viewed with `scree view`, apart from the run."""
    return False


@routine
def HERE(solfec, object):
    """ret = HERE (solfec, object): True while a BODY or CONSTRAINT is in the simulation and belongs to this process. Obstacles belong to all of them,
    moving bodies to one, constraints to that of their first body that moves."""
    domain("solfec", solfec)
    if not isinstance(object, (BODY, CONSTRAINT)):
        raise ValueError(f"object = {object!r}: a BODY or CONSTRAINT object is expected")
    if object._solfec is not solfec or object._taken_by is not None:
        return False
    if isinstance(object, CONSTRAINT):
        there = object._id is None or solfec._engine.has_constraint(object._id)
        return there and (ranks.size == 1 or _belongs(solfec, *object.adjbod))
    if solfec._frame is not None:
        return object._id in solfec._frame.ids
    return solfec._engine.has_body(object._id) and _belongs(solfec, object)


def _belongs(solfec, *bodies):
    """True when the first of these bodies that moves is this process's own, or none moves."""
    owners = [solfec._engine.owner(body._id) for body in bodies if isinstance(body, BODY)]
    return next((owner == ranks.rank for owner in owners if owner >= 0), True)


@routine
def DELETE(solfec, object):
    """DELETE (solfec, object): take a BODY, with all that is attached to it, or a CONSTRAINT (emptied) out of the simulation."""
    domain("solfec", solfec)
    if isinstance(object, BODY):
        body_of("object", object, solfec)._handle.delete()
        solfec._bodies.pop(object.id, None)
    elif isinstance(object, CONSTRAINT):
        object._check_there()
        if object._release is not None:
            object._release()
        elif object._id is None:
            raise ValueError("object: a contact ends by itself; only prescribed constraints can be deleted")
        if object._solfec is not solfec:
            raise ValueError(f"object = {object!r}: it belongs to another SOLFEC object")
        if object._id is not None:
            solfec._engine.remove_constraint(object._id)
            solfec._constraints.pop(object._id, None)
    elif isinstance(object, Spring):
        object._check_there()
        object._delete()
    else:
        raise ValueError(f"object = {object!r}: a BODY or CONSTRAINT object is expected")
    object._take("DELETE")


@routine
def BYLABEL(solfec, kind, label):
    """obj = BYLABEL (solfec, kind, label): the object of this label, or None. kind: 'SURFACE_MATERIAL', 'BULK_MATERIAL', 'BODY' or 'FIELD'."""
    domain("solfec", solfec)
    _check.choice("kind", kind, ("SURFACE_MATERIAL", "BULK_MATERIAL", "BODY", "FIELD"))
    lists = {"SURFACE_MATERIAL": solfec._surface_materials, "BULK_MATERIAL": solfec._bulk_materials, "FIELD": solfec._fields}
    found = [x for x in (lists[kind] if kind in lists else solfec.bodies) if x.label == label]
    return found[0] if found else None


@with_domain
def CONTACT_EXCLUDE_BODIES(solfec, body1, body2):
    """CONTACT_EXCLUDE_BODIES (solfec, body1, body2): no contacts between two bodies."""
    domain("solfec", solfec)
    solfec._sim.exclude(bodies=(body_of("body1", body1, solfec)._handle, body_of("body2", body2, solfec)._handle))


@with_domain
def CONTACT_EXCLUDE_OBJECTS(solfec, body1, point1, body2, point2):
    """CONTACT_EXCLUDE_OBJECTS (solfec, body1, point1, body2, point2): no contacts between the two geometric objects that properly
    contain these referential points."""
    domain("solfec", solfec)
    solfec._sim.exclude(bodies=(body_of("body1", body1, solfec)._handle, body_of("body2", body2, solfec)._handle),
                        points=(_check.vector("point1", point1), _check.vector("point2", point2)))


@routine
def CONTACT_EXCLUDE_SURFACES(solfec, surf1, surf2):
    """CONTACT_EXCLUDE_SURFACES (solfec, surf1, surf2): no contacts between surfaces of these ids."""
    domain("solfec", solfec)
    solfec._sim.exclude(surfaces=(_check.integer("surf1", surf1), _check.integer("surf2", surf2)))


@routine
def CONTACT_SPARSIFY(solfec, threshold=0.01, minarea=0.0, mindist=None):
    """CONTACT_SPARSIFY (solfec | threshold, minarea, mindist): drop a contact of neighbouring pieces when its area is below `threshold`
    (0 to 1; 0: never) times that of the one beside it. minarea: contacts of two polyhedra that share less area, m^2, are dropped. mindist: of points
    between two bodies that are nearer to each other, m, one stays (default: that of GEOMETRIC_EPSILON); the points of one pair of faces all stay."""
    domain("solfec", solfec)
    mindist = _settings.geometric_epsilon if mindist is None else _check.number("mindist", mindist, 0.0)
    solfec._sim.contact_settings(sparsify=_check.number("threshold", threshold, 0.0, 1.0), min_area=_check.number("minarea", minarea, 0.0), min_distance=mindist)


@routine
def NON_SOLFEC_ARGV():
    """argv = NON_SOLFEC_ARGV (): list of the script's own arguments, those after `--`; None when there are none."""
    return sys.argv[1:] or None


@routine
def SUBDIR():
    """dir = SUBDIR (): name of a subfolder asked for on the command line: None, `--out` names the whole folder."""
    return None


@routine
def GEOMETRIC_EPSILON(epsilon):
    """GEOMETRIC_EPSILON (epsilon): how near (m; default 1E-6) a point must be to a finite element mesh to be of it, or to a plane in
    inter_element_faces_on_plane. Contact detection has tolerances of its own, relative to the size of each shape."""
    _settings.geometric_epsilon = _check.number("epsilon", epsilon, 0.0, math.inf, open_low=True)


@routine
def WARNINGS(state):
    """WARNINGS (state): 'ON' or 'OFF': whether Scree's warnings (as of contacts without a surface material) are shown."""
    warnings.simplefilter("default" if flag("state", state) == "ON" else "ignore", UserWarning)
