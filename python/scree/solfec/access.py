"""Access to results, during and after a run."""
import numpy as np

from .. import _check
from ._arguments import flag, floats, routine
from .bodies import BODY, body_of, inside
from .domain import SOLFEC, domain, stage_seconds

__all__ = ["DURATION", "FORWARD", "BACKWARD", "SEEK", "DISPLACEMENT", "VELOCITY", "STRESS", "ENERGY", "TIMING", "HISTORY"]

_ENERGIES = ("KINETIC", "INTERNAL", "EXTERNAL", "CONTACT", "FRICTION")
_MOTION = ("DX", "DY", "DZ", "VX", "VY", "VZ", "CX", "CY", "CZ")
_STRESS = ("SX", "SY", "SZ", "SXY", "SXZ", "SYZ", "MISES")
_CONTACTS = ("GAP", "R", "U", "CR", "CU")
_TIMINGS = ("TIMINT", "CONDET", "LOCDYN", "CONSOL", "CONUPD", "PARBAL")
_COUNTS = {"STEP": "h", "BODS": "bodies", "GSITERS": "iterations", "NTITERS": "iterations", "MERIT": "merit"}
#: What only a Solfec of several processes spends or counts; 0 as in its serial version.
_PARALLEL = ("GSINIT", "GSRUN", "GSCOM", "GSMCOM", "GSCOLORS", "GSBOT", "GSMID", "GSTOP", "GSINN")


@routine
def DURATION(solfec):
    """value = DURATION (solfec): (t0, t1) of the results in 'READ' mode, the current time in 'WRITE' mode; s."""
    domain("solfec", solfec)
    if solfec._reader is None:
        return solfec.time
    times = solfec._reader.times
    return float(times[0]), float(times[-1])


@routine
def FORWARD(solfec, steps, corotated_displacements="FALSE"):
    """FORWARD (solfec, steps | corotated_displacements): show the frame this many frames later. No effect in 'WRITE' mode.
    corotated_displacements: 'TRUE' adds the displacements of every frame passed to the lists of COROTATED_DISPLACEMENTS."""
    domain("solfec", solfec)
    steps = _check.integer("steps", steps, 0)
    sampled = _check.choice("corotated_displacements", corotated_displacements, ("FALSE", "TRUE")) == "TRUE"
    if solfec._reader is not None:
        last = solfec._frame_index + steps
        if sampled:
            for index in range(solfec._frame_index + 1, min(last, len(solfec._reader) - 1) + 1):
                solfec._show(index)
                for sample in solfec._samplers:
                    sample()
        solfec._show(last)


@routine
def BACKWARD(solfec, steps):
    """BACKWARD (solfec, steps): show the frame this many frames earlier. No effect in 'WRITE' mode."""
    domain("solfec", solfec)
    steps = _check.integer("steps", steps, 0)
    if solfec._reader is not None:
        solfec._show(solfec._frame_index - steps)


@routine
def SEEK(solfec, time):
    """SEEK (solfec, time): show the frame nearest to a time, s. No effect in 'WRITE' mode."""
    domain("solfec", solfec)
    time = _check.number("time", time)
    if solfec._reader is not None:
        solfec._show(int(np.argmin(np.abs(solfec._reader.times - time))))


def _motion(state, X):
    """(displacement, velocity, place) of a referential point."""
    rotation, position, velocity, angular, center = state
    arm = rotation @ (X - center)
    return arm + position - X, velocity + np.cross(angular, arm), arm + position


@routine
def DISPLACEMENT(body, point):
    """disp = DISPLACEMENT (body, point): (dx, dy, dz) of a referential point, m."""
    deformed = body_of("body", body)._deformed()
    X = inside(body, deformed, point)
    if deformed is not None:
        return floats(deformed.point(X) - X)
    return floats(_motion(body._state(), X)[0])


@routine
def VELOCITY(body, point):
    """velo = VELOCITY (body, point): (vx, vy, vz) of a referential point, m/s."""
    deformed = body_of("body", body)._deformed()
    X = inside(body, deformed, point)
    if deformed is not None:
        return floats(deformed.point_velocity(X))
    return floats(_motion(body._state(), X)[1])


@routine
def STRESS(body, point):
    """stre = STRESS (body, point): Cauchy stress (sx, sy, sz, sxy, sxz, syz, mises) at a referential point of a deformable body, Pa. Rigid
    bodies carry none: zeros."""
    deformed = body_of("body", body)._deformed()
    X = inside(body, deformed, point)
    return (0.0,) * 7 if deformed is None else floats(deformed.stress(X))


def _bodies_of(what, value):
    """A BODY or a list of them, as a list."""
    members = list(value) if isinstance(value, (list, tuple)) else [value]
    return [body_of(what, b) for b in members]


@routine
def ENERGY(solfec, object=None):
    """ene = ENERGY (solfec | object): (kinetic, internal, external, contact, friction), J, of a SOLFEC, a BODY or a list of BODY
    objects. The last three are works done since the start: by loads and prescribed constraints, by contacts along their normals,
    and by friction. (Later Solfec returns them in another order; this is the manual's.)"""
    target = solfec if object is None else object
    if isinstance(solfec, SOLFEC):
        _of_this(solfec, "object", target)
    if isinstance(target, SOLFEC):
        values = target._sim.energies if target._frame is None else target._frame.energies
        return tuple(float(values.get(name, 0.0)) for name in ("kinetic", "internal", "external", "contact", "friction"))
    return floats(sum(_body_energy(body) for body in _bodies_of("object", target)))


def _body_energy(body):
    """The five energies of a body now, or at the frame shown."""
    at = body._place()
    if at is not None:
        return body._solfec._frame.body_energies[at][:5]
    handle = body._deformed() or body._handle
    return np.array([handle.kinetic_energy, handle.internal_energy, *(handle.work[k] for k in ("external", "contact", "friction"))])


@routine
def TIMING(solfec, kind):
    """tim = TIMING (solfec, kind): seconds the last step spent in 'TIMINT' (time integration), 'CONDET' (contact detection), 'LOCDYN'
    (local dynamics), 'CONSOL' (solution), 'CONUPD' (contact update: part of local dynamics here, so 0) or 'PARBAL' (balancing of
    processes: 0); 'GSINIT', 'GSRUN', 'GSCOM', 'GSMCOM' of a parallel Solfec are 0. In 'READ' mode: the step that ended at the frame shown."""
    domain("solfec", solfec)
    if _check.choice("kind", kind, _TIMINGS + _PARALLEL) in _PARALLEL:
        return 0.0
    if solfec._frame is None:
        return float(stage_seconds(solfec._sim.report, kind)) if solfec._sim.steps else 0.0
    table = solfec._reader.steps
    at = _steps_of(table, [solfec._frame.time])[0]
    return float(stage_seconds({k: v[at] for k, v in table.items()}, kind)) if at >= 0 else 0.0


def _steps_of(table, times):
    """Rows of the step table that end at the times; -1 for the start."""
    times = np.asarray(times, dtype=float)
    return np.searchsorted(table["time"], times + 1e-9 * np.maximum(1.0, np.abs(times)), side="right") - 1


class Curve(list):
    """Values over time: a list, as the manual says, which NumPy takes without conversion; `array` is that NumPy array."""

    def __init__(self, values):
        self.array = np.asarray(values)
        super().__init__(self.array.tolist())

    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)


class _Reader:
    """The frames of a HISTORY and the arrays read from them, each once. Motions of the bodies it will need are read together."""

    _most = 4 * 10**7  #: numbers read at a time

    def __init__(self, results, frames, requests=()):
        self.results, self.frames, self.times = results, frames, results.times[frames]
        self._motion, self._steps = {}, None
        points = [r for r in requests if isinstance(r, tuple) and len(r) == 3 and isinstance(r[0], BODY)]
        self._wanted = list(dict.fromkeys(body.id for body, _, _ in points))

    def motion(self, body, quantity):
        """A quantity of a body over the frames."""
        if (body.id, quantity) not in self._motion:
            width = {"rotations": 9}.get(quantity, 3)
            waiting = [i for i in self._wanted if (i, quantity) not in self._motion and i != body.id]
            group = [body.id, *waiting][:max(1, self._most // max(1, width * len(self.frames)))]
            values = self.results.histories(quantity, group, self.frames)
            for k, i in enumerate(group):
                self._motion[i, quantity] = values[:, k]
        return self._motion[body.id, quantity]

    def energies(self, bodies):
        """(frames, bodies, 6)."""
        return self.results.histories("energies", [b.id for b in bodies], self.frames)

    def steps(self, name):
        """A figure of the steps that ended at the frames; 0 at the start."""
        if self._steps is None:
            self._steps = self.results.steps
        column = self._steps[_COUNTS[name]] if name in _COUNTS else stage_seconds(self._steps, name)
        if np.ndim(column) == 0 or not len(column):
            return np.zeros(len(self.times))
        at = _steps_of(self._steps, self.times)
        return np.where(at >= 0, column[np.maximum(at, 0)], 0)

    def constraints(self):
        """Number of constraints at each frame, as solfec.ncon has it."""
        return np.array([np.count_nonzero((t["kind"] != 0) | (t["gap"] <= 0) | t["local_force"].any(axis=1)) for t in self.contacts()])

    def bodies(self):
        """Number of bodies at each frame."""
        return np.array([len(self.results.frame(int(k)).ids) for k in self.frames])

    def changes(self, name):
        """Bodies made after the first frame, or gone since, up to each frame."""
        sets = [frozenset(self.results.frame(int(k)).ids.tolist()) for k in self.frames]
        first, seen, counts = (sets[0] if sets else frozenset()), set(), []
        for ids in sets:
            seen |= ids
            counts.append(len(seen - first) if name == "NEWBODS" else len((seen | first) - ids))
        return np.array(counts)

    def contacts(self):
        """The contact tables of the frames, one after the other."""
        return (self.results.contacts(int(k)) for k in self.frames)


def _point_curve(reader, body, point, entity):
    """Motion or stress of a referential point."""
    body_of("list: body", body)
    _check.choice("list: entity", entity, _MOTION + _STRESS)
    X = _check.vector("list: point", point)
    stored = reader.results.bodies[reader.results.row(body.id)]
    if stored["unknowns"]:
        return _deformed_curve(reader, body, X, entity)
    if entity in _STRESS:
        return np.zeros(len(reader.times))
    axis, center = "XYZ".index(entity[1]), np.array(stored["center"])
    # the mass centre needs no rotation
    arms = reader.motion(body, "rotations") @ (X - center) if (X != center).any() else np.zeros((len(reader.times), 3))
    if entity[0] == "V":
        turning = np.cross(reader.motion(body, "angular_velocities"), arms) if arms.any() else arms
        return (reader.motion(body, "velocities") + turning)[:, axis]
    place = (arms + reader.motion(body, "positions"))[:, axis]
    return place if entity[0] == "C" else place - X[axis]


def _deformed_curve(reader, body, X, entity):
    """The same for a deformable body: an engine that knows its mechanics takes on one stored state after the other."""
    def value(handle):
        if entity in _STRESS:
            return handle.stress(X)[_STRESS.index(entity)]
        axis = "XYZ".index(entity[1])
        if entity[0] == "V":
            return handle.point_velocity(X)[axis]
        return handle.point(X)[axis] - (X[axis] if entity[0] == "D" else 0.0)

    with body._solfec._borrowed(body.id) as place:
        X = inside(body, body._deformed(), X, "list: point")
        handles = (place(reader.results, int(k)) for k in reader.frames)
        return np.array([np.nan if handle is None else value(handle) for handle in handles])


def _energy_curve(reader, target, kind):
    """An energy of a SOLFEC, a BODY or a list of bodies (those not in a frame count as 0 in a list)."""
    if isinstance(target, SOLFEC):
        return reader.results.energies[kind.lower()][reader.frames]
    bodies = _bodies_of("list: object", target)
    values = reader.energies(bodies)[:, :, _ENERGIES.index(kind)]
    return np.nansum(values, axis=1) if isinstance(target, (list, tuple)) else values[:, 0]


def _contact_curve(reader, target, direction, pair, entity):
    """Least gap, resultant force or mean velocity of the constraints of a SOLFEC, a BODY, two bodies or a list, along a direction or their
    normals; 'CR' and 'CU' of contacts alone."""
    unit = None
    if direction is not None:
        unit = _check.direction("list: direction", direction)
        unit = unit / np.linalg.norm(unit)
    surfaces = None if pair is None else sorted(_check.integer("list: pair", s) for s in pair)
    ids = None if isinstance(target, SOLFEC) else [b.id for b in _bodies_of("list: object", target)]
    values = []
    for table in reader.contacts():
        chosen = np.ones(len(table["gap"]), dtype=bool) if entity in ("R", "U") and pair is None else table["kind"] == 0
        chosen &= (table["kind"] != 0) | (table["gap"] <= 0) | table["local_force"].any(axis=1)
        if ids is not None:
            there = np.isin(table["bodies"], ids)
            chosen &= there.all(axis=1) if isinstance(target, tuple) else there.any(axis=1)
        if surfaces is not None:
            chosen &= (np.sort(table["surfaces"], axis=1) == surfaces).all(axis=1)
        values.append(_contact_value(table, chosen, unit, entity))
    return np.array(values)


def _contact_value(table, chosen, unit, entity):
    if not chosen.any():
        return 0.0
    if entity == "GAP":
        return table["gap"][chosen].min()
    local = table["local_force" if entity[-1] == "R" else "local_velocity"][chosen]
    parts = local[:, 0] if unit is None else np.einsum("nij,ni->nj", table["frame"][chosen], local) @ unit
    return parts.sum() if entity[-1] == "R" else parts.mean()


def _curve(reader, request):
    """Values of one requested entity at the frames."""
    if isinstance(request, str) and request in _PARALLEL:
        return np.zeros(len(reader.times))
    if isinstance(request, str) and request in ("NEWBODS", "DELBODS"):
        return reader.changes(request)
    if isinstance(request, str) and request in ("CONS", "BODS"):
        return reader.constraints() if request == "CONS" else reader.bodies()
    if isinstance(request, str):
        return reader.steps(_check.choice("list: entity", request, _TIMINGS + tuple(_COUNTS) + _PARALLEL + ("CONS", "NEWBODS", "DELBODS")))
    if isinstance(request, tuple) and len(request) == 3:
        return _point_curve(reader, *request)
    if isinstance(request, tuple) and len(request) == 2:
        _check.choice("list: kind", request[1], _ENERGIES + _CONTACTS)
        return _energy_curve(reader, *request) if request[1] in _ENERGIES else _contact_curve(reader, request[0], None, None, request[1])
    if isinstance(request, tuple) and len(request) == 4:
        _check.choice("list: entity", request[3], _CONTACTS)
        return _contact_curve(reader, *request)
    raise ValueError(f"list: {request!r}: (body, point, entity), (object, energy kind), (object, direction, pair, contact entity) or the name of a "
                     "timing is expected")


def _of_this(solfec, what, value):
    """ValueError for a SOLFEC or a BODY (or one in a list) of another analysis: bodies of two have the same numbers."""
    for member in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(member, (SOLFEC, BODY)) and (member if isinstance(member, SOLFEC) else member._solfec) is not solfec:
            raise ValueError(f"{what} = {member!r}: it is not of the SOLFEC object given first, whose results are in {solfec.outpath}")


def _labelled(solfec, body):
    """A body itself or by label, in any frame of the results."""
    if not isinstance(body, str):
        return body
    stored = solfec._results()
    ids = [row["id"] for row in stored.bodies if row["label"] == body]
    if not ids:
        raise ValueError(f"list: no body has the label '{body}'{_check.nearest(body, [row['label'] for row in stored.bodies if row['label']])}")
    return BODY._named(solfec, int(ids[0]))


@routine
def HISTORY(solfec, list, t0, t1, skip=1, progress="OFF"):
    """hist = HISTORY (solfec, list, t0, t1 | skip): (times, values1, values2, ...) as lists, from the frames between t0 and t1 (s).

    list: one entity or a list of them: (body, point, 'DX' | 'DY' | 'DZ' | 'VX' | 'VY' | 'VZ' | 'CX' | 'CY' | 'CZ') for a
    referential point (m, m/s), or 'SX' | 'SY' | 'SZ' | 'SXY' | 'SXZ' | 'SYZ' | 'MISES' for its stress (Pa); (object, 'KINETIC' | 'INTERNAL' |
    'EXTERNAL' | 'CONTACT' | 'FRICTION') for energies, J, of a SOLFEC, a BODY or a list of them; 'TIMINT', 'CONDET', 'LOCDYN', 'CONSOL',
    'CONUPD', 'PARBAL' (s a step); 'STEP' (s), 'CONS', 'BODS', 'NEWBODS', 'DELBODS' (bodies made after the start, and deleted, so far), 'GSITERS',
    'NTITERS', 'MERIT' (the merit of each step's solution, which meritval bounds), and 'GSINIT', 'GSRUN', 'GSCOM', 'GSMCOM', 'GSCOLORS', 'GSBOT', 'GSMID', 'GSTOP', 'GSINN' of a parallel Solfec, which are 0;
    (object, entity) or (object, direction, pair, entity) for constraints: 'GAP' (least gap of the contacts, m), 'R' (resultant force, N), 'U' (mean
    velocity, m/s), 'CR' and 'CU' (the same of contacts alone), of a SOLFEC, a BODY, a list or a tuple of two bodies (contacts between them),
    along a direction (None: along their normals), for contacts of a pair of surface ids (None: all). body may be a label. skip: take every skip-th frame. Values of a body before it was made or after it was deleted are NaN. Works in 'READ' mode and after
    a RUN. The lists are NumPy arrays, too: values1.array."""
    domain("solfec", solfec)
    flag("progress", progress)
    t0, t1 = _check.number("t0", t0), _check.number("t1", t1)
    stride = max(1, _check.integer("skip", skip, 0))
    results = solfec._results()
    times = results.times
    slack = 1e-9 * max(1.0, abs(t1))
    requests = [list] if isinstance(list, (str, tuple)) else [*list]
    requests = [(_labelled(solfec, r[0]), *r[1:]) if isinstance(r, tuple) and len(r) == 3 else r for r in requests]
    for request in requests:
        if isinstance(request, tuple):
            _of_this(solfec, "list: object", request[:1] if len(request) == 3 else request[0])
    reader = _Reader(results, np.flatnonzero((times >= t0 - slack) & (times <= t1 + slack))[::stride], requests)
    curves = [_curve(reader, request) for request in requests]
    return (Curve(reader.times), *(Curve(curve) for curve in curves))
