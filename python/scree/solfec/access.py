"""Access to results, during and after a run."""
import numpy as np

from .. import _check
from ._arguments import flag, floats, routine
from .bodies import body_of
from .domain import SOLFEC, domain, stage_seconds

__all__ = ["DURATION", "FORWARD", "BACKWARD", "SEEK", "DISPLACEMENT", "VELOCITY", "ENERGY", "TIMING", "HISTORY"]

_ENERGIES = ("KINETIC", "INTERNAL", "EXTERNAL", "CONTACT", "FRICTION")
_MOTION = ("DX", "DY", "DZ", "VX", "VY", "VZ", "CX", "CY", "CZ")
_STRESS = ("SX", "SY", "SZ", "SXY", "SXZ", "SYZ", "MISES")
_TIMINGS = ("TIMINT", "CONDET", "LOCDYN", "CONSOL", "CONUPD", "PARBAL")
_COUNTS = {"STEP": "h", "CONS": "contacts", "BODS": "bodies", "GSITERS": "iterations", "NTITERS": "iterations", "MERIT": "residual"}


@routine
def DURATION(solfec):
    """value = DURATION (solfec): (t0, t1) of the results in 'READ' mode, the current time in 'WRITE' mode; s."""
    domain("solfec", solfec)
    if solfec._reader is None:
        return solfec.time
    times = solfec._reader.times
    return float(times[0]), float(times[-1])


@routine
def FORWARD(solfec, steps):
    """FORWARD (solfec, steps): show the frame this many frames later. No effect in 'WRITE' mode."""
    domain("solfec", solfec)
    steps = _check.integer("steps", steps, 0)
    if solfec._reader is not None:
        solfec._show(solfec._frame_index + steps)


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
    return floats(_motion(body_of("body", body)._state(), _check.vector("point", point))[0])


@routine
def VELOCITY(body, point):
    """velo = VELOCITY (body, point): (vx, vy, vz) of a referential point, m/s."""
    return floats(_motion(body_of("body", body)._state(), _check.vector("point", point))[1])


def _bodies_of(what, value):
    """A BODY or a list of them, as a list."""
    members = list(value) if isinstance(value, (list, tuple)) else [value]
    return [body_of(what, b) for b in members]


def _kinetic(body):
    """Kinetic energy of a body at the state shown, J."""
    if body.kind == "OBSTACLE":
        return 0.0
    rotation, _, velocity, angular, _ = body._state()
    W = rotation.T @ angular
    return 0.5 * (body.mass * velocity @ velocity + W @ np.reshape(body.tensor, (3, 3)).T @ W)


@routine
def ENERGY(solfec, object=None):
    """ene = ENERGY (solfec | object): (kinetic, internal, external, contact, friction), J, of a SOLFEC, a BODY or a list of BODY
    objects. The last three are works done since the start: by loads and prescribed constraints, by contacts along their normals,
    and by friction. Rigid bodies have no internal energy. (Later Solfec returns them in another order; this is the manual's.)"""
    target = solfec if object is None else object
    if isinstance(target, SOLFEC):
        values = target._sim.energies if target._frame is None else target._frame.energies
        return values["kinetic"], 0.0, values["external"], values["contact"], values["friction"]
    sums = np.zeros(5)
    for body in _bodies_of("object", target):
        if body._solfec._frame is not None:
            raise ValueError("works of single bodies are not in the results; call ENERGY in a CALLBACK during the run, or use HISTORY "
                             "for 'KINETIC'")
        work = body._handle.work
        sums += _kinetic(body), 0.0, work["external"], work["contact"], work["friction"]
    return floats(sums)


@routine
def TIMING(solfec, kind):
    """tim = TIMING (solfec, kind): seconds the last step spent in 'TIMINT' (time integration), 'CONDET' (contact detection), 'LOCDYN'
    (local dynamics), 'CONSOL' (solution) or 'PARBAL' (balancing of processes: 0)."""
    domain("solfec", solfec)
    if solfec._frame is None:
        return float(stage_seconds(solfec._sim.report, kind)) if solfec._sim.steps else 0.0 * bool(_check.choice("kind", kind, _TIMINGS))
    table = solfec._reader.steps
    at = _step_of(table, solfec._frame.time)
    return float(stage_seconds({k: v[at] for k, v in table.items()}, kind)) if at is not None else 0.0


def _step_of(table, time):
    """Row of the step table that ends at a time; None for the start."""
    at = int(np.searchsorted(table["time"], time + 1e-9 * max(1.0, abs(time)), side="right")) - 1
    return at if at >= 0 else None


class _Series:
    """One requested history: what it needs, and its value at a frame."""

    def __init__(self, solfec, results, request):
        self.results = results
        self.needs_frame = False
        if isinstance(request, str):
            self.value = self._step_value(request)
        elif isinstance(request, tuple) and len(request) == 3:
            self.value = self._point_value(*request)
        elif isinstance(request, tuple) and len(request) == 2:
            self.value = self._energy_value(*request)
        else:
            raise ValueError(f"list: {request!r}: (body, point, entity), (object, energy kind) or the name of a timing is expected")

    def _step_value(self, name):
        _check.choice("list: entity", name, _TIMINGS + tuple(_COUNTS))
        table = self.results.steps
        if name in _COUNTS:
            column = table[_COUNTS[name]]
        else:
            column = stage_seconds(table, name)
            column = np.zeros(len(table["time"])) if np.ndim(column) == 0 else column

        def value(k, frame):
            at = _step_of(table, self.results.times[k])
            return 0.0 if at is None else column[at].item()
        return value

    def _point_value(self, body, point, entity):
        body_of("list: body", body)
        if entity in _STRESS:
            raise ValueError(f"list: '{entity}': rigid bodies carry no stress")
        _check.choice("list: entity", entity, _MOTION)
        X, column = _check.vector("list: point", point), "DVC".index(entity[0])
        self.needs_frame = True
        center = np.array(body.center)
        return lambda k, frame: float(_motion((*_frame_state(body, frame), center), X)[column]["XYZ".index(entity[1])])

    def _energy_value(self, target, kind):
        _check.choice("list: energy kind", kind, _ENERGIES)
        if isinstance(target, SOLFEC):
            column = self.results.energies[kind.lower()]
            return lambda k, frame: float(column[k])
        bodies = _bodies_of("list: object", target)
        if kind != "KINETIC":
            raise ValueError(f"list: '{kind}' of single bodies is not in the results; record ENERGY in a CALLBACK during the run")
        parts = [(b, b.mass, np.reshape(b.tensor, (3, 3))) for b in bodies if b.kind != "OBSTACLE"]
        self.needs_frame = True

        def value(k, frame):
            total = 0.0
            for body, mass, J in parts:
                rotation, _, velocity, angular = _frame_state(body, frame)
                W = rotation.T @ angular
                total += 0.5 * (mass * velocity @ velocity + W @ J @ W)
            return float(total)
        return value


def _frame_state(body, frame):
    at = np.flatnonzero(frame.ids == body.id)
    if not at.size:
        nan = np.full(3, np.nan)
        return np.full((3, 3), np.nan), nan, nan, nan
    return frame.rotations[at[0]], frame.positions[at[0]], frame.velocities[at[0]], frame.angular_velocities[at[0]]


@routine
def HISTORY(solfec, list, t0, t1, skip=1, progress="OFF"):
    """hist = HISTORY (solfec, list, t0, t1 | skip): (times, values1, values2, ...) as lists, from the frames between t0 and t1 (s).

    list: one entity or a list of them: (body, point, 'DX' | 'DY' | 'DZ' | 'VX' | 'VY' | 'VZ' | 'CX' | 'CY' | 'CZ') for a
    referential point (m, m/s); (object, 'KINETIC' | 'INTERNAL' | 'EXTERNAL' | 'CONTACT' | 'FRICTION') for energies, J, of a SOLFEC (of
    BODY objects: 'KINETIC'); 'TIMINT', 'CONDET', 'LOCDYN', 'CONSOL', 'PARBAL' (s a step); 'STEP', 'CONS', 'BODS', 'GSITERS', 'NTITERS',
    'MERIT'. skip: take every skip-th frame. Values of a body before it was made or after it was deleted are NaN. Works in 'READ' mode and
    after a RUN."""
    domain("solfec", solfec)
    flag("progress", progress)
    t0, t1 = _check.number("t0", t0), _check.number("t1", t1)
    stride = max(1, _check.integer("skip", skip, 0))
    results = solfec._results()
    requests = [list] if isinstance(list, (str, tuple)) else [*list]
    series = [_Series(solfec, results, request) for request in requests]
    times = results.times
    slack = 1e-9 * max(1.0, abs(t1))
    chosen = np.flatnonzero((times >= t0 - slack) & (times <= t1 + slack))[::stride]
    columns = [[] for _ in series]
    for k in chosen:
        frame = results.frame(int(k)) if any(s.needs_frame for s in series) else None
        for column, s in zip(columns, series):
            column.append(s.value(k, frame))
    return ([float(times[k]) for k in chosen], *columns)
