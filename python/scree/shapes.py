"""Shapes: unions of convex pieces. Lengths in metres, angles in radians.

Shapes are values: every operation returns a new one. `a + b` joins two shapes into one.
`surface` and `volume` are integer identifiers that materials refer to.
"""
import functools
import os
import re

import numpy as np

from . import _check, _scree


#: Faces of elements by number of nodes, counter-clockwise seen from outside.
ELEMENT_FACES = {4: ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)),
                 5: ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)),
                 6: ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
                 8: ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))}


class Shape:
    """A union of convex pieces (spheres, ellipsoids, convex polyhedra), made by the functions of this module."""

    __slots__ = ("_native",)

    def __init__(self, native):
        if not isinstance(native, _scree.Shape):
            raise ValueError("Shape: make shapes with scree.sphere, scree.box, scree.hull, ...")
        self._native = native

    @property
    def pieces(self):
        """List of dictionaries, one a convex piece: kind, volume_id, and centre, radius, vertices, faces, ... as it fits."""
        return [self._native.piece(i) for i in range(self._native.piece_count())]

    @property
    def meshes(self):
        """List of dictionaries, one a volumetric mesh the shape was made from: nodes, elements, ids."""
        return self._native.meshes()

    @property
    def volume(self):
        """Volume, m^3 (where pieces overlap, the overlap counts for each)."""
        return self._native.mass_properties(1.0)["volume"]

    @property
    def center(self):
        """Mass centre at uniform density, m."""
        return self._native.mass_properties(1.0)["center"]

    @property
    def bounds(self):
        """Axis-aligned bounding box: (low corner, high corner), m."""
        return self._native.bounds()

    @property
    def size(self):
        """Diameter of the bounding box, m."""
        return self._native.size()

    def mass_properties(self, density=1.0):
        """Dictionary of volume (m^3), mass (kg), center (m), inertia and euler tensors about the centre (kg m^2)."""
        return self._native.mass_properties(_check.positive("density", density))

    def contains(self, point):
        """True when the point (m) lies in the shape."""
        return self._native.contains(_check.vector("point", point))

    def __add__(self, other):
        if not isinstance(other, Shape):
            return NotImplemented
        return join(self, other)

    def __len__(self):
        return self._native.piece_count()

    def __repr__(self):
        kinds = {}
        for i in range(min(len(self), 10000)):
            kind = self._native.piece(i)["kind"]
            kinds[kind] = kinds.get(kind, 0) + 1
        several = {"sphere": "spheres", "ellipsoid": "ellipsoids", "polyhedron": "polyhedra"}
        text = ", ".join(k if n == 1 else f"{n} {several[k]}" for k, n in kinds.items())
        low, high = self.bounds
        extent = " x ".join(f"{x:g}" for x in high - low)
        return f"<Shape: {text}; {extent} m, volume {self.volume:g} m^3>"


def _ids(surface, volume):
    return _check.integer("volume", volume), _check.integer("surface", surface)


def _shape(value, what="shape"):
    """A shape, or a list of shapes as one."""
    if isinstance(value, Shape):
        return value
    if isinstance(value, (list, tuple)) and value and all(isinstance(v, (Shape, list, tuple)) for v in value):
        return Shape(_scree.join([_shape(v, what)._native for v in value]))
    raise ValueError(f"{what} = {value!r}: a shape (scree.sphere, scree.box, ...) or a list of shapes is expected")


#: Names of functions that make shapes.
MAKERS = set()


def _makes(function):
    """Decorate a function that makes shapes: its keywords are checked, and the engine's messages, which have the input language's names (HULL, ELLIP), begin with its own."""
    checked = _check.keywords(function)
    MAKERS.add(function.__name__)

    @functools.wraps(function)
    def named(*args, **kwargs):
        try:
            return checked(*args, **kwargs)
        except _check.UnknownKeyword:
            raise
        except ValueError as error:
            raise ValueError(re.sub(r"^[A-Z_]+(?=[: ])", function.__name__, str(error))) from None

    return named


@_makes
def sphere(center=(0.0, 0.0, 0.0), radius=1.0, surface=0, volume=0):
    """Sphere of a centre and radius, m."""
    return Shape(_scree.make_sphere(_check.vector("sphere: center", center), _check.positive("sphere: radius", radius), *_ids(surface, volume)))


@_makes
def ellipsoid(center=(0.0, 0.0, 0.0), radii=(1.0, 1.0, 1.0), axes=None, surface=0, volume=0):
    """Ellipsoid with semi-axes `radii` (m) along the columns of the rotation matrix `axes` (default: x, y, z)."""
    axes = np.eye(3) if axes is None else _check.matrix("ellipsoid: axes", axes)
    radii = _check.vector("ellipsoid: radii", radii)
    return Shape(_scree.make_ellipsoid(_check.vector("ellipsoid: center", center), radii, *_ids(surface, volume), axes))


@_makes
def box(center=(0.0, 0.0, 0.0), size=(1.0, 1.0, 1.0), low=None, high=None, surface=0, volume=0):
    """Box with axes x, y, z: by centre and edge lengths `size`, or by its corners `low` and `high`, m."""
    if (low is None) != (high is None):
        raise ValueError("box: give both corners, low and high, or neither")
    if low is None:
        center, size = _check.vector("box: center", center), _check.vector("box: size", size)
        if not (size > 0).all():
            raise ValueError(f"box: size = {tuple(size)}: edges must be positive")
        low, high = center - 0.5 * size, center + 0.5 * size
    return Shape(_scree.make_box(_check.vector("box: low", low), _check.vector("box: high", high), *_ids(surface, volume)))


@_makes
def hull(points, surface=0, volume=0):
    """Convex hull of points, (n, 3) or flat, m."""
    return Shape(_scree.make_hull(_check.points("hull: points", points), *_ids(surface, volume)))


@_makes
def convex(vertices, faces, surface=0, volume=0):
    """Convex polyhedron. faces: lists of vertex indices, counter-clockwise seen from outside; `surface` is one id
    for all faces or a list with one a face."""
    faces = [[_check.integer(f"convex: faces[{f}]", v) for v in face] for f, face in enumerate(faces)]
    ids = [surface] * len(faces) if _check.rank(surface) == 0 else list(surface)
    if len(ids) != len(faces):
        raise ValueError(f"convex: {len(ids)} surface ids were given for {len(faces)} faces")
    packed = []
    for face, s in zip(faces, ids):
        packed += [len(face), *face, _check.integer("convex: surface", s)]
    return Shape(_scree.make_convex(_check.points("convex: vertices", vertices), packed, _check.integer("volume", volume)))


@_makes
def mesh(nodes, elements, surface=0, volume=0, faces=None):
    """Volumetric mesh of tetrahedra (4 nodes), pyramids (5), wedges (6) and hexahedra (8), mixed at will.

    elements: lists of node indices; `volume` is one id or one an element. faces: {(node, node, ...): surface id}
    for boundary faces with an id other than `surface`."""
    elements = [[_check.integer(f"mesh: elements[{e}]", n) for n in element] for e, element in enumerate(elements)]
    ids = [volume] * len(elements) if _check.rank(volume) == 0 else list(volume)
    if len(ids) != len(elements):
        raise ValueError(f"mesh: {len(ids)} volume ids were given for {len(elements)} elements")
    packed, surfaces = [], [_check.integer("mesh: surface", surface)]
    for element, v in zip(elements, ids):
        packed += [len(element), *element, _check.integer("mesh: volume", v)]
    for face, s in _check.mapping("mesh: faces", faces, "{(node, node, ...): surface id}").items():
        if not isinstance(face, (tuple, frozenset)):
            raise ValueError(f"mesh: faces: {face!r}: a tuple of nodes is expected")
        surfaces += [len(face), *(_check.integer("mesh: faces", n) for n in face), _check.integer("mesh: faces", s)]
    return Shape(_scree.make_mesh(_check.points("mesh: nodes", nodes), packed, surfaces))


def read_mesh(path):
    """Volumetric mesh from a file: Gmsh .msh (2.2 and 4.1, text or binary), VTK .vtu, Abaqus .inp, or a closed .stl surface, which the program
    tetgen or gmsh fills with tetrahedra when it is installed. With meshio installed also its formats: volumes (.med, .vtk, .mesh, .xdmf, ...) and
    closed surfaces (.obj, .ply, .off), which are filled like .stl.

    Volume and surface ids are Gmsh's physical groups, the VTU cell array "volume", Abaqus element sets and surfaces counted from 1, STL solids and
    OBJ groups counted from 0, or the numbers meshio finds. Of second-order elements the corners are kept. OSError names the line at fault and what to do."""
    from . import foreign_meshes
    path = _check.path("read_mesh: path", path)
    own = os.path.splitext(path)[1].lower() in foreign_meshes.OWN
    return Shape(_scree.read_mesh(path) if own else foreign_meshes.read(path))


def _spacing(what, value):
    if value is not None and _check.rank(value) != 1:
        raise ValueError(f"{what} = {value!r:.80}: a list of relative sizes is expected, one a cell")
    return [] if value is None else [_check.positive(what, v) for v in value]


def _cells(what, value):
    if _check.rank(value) != 1 or len(value) != 3:
        raise ValueError(f"{what}: cells = {value!r:.80}: three numbers of cells are expected")
    return tuple(_check.integer(f"{what}: cells", c, 1) for c in value)


def _surfaces(surface, count):
    return [_check.integer("surface", s) for s in ([surface] * count if _check.rank(surface) == 0 or isinstance(surface, (set, dict)) else surface)]


@_makes
def hex(corners, cells=(1, 1, 1), surface=0, volume=0, dx=None, dy=None, dz=None):
    """Hexahedral mesh stretched between eight corners (bottom face 0-1-2-3, top 4-5-6-7) with cells = (i, j, k).

    surface: one id, or six (bottom, sides 0-1, 1-2, 2-3, 3-0, top). dx, dy, dz: relative cell sizes."""
    i, j, k = _cells("hex", cells)
    return Shape(_scree.make_hex(_check.points("hex: corners", corners), i, j, k, _check.integer("volume", volume), _surfaces(surface, 6),
                                 _spacing("hex: dx", dx), _spacing("hex: dy", dy), _spacing("hex: dz", dz)))


@_makes
def rough_hex(shape, cells=(1, 1, 1), dx=None, dy=None, dz=None):
    """Hexahedral mesh along the principal axes of a shape that properly contains it."""
    i, j, k = _cells("rough_hex", cells)
    return Shape(_scree.make_rough_hex(_shape(shape)._native, i, j, k, _spacing("rough_hex: dx", dx), _spacing("rough_hex: dy", dy),
                                       _spacing("rough_hex: dz", dz)))


@_makes
def pipe(point, direction, inner_radius, thickness, cells=(1, 16, 1), surface=0, volume=0):
    """Pipe of hexahedra about the axis from `point` to `point + direction`, m; cells = (along, around, through the wall).

    surface: one id, or four (inner, outer, bottom, top)."""
    n, r, t = _cells("pipe", cells)
    return Shape(_scree.make_pipe(_check.vector("pipe: point", point), _check.direction("pipe: direction", direction),
                                  _check.positive("pipe: inner_radius", inner_radius), _check.positive("pipe: thickness", thickness),
                                  n, r, t, _check.integer("volume", volume), _surfaces(surface, 4)))


def copy(shape):
    """The same shape (shapes are never changed, so no copy is needed)."""
    return _shape(shape)


@_makes
def scale(shape, factors):
    """Scaled about the origin by one factor or by three along x, y, z."""
    factors = np.full(3, _check.positive("scale: factors", factors)) if _check.rank(factors) == 0 else _check.vector("scale: factors", factors)
    return Shape(_shape(shape)._native.scaled(factors))


@_makes
def translate(shape, vector):
    """Moved by a vector, m."""
    return Shape(_shape(shape)._native.translated(_check.vector("translate: vector", vector)))


@_makes
def rotate(shape, axis, angle, point=(0.0, 0.0, 0.0)):
    """Turned by an angle (rad) about the axis through a point (m)."""
    return Shape(_shape(shape)._native.rotated(_check.vector("rotate: point", point), _check.direction("rotate: axis", axis),
                                               _check.number("rotate: angle", angle)))


@_makes
def split(shape, point, normal, surface=0):
    """Cut by the plane through a point: (below, above); a side without pieces is None. Cut faces get the id `surface`, or the two of a pair
    (below, above)."""
    ids = [_check.integer("surface", s) for s in (surface if isinstance(surface, (tuple, list)) else (surface, surface))]
    if len(ids) != 2:
        raise ValueError(f"surface = {surface!r}: one id or a pair (below, above) is expected")
    below, above = _shape(shape)._native.split(_check.vector("split: point", point), _check.direction("split: normal", normal), ids)
    return (below and Shape(below), above and Shape(above))


def mass_center(shape):
    """Mass centre at uniform density, m."""
    return _shape(shape).center


def join(*shapes):
    """One shape from several; pieces stay in order."""
    if not shapes:
        raise ValueError("join: one shape at least is expected")
    return Shape(_scree.join([_shape(s)._native for s in shapes]))
