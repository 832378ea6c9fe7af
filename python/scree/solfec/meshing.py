"""Meshes made from other shapes, bent, or turned into polyhedra."""
import math
import os
import shutil
import subprocess
import tempfile

import numpy as np

from .. import _check, _scree
from .. import shapes as modern
from ._arguments import routine, text
from .mesh import MESH, listed_faces, mesh_of, one_mesh, outer_faces
from .python2 import find
from .shapes import CONVEX, as_one, objects, put

__all__ = ["ELLIP_MESH", "TETRAHEDRALIZE", "BEND", "MESH2CONVEX"]


def _icosphere(frequency):
    """Vertices on the unit sphere and triangles of an icosahedron whose faces are cut into frequency^2 triangles each."""
    golden = 0.5 * (1 + math.sqrt(5))
    corners = np.array([(s * 1, t * golden, 0) for s in (-1, 1) for t in (-1, 1)])
    corners = np.concatenate([np.roll(corners, k, axis=1) for k in range(3)])
    gaps = np.linalg.norm(corners[:, None] - corners[None], axis=2)
    near = np.isclose(gaps, 2.0)
    triangles = [(i, j, k) for i in range(12) for j in range(i + 1, 12) if near[i, j] for k in range(j + 1, 12) if near[i, k] and near[j, k]]
    index, points, faces = {}, [], []

    def vertex(x):
        key = tuple(np.round(x, 9))
        if key not in index:
            index[key] = len(points)
            points.append(x / np.linalg.norm(x))
        return index[key]

    for i, j, k in triangles:
        a, b, c = corners[i], corners[j], corners[k]
        if np.dot(np.cross(b - a, c - a), a) < 0:
            b, c = c, b
        grid = [[vertex(a + (b - a) * (p / frequency) + (c - a) * (q / frequency)) for q in range(frequency + 1 - p)] for p in range(frequency + 1)]
        for p in range(frequency):
            for q in range(frequency - p):
                faces.append((grid[p][q], grid[p + 1][q], grid[p][q + 1]))
                if q < frequency - p - 1:
                    faces.append((grid[p + 1][q], grid[p + 1][q + 1], grid[p][q + 1]))
    return np.array(points), faces


def _volume_lost(points, faces):
    """Share of the unit ball's volume that is outside the polyhedron."""
    inside = sum(np.dot(points[i], np.cross(points[j], points[k])) for i, j, k in faces) / 6
    return 1 - inside / (4 / 3 * math.pi)


@routine
def ELLIP_MESH(center, radii, error, volid, surfid):
    """obj = ELLIP_MESH (center, radii, error, volid, surfid): a MESH of an ellipsoid with semi-axes radii along x, y, z (m).

    error: share of the volume, between 0 and 1, that the flat outer faces may cut off. The mesh is as coarse as this allows: shells of
    wedges around a core of tetrahedra."""
    center, radii = _check.vector("center", center), _check.vector("radii", radii)
    if not (radii > 0).all():
        raise ValueError(f"radii = {tuple(radii)}: semi-axes must be positive")
    error = _check.number("error", error, 0.0, 1.0, open_low=True)
    volume, surface = _check.integer("volid", volid), _check.integer("surfid", surfid)
    for frequency in range(1, 41):
        points, faces = _icosphere(frequency)
        if _volume_lost(points, faces) <= error:
            break
    else:
        raise ValueError(f"error = {error:g}: it takes more than 40 elements along an edge; use {_volume_lost(points, faces):.2g} or more")
    shells, count = max(1, round(0.8 * frequency)), len(points)
    nodes = np.concatenate([[np.zeros(3)], *(points * (s + 1) / shells for s in range(shells))])
    elements = [(1 + i, 1 + j, 1 + k, 0) for i, k, j in faces]
    for s in range(shells - 1):
        low, high = 1 + s * count, 1 + (s + 1) * count
        elements += [(low + i, low + j, low + k, high + i, high + j, high + k) for i, j, k in faces]
    return mesh_of(center + nodes * radii, elements, [volume] * len(elements), surface, {})


@routine
def MESH2CONVEX(mesh):
    """obj = MESH2CONVEX (mesh): the elements of a MESH, which stays as it is, as a collection of CONVEX objects; volume ids, and surface
    ids of outer faces, stay."""
    return CONVEX._of(modern.join(*_mesh_pieces(mesh)))


def _mesh_pieces(mesh):
    """Polyhedra of a mesh's elements without the memory of the mesh."""
    if not isinstance(mesh, MESH):
        raise ValueError(f"mesh = {mesh!r}: a MESH object is expected")
    for piece in mesh._shape.pieces:
        packed = [n for face, s in zip(piece["faces"], piece["surface_ids"]) for n in (len(face), *face, s)]
        yield modern.Shape(_scree.make_convex(np.ascontiguousarray(piece["vertices"]), packed, piece["volume_id"]))


@routine
def BEND(shape, point, direction, angle):
    """obj = BEND (shape, point, direction, angle): bend a MESH, in place, about the axis along `direction` through `point`, by an
    angle in degrees above 0, at most 360.

    The axis must pass beside the mesh. What lies ahead of the plane through the axis and the nearest part of the mesh, turning about
    the axis, is wrapped around it; the fibre nearest to the axis keeps its length, what is longer goes on straight."""
    members = objects("shape", shape)
    if not all(isinstance(m, MESH) for m in members):
        raise ValueError(f"shape = {shape!r}: MESH objects are expected")
    origin, axis = _check.vector("point", point), _check.direction("direction", direction)
    axis = axis / np.linalg.norm(axis)
    turn = _check.number("angle", angle, 0.0, 360.0, open_low=True)
    for member in members:
        member._changed("BEND")
    meshes = [one_mesh("shape", m) for m in members]
    arms = np.concatenate([np.asarray(m["nodes"]) for m in meshes]) - origin
    arms -= np.outer(arms @ axis, axis)
    start = _start_direction(arms, axis)
    radii = arms @ start
    if not radii.min() > 0:
        raise ValueError(f"point = {tuple(origin)}: the axis must pass beside the shape, which lies between {radii.min():g} and {radii.max():g} m from it")

    def bent(nodes):
        return _bend(np.asarray(nodes), origin, axis, start, radii.min(), math.radians(turn))

    made = [mesh_of(bent(m["nodes"]), m["elements"], m["volume_ids"], m["surface_id"], listed_faces(m)) for m in meshes]
    put(members, [mesh._value for mesh in made], lambda x: bent([x])[0])
    return shape


def _start_direction(arms, axis):
    """Unit vector from the axis to the nearest point of the shape, both seen along the axis."""
    across = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.9 else [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across)
    plane = np.stack([across, np.cross(axis, across)])
    outline = _outline(arms @ plane.T)
    nearest = None
    for a, b in zip(outline, np.roll(outline, -1, axis=0)):
        share = np.clip(-(a @ (b - a)) / max((b - a) @ (b - a), 1e-300), 0.0, 1.0)
        foot = a + share * (b - a)
        if nearest is None or foot @ foot < nearest @ nearest:
            nearest = foot
    size = np.linalg.norm(nearest)
    return nearest @ plane / size if size > 0 else np.zeros(3)


def _outline(points):
    """Corners of the convex hull of points in the plane, in order."""
    def chain(ordered):
        kept = []
        for p in ordered:
            while len(kept) > 1:
                (ax, ay), (bx, by) = kept[-1] - kept[-2], p - kept[-2]
                if ax * by - ay * bx > 0:
                    break
                kept.pop()
            kept.append(p)
        return kept[:-1]

    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    return np.array(chain(ordered) + chain(ordered[::-1]))


def _bend(nodes, origin, axis, start, inner, turn):
    """Nodes wrapped about the axis: lengths along the bend become angles at the inner radius, up to `turn`."""
    ahead = np.cross(axis, start)
    arms = nodes - origin
    radius, length, along = arms @ start, arms @ ahead, arms @ axis
    angle = np.clip(length / inner, 0.0, turn)
    rest = length - angle * inner
    radial = np.outer(np.cos(angle), start) + np.outer(np.sin(angle), ahead)
    tangent = np.outer(np.cos(angle), ahead) - np.outer(np.sin(angle), start)
    return origin + radius[:, None] * radial + rest[:, None] * tangent + np.outer(along, axis)


@routine
def TETRAHEDRALIZE(shape, path, volume=None, quality=None, volid=None, surfid=None):
    """obj = TETRAHEDRALIZE (shape, path | volume, quality, volid, surfid): a MESH of tetrahedra that fills a CONVEX object or a MESH, or the closed
    surface in a file that TetGen reads (.stl, .poly, .smesh, .off, .ply).

    path: file that keeps the mesh, as text; when it is there already it is read instead. volume: largest volume of a tetrahedron, m^3.
    quality: largest ratio of circumscribed radius to shortest edge, above 1. volid, surfid: ids of the result (default: those of the shape; of
    a file 0 and its boundary markers). The mesher is TetGen, which must be installed (Debian: apt-get install tetgen)."""
    path = text("path", path)
    size = None if volume is None else _check.positive("volume", volume)
    ratio = None if quality is None else _check.number("quality", quality, 1.0, open_low=True)
    if isinstance(shape, str):
        if not os.path.exists(path):
            _write_tetrahedra(path, *_mesh_file(shape, None if surfid is None else _check.integer("surfid", surfid), size, ratio))
        return _read_tetrahedra(path, 0 if volid is None else _check.integer("volid", volid))
    members = objects("shape", shape)
    pieces = as_one(members)._native
    default_volume = pieces.piece(0)["volume_id"]
    vid = default_volume if volid is None else _check.integer("volid", volid)
    nodes, facets, ids = _surface(members)
    if surfid is not None:
        ids = [_check.integer("surfid", surfid)] * len(facets)
    if not os.path.exists(path):
        _write_tetrahedra(path, *_run_tetgen(nodes, facets, ids, size, ratio))
    return _read_tetrahedra(path, vid)


def _surface(members):
    """Vertices, outer faces and their surface ids of one convex object or one mesh."""
    if len(members) != 1:
        raise ValueError(f"shape: one object is expected, not {len(members)}")
    if isinstance(members[0], MESH):
        return _boundary(one_mesh("shape", members[0]))
    pieces = members[0]._shape.pieces
    if len(pieces) != 1 or pieces[0]["kind"] != "polyhedron":
        raise ValueError("shape: one CONVEX object or one MESH is expected")
    return np.asarray(pieces[0]["vertices"]), [list(f) for f in pieces[0]["faces"]], list(pieces[0]["surface_ids"])


def _boundary(mesh):
    """Nodes on the boundary of a mesh, its outer faces and their surface ids."""
    faces, ids = zip(*outer_faces(mesh))
    used = sorted({n for face in faces for n in face})
    number = {n: k for k, n in enumerate(used)}
    return np.asarray(mesh["nodes"])[used], [[number[n] for n in face] for face in faces], list(ids)


def _run_tetgen(nodes, facets, ids, size, ratio):
    """(nodes, tetrahedra, boundary triangles, their surface ids) from TetGen."""
    def write(folder):
        with open(os.path.join(folder, "in.smesh"), "w") as file:
            file.write(f"{len(nodes)} 3 0 0\n" + "".join(f"{k} {x!r} {y!r} {z!r}\n" for k, (x, y, z) in enumerate(nodes.tolist())))
            # markers count from 1: 0 means an inner face
            file.write(f"{len(facets)} 1\n" + "".join(f"{len(f)} {' '.join(map(str, f))} {k + 1}\n" for k, f in enumerate(facets)) + "0\n0\n")
        return "in.smesh"

    points, cells, faces = _tetgen(write, size, ratio)
    outer = [row for row in faces if row[-1] > 0]
    return points, cells, [row[:3] for row in outer], [ids[row[3] - 1] for row in outer]


def _mesh_file(source, surfid, size, ratio):
    """The same of a surface in a file; surface ids are its markers unless one is given."""
    place = find(source)
    if not os.path.isfile(place):
        raise ValueError(f"shape = '{source}': there is no such file")

    def copy(folder):
        name = "in" + os.path.splitext(place)[1].lower()
        shutil.copyfile(place, os.path.join(folder, name))
        return name

    points, cells, faces = _tetgen(copy, size, ratio)
    sides = {}
    for cell in cells:
        for leave in range(4):
            sides.setdefault(frozenset(cell) - {cell[leave]}, []).append(cell)
    outer = [row for row in faces if len(sides[frozenset(row[:3])]) == 1]
    return points, cells, [row[:3] for row in outer], [max(row[3], 0) if surfid is None else surfid for row in outer]


def _tetgen(prepare, size, ratio):
    """(points, tetrahedra, triangles with their marker) that TetGen makes of the file prepare (folder) names."""
    program = shutil.which("tetgen")
    if program is None:
        raise ValueError("no mesher is installed; install TetGen (Debian: apt-get install tetgen), or use HEX, ROUGH_HEX or ELLIP_MESH")
    with tempfile.TemporaryDirectory() as folder:
        name = prepare(folder)
        flags = "-pzQ" + (f"q{ratio:g}" if ratio else "") + (f"a{size:.12g}" if size else "")
        done = subprocess.run([program, flags, name], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0 or not os.path.exists(os.path.join(folder, "in.1.ele")):
            raise ValueError(f"shape: TetGen could not fill it: {(done.stdout + done.stderr).strip().splitlines()[-1:] or 'no message'}")
        points, cells, faces = (_table(os.path.join(folder, f"in.1.{kind}")) for kind in ("node", "ele", "face"))
    return (np.array([row[1:4] for row in points]), [[int(v) for v in row[1:5]] for row in cells],
            [[*(int(v) for v in row[1:4]), int(row[4]) if len(row) > 4 else 0] for row in faces])


def _table(path):
    """Rows of numbers after the header of a TetGen file."""
    with open(path) as file:
        rows = [[float(x) for x in line.split()] for line in file if line.strip() and not line.startswith("#")]
    return rows[1:1 + int(rows[0][0])]


def _write_tetrahedra(path, nodes, tetrahedra, faces, surfaces):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(f"scree-tetrahedra {len(nodes)} {len(tetrahedra)} {len(faces)}\n")
        file.writelines(f"{x!r} {y!r} {z!r}\n" for x, y, z in nodes.tolist())
        file.writelines(f"{' '.join(map(str, t))}\n" for t in tetrahedra)
        file.writelines(f"{' '.join(map(str, f))} {s}\n" for f, s in zip(faces, surfaces))


def _read_tetrahedra(path, volume):
    with open(path) as file:
        lines = file.read().split("\n")
    try:
        name, *counts = lines[0].split()
        n, t, f = (int(c) for c in counts)
        if name != "scree-tetrahedra" or min(n, t, f) < 0 or n + t + f + 1 > len(lines):
            raise ValueError
        nodes = np.array([[float(x) for x in line.split()] for line in lines[1:1 + n]])
        cells = [[int(x) for x in line.split()] for line in lines[1 + n:1 + n + t]]
        faces = [[int(x) for x in line.split()] for line in lines[1 + n + t:1 + n + t + f]]
    except ValueError:
        raise ValueError(f"path = '{path}': it is not a mesh written by TETRAHEDRALIZE; remove it or choose another path") from None
    first = faces[0][-1] if faces else 0
    return mesh_of(nodes, cells, [volume] * len(cells), first, {tuple(face[:-1]): face[-1] for face in faces if face[-1] != first})
