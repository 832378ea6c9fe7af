"""Natural modes of finite element bodies, and bases for reduced ones."""
import os
import zipfile

import numpy as np

from .. import _check
from ._arguments import flag, routine, text
from .bodies import body_of
from .domain import domain
from .state import chosen

__all__ = ["MODAL_ANALYSIS", "RIGID_DISPLACEMENTS", "COROTATED_DISPLACEMENTS", "REGISTER_BASE"]


def _elements(body):
    """The handle of a finite element body."""
    handle = body_of("body", body)._handle
    if handle.kind != "finite_element":
        raise ValueError(f"body = {body!r}: a BODY of kind 'FINITE_ELEMENT' is expected")
    return handle


def _rigid(handle):
    """Six rigid displacements of the undeformed nodes, rows: along x, y, z, about x, y, z."""
    nodes = handle._engine.reference_nodes(handle.id).reshape(-1, 3)
    arms = nodes - nodes.mean(axis=0)
    rows = [np.tile(axis, len(nodes)) for axis in np.eye(3)] + [np.cross(axis, arms).ravel() for axis in np.eye(3)]
    return np.array(rows)


@routine
def RIGID_DISPLACEMENTS(body):
    """obj = RIGID_DISPLACEMENTS (body): six lists, the rigid displacements of the nodes of a finite element body as unit vectors: along x, y, z,
    and about axes x, y, z through the middle of the nodes."""
    rows = _rigid(_elements(body))
    return [body._by_node(row).tolist() for row in rows / np.linalg.norm(rows, axis=1)[:, None]]


def _mass_orthonormal(handle, rows):
    """The rows made orthonormal in the mass matrix, one after the other."""
    at, to, mass, _ = handle._engine.matrices(handle.id)

    def times(v):
        out = np.zeros_like(v)
        np.add.at(out, at, mass * v[to])
        off = at != to
        np.add.at(out, to[off], mass[off] * v[at[off]])
        return out

    made = []
    for row in rows:
        for other in made + made:
            row = row - (other @ times(row)) * other
        made.append(row / np.sqrt(row @ times(row)))
    return np.array(made)


@routine
def MODAL_ANALYSIS(body=None, num=6, path=None, abstol=1e-11, maxiter=100, verbose="OFF"):
    """(vals, vecs) = MODAL_ANALYSIS (body, num, path | abstol, maxiter, verbose): the lowest modes of a free finite element body in its reference
    configuration, the six rigid ones first.

    vals: list of `num` eigenvalues, squares of the circular frequencies, 1/s^2, ascending (rigid ones 0). vecs: list of the modes one after the other,
    three numbers a node, of unit mass. path: file that keeps them (".npz" is appended); its folder is made; when it holds as many modes they are
    read. abstol, maxiter: checked; frequencies are found to about 1e-9. verbose: 'ON' prints the frequencies."""
    if body is None:
        raise ValueError("body = None: a BODY of kind 'FINITE_ELEMENT' is expected")
    handle, num = _elements(body), _check.integer("num", num, 1)
    _check.positive("abstol", abstol), _check.integer("maxiter", maxiter, 1)
    stored = None if path is None else text("path", path).removesuffix(".npz") + ".npz"
    found = _read_modes(stored, num, len(handle.conf))
    if found is None:
        found = _lowest(handle, num)
        if stored is not None:
            _write_modes(stored, *found)
    vals, vecs = found
    if flag("verbose", verbose) == "ON":
        for k, value in enumerate(vals):
            print(f"mode {k}: {np.sqrt(value) / (2 * np.pi):.6g} Hz")
    return vals.tolist(), np.ravel([body._by_node(row) for row in vecs]).tolist()


def _lowest(handle, num):
    """(values, shapes as rows) of the lowest modes."""
    rigid = _mass_orthonormal(handle, _rigid(handle))
    if num <= 6:
        return np.zeros(num), rigid[:num]
    frequencies, shapes = handle._engine.modes(handle.id, num - 6)
    return np.concatenate([np.zeros(6), frequencies**2]), np.concatenate([rigid, shapes.T])


def _write_modes(path, vals, vecs):
    """The file is whole or not there."""
    part = f"{path}.part{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(part, "wb") as file:
            np.savez(file, vals=vals, vecs=vecs)
        os.replace(part, path)
    except OSError as error:
        raise OSError(f"{path}: cannot write there: {error.strerror}") from None
    finally:
        if os.path.exists(part):
            os.remove(part)


def _read_modes(path, num, size):
    """Stored modes when they are as many and of this size."""
    if path is None or not os.path.exists(path):
        return None
    try:
        with zipfile.ZipFile(path) as parts:
            if sum(part.file_size for part in parts.infolist()) > (32 << 20) + 64 * os.path.getsize(path):
                raise ValueError("its arrays unpack to more than a file of this size holds")
        with np.load(path) as stored:
            vals, vecs = np.asarray(stored["vals"], float), np.asarray(stored["vecs"], float)
        if vals.ndim != 1 or vecs.ndim != 2 or len(vals) != len(vecs) or not (np.isfinite(vals).all() and np.isfinite(vecs).all()):
            raise ValueError("not a frequency and a shape for every mode")
    except Exception as error:  # whatever an archive may have wrong with it
        raise OSError(f"{path}: it holds no modes that MODAL_ANALYSIS stored ({error}); remove it, or give another path") from None
    if vecs.shape[1] != size:
        raise ValueError(f"path = '{path}': it holds modes of {vecs.shape[1]} numbers, the body has {size}: they belong to another one; remove it")
    return (vals, vecs) if len(vals) == num else None


@routine
def REGISTER_BASE(solfec, base, label):
    """REGISTER_BASE (solfec, base, label): keep a base (values, vectors), as MODAL_ANALYSIS returns it, under a label that BODY takes as base."""
    domain("solfec", solfec)
    if not isinstance(base, (tuple, list)) or len(base) != 2:
        raise ValueError("base: a pair (values, vectors) is expected, as MODAL_ANALYSIS returns it")
    solfec._bases[text("label", label)] = base


@routine
def COROTATED_DISPLACEMENTS(solfec, subset, sampling=None):
    """obj = COROTATED_DISPLACEMENTS (solfec, subset | sampling): a list that fills, during every RUN from now on, with displacements of the nodes of
    finite element bodies, one list a body and time, from which translation and mean rotation are taken out.

    subset: bodies as in XDMF_EXPORT; all of them with as many nodes. sampling: seconds between samples, or a list of times (default: as often as
    OUTPUT writes). In 'READ' mode FORWARD with 'TRUE' fills it."""
    domain("solfec", solfec)
    bodies = chosen(solfec, subset)
    sizes = {len(_elements(b).conf) for b in bodies}
    if len(sizes) != 1:
        raise ValueError("subset: the bodies must have as many nodes each")
    taken = []

    def sample():
        taken.extend(_corotated(b).tolist() for b in bodies)

    solfec._samplers.append(sample)
    listed = isinstance(sampling, (list, tuple, np.ndarray))
    interval = 0.0 if listed else solfec._interval if sampling is None else _check.number("sampling", sampling, 0.0)
    waiting = sorted(_check.number("sampling", t) for t in sampling) if listed else [solfec.time + interval]

    def look(sim):
        while waiting and sim.time >= waiting[0] - 0.5 * sim.step:
            last = waiting.pop(0)
            sample()
            if not listed:
                waiting.append(last + max(interval, sim.step))

    solfec._sim.callback(interval, look)
    return taken


def _corotated(body):
    """Displacements of the nodes without translation and mean rotation, flat."""
    deformed = body._deformed()
    X = deformed._engine.reference_nodes(deformed.id).reshape(-1, 3)
    x = np.asarray(deformed.conf).reshape(-1, 3)
    center = np.array(body.center)
    return np.ravel(body._by_node(((x - deformed.position) @ deformed.rotation + center - X).ravel()))
