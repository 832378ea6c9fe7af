"""Geometry of the language: objects that are changed in place and emptied by what uses them. Metres and degrees."""
import math
import warnings

import numpy as np

from .. import _check, _scree
from .. import shapes as modern
from . import _settings
from ._arguments import Emptied, floats, is_point, routine

__all__ = ["CONVEX", "HULL", "SPHERE", "ELLIP", "SCALE", "TRANSLATE", "ROTATE", "COPY", "MASS_CENTER", "OVERLAPPING"]


class Geometry(Emptied):
    """A geometric object or a collection of objects of one type."""

    _numbering = None  #: of a MESH with nodes of no element: where its nodes are in the engine's (numbering.py)
    _body = None       #: of the mesh of a body: the body

    def _set(self, shape, collection=None):
        self._value = shape if collection is None else modern.join(collection._shape, shape)
        if collection is not None:
            collection._take(type(self).__name__)

    @property
    def _shape(self):
        self._check_there()
        return self._value

    def _collection(self, collection):
        """Check the optional last argument, to which the object is appended."""
        if collection is not None:
            if type(collection) is not type(self):
                raise ValueError(f"a {type(self).__name__} object is expected as the collection, not {collection!r}")
            collection._check_there()
        return collection

    def _changed(self, routine):
        """Before an object is changed in place. ValueError for the mesh of a body, which its motion alone changes."""
        if self._body is not None:
            raise ValueError(f"{routine}: the mesh of body {self._body.id} shows how the body is, and changing it would not change the body; change the shape before BODY, write "
                             "body.conf, or use a COPY of the mesh")

    @classmethod
    def _of(cls, shape, numbering=None):
        made = cls.__new__(cls)
        made._value, made._numbering = shape, numbering
        return made

    def __repr__(self):
        return f"<{type(self).__name__}: emptied by {self._taken_by}>" if self._taken_by else f"<{type(self).__name__}: {self._value!r}>"


class CONVEX(Geometry):
    """obj = CONVEX (vertices, faces, volid | convex): a convex polyhedron, or a collection of them.

    vertices: [x0, y0, z0, x1, ...], m. faces: [n, v1, ..., vn, surface id, ...], vertices counter-clockwise seen from outside.
    volid: volume id. convex: collection to append to (emptied)."""

    @routine
    def __init__(self, vertices, faces, volid, convex=None):
        points = _check.points("vertices", vertices)
        numbers = [_check.integer(f"faces[{k}]", f) for k, f in enumerate(faces)]
        collection = self._collection(convex)
        self._set(modern.Shape(_scree.make_convex(points, numbers, _check.integer("volid", volid))), collection)

    @property
    def _vertices(self):
        return np.concatenate([np.asarray(piece["vertices"]).reshape(-1, 3) for piece in self._shape.pieces])

    @property
    def nver(self):
        """Number of vertices (of all members of a collection)."""
        return len(self._vertices)

    def vertex(self, n):
        """Coordinates (x, y, z) of a vertex, m."""
        return row_of("vertex", self._vertices, n)


@routine
def HULL(points, volid, surfid, convex=None):
    """obj = HULL (points, volid, surfid | convex): the convex hull of points [x0, y0, z0, x1, ...], m, as a CONVEX object.

    surfid: one surface id for all faces. convex: collection to append to (emptied)."""
    made = CONVEX.__new__(CONVEX)
    collection = made._collection(convex)
    made._set(modern.hull(_check.points("points", points), surface=_check.integer("surfid", surfid), volume=_check.integer("volid", volid)), collection)
    return made


def row_of(what, table, n):
    n = _check.integer(what, n)
    if not 0 <= n < len(table):
        raise ValueError(f"{what} ({n}): numbers from 0 to {len(table) - 1} are expected")
    return floats(table[n])


class SPHERE(Geometry):
    """obj = SPHERE (center, radius, volid, surfid | sphere): a sphere, or a collection of spheres; m.

    sphere: collection to append to (emptied). Members of a collection: those of its last sphere."""

    @routine
    def __init__(self, center, radius, volid, surfid, sphere=None):
        shape = modern.sphere(_check.vector("center", center), _check.positive("radius", radius), surface=_check.integer("surfid", surfid),
                              volume=_check.integer("volid", volid))
        self._set(shape, self._collection(sphere))

    @property
    def center(self):
        """Centre (x, y, z), m."""
        return floats(self._shape.pieces[-1]["center"])

    @property
    def radius(self):
        """m."""
        return float(self._shape.pieces[-1]["radius"])


class ELLIP(Geometry):
    """obj = ELLIP (center, radii, volid, surfid | ellip): an ellipsoid with semi-axes radii along x, y, z, or a collection of them; m.

    ellip: collection to append to (emptied). Members of a collection: those of its last ellipsoid."""

    @routine
    def __init__(self, center, radii, volid, surfid, ellip=None):
        shape = modern.ellipsoid(_check.vector("center", center), _check.vector("radii", radii), surface=_check.integer("surfid", surfid),
                                 volume=_check.integer("volid", volid))
        self._set(shape, self._collection(ellip))

    @property
    def center(self):
        """Centre (x, y, z), m."""
        return floats(self._shape.pieces[-1]["center"])

    @property
    def radii(self):
        """Semi-axes, m."""
        return floats(self._shape.pieces[-1]["radii"])

    @property
    def rot(self):
        """Rotation from its own axes to those of space, nine numbers: the images of its first, second and third axis."""
        return floats(np.asarray(self._shape.pieces[-1]["axes"]).T)


# --- what routines need of shapes -----------------------------------------------------------------------------

def objects(what, shape):
    """The geometric objects in an object or a (nested) list of objects; none of them empty, none twice."""
    if isinstance(shape, Geometry):
        members = [shape]
    elif isinstance(shape, (list, tuple)) and shape:
        members = [m for part in shape for m in objects(what, part)]
    else:
        raise ValueError(f"{what} = {shape!r}: a CONVEX, MESH, SPHERE or ELLIP object or a list of them is expected")
    for member in members:
        member._check_there()
    if len({id(m) for m in members}) < len(members):
        raise ValueError(f"{what}: the same object is in the list twice; use COPY for the second")
    return members


def as_one(members):
    """One shape of the modern interface from objects."""
    return modern.join(*(m._shape for m in members))


def _like(members, shape):
    """A shape as an object of the type its sources had; sources of several types become CONVEX where they were polyhedra."""
    kinds = {type(m) for m in members}
    return (kinds.pop() if len(kinds) == 1 else CONVEX)._of(shape)


def _apply(routine, shape, point_map, shape_map):
    """A point is mapped to a new tuple; objects are changed in place and returned as they came."""
    if is_point(shape):
        return floats(point_map(_check.vector("shape", shape)))
    members = objects("shape", shape)
    for member in members:
        member._changed(routine)
    put(members, [shape_map(m._shape) for m in members], point_map)
    return shape


def put(members, shapes, point_map):
    """Give objects changed shapes; nodes of no element go along."""
    for member, shape in zip(members, shapes):
        member._value = shape
        if member._numbering is not None:
            member._numbering = member._numbering.moved(point_map)


@routine
def SCALE(shape, coefs):
    """obj = SCALE (shape, coefs): scale objects in place along x, y, z; or map a point (x, y, z). Negative factors mirror."""
    factors = _check.vector("coefs", coefs)
    if not factors.all():
        raise ValueError(f"coefs = {coefs!r}: factors must not be zero")
    return _apply("SCALE", shape, lambda x: x * factors, lambda s: modern.scale(s, factors))


@routine
def TRANSLATE(shape, vector):
    """obj = TRANSLATE (shape, vector): move objects in place by a vector, m; or map a point (x, y, z)."""
    step = _check.vector("vector", vector)
    return _apply("TRANSLATE", shape, lambda x: x + step, lambda s: modern.translate(s, step))


@routine
def ROTATE(shape, point, vector, angle):
    """obj = ROTATE (shape, point, vector, angle): turn objects in place about the axis along `vector` through `point`, by
    an angle in degrees; or map a point (x, y, z)."""
    center, axis = _check.vector("point", point), _check.direction("vector", vector)
    turn = math.radians(_check.number("angle", angle))
    return _apply("ROTATE", shape, lambda x: _scree.rotated_point(x, center, axis, turn), lambda s: modern.rotate(s, axis, turn, center))


@routine
def COPY(shape):
    """obj = COPY (shape): a copy of an object; of a list, one collection when all are of one type, else a list."""
    members = objects("shape", shape)
    if len(members) == 1:
        return type(members[0])._of(members[0]._shape, members[0]._numbering)
    if len({type(m) for m in members}) == 1:
        return _like(members, as_one(members))
    return [type(m)._of(m._shape, m._numbering) for m in members]


@routine
def MASS_CENTER(shape):
    """obj = MASS_CENTER (shape): mass centre (x, y, z), m, of objects of equal density, or the referential one of a BODY."""
    from .bodies import BODY
    if isinstance(shape, BODY):
        return shape.center
    return floats(as_one(objects("shape", shape)).center)


@routine
def OVERLAPPING(obstacles, shapes, negate=False, gap=0.0):
    """obj = OVERLAPPING (obstacles, shapes | not, gap): those of `shapes` (emptied) that overlap an obstacle, as a list.

    The third argument, 'NOT', asks for those that do not. gap: largest gap, m, 0 or negative: with 0 objects that touch (nearer than
    GEOMETRIC_EPSILON) count, with -0.01 those that overlap by less than a centimetre do not."""
    walls, members = objects("obstacles", obstacles), objects("shapes", shapes)
    gap = _check.number("gap", gap)
    if gap > 0:
        raise ValueError(f"gap = {gap:g}: a gap of 0 or less is expected, minus the depth from which objects count as overlapping")
    if isinstance(negate, str):
        _check.choice("not", negate, ("NOT",))
    wall = as_one(walls)
    kept = [m for m in members if _overlap(wall, m._shape, gap) != bool(negate)]
    made = [type(m)._of(m._shape, m._numbering) for m in kept]
    for member in members:
        member._take("OVERLAPPING")
    return made


def _overlap(one, two, gap):
    """True when two shapes have a gap no larger than this (0: nearer than the geometric epsilon): the engine detects contacts between them as bodies."""
    limit = gap if gap < 0 else _settings.geometric_epsilon
    engine = _scree.Engine(1e-6)
    engine.set_contact("margin", max(limit, 0.0))
    engine.add_body(False, one._native, -1, 1.0, {}, "")
    engine.add_body(True, two._native, -1, 1.0, {}, "")
    engine.set_solver("GAUSS_SEIDEL", _scree.StopRule(max_iterations=0), {}, "continue", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of bodies that overlap: that is the question
        engine.advance(1, math.inf)
    return bool((engine.contacts()["gap"] <= limit).any())
