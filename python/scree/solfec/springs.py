"""Springs between bodies, and motions prescribed along three axes at once."""
import math

import numpy as np

from .. import _check
from ..series import TimeSeries
from ._arguments import Emptied, floats, routine
from .bodies import body_of
from .constraints import frame_of, held, placed, point_of, speed
from .domain import domain, number_or_series

__all__ = ["PUT_SPRING", "SET_DISPLACEMENT3", "SET_VELOCITY3", "SET_ACCELERATION3"]

_UPDATES = ("FIXED", "CONV1", "CONV2", "FOLLOW")


class Spring(Emptied):
    """A spring between two points: its law, and its state in the step at hand, also under the names of other constraints. Lengths in m, forces in N."""

    _remedy = "make a new one"
    def __init__(self, ends, function, direction, update):
        self._ends, self._function, self._update = ends, function, update
        self._limits = []  #: constraints that keep the stroke within its limits
        self._key, self._pull = None, None
        self._span = self._points()[1] - self._points()[0]
        self._direction = None if direction is None else direction / np.linalg.norm(direction)
        self._stroke, self._velocity, self._force, self._along = 0.0, 0.0, 0.0, self._axis()
        self._rest = float(self._span @ self._along)

    def whole(self):
        """False once it was deleted, or a body at one end was or has left the extents: the spring is gone with it."""
        return self._taken_by is None and all(body is None or body._solfec._engine.has_body(body._id) for body, _ in self._ends)

    def _delete(self):
        """Take it out of the simulation, with its limits."""
        engine = self._solfec._engine
        for limit in self._limits:
            if engine.has_constraint(limit.id):
                engine.remove_constraint(limit.id)

    @property
    def _solfec(self):
        return self._ends[0][0]._solfec

    @property
    def _shown(self):
        """True in READ mode with a frame to show."""
        return self._solfec._reader is not None and self._solfec._frame is not None

    def _now(self):
        """Itself as of the step at hand; in READ mode as of the frame shown."""
        if self._shown:
            self.pull(self._solfec._frame.time)
        return self

    @property
    def stroke(self):
        """How much longer than at the start it is, m."""
        return self._now()._stroke

    @property
    def velocity(self):
        """How fast it grows, m/s."""
        return self._now()._velocity

    @property
    def force(self):
        """What its function gave, N."""
        return self._now()._force

    @property
    def axis(self):
        """Unit vector along which it acts, from its first end to its second."""
        return self._now()._along

    @property
    def kind(self):
        """'SPRING'."""
        return "SPRING"

    @property
    def R(self):
        """(0, 0, force), N, on the first body along the base's normal."""
        return 0.0, 0.0, self.force

    @property
    def U(self):
        """(0, 0, velocity), m/s."""
        return 0.0, 0.0, self.velocity

    @property
    def gap(self):
        """The stroke, m."""
        return self.stroke

    @property
    def base(self):
        """Spatial base as in other constraints; its normal is from the second point to the first."""
        normal, tangent1, tangent2 = frame_of(-self.axis)
        return floats(np.column_stack([tangent1, tangent2, normal]))

    @property
    def point(self):
        """Both ends, (x1, y1, z1, x2, y2, z2), m."""
        return floats(self._points())

    @property
    def adjbod(self):
        """(body1, body2); None: fixed in the air."""
        return tuple(body for body, _ in self._ends)

    def _points(self):
        """Present places of the ends."""
        if self._shown:
            return [X if body is None else placed(self._solfec, body._id, X) for body, X in self._ends]
        return [X if body is None else body._handle.point(X) for body, X in self._ends]

    def _speeds(self):
        """Present velocities of the ends."""
        if self._shown:
            return [np.zeros(3) if body is None else speed(self._solfec, body._id, X) for body, X in self._ends]
        return [np.zeros(3) if body is None else body._handle.point_velocity(X) for body, X in self._ends]

    def _axis(self):
        """Unit vector along which the spring acts, from its first end to its second."""
        if self._update == "FOLLOW":
            span = self._points()[1] - self._points()[0]
            length = np.linalg.norm(span)
            return span / length if length > 0 else np.array([0.0, 0.0, 1.0])
        carrier = {"CONV1": 0, "CONV2": 1}.get(self._update)
        if carrier is None or self._ends[carrier][0] is None:
            return self._direction
        body = self._ends[carrier][0]
        return (body._state()[0] if self._shown else body._handle.rotation) @ self._direction

    def __repr__(self):
        return f"<spring: stroke {self.stroke:.4g} m, force {self.force:.4g} N>"

    def pull(self, time):
        """(force on the second end, place of each end): once a step, so that both ends feel the same force."""
        if self._key != time:
            points, speeds, along = self._points(), self._speeds(), self._axis()
            self._along = along
            self._stroke = float((points[1] - points[0]) @ along) - self._rest
            self._velocity = float((speeds[1] - speeds[0]) @ along)
            self._force = _check.number("PUT_SPRING: function returned", self._function(self._stroke, self._velocity))
            self._key, self._pull = time, (self._force * along, points)
        return self._pull


@routine
def PUT_SPRING(body1, point1, body2, point2, function, limits, direction=None, update=None):
    """obj = PUT_SPRING (body1, point1, body2, point2, function, limits | direction, update): a spring between two referential points (m).

    body2 may be None: its point is then fixed in the air. function (stroke, velocity) returns the force (N) on the second point along the
    spring's direction, from the first point to the second; stroke (m) is how much longer than at the start it is, velocity (m/s) how fast it
    grows: a spring of stiffness k is lambda s, v: -k * s. limits: (least, greatest) stroke, beyond which the points cannot go (None: free).
    direction: along which the spring acts (None: through both points). update: 'FIXED' (the direction stays), 'CONV1' or 'CONV2' (it turns
    with body1 or body2), 'FOLLOW' (it follows the points); default 'FOLLOW' without a direction, 'FIXED' with one. The force is taken at the
    middle of each step, from velocities at its start: steps must be well below the period of the spring. Members: stroke, velocity,
    force, axis, and those of other constraints: kind ('SPRING'), R, U, gap, base, point, adjbod; DELETE takes it out."""
    bodies = [None if b is None else body_of(name, b) for name, b in (("body1", body1), ("body2", body2))]
    if bodies[0] is None:
        raise ValueError("body1 = None: a BODY is expected; only body2 may be None")
    if bodies[1] is not None and bodies[1]._solfec is not bodies[0]._solfec:
        raise ValueError(f"body2 = {body2!r}: it belongs to another SOLFEC object than body1")
    points = _check.vector("point1", point1), _check.vector("point2", point2)
    if isinstance(function, TimeSeries):
        raise ValueError("function: a TIME_SERIES is a function of time; one of (stroke, velocity) is expected, such as lambda s, v: -1e3 * s")
    _check.function("function", function, "stroke", "velocity")
    axis = None if direction is None else _check.direction("direction", direction)
    update = ("FOLLOW" if axis is None else "FIXED") if update is None else _check.choice("update", update, _UPDATES)
    if axis is None and update != "FOLLOW":
        raise ValueError(f"update = '{update}': it needs a direction")
    bounds = _limits(limits)
    for name, body, point in zip(("point1", "point2"), bodies, points):
        if body is not None:
            point_of(name, body, point)
    spring = Spring(list(zip(bodies, points)), function, axis, update)
    for side, body in enumerate(bodies):
        if body is not None and body.kind != "OBSTACLE":
            body._handle.apply_function(_end_force(spring, side, body, points[side]))
    _bound(spring, bodies, points, bounds, axis, update)
    return spring


def _end_force(spring, side, body, point):
    sign, handle = 1.0 if side == 1 else -1.0, body._handle

    def force(state, time, step):
        if not spring.whole():
            return np.zeros(3), np.zeros(3)
        pull, points = spring.pull(time)
        return handle._pushed(point, sign * pull, points[side] - state.position)

    return force


def _limits(limits):
    """(least, greatest) stroke; infinite where there is no limit."""
    if limits is None:
        return -math.inf, math.inf
    if not isinstance(limits, (tuple, list)) or len(limits) != 2:
        raise ValueError(f"limits = {limits!r}: a pair (least, greatest) or None is expected")
    low, high = (float(x) if x in (-math.inf, math.inf) else _check.number("limits", x) for x in limits)
    if not low <= 0.0 <= high:
        raise ValueError(f"limits = {limits!r}: the least stroke must be 0 or less, the greatest 0 or more")
    return low, high


def _bound(spring, bodies, points, bounds, axis, update):
    """Constraints that keep the stroke within its limits."""
    for kind, limit in (("at_least", bounds[0]), ("at_most", bounds[1])):
        if not math.isfinite(limit):
            continue
        if axis is None and spring._rest + limit <= 0.0:
            continue  # no two points are nearer than that
        carrier = {"CONV1": 1, "CONV2": 2}.get(update)
        handles = [None if b is None else b._handle for b in bodies]
        made = bodies[0]._solfec._sim.distance_limit(*handles, *points, kind, spring._rest + limit, direction=axis,
                                                     carrier=None if carrier is None or bodies[carrier - 1] is None else carrier)
        spring._limits.append(made)


def _three(routine_name, kind):
    """A routine that prescribes the motion of a point along the three axes of a base."""
    def prescribe(body, point, base, tms):
        body_of("body", body)
        solfec = domain("solfec", body._solfec)
        columns = np.asarray(base, dtype=float).reshape(-1) if np.size(base) == 9 else None
        if columns is None:
            raise ValueError(f"base = {base!r}: nine numbers are expected, as in constraint.base")
        axes = columns.reshape(3, 3).T
        if not np.allclose(axes @ axes.T, np.eye(3), atol=1e-6):
            raise ValueError(f"base = {base!r}: three orthogonal unit vectors are expected")
        if not isinstance(tms, (tuple, list)) or len(tms) != 3:
            raise ValueError(f"tms = {tms!r}: three numbers or TIME_SERIES objects are expected, one an axis")
        values = [number_or_series(f"tms[{k}]", value) for k, value in enumerate(tms)]
        return [held(solfec, body, kind, point, axis, value) for axis, value in zip(axes, values)]

    prescribe.__name__ = prescribe.__qualname__ = routine_name
    unit = {"displacement": "displacement, m", "velocity": "velocity, m/s", "acceleration": "acceleration, m/s^2"}[kind]
    prescribe.__doc__ = (f"list = {routine_name} (body, point, base, tms): prescribe the {unit}, of a referential point along three axes: base as in "
                         "constraint.base, (eT1x, eT2x, eNx, eT1y, ...); tms: three numbers or TIME_SERIES objects. Returns three constraints.")
    return routine(prescribe)


SET_DISPLACEMENT3 = _three("SET_DISPLACEMENT3", "displacement")
SET_VELOCITY3 = _three("SET_VELOCITY3", "velocity")
SET_ACCELERATION3 = _three("SET_ACCELERATION3", "acceleration")
