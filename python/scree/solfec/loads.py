"""Time series and loads."""
import numpy as np

from .. import _check
from ..series import TimeSeries
from ._arguments import data_names, floats, routine, text
from .bodies import body_of, inside
from .domain import domain, number_or_series

__all__ = ["TIME_SERIES", "GRAVITY", "FORCE", "TORQUE", "LOAD", "PRESSURE"]


class TIME_SERIES(TimeSeries):
    """obj = TIME_SERIES (points | label, cache): a linear spline through points [t0, v0, t1, v1, ...] (s, value), or through
    the pairs in a file of this path. It is constant before the first and after the last point.

    label: a name. cache: not needed here; files are read as a whole."""

    __slots__ = ()

    @routine
    def __init__(self, points, label=None, cache=0):
        super().__init__(points, None if label is None else text("label", label))

    @property
    def times(self):
        """Times, s, as a list."""
        return super().times.tolist()

    @property
    def values(self):
        """Values, as a list."""
        return super().values.tolist()

    @property
    def derivative(self):
        """The slope as a TIME_SERIES; each step between two slopes is drawn out over 1e-9 of its segment."""
        t, v = super().times, super().values
        if len(t) < 2:
            return TIME_SERIES([float(t[0]) if len(t) else 0.0, 0.0])
        slope, end = np.diff(v) / np.diff(t), t[1:] - 1e-9 * np.diff(t)
        end[-1] = t[-1]
        return TIME_SERIES(np.stack([t[:-1], slope, end, slope], axis=1).reshape(-1, 2))

    @property
    def integral(self):
        """The integral from the first point on as a TIME_SERIES, exact at the points."""
        t, v = super().times, super().values
        sums = np.concatenate([[0.0], np.cumsum(0.5 * (v[1:] + v[:-1]) * np.diff(t))])
        return TIME_SERIES(np.stack([t, sums], axis=1))


@routine
def GRAVITY(solfec, direction, value=None):
    """GRAVITY (solfec, direction, value): acceleration of gravity along a direction, m/s^2: a number or a TIME_SERIES.

    GRAVITY (solfec, vector) takes it as one vector, whose components may be TIME_SERIES objects; each step then has the vector of its middle."""
    domain("solfec", solfec)
    if value is not None:
        solfec._sim.set_gravity(_check.direction("direction", direction), number_or_series("value", value))
        solfec._gravity = None
        return
    parts = list(direction) if isinstance(direction, (tuple, list, np.ndarray)) else []
    if len(parts) == 3 and any(isinstance(part, TimeSeries) for part in parts):
        _gravity_series(solfec, [number_or_series(f"vector[{k}]", part) for k, part in enumerate(parts)])
    else:
        solfec._sim.gravity = _check.vector("vector", direction)
        solfec._gravity = None


def _gravity_series(solfec, parts):
    """Gravity by components: set anew before every step."""
    def follow(sim):
        if solfec._gravity is parts:
            middle = sim.time + 0.5 * sim.step
            sim.gravity = [part(middle) if isinstance(part, TimeSeries) else part for part in parts]

    solfec._gravity = parts
    follow(solfec._sim)
    solfec._sim.callback(0.0, follow)


def _convected(kind):
    return _check.choice("kind", kind, ("SPATIAL", "CONVECTED")) == "CONVECTED"


def _generalised(handle, values):
    """Forces on points of a deformable body that do the work of a force conjugate to its velocity: on the nodes of finite elements; of a
    pseudo-rigid body on its mass centre and one point along each axis from there."""
    if handle.kind == "finite_element":
        return list(zip(handle._engine.reference_nodes(handle.id).reshape(-1, 3), values.reshape(-1, 3)))
    center, columns = handle.center, values.reshape(4, 3)
    return [(center + axis, column) for axis, column in zip(np.eye(3), columns)] + [(center, columns[3] - columns[:3].sum(axis=0))]


def _user_force(value, data, user):
    """Adapt value (data, q, u, time, step) to the engine's f(state, time, step). It returns nine numbers, for a deformable body as many as its
    velocity has."""
    handle = user._handle
    given, body = data if isinstance(data, tuple) else () if data is None else (data,), handle.id
    zero = np.zeros(3)

    def deforming(state, time, step):
        u = floats(user._by_node(handle.velo))
        answer = np.ravel(np.asarray(value(*given, floats(user._by_node(handle.conf, place=True)), u, time, step), dtype=float))
        if answer.size != len(u):
            raise ValueError(f"FORCE: the callback of body {body} returned {answer.size} numbers; {len(u)} are expected, a generalised force conjugate to "
                             "body.velo")
        return zero, zero, zero, _generalised(handle, user._by_unknown(answer))

    if handle.deforms:
        return deforming

    def force(state, time, step):
        q = floats(np.concatenate([state.rotation.T.ravel(), state.position]))
        u = floats(np.concatenate([state.referential_angular, state.velocity]))
        answer = np.ravel(np.asarray(value(*given, q, u, time, step), dtype=float))
        if answer.size not in (3, 6, 9):
            raise ValueError(f"FORCE: the callback of body {body} returned {answer.size} numbers; nine are expected: spatial force (N), spatial "
                             "torque and referential torque (N m); the torques may be left out")
        parts = np.zeros(9)
        parts[:answer.size] = answer
        return parts[:3], parts[3:6], parts[6:]

    return force


@routine
def FORCE(body, kind, point, direction, value, data=None):
    """FORCE (body, kind, point, direction, value | data): a force on a referential point (m) of a body; of finite elements within their mesh.

    kind: 'SPATIAL' (the direction stays) or 'CONVECTED' (it turns with the body). value: N, a number, a TIME_SERIES or a
    function value (data, q, u, time, step) returning nine numbers: spatial force (N) at the mass centre, spatial torque and
    referential torque (N m), or, for a deformable body, a generalised force of as many numbers as body.velo has (conjugate to it); q and u are laid out
    as in body.conf and body.velo. A tuple as data is spread over the function's arguments; without data they begin with q. With a function, point
    and direction are not used."""
    handle, convected = body_of("body", body)._handle, _convected(kind)
    if callable(value) and not isinstance(value, TimeSeries):
        _check.function("value", value, *data_names(data), "q", "u", "time", "step")
        handle.apply_function(_user_force(value, data, body))
    else:
        handle.apply_force(inside(body, handle if handle.deforms else None, point), _check.direction("direction", direction), number_or_series("value", value), convected)


@routine
def TORQUE(body, kind, direction, value):
    """TORQUE (body, kind, direction, value): a torque about a direction, N m: a number or a TIME_SERIES."""
    handle, convected = body_of("body", body)._handle, _convected(kind)
    handle.apply_torque(_check.direction("direction", direction), number_or_series("value", value), convected)


def _loaded(body):
    handle = body_of("body", body)._handle
    if handle.kind != "finite_element":
        raise ValueError(f"body = {body!r}: loads on surfaces act on a 'FINITE_ELEMENT' body")
    return handle


@routine
def LOAD(body, kind, surfid, direction, value):
    """LOAD (body, kind, surfid, direction, value): a load on a surface of a finite element body, Pa: a number or a TIME_SERIES.

    kind: 'SPATIAL' (direction and size stay those of the undeformed surface) or 'CONVECTED' (it follows the surface). direction: a vector,
    'NORMAL' (outward), 'TANGENT1' (steepest descent; x on horizontal faces) or 'TANGENT2' (so that TANGENT1, TANGENT2, NORMAL are
    right-handed)."""
    handle, convected = _loaded(body), _convected(kind)
    if isinstance(direction, str):
        _check.choice("direction", direction, ("NORMAL", "TANGENT1", "TANGENT2"))
    else:
        direction = _check.direction("direction", direction)
    handle.apply_load(_check.integer("surfid", surfid), direction, number_or_series("value", value), convected)


@routine
def PRESSURE(body, surfid, value):
    """PRESSURE (body, surfid, value): a load along the normal of a surface of a finite element body, Pa: a number or a TIME_SERIES. It follows
    the surface. As in Solfec a positive value pulls outwards, a negative one presses (with solfec.compatible 'OFF' a positive one presses)."""
    handle, surface, value = _loaded(body), _check.integer("surfid", surfid), number_or_series("value", value)
    if body._solfec._compatible == "OFF":
        handle.apply_pressure(surface, value)
    else:
        handle.apply_load(surface, "NORMAL", value, convected=True)
