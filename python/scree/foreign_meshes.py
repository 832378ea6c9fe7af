"""Mesh files that Scree has no reader for, read through meshio: volumes as they are, closed surfaces filled with tetrahedra."""
import contextlib
import io
import os
import tempfile

import numpy as np

from . import _scree
from .shapes import ELEMENT_FACES

#: Endings of names that Scree reads by itself.
OWN = (".msh", ".vtu", ".inp", ".stl")
#: Corners of volume elements and faces by meshio's name without the number of nodes.
_VOLUMES = {"tetra": 4, "pyramid": 5, "wedge": 6, "hexahedron": 8}
_FACES = {"triangle": 3, "quad": 4, "polygon": 0}
#: Cell data that number parts of a model, in the order they are looked for.
_IDS = ("volume", "medit:ref", "cell_tags", "gmsh:physical", "cell_ids", "obj:group_ids", "CellEntityIds", "material")


def _read(path):
    """meshio's mesh; OSError says what meshio said."""
    ending = os.path.splitext(path)[1]
    try:
        import meshio
    except ImportError:
        raise OSError(f"{path}: the ending '{ending}' is read through meshio, which is not installed: apt-get install python3-meshio, or pip install meshio; "
                      "Gmsh .msh, VTK .vtu, Abaqus .inp and .stl are read without it") from None
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            return meshio.read(path)
    except (Exception, SystemExit) as error:
        what = " ".join((said.getvalue() or str(error)).split())
        raise OSError(f"{path}: meshio cannot read it: {what or type(error).__name__}; write it as Gmsh .msh or VTK .vtu") from None


def _blocks(mesh, corners):
    """(array of corners, ids) of the cells whose kind is in a table of corners; 0 corners: all nodes of a cell."""
    names = [name for name in _IDS if name in mesh.cell_data]
    for k, block in enumerate(mesh.cells):
        kind = block.type.rstrip("0123456789")
        if kind in corners and len(block.data):
            ids = np.asarray(mesh.cell_data[names[0]][k] if names else np.zeros(len(block.data)), dtype=int)
            yield np.asarray(block.data)[:, :corners[kind] or None], ids


def _points(path, mesh):
    points = np.asarray(mesh.points, dtype=float)
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise OSError(f"{path}: finite points in space are expected, not an array of shape {points.shape}")
    return np.ascontiguousarray(points)


def _volume(points, mesh):
    """The engine's mesh of volume elements, with the ids of elements and of faces that have one."""
    elements, surfaces, used = [], [0], np.zeros(len(points), dtype=bool)
    for corners, ids in _blocks(mesh, _VOLUMES):
        used[corners] = True
        elements += [n for row, v in zip(corners.tolist(), ids.tolist()) for n in (len(row), *row, v)]
    number = np.cumsum(used) - 1
    outer = _outer_faces(mesh)
    for corners, ids in _blocks(mesh, {"triangle": 3, "quad": 4}):
        for row, s in zip(corners.tolist(), ids.tolist()):
            if s != 0 and frozenset(row) in outer:
                surfaces += [len(row), *number[row].tolist(), s]
    return _scree.make_mesh(np.ascontiguousarray(points[used]), _renumbered(elements, number), surfaces)


def _renumbered(packed, number):
    """Packed elements (count, nodes, id) with nodes counted anew."""
    out, at = [], 0
    while at < len(packed):
        count = packed[at]
        out += [count, *number[packed[at + 1:at + 1 + count]].tolist(), packed[at + 1 + count]]
        at += count + 2
    return out


def _outer_faces(mesh):
    """Faces of exactly one element, as sets of nodes."""
    seen = {}
    for corners, _ in _blocks(mesh, _VOLUMES):
        for row in corners.tolist():
            for face in ELEMENT_FACES[len(row)]:
                key = frozenset(row[i] for i in face)
                seen[key] = seen.get(key, 0) + 1
    return {key for key, count in seen.items() if count == 1}


def _surface(path, points, mesh):
    """The engine's mesh that fills a closed surface; parts of the surface, such as groups of an .obj file, get surface ids 0, 1, ..."""
    parts = {}
    for corners, ids in _blocks(mesh, _FACES):
        for row, part in zip(corners.tolist(), ids.tolist()):
            parts.setdefault(part, []).extend((row[0], row[k], row[k + 1]) for k in range(1, len(row) - 1))
    with tempfile.TemporaryDirectory() as folder:
        surface = os.path.join(folder, "surface.stl")
        with open(surface, "w") as file:
            for part in sorted(parts):
                file.write("solid\n")
                for triangle in parts[part]:
                    file.write("facet\nouter loop\n" + "".join("vertex {!r} {!r} {!r}\n".format(*points[v].tolist()) for v in triangle) + "endloop\nendfacet\n")
                file.write("endsolid\n")
        try:
            return _scree.read_mesh(surface)
        except OSError as error:
            raise OSError(str(error).replace(surface, path)) from None


def read(path):
    """The engine's shape of a file."""
    if not os.path.isfile(path):
        raise OSError(f"{path}: there is no such file")
    mesh = _read(path)
    points = _points(path, mesh)
    if any(True for _ in _blocks(mesh, _VOLUMES)):
        return _volume(points, mesh)
    if any(True for _ in _blocks(mesh, _FACES)):
        return _surface(path, points, mesh)
    raise OSError(f"{path}: it holds neither tetrahedra, pyramids, wedges and hexahedra nor a surface")
