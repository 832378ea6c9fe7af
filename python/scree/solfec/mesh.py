"""MESH, and the routines that make meshes of hexahedra."""
import itertools

import numpy as np

from .. import _check, _scree
from .. import shapes as modern
from . import _settings
from ._arguments import routine
from .numbering import renumbered, without_orphans
from .shapes import CONVEX, Geometry, as_one, objects, row_of

__all__ = ["MESH", "HEX", "ROUGH_HEX", "PIPE"]

FACES = modern.ELEMENT_FACES  #: of elements by number of nodes, counter-clockwise seen from outside
_GAUSS = (0.5 - 0.5 / 3**0.5, 0.5 + 0.5 / 3**0.5)  #: two points on [0, 1]


def _bilinear(x, y):
    """Shares of the corners of a quadrilateral, around it."""
    return np.array([(1 - x) * (1 - y), x * (1 - y), x * y, (1 - x) * y])


def _shares(count):
    """Shares of the nodes at the integration points of an element: two Gauss points a direction, the middle of triangles and tetrahedra."""
    middle = np.full(3, 1 / 3)
    if count == 4:
        return [np.full(4, 0.25)]
    if count == 6:
        return [np.concatenate([(1 - z) * middle, z * middle]) for z in _GAUSS]
    layers = [(_bilinear(x, y), z) for z, y, x in itertools.product(_GAUSS, repeat=3)]
    if count == 5:
        return [np.append((1 - z) * layer, z) for layer, z in layers]
    return [np.concatenate([(1 - z) * layer, z * layer]) for layer, z in layers]


def _face_shares(count):
    """The same of a face."""
    return [np.full(3, 1 / 3)] if count == 3 else [_bilinear(x, y) for y, x in itertools.product(_GAUSS, repeat=2)]


def mesh_of(nodes, elements, volumes, surface, faces):
    """A MESH object from rows; faces: {nodes: surface id}."""
    packed, ids = _packed(elements, volumes, surface, faces)
    return MESH._of(modern.Shape(_scree.make_mesh(np.ascontiguousarray(nodes, dtype=float), packed, ids)))


def _packed(elements, volumes, surface, faces):
    """The lists `elements` and `surfids` of MESH."""
    packed = [n for element, volume in zip(elements, volumes) for n in (len(element), *map(int, element), int(volume))]
    return packed, [int(surface)] + [n for face, s in faces.items() for n in (len(face), *map(int, face), int(s))]


def one_mesh(what, value):
    """The nodes, elements and ids of a MESH object made of one mesh."""
    if not isinstance(value, MESH):
        raise ValueError(f"{what} = {value!r}: a MESH object is expected")
    meshes = value._shape.meshes
    if len(meshes) != 1:
        raise ValueError(f"{what}: one mesh is expected, this object is a collection of {len(meshes)}")
    return meshes[0]


def owners_of(elements):
    """The one or two elements of every face, by its set of nodes."""
    owners = {}
    for e, element in enumerate(elements):
        for face in FACES[len(element)]:
            owners.setdefault(frozenset(element[i] for i in face), []).append(e)
    return owners


def named_faces(data):
    """Surface ids of the faces that have one of their own, by set of nodes."""
    return dict(zip((frozenset(f) for f in data["faces"]), data["surface_ids"]))


def listed_faces(data):
    """The same, by tuple of nodes."""
    return dict(zip(map(tuple, data["faces"]), data["surface_ids"]))


def outer_faces(data):
    """(nodes, surface id) of the boundary faces of a mesh, nodes counter-clockwise seen from outside."""
    elements, known = data["elements"], named_faces(data)
    owners = owners_of(elements)
    for element in elements:
        for local in FACES[len(element)]:
            face = tuple(int(element[i]) for i in local)
            if len(owners[frozenset(face)]) == 1:
                yield face, known.get(frozenset(face), data["surface_id"])


class MESH(Geometry):
    """obj = MESH (nodes, elements, surfids): a volumetric mesh of tetrahedra (4 nodes), pyramids (5), wedges (6), hexahedra (8).

    nodes: [x0, y0, z0, ...], m. elements: [n, n1, ..., nn, volume id, ...]. surfids: [surface id of all faces not named,
    n, n1, ..., nn, surface id, ...] or that first number alone. Nodes of no element take no part in anything; all
    nodes keep their numbers."""

    _current = None  #: present places of the nodes of a body's mesh

    @routine
    def __init__(self, nodes, elements, surfids):
        packed = [_check.integer(f"elements[{k}]", e) for k, e in enumerate(elements)]
        surfaces = [surfids] if np.ndim(surfids) == 0 else list(surfids)
        surfaces = [_check.integer(f"surfids[{k}]", s) for k, s in enumerate(surfaces)]
        points = _check.points("nodes", nodes)
        numbering = without_orphans(points, packed)
        if numbering is not None:
            points = points[numbering.places >= 0]
            packed, surfaces = renumbered(packed, numbering.places, 0), renumbered(surfaces, numbering.places, 1)
        self._set(modern.Shape(_scree.make_mesh(points, packed, surfaces)))
        self._numbering = numbering

    @property
    def _nodes(self):
        return np.concatenate([np.asarray(mesh["nodes"]).reshape(-1, 3) for mesh in self._shape.meshes])

    def _given(self, nodes):
        """Numbers of nodes as the script knows them."""
        return [int(n) for n in nodes] if self._numbering is None else self._numbering.given(nodes)

    def _place(self, what, n):
        """Place in the mesh of a node as the script knows it."""
        n = _check.integer(what, n)
        if not 0 <= n < self.nnod:
            raise ValueError(f"{what} ({n}): numbers from 0 to {self.nnod - 1} are expected")
        if self._numbering is None:
            return n
        if self._numbering.places[n] < 0:
            raise ValueError(f"{what} ({n}): this node belongs to no element of the mesh")
        return int(self._numbering.places[n])

    @property
    def nnod(self):
        """Number of nodes."""
        return len(self._nodes) if self._numbering is None else len(self._numbering.places)

    def node(self, n, x=None, y=None, z=None):
        """Coordinates (x, y, z) of a node, m; x, y or z, when given, take their place first."""
        if (x, y, z) != (None, None, None):
            self._move(self._place("node", n), (x, y, z))
        nodes = self._nodes if self._current is None else self._current
        return row_of("node", nodes if self._numbering is None else self._numbering.spread(nodes, self._numbering.loose), n)

    def _move(self, n, values):
        self._changed("node")
        data = one_mesh("node", self)
        nodes = np.array(data["nodes"], dtype=float)
        for axis, value in enumerate(values):
            if value is not None:
                nodes[n, axis] = _check.number("xyz"[axis], value)
        self._value = mesh_of(nodes, data["elements"], data["volume_ids"], data["surface_id"], listed_faces(data))._value

    def get_data(self):
        """(nodes, elements, surfids) as MESH takes them, copies."""
        data = one_mesh("get_data", self)
        elements, surfids = _packed(data["elements"], data["volume_ids"], data["surface_id"], listed_faces(data))
        nodes = data["nodes"]
        if self._numbering is not None:
            given = self._given(range(len(nodes)))
            nodes, elements, surfids = self._numbering.spread(nodes, self._numbering.loose), renumbered(elements, given, 0), renumbered(surfids, given, 1)
        return np.ravel(nodes).tolist(), elements, surfids

    def set_volid(self, volid):
        """Give all elements this volume id; returns it."""
        volid, data = _check.integer("set_volid: volid", volid), one_mesh("set_volid", self)
        self._changed("set_volid")
        self._value = mesh_of(data["nodes"], data["elements"], [volid] * len(data["elements"]), data["surface_id"], listed_faces(data))._value
        return volid

    def nodes_on_surface(self, surfid):
        """Ascending numbers of the nodes on the faces of a surface id; None when there are no such faces."""
        surfid = _check.integer("nodes_on_surface: surfid", surfid)
        found, first = set(), 0
        for data in self._shape.meshes:
            found.update(first + n for face, s in outer_faces(data) if s == surfid for n in face)
            first += len(data["nodes"])
        return sorted(self._given(found)) or None

    def surface_integration_points(self, surfid=None):
        """Integration points [(x, y, z), ...], m, of the boundary faces (of one surface id): 2 x 2 Gauss points a quadrilateral, the middle of
        a triangle."""
        surfid = None if surfid is None else _check.integer("surface_integration_points: surfid", surfid)
        return [tuple((share @ np.asarray(data["nodes"])[list(face)]).tolist()) for data in self._shape.meshes for face, s in outer_faces(data)
                if surfid in (None, s) for share in _face_shares(len(face))]

    def volume_integration_points(self, volid=None):
        """Integration points [(x, y, z), ...], m, of the elements (of one volume id): two Gauss points a direction, the middle of a tetrahedron."""
        volid = None if volid is None else _check.integer("volume_integration_points: volid", volid)
        return [tuple((share @ np.asarray(data["nodes"])[list(e)]).tolist()) for data in self._shape.meshes
                for e, v in zip(data["elements"], data["volume_ids"]) if volid in (None, v) for share in _shares(len(e))]

    def inter_element_faces(self):
        """Faces between two elements, [[n1, n2, n3, ...], ...]."""
        data, seen = one_mesh("inter_element_faces", self), {}
        for element in data["elements"]:
            for local in FACES[len(element)]:
                face = [int(element[i]) for i in local]
                seen.setdefault(frozenset(face), []).append(face)
        return [self._given(faces[0]) for faces in seen.values() if len(faces) == 2]

    def inter_element_faces_on_plane(self, point, normal, ref=True, eps=None):
        """Those of them with all nodes nearer than eps (m; default: that of GEOMETRIC_EPSILON) to the plane through a point. ref: True measures
        the undeformed mesh, False a body's present one."""
        origin, axis = _check.vector("point", point), _check.direction("normal", normal)
        eps = _settings.geometric_epsilon if eps is None else _check.positive("eps", eps)
        nodes = self._nodes if ref or self._current is None else self._current
        near = np.abs((nodes - origin) @ (axis / np.linalg.norm(axis))) <= eps
        return [face for face in self.inter_element_faces() if all(near[self._place("face", n)] for n in face)]


def _scheme(what, values, cells):
    if values is None:
        return []
    if np.ndim(values) != 1:
        raise ValueError(f"{what} = {values!r}: a list of {cells} relative sizes is expected, one a subdivision")
    if len(values) != cells:
        raise ValueError(f"{what}: {cells} relative sizes are expected, one a subdivision, not {len(values)}")
    return [_check.positive(f"{what}[{k}]", v) for k, v in enumerate(values)]


#: Where the engine's faces of a hexahedron (z0, y0, x1, y1, x0, z1) stand in Solfec's list (z0, x0, y1, x1, y0, z1).
_HEX_FACES = (0, 4, 3, 2, 1, 5)
#: Where the engine's faces of a pipe (inner, outer, bottom, top) stand in Solfec's list (bottom, top, inner, outer).
_PIPE_FACES = (2, 3, 0, 1)


def _surface_ids(surfids, order, most):
    """Surface ids in the engine's order: `order` says where in Solfec's list each of them stands. Lists may be longer, up to `most`."""
    ids = [surfids] * len(order) if np.ndim(surfids) == 0 else list(surfids)
    if not len(order) <= len(ids) <= most:
        raise ValueError(f"surfids = {surfids!r}: {len(order)} surface ids are expected")
    ids = [_check.integer(f"surfids[{k}]", s) for k, s in enumerate(ids)]
    return [ids[k] for k in order]


@routine
def HEX(nodes, i, j, k, volid, surfids, dx=None, dy=None, dz=None):
    """obj = HEX (nodes, i, j, k, volid, surfids | dx, dy, dz): a MESH of i x j x k hexahedra stretched between eight nodes, m.

    nodes: the bottom face and then the top face, around in the same sense. Listed inside out (the bottom clockwise seen from the top) the
    elements are turned round. surfids: six surface ids, of the faces at the start of local z, the start of x, the end of y, the end of x, the
    start of y and the end of z. dx, dy, dz: relative sizes of the subdivisions (default: equal)."""
    i, j, k = (_check.integer(n, v, 1) for n, v in zip("ijk", (i, j, k)))
    corners = _check.points("nodes", nodes)
    if len(corners) != 8:
        raise ValueError(f"nodes: eight nodes (24 numbers) are expected, not {len(corners)}")
    ids, volid = _surface_ids(surfids, _HEX_FACES, 6), _check.integer("volid", volid)
    schemes = [_scheme("dx", dx, i), _scheme("dy", dy, j), _scheme("dz", dz, k)]
    if not _inside_out(corners):
        return MESH._of(modern.Shape(_scree.make_hex(corners, i, j, k, volid, ids, *schemes)))
    # Bottom and top change places, local z runs the other way; the layers of nodes keep their numbers.
    schemes[2] = schemes[2][::-1]
    turned = _scree.make_hex(corners[[4, 5, 6, 7, 0, 1, 2, 3]], i, j, k, volid, [ids[5], *ids[1:5], ids[0]], *schemes)
    return _layers_reversed(modern.Shape(turned), (i + 1) * (j + 1), k)


def _inside_out(corners):
    """True for eight corners whose bottom face runs clockwise seen from the top."""
    low, high = corners[:4], corners[4:]
    middle = 0.5 * (low + high)
    return np.dot(np.cross(middle[2] - middle[0], middle[3] - middle[1]), high.mean(axis=0) - low.mean(axis=0)) < 0


def _layers_reversed(shape, layer, count):
    """The same mesh with its count + 1 layers of nodes numbered from the other end."""
    data = shape.meshes[0]

    def number(n):
        return (count - n // layer) * layer + n % layer

    nodes = np.asarray(data["nodes"]).reshape(count + 1, layer, 3)[::-1].reshape(-1, 3)
    return mesh_of(nodes, [[number(n) for n in e] for e in data["elements"]], data["volume_ids"], data["surface_id"],
                   {tuple(number(n) for n in face): s for face, s in listed_faces(data).items()})


@routine
def ROUGH_HEX(shape, i, j, k, dx=None, dy=None, dz=None):
    """obj = ROUGH_HEX (shape, i, j, k | dx, dy, dz): a hexahedral MESH along the principal axes of inertia that properly
    contains a CONVEX object or a list of them."""
    i, j, k = (_check.integer(n, v, 1) for n, v in zip("ijk", (i, j, k)))
    members = objects("shape", shape)
    if not all(isinstance(m, CONVEX) for m in members):
        raise ValueError(f"shape = {shape!r}: CONVEX objects are expected")
    return MESH._of(modern.Shape(_scree.make_rough_hex(as_one(members)._native, i, j, k, _scheme("dx", dx, i), _scheme("dy", dy, j), _scheme("dz", dz, k))))


@routine
def PIPE(pnt, dir, rin, thi, ndir, nrad, nthi, volid, surfids):
    """obj = PIPE (pnt, dir, rin, thi, ndir, nrad, nthi, volid, surfids): a MESH of a pipe about the axis from pnt to pnt + dir.

    rin: inner radius, thi: wall thickness, m. ndir, nrad, nthi: elements along, around and through the wall. surfids: four ids
    (bottom, top, inner, outer); of six the last two are not used."""
    counts = (_check.integer("ndir", ndir, 1), _check.integer("nrad", nrad, 3), _check.integer("nthi", nthi, 1))
    return MESH._of(modern.Shape(_scree.make_pipe(_check.vector("pnt", pnt), _check.direction("dir", dir), _check.positive("rin", rin),
                                                  _check.positive("thi", thi), *counts, _check.integer("volid", volid), _surface_ids(surfids, _PIPE_FACES, 6))))
