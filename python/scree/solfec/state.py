"""States and results that go out of a simulation or come into one."""
import os
import re

import numpy as np

from .. import _check, pictures, results
from ..export import frames_of, to_xdmf
from ._arguments import routine, text
from .bodies import BODY, body_of
from .domain import domain

__all__ = ["INITIALIZE_STATE", "RIGID_TO_FEM", "XDMF_EXPORT", "MBFCP_EXPORT", "LOCDYN_DUMP", "DISPLAY_POINT", "RENDER"]


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
    frame = stored.frame(int(np.argmin(np.abs(stored.times - _check.number("time", time)))))
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
    _place_rigidly(body, frame, at)


def _place_rigidly(body, frame, at):
    engine = body._solfec._engine
    engine.set_placement(body.id, frame.rotations[at], frame.positions[at])
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
