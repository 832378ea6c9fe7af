"""Cutting shapes by planes and along faces of elements."""
import numpy as np

from .. import _check
from .. import shapes as modern
from ._arguments import flag, routine
from .mesh import FACES, MESH, listed_faces, mesh_of, named_faces, one_mesh
from .shapes import CONVEX, as_one, objects

__all__ = ["SPLIT", "MESH_SPLIT"]

_ON_PLANE = 1e-6  #: nodes nearer to a plane than this share of the mesh's size lie on it


@routine
def SPLIT(shape, point, normal, surfid=0, topoadj="OFF", remesh="ON"):
    """(one, two) = SPLIT (shape, point, normal | surfid, topoadj, remesh): cut objects by the plane through a point: what is below and what
    is above it, None where nothing is.

    shape: emptied. Polyhedra are cut; spheres and ellipsoids go to the side of their centre. A MESH that the plane meets in faces of elements
    alone becomes two MESH objects; elements that it cuts become CONVEX objects (Solfec fills the halves with tetrahedra; TETRAHEDRALIZE does
    so here), and with remesh 'OFF' it is an error. surfid: surface id of the new faces, or a pair of ids, of those below and of those
    above. topoadj: 'ON' cuts a MESH along those faces of elements alone that are joined to the one with the point; a cut that does not part it is a
    slit, and there is no second part. Elements are not cut then."""
    members = objects("shape", shape)
    place, axis = _check.vector("point", point), _check.direction("normal", normal)
    surfaces = _pair(surfid)
    if flag("topoadj", topoadj) == "ON":
        return _split_from(members, place, axis / np.linalg.norm(axis), surfaces)
    keep_mesh = flag("remesh", "ON" if remesh is None else remesh) == "OFF"
    groups, sides = {}, ([], [])
    for member in members:
        halves = _mesh_halves(member, place, axis / np.linalg.norm(axis), surfaces) if isinstance(member, MESH) else None
        if halves is None:
            if keep_mesh and isinstance(member, MESH):
                raise ValueError("remesh = 'OFF': the plane cuts through elements of the MESH; choose one along faces of elements, or remesh = 'ON'")
            groups.setdefault(CONVEX if isinstance(member, MESH) else type(member), []).append(member)
        else:
            for side, half in zip(sides, halves):
                side += [half] if half is not None else []
    for kind, group in groups.items():
        for side, half in zip(sides, modern.split(as_one(group), place, axis, surfaces)):
            if half is not None:
                side.append(kind._of(half))
    for member in members:
        member._take("SPLIT")
    return tuple(None if not side else side[0] if len(side) == 1 else side for side in sides)


def _split_from(members, place, axis, surfaces):
    """SPLIT along the faces of a MESH on a plane that are joined, edge by edge, to the one with the point."""
    if len(members) != 1 or not isinstance(members[0], MESH):
        raise ValueError("topoadj = 'ON': one MESH is expected; SPLIT a list of CONVEX objects one by one")
    data = one_mesh("shape", members[0])
    nodes, elements = np.asarray(data["nodes"]), [tuple(e) for e in data["elements"]]
    heights = _heights(nodes, place, axis)
    inner = {face: pair for face, pair in _sides(elements).items() if len(pair) == 2 and not heights[list(face)].any()}
    start = [face for face, pair in inner.items() if _on_face(nodes[list(pair[0][1])], place)]
    if not start:
        raise ValueError(f"topoadj = 'ON': point = {tuple(place.tolist())} is on no face between elements along the plane; choose one on such a face, or topoadj = 'OFF'")
    joined, ends = set(start), list(start)
    while ends:
        face = ends.pop()
        more = [other for other in inner if other not in joined and len(face & other) >= 2]
        joined.update(more)
        ends += more
    up = lambda element: bool(heights[list(elements[element])].max() > 0)
    parts = split_along(data, {face: {e: surfaces[up(e)] for e, _ in inner[face]} for face in joined})
    if len(parts) > 2:
        raise ValueError(f"topoadj = 'ON': the cut makes {len(parts)} parts; two or one are expected")
    members[0]._take("SPLIT")
    below = {e for face in joined for e, _ in inner[face] if not up(e)}
    parts.sort(key=lambda part: -len(below & set(part[2])))
    return parts[0][0], parts[1][0] if len(parts) == 2 else None


def _heights(nodes, place, axis):
    """Heights over a plane, exactly 0 for nodes on it."""
    heights = (nodes - place) @ axis
    heights[np.abs(heights) <= _ON_PLANE * np.linalg.norm(np.ptp(nodes, axis=0))] = 0.0
    return heights


def _on_face(corners, place):
    """True when a point of its plane lies within a convex face."""
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    sides = [np.cross(b - a, place - a) @ normal for a, b in zip(corners, np.roll(corners, -1, axis=0))]
    return min(sides) >= -_ON_PLANE * (normal @ normal)


def _pair(surfid):
    """(below, above) from one surface id or two."""
    ids = list(surfid) if isinstance(surfid, (tuple, list)) else [surfid, surfid]
    if len(ids) != 2:
        raise ValueError(f"surfid = {surfid!r}: one surface id or a pair of them is expected")
    return tuple(_check.integer("surfid", s) for s in ids)


def _mesh_halves(mesh, place, axis, surfaces):
    """The parts (None: there is none) of a MESH below and above a plane that cuts none of its elements; None when it cuts some."""
    if len(mesh._shape.meshes) != 1:
        return None
    data = one_mesh("shape", mesh)
    nodes = np.asarray(data["nodes"])
    heights = _heights(nodes, place, axis)
    elements = [tuple(e) for e in data["elements"]]
    above = [heights[list(e)].max() > 0 for e in elements]
    if any(heights[list(e)].min() < 0 and up for e, up in zip(elements, above)):
        return None
    cut = {face for face, pair in _sides(elements).items() if len(pair) == 2 and above[pair[0][0]] != above[pair[1][0]]}
    ids = {(face, up): surfaces[up] for face in cut for up in (False, True)}
    halves = []
    for up in (False, True):
        chosen = [e for e in range(len(elements)) if above[e] == up]
        halves.append(_part_mesh(data, nodes, elements, chosen, {face: ids[face, up] for face in cut}) if chosen else None)
    return halves


def _sides(elements):
    """[(element, face), ...] of every face, by its set of nodes; the face counter-clockwise seen from outside the element."""
    sides = {}
    for e, element in enumerate(elements):
        for local in FACES[len(element)]:
            face = tuple(int(element[i]) for i in local)
            sides.setdefault(frozenset(face), []).append((e, face))
    return sides


def _same_sense(one, two):
    """True when two lists of the same nodes run around in the same sense."""
    at = one.index(two[0])
    return one[(at + 1) % len(one)] == two[1]


@routine
def MESH_SPLIT(mesh, nodeset=None, faceset=None, surfid1=0, surfid2=0):
    """list = MESH_SPLIT (mesh | nodeset, faceset, surfid1, surfid2): cut a MESH along faces between its elements, into a list of MESH objects,
    one a connected part; None when there is nothing to cut. The mesh itself stays as it is. A cut that does not part the mesh is a slit: its
    nodes are doubled, those at its tip are not.

    nodeset: node numbers; the faces between elements with all their nodes among them are cut, and both sides get surfid1. faceset:
    [[n1, n2, n3, ...], ...], the faces to cut (nodeset is then not used); seen from the side where its nodes run counter-clockwise, a face
    belongs to the element behind it, which gets surfid1, and the one in front, which gets surfid2."""
    data = one_mesh("mesh", mesh)
    nodeset, faceset = places_of(mesh, nodeset, faceset)
    cut = cut_faces(data, nodeset, faceset, _check.integer("surfid1", surfid1), _check.integer("surfid2", surfid2))
    return None if not cut else [part for part, _, _ in split_along(data, cut)]


def places_of(mesh, nodeset, faceset):
    """Nodes and faces in the numbers of the engine's mesh; nodes of no element, which are on no face, are left out."""
    loose = () if mesh._numbering is None else set(np.flatnonzero(mesh._numbering.places < 0).tolist())
    return (None if nodeset is None or faceset is not None else [mesh._place("nodeset", n) for n in nodeset if n not in loose],
            None if faceset is None else [[mesh._place("faceset", n) for n in face] for face in faceset])


def cut_faces(data, nodeset, faceset, surfid1, surfid2):
    """{set of nodes: {element: surface id}} of the faces to cut."""
    elements, count = [tuple(e) for e in data["elements"]], len(data["nodes"])
    inner = {face: pair for face, pair in _sides(elements).items() if len(pair) == 2}
    if faceset is None and nodeset is None:
        raise ValueError("nodeset, faceset: name the nodes or the faces along which to cut")
    if faceset is None:
        chosen = {_check.integer("nodeset", n, 0, count - 1) for n in nodeset}
        return {face: {e: surfid1 for e, _ in pair} for face, pair in inner.items() if face <= chosen}
    cut = {}
    for given in faceset:
        nodes = [_check.integer("faceset", n, 0, count - 1) for n in given]
        if frozenset(nodes) not in inner:
            raise ValueError(f"faceset: {sorted(nodes)}: the mesh has no such face between two elements")
        cut[frozenset(nodes)] = {e: surfid1 if _same_sense(list(face), nodes) else surfid2 for e, face in inner[frozenset(nodes)]}
    return cut


def split_along(data, cut):
    """[(MESH, original number of each of its nodes, original numbers of its elements), ...], one a connected part, of a mesh cut along faces
    {set of nodes: {element: id}}."""
    elements = [list(map(int, e)) for e in data["elements"]]
    nodes, origin = list(map(tuple, np.asarray(data["nodes"]))), list(range(len(data["nodes"])))
    surfaces = {(e, face): s for face, sides in cut.items() for e, s in sides.items()}
    joined = [(pair[0][0], pair[1][0], face) for face, pair in _sides(elements).items() if len(pair) == 2 and face not in cut]
    named = named_faces(data)
    before = [tuple(e) for e in elements]
    # A node of a cut is doubled for every group of its elements that no whole face around it joins to the first.
    for node in sorted(frozenset().union(*cut)) if cut else ():
        around = [e for e, element in enumerate(before) if node in element]
        place = {e: k for k, e in enumerate(around)}
        group = _parts(len(around), [(place[a], place[b]) for a, b, face in joined if node in face])
        for root in sorted(set(group))[1:]:
            nodes.append(nodes[node])
            origin.append(node)
            for e in (e for e, g in zip(around, group) if g == root):
                elements[e][before[e].index(node)] = len(nodes) - 1
    part = _parts(len(elements), [(a, b) for a, b, _ in joined])
    ids = {}
    for e, element in enumerate(before):
        for local in FACES[len(element)]:
            key = frozenset(element[i] for i in local)
            if (e, key) in surfaces or key in named:
                ids[tuple(elements[e][i] for i in local)] = surfaces.get((e, key), named.get(key))
    return [_numbered_part(data, np.array(nodes), elements, [e for e in range(len(elements)) if part[e] == p], ids, origin) for p in sorted(set(part))]


def _parts(count, pairs):
    """Number of the connected part of each of `count` items joined by pairs: the lowest of its items."""
    parent = list(range(count))

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for a, b in pairs:
        low, high = sorted((root(a), root(b)))
        parent[high] = low
    return [root(i) for i in range(count)]


def _numbered_part(data, nodes, elements, members, faces, origin):
    """The mesh of some elements with the original numbers of its nodes and of the elements; faces: {nodes: surface id}."""
    used = sorted({n for e in members for n in elements[e]})
    number = {n: k for k, n in enumerate(used)}
    own = {tuple(number[n] for n in face): s for face, s in faces.items() if all(n in number for n in face)}
    mesh = mesh_of(nodes[used], [[number[n] for n in elements[e]] for e in members], [data["volume_ids"][e] for e in members], data["surface_id"], own)
    return mesh, [origin[n] for n in used], members


def _part_mesh(data, nodes, elements, members, cut):
    """The mesh of some elements; cut: {set of nodes: surface id} of faces that were inside."""
    faces = listed_faces(data)
    for e in members:
        for local in FACES[len(elements[e])]:
            face = tuple(elements[e][i] for i in local)
            if frozenset(face) in cut:
                faces[face] = cut[frozenset(face)]
    return _numbered_part(data, nodes, elements, members, faces, range(len(nodes)))[0]
