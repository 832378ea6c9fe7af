"""States and results that go out of a simulation or come into one."""
import os
import re

import numpy as np

from .. import _check, pictures, results
from ..export import frames_of, to_xdmf
from ._arguments import flag, routine, text
from .bodies import BODY, body_of
from .domain import domain

__all__ = ["INITIALIZE_STATE", "RIGID_TO_FEM", "XDMF_EXPORT", "MBFCP_EXPORT", "LOCDYN_DUMP", "BODY_MM_EXPORT", "MODAL_ANALYSIS", "DISPLAY_POINT",
           "RENDER"]


def _chosen(solfec, subset):
    """Bodies of a SOLFEC that a subset names: None for all, a BODY, a label, a pattern of labels, or a list of these."""
    if subset is None:
        return solfec.bodies
    picked = []
    for item in subset if isinstance(subset, (list, tuple)) else [subset]:
        if isinstance(item, BODY):
            picked.append(body_of("subset", item, solfec))
            continue
        found = [b for b in solfec.bodies if b.label and re.fullmatch(text("subset", item), b.label)]
        if not found:
            raise ValueError(f"subset: no body has the label '{item}'{_check.nearest(item, [b.label for b in solfec.bodies if b.label])}")
        picked += [b for b in found if b not in picked]
    return picked


def _frame_at(path, time):
    """The stored frame nearest to a time, with the row of each body in it by label and by id."""
    stored = _opened(text("path", path))
    if not len(stored):
        raise ValueError(f"path = '{path}': the results have no frames")
    index = int(np.argmin(np.abs(stored.times - _check.number("time", time))))
    frame = stored.frame(index)
    frame.state = lambda row: stored.state(index, int(frame.ids[row]))
    rows = {}
    for at, row in enumerate(frame.rows):
        body = stored.bodies[row]
        rows[body["id"]] = at
        if body["label"]:
            rows.setdefault(body["label"], at)
    return frame, rows


def _opened(path):
    """Results in a folder or file; OSError says what to do when they are not there."""
    try:
        return results.read(path)
    except OSError as error:
        raise OSError(f"path = '{path}': {error}; give the folder of a run's results") from None


def _matches(solfec, path, time, subset):
    """(body, frame, row) of the bodies that a stored frame has: by label where a body has one, else by number."""
    frame, rows = _frame_at(path, time)
    pairs = []
    for body in _chosen(solfec, subset):
        key = body.label or body.id
        if key not in rows:
            raise ValueError(f"path = '{path}': the results have no body {key!r} at t = {frame.time:g} s; name those they have in subset")
        pairs.append((body, frame, rows[key]))
    return pairs


@routine
def INITIALIZE_STATE(solfec, path, time, subset=None):
    """INITIALIZE_STATE (solfec, path, time | subset): put bodies where the results in a folder have them at a time (s; nearest frame), with
    their velocities.

    Bodies are matched by label where they have one, else by number. subset: a BODY, a label or pattern of labels, or a list of these
    (default: all bodies). Nothing changes unless all of them are there."""
    domain("solfec", solfec)
    for body, frame, at in _matches(solfec, path, time, subset):
        _restore(body, frame, at)


@routine
def RIGID_TO_FEM(path, time, solfec, subset=None):
    """RIGID_TO_FEM (path, time, solfec | subset): give bodies of any kind the rigid motion that the results of another, rigid run have at
    a time (s; nearest frame): place, rotation, velocity, angular velocity. Bodies are matched as in INITIALIZE_STATE."""
    domain("solfec", solfec)
    for body, frame, at in _matches(solfec, path, time, subset):
        _place_rigidly(body, frame, at)


def _restore(body, frame, at):
    state = frame.state(at) if body._handle.deforms else None
    if state is None:
        _place_rigidly(body, frame, at)
    else:
        body._solfec._engine.set_state(body.id, *state)


def _place_rigidly(body, frame, at):
    engine = body._solfec._engine
    # a deformation gradient leaves its rotation
    left, _, right = np.linalg.svd(frame.rotations[at])
    engine.set_placement(body.id, left @ right, frame.positions[at])
    if body.kind != "OBSTACLE":
        engine.set_velocity(body.id, frame.velocities[at], frame.angular_velocities[at])


@routine
def XDMF_EXPORT(solfec, time, path, subset=None, attributes=None):
    """XDMF_EXPORT (solfec, time, path | subset, attributes): write results for ParaView: path.xdmf with its numbers beside it.

    time: one time, a pair (t0, t1) or a list of times, s. subset: a BODY, a label or pattern of labels, or a list of these (default: all bodies).
    attributes: names among 'DISP', 'VELO', 'STRESS', 'REAC', ...; all that the results have is written whatever is asked for."""
    domain("solfec", solfec)
    stored = solfec._results()
    target = text("path", path)
    target = target if target.endswith(".xdmf") else target + ".xdmf"
    if isinstance(time, tuple) and len(time) == 2:
        frames = frames_of(stored, times=time)
    else:
        wanted = [_check.number("time", t) for t in np.ravel(time)]
        frames = sorted({int(np.argmin(np.abs(stored.times - t))) for t in wanted})
    for name in [] if attributes is None else attributes:
        text("attributes", name)
    os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
    to_xdmf(stored, target, frames, None if subset is None else [b.id for b in _chosen(solfec, subset)], True)


@routine
def MBFCP_EXPORT(solfec, path):
    """MBFCP_EXPORT (solfec, path): write the multi-body frictional contact problem of the present state as text: bodies (mass, inertia,
    configuration, velocity), gravity, and contacts (bodies, point, base, gap, friction, force). One item a line, keywords first; SI units."""
    domain("solfec", solfec)
    lines = [f"TIME {solfec.time!r}", f"STEP {solfec.step!r}", "GRAVITY " + _words(solfec._sim.gravity), f"BODIES {solfec.nbod}"]
    for body in solfec.bodies:
        lines.append(f"BODY {body.id} {body.kind} {body.label or '-'}")
        lines += [f"MASS {body.mass!r}", "TENSOR " + _words(body.tensor)]
        if body.kind != "OBSTACLE":
            lines += ["CONF " + _words(body.conf), "VELO " + _words(body.velo)]
    contacts = [c for c in solfec.constraints if c.kind == "CONTACT"]
    lines.append(f"CONTACTS {len(contacts)}")
    for contact in contacts:
        one, two = contact.adjbod
        friction = solfec._surface_law(contact._row["material"])["friction"]
        lines.append(f"CONTACT {one.id} {two.id} POINT {_words(contact.point)} BASE {_words(contact.base)} GAP {contact.gap!r} FRICTION {friction!r} "
                     f"R {_words(contact.R)}")
    with open(text("path", path), "w") as file:
        file.write("\n".join(lines) + "\n")


def _words(values):
    return " ".join(repr(float(x)) for x in np.ravel(values))


@routine
def LOCDYN_DUMP(solfec, path):
    """LOCDYN_DUMP (solfec, path): write the contact problem of the last step (W, B, friction) and its solution as an FCLIB file,
    which `scree solve` and `scree bench solvers` read."""
    domain("solfec", solfec)
    solfec._sim.export_problem(text("path", path))


@routine
def BODY_MM_EXPORT(body, pathM, pathK, spdM="ON", spdK="ON"):
    """BODY_MM_EXPORT (body, pathM, pathK | spdM, spdK): write the mass matrix (kg) and the stiffness matrix (N/m) of a finite element body in
    its reference configuration as Matrix Market files, three rows a node. spdM, spdK: 'ON' stores one triangle of the symmetric matrix, 'OFF' all of
    it."""
    handle = body_of("body", body)._handle
    kinds = [flag(name, value) for name, value in (("spdM", spdM), ("spdK", spdK))]
    rows, columns, mass, stiffness = body._solfec._engine.matrices(handle.id)
    for path, values, kind, what in ((pathM, mass, kinds[0], "mass"), (pathK, stiffness, kinds[1], "stiffness")):
        _write_matrix(text("path", path), rows, columns, values, kind == "ON", f"{what} of body {body.id}")


def _write_matrix(path, rows, columns, values, symmetric, title):
    """Matrix Market coordinates from the upper triangle of a symmetric matrix."""
    kept = values != 0
    i, j, v = columns[kept], rows[kept], values[kept]  # the lower triangle, as the format wants it
    if not symmetric:
        off = i != j
        i, j, v = np.concatenate([i, j[off]]), np.concatenate([j, i[off]]), np.concatenate([v, v[off]])
    size = int(rows.max()) + 1
    with open(path, "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate real {'symmetric' if symmetric else 'general'}\n% {title}\n{size} {size} {len(v)}\n")
        file.writelines(f"{a + 1} {b + 1} {x!r}\n" for a, b, x in zip(i.tolist(), j.tolist(), v.tolist()))


@routine
def MODAL_ANALYSIS(body=None, num=6, path=None, abstol=1e-9, maxiter=1000, verbose="OFF"):
    """(vals, vecs) = MODAL_ANALYSIS (| body, num, path, abstol, maxiter, verbose): the lowest elastic modes of a free finite element body in its
    reference configuration.

    vals: list of `num` eigenvalues, squares of the circular frequencies, 1/s^2, ascending; the six rigid motions are left out. vecs: array
    with one row a mode, three numbers a node, of unit mass. path: file (.npz) that keeps them; when it is there it is read. abstol, maxiter: checked;
    frequencies are found to about 1e-9. verbose: 'ON' prints the frequencies."""
    if body is None:
        raise ValueError("body = None: a BODY of kind 'FINITE_ELEMENT' is expected")
    handle, num = body_of("body", body)._handle, _check.integer("num", num, 1)
    _check.positive("abstol", abstol), _check.integer("maxiter", maxiter, 1)
    if path is not None and os.path.exists(text("path", path)):
        with np.load(path) as stored:
            vals, vecs = stored["vals"], stored["vecs"]
        if len(vals) < num or vecs.shape[1] != 3 * len(handle.nodes):
            raise ValueError(f"path = '{path}': it holds {len(vals)} modes of {vecs.shape[1]} numbers for another body or fewer modes; remove it")
        vals, vecs = vals[:num], vecs[:num]
    else:
        frequencies, shapes = body._solfec._engine.modes(handle.id, num)
        vals, vecs = frequencies**2, shapes.T
        if path is not None:
            with open(path, "wb") as file:
                np.savez(file, vals=vals, vecs=vecs)
    if flag("verbose", verbose) == "ON":
        for k, value in enumerate(vals):
            print(f"mode {k}: {np.sqrt(value) / (2 * np.pi):.6g} Hz")
    return vals.tolist(), vecs


@routine
def DISPLAY_POINT(body, point, label=None):
    """DISPLAY_POINT (body, point | label): remember a referential point (m) of a body; body.display_points lists them as (point, label)."""
    body_of("body", body)
    body.display_points.append((tuple(_check.vector("point", point).tolist()), "" if label is None else text("label", label)))


@routine
def RENDER(solfec, object):
    """path = RENDER (solfec, object): draw the last frame of the results (in 'READ' mode: the one shown) into render.png in their folder, without a screen. object: what to
    draw, a BODY or a list of bodies; None or the SOLFEC draws all."""
    domain("solfec", solfec)
    stored = solfec._results()
    target = os.path.join(os.path.dirname(stored.path), "render.png")
    bodies = None if object is None or object is solfec else [b.id for b in _chosen(solfec, object)]
    frame = solfec._frame_index if solfec._reader is not None else len(stored) - 1
    return pictures.render(stored.path, target, frame=frame, bodies=bodies)
