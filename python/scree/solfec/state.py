"""States and results that go out of a simulation or come into one."""
import os
import re
import warnings

import numpy as np

from .. import _check, pictures, results
from ..export import frames_of, to_xdmf
from ._arguments import flag, routine, text
from .bodies import BODY, body_of
from .domain import domain

__all__ = ["INITIALIZE_STATE", "RIGID_TO_FEM", "XDMF_EXPORT", "SOLFEC_EXPORT", "MBFCP_EXPORT", "LOCDYN_DUMP", "BODY_MM_EXPORT", "DISPLAY_POINT", "RENDER"]


def chosen(solfec, subset):
    """Bodies of a SOLFEC that a subset names: None for all, a BODY, its number, a label or POSIX pattern of labels, a box (xlow, ylow, zlow,
    xhigh, yhigh, zhigh) that their shapes meet, or a list of these."""
    if subset is None:
        return solfec.bodies
    box = isinstance(subset, tuple) and len(subset) == 6 and all(isinstance(x, (int, float, np.number)) for x in subset)
    picked = []
    for item in [subset] if box or not isinstance(subset, (list, tuple)) else subset:
        picked += [b for b in _named(solfec, item) if b not in picked]
    return picked


def _named(solfec, item):
    if isinstance(item, BODY):
        return [body_of("subset", item, solfec)]
    if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
        found = [b for b in solfec.bodies if b.id == item]
        if not found:
            raise ValueError(f"subset: no body has the number {item}")
        return found
    if isinstance(item, (tuple, list)):
        if len(item) != 6:
            raise ValueError(f"subset: {item!r}: six numbers (xlow, ylow, zlow, xhigh, yhigh, zhigh) are expected")
        low, high = _check.vector("subset", item[:3]), _check.vector("subset", item[3:])
        return [b for b in solfec.bodies if _meets(b, low, high)]
    labelled = [b for b in solfec.bodies if b.label]
    found = [b for b in labelled if b.label == text("subset", item)] or [b for b in labelled if re.search(_python_pattern(item), b.label)]
    if not found:
        raise ValueError(f"subset: no body has the label '{item}'{_check.nearest(item, [b.label for b in labelled])}")
    return found


def _meets(body, low, high):
    """True when the undeformed shape of a body reaches into a box."""
    least, most = body._handle.shape._native.bounds()
    return bool((np.asarray(least) <= high).all() and (np.asarray(most) >= low).all())


def _python_pattern(pattern):
    """A basic POSIX regular expression as Python writes it: there brackets, braces and ? + | stand for themselves unless a backslash is before them."""
    special = "(){}?+|"
    return re.sub(r"\\.|[(){}?+|]", lambda m: m[0][1] if m[0][0] == "\\" and m[0][1] in special else "\\" + m[0] if m[0] in special else m[0],
                  pattern)


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
    for body in chosen(solfec, subset):
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
    (default: all bodies). Nothing changes unless all of them are there. No effect in 'READ' mode."""
    if domain("solfec", solfec).mode == "READ":
        return
    for body, frame, at in _matches(solfec, path, time, subset):
        _restore(body, frame, at)


@routine
def RIGID_TO_FEM(path, time, solfec, subset=None):
    """RIGID_TO_FEM (path, time, solfec | subset): give bodies of any kind the rigid motion that the results of another, rigid run have at
    a time (s; nearest frame): place, rotation, velocity, angular velocity. Bodies are matched as in INITIALIZE_STATE. No
    effect in 'READ' mode."""
    if domain("solfec", solfec).mode == "READ":
        return
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


_ATTRIBUTES = ("DISP", "VELO", "STRESS", "REAC", "RELV", "GAP")


@routine
def XDMF_EXPORT(solfec, time, path, subset=None, attributes=None):
    """XDMF_EXPORT (solfec, time, path | subset, attributes): write results for ParaView: path.xdmf with its numbers beside it.

    time: one time, a pair (t0, t1) or a list of times, s. subset: a BODY, its number, a label or pattern of labels, a box (xlow, ylow, zlow, xhigh,
    yhigh, zhigh) that shapes meet, or a list of these (default: all bodies). attributes: names among 'DISP', 'VELO', 'STRESS', 'REAC', 'RELV', 'GAP';
    all that the results have is written whatever is asked for. Before the first RUN the present state is written, whatever the time."""
    domain("solfec", solfec)
    target = text("path", path)
    for name in () if attributes is None else (attributes,) if isinstance(attributes, str) else attributes:
        _check.choice("attributes", name, _ATTRIBUTES)
    bodies = None if subset is None else [b.id for b in chosen(solfec, subset)]
    wanted = None if isinstance(time, tuple) and len(time) == 2 else [_check.number("time", t) for t in np.ravel(time)]
    stored = solfec._results() if solfec._reader is not None or solfec._sim._runs else _present(solfec, target)
    target = target if target.endswith(".xdmf") else target + ".xdmf"
    if wanted is None:
        frames = frames_of(stored, times=time)
    else:
        frames = sorted({int(np.argmin(np.abs(stored.times - t))) for t in wanted})
    to_xdmf(stored, _folder_of(target), frames, bodies, True)


@routine
def SOLFEC_EXPORT(solfec, time, path, subset=None):
    """SOLFEC_EXPORT (solfec, time, path | subset): as XDMF_EXPORT. Solfec's own viewer, for which it wrote, has no counterpart: `scree view` opens the
    folder of a run as it is."""
    XDMF_EXPORT(solfec, time, path, subset)


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
    with open(_folder_of(text("path", path)), "w") as file:
        file.write("\n".join(lines) + "\n")


def _folder_of(path):
    """The path, after its folder was made."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    return path


def _present(solfec, target):
    """Results of one frame, the present one, beside a target."""
    from ..writer import Writer
    path = _folder_of(target.removesuffix(".xdmf") + ".now.h5")
    writer = Writer.create(solfec._sim, path, False)
    writer.frame()
    writer.close()
    return results.read(path)


def _words(values):
    return " ".join(repr(float(x)) for x in np.ravel(values))


@routine
def LOCDYN_DUMP(solfec, path):
    """LOCDYN_DUMP (solfec, path): write the contact problem of the last step (W, B, friction) and its solution as an FCLIB file,
    which `scree solve` and `scree bench solvers` read. A warning, and no file, where there is none: of a step without contacts and constraints, and in
    'READ' mode, as results do not keep it."""
    domain("solfec", solfec)
    path = text("path", path)
    if solfec._reader is not None or not solfec._engine.problem_blocks():
        why = "results do not keep the problem of a step" if solfec._reader is not None else "the last step had no contacts or constraints"
        warnings.warn(f"LOCDYN_DUMP: {path}: {why}; nothing is written", stacklevel=_check.outside())
        return
    solfec._sim.export_problem(_folder_of(path))


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
    with open(_folder_of(path), "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate real {'symmetric' if symmetric else 'general'}\n% {title}\n{size} {size} {len(v)}\n")
        file.writelines(f"{a + 1} {b + 1} {x!r}\n" for a, b, x in zip(i.tolist(), j.tolist(), v.tolist()))


@routine
def DISPLAY_POINT(body, point, label=None):
    """DISPLAY_POINT (body, point | label): remember a referential point (m) of a body; body.display_points lists them as (label, point)."""
    body_of("body", body)
    body.display_points.append(("" if label is None else text("label", label), tuple(_check.vector("point", point).tolist())))


@routine
def RENDER(solfec, object):
    """path = RENDER (solfec, object): draw the last frame of the results (in 'READ' mode: the one shown; before the first RUN: the present state) into render.png in their
    folder, without a screen. object: what to draw, a BODY or a list of bodies; None or the SOLFEC draws all."""
    domain("solfec", solfec)
    begun = solfec._reader is not None or solfec._sim._runs > 0
    stored = solfec._results() if begun else _present(solfec, os.path.join(solfec._sim.out, "render"))
    target = os.path.join(os.path.dirname(stored.path), "render.png")
    bodies = None if object is None or object is solfec else [b.id for b in chosen(solfec, object)]
    frame = solfec._frame_index if solfec._reader is not None else len(stored) - 1
    made = pictures.render(stored.path, target, frame=frame, bodies=bodies)
    if not begun:
        os.remove(stored.path)
    return made
