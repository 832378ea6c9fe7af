"""Measures as fields: on the cells of a grid and on bodies, and their files for ParaView."""
import base64
import os

import numpy as np

from .. import _check
from ..export import frames_of
from ..movies import whole
from ..results import Results
from .grid import Grid
from .packing import body_stress, coordination, deviator, fabric, pressure, stress, weighted_volume
from .snapshot import snapshot


@_check.keywords
def grid_fields(source, grid, frame=-1, bodies=None):
    """Everything on the cells of a Grid: dictionary of arrays (nx, ny, nz, ...).

    porosity; density (kg/m^3); velocity (m/s, mean over mass); stress (Pa, tension positive), pressure and deviator (Pa); fabric; contacts (number of
    contact points)."""
    now = snapshot(source, frame)
    mask = now.select(bodies)
    names = now.ids[mask]
    rho = now.masses / np.where(now.volumes > 0, now.volumes, 1.0)
    solid = weighted_volume(now, mask, grid, np.column_stack([np.ones(len(rho)), rho, rho[:, None] * now.velocities])) / grid.cell_volume
    sigma = stress(now, grid, bodies=names)
    contacts = np.zeros(grid.cells)
    grid.add(contacts, grid.index(now.contacts["point"]), np.ones(len(now.pairs)))
    filled = np.maximum(solid[..., 1:2], 1e-12 * max(float(rho.max(initial=0.0)), 1e-300))
    return {"porosity": 1.0 - solid[..., 0], "density": solid[..., 1], "velocity": solid[..., 2:] / filled, "stress": sigma,
            "pressure": pressure(sigma), "deviator": deviator(sigma), "fabric": np.nan_to_num(fabric(now, grid, bodies=names)), "contacts": contacts}


@_check.keywords
def body_fields(source, frame=-1, bodies=None):
    """Measures of every body: dictionary of arrays in the order of its `id`: id, position (m), velocity (m/s), coordination, stress
    (Pa, tension positive), pressure and deviator (Pa)."""
    now = snapshot(source, frame)
    mask = now.select(bodies)
    ids, sigma = body_stress(now, bodies=now.ids[mask])
    return {"id": ids, "position": now.positions[mask], "velocity": now.velocities[mask], "coordination": coordination(now, bodies=ids).numbers,
            "stress": sigma, "pressure": pressure(sigma), "deviator": deviator(sigma)}


# --- files -------------------------------------------------------------------------------------------------------

def _data(name, values, rows):
    """A DataArray of VTK's XML files, base64 of little-endian doubles."""
    flat = np.ascontiguousarray(values, dtype="<f8").reshape(rows, -1)
    raw = flat.tobytes()
    text = base64.b64encode(np.uint64(len(raw)).tobytes() + raw).decode()
    return f'<DataArray type="Float64" Name="{name}" NumberOfComponents="{flat.shape[1]}" format="binary">{text}</DataArray>'


def _document(kind, inner):
    return f'<?xml version="1.0"?>\n<VTKFile type="{kind}" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n{inner}\n</VTKFile>\n'


def _image(grid, fields):
    """A .vti document: cell data of a regular grid, x fastest."""
    extent = " ".join(f"0 {n}" for n in grid.cells)
    arrays = "\n".join(_data(name, np.swapaxes(values, 0, 2), int(np.prod(grid.cells))) for name, values in fields.items())
    place = " ".join(f"{x:.17g}" for x in grid.low), " ".join(f"{x:.17g}" for x in grid.size)
    return _document("ImageData", f'<ImageData WholeExtent="{extent}" Origin="{place[0]}" Spacing="{place[1]}">\n<Piece Extent="{extent}">\n'
                     f"<CellData>\n{arrays}\n</CellData>\n</Piece>\n</ImageData>")


def _points(fields):
    """A .vtp document: one point a body with its measures."""
    n = len(fields["id"])
    arrays = "\n".join(_data(name, values, n) for name, values in fields.items() if name != "position")
    cells = "".join(f'<DataArray type="Int64" Name="{name}" format="ascii">{" ".join(map(str, values))}</DataArray>'
                    for name, values in (("connectivity", range(n)), ("offsets", range(1, n + 1))))
    return _document("PolyData", f'<PolyData>\n<Piece NumberOfPoints="{n}" NumberOfVerts="{n}">\n<Points>{_data("position", fields["position"], n)}</Points>\n'
                     f"<Verts>{cells}</Verts>\n<PointData>\n{arrays}\n</PointData>\n</Piece>\n</PolyData>")


def _collection(entries):
    """A .pvd document: files in time."""
    rows = "\n".join(f'<DataSet timestep="{time:.17g}" part="0" file="{name}"/>' for time, name in entries)
    return f'<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">\n<Collection>\n{rows}\n</Collection>\n</VTKFile>\n'


def default_grid(results, frames, bodies, cells):
    """A Grid around the chosen bodies over all chosen frames; cells: three numbers, or one along the longest edge with cubes nearly."""
    corners = [now.bounds(now.select(bodies)) for now in (snapshot(results, k) for k in frames)]
    low, high = np.min([c[0] for c in corners], axis=0), np.max([c[1] for c in corners], axis=0)
    if np.ndim(cells) == 0:
        edge = np.max(high - low) / _check.integer("cells", cells, 1)
        cells = tuple(int(max(1, round(length / edge))) for length in high - low)
    return Grid(low, high, cells)


@_check.keywords
def to_fields(results, folder, frames=None, grid=None, cells=12, bodies=None):
    """Measures as files for ParaView: fields.pvd (a .vti a frame: grid_fields) and grains.pvd (a .vtp a frame: body_fields). grid: a Grid; default
    `cells` cells along the longest edge of the box around the bodies. Returns the two paths."""
    results = results if isinstance(results, Results) else Results(results)
    folder = os.fspath(folder)
    frames = frames_of(results) if frames is None else [int(k) for k in frames]
    grid = default_grid(results, frames, bodies, cells) if grid is None else grid
    os.makedirs(folder, exist_ok=True)
    entries = {"fields": [], "grains": []}
    for k in frames:
        now = snapshot(results, k)
        names = now.ids[now.select(bodies)]
        for group, ending, text in (("fields", "vti", _image(grid, grid_fields(now, grid, bodies=names))), ("grains", "vtp", _points(body_fields(now, bodies=names)))):
            name = f"{group}_{k:06d}.{ending}"
            _write(os.path.join(folder, name), text)
            entries[group].append((now.time, name))
    return [_write(os.path.join(folder, f"{group}.pvd"), _collection(rows)) for group, rows in entries.items()]


def _write(path, text):
    with whole(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    return path
