"""Obstacles driven by single-body constraints: FIX_... and SET_... on an OBSTACLE.

An obstacle feels no force, so its constraints alone say how it moves: of all velocities that fulfil them it takes the one of least kinetic
energy (one point moved along a direction through the mass centre: a translation)."""
import numpy as np

from ..series import TimeSeries, integrated, native

_TURNS = 1e-12  #: angular velocity times size, relative to the velocity, above which an obstacle turns


class Drive:
    """The constraints of one obstacle: rows (direction, referential point, rate), the rate in m/s as a number or TimeSeries."""

    def __init__(self, body):
        self._body, self._rows, self._stepped = body, [], False

    def add(self, rows):
        """Take up more of them; returns a function that takes them back."""
        rows = [(np.asarray(direction, dtype=float) / np.linalg.norm(direction), np.asarray(point, dtype=float), rate) for direction, point, rate in rows]
        self._rows += rows
        self._set()

        def release():
            self._rows = [row for row in self._rows if not any(row is r for r in rows)]
            self._set()

        return release

    def _response(self):
        """(6, rows): linear and angular velocity for a unit rate of each row, in the present place."""
        handle = self._body._handle
        normals = np.array([n for n, _, _ in self._rows]).reshape(-1, 3)
        arms = np.array([handle.point(X) for _, X, _ in self._rows]).reshape(-1, 3) - handle.position
        H = np.hstack([normals, np.cross(arms, normals)])
        inverse = np.zeros((6, 6))
        inverse[:3, :3] = np.eye(3) / handle.mass
        inverse[3:, 3:] = handle.rotation @ np.linalg.inv(handle.inertia) @ handle.rotation.T
        return inverse @ H.T @ np.linalg.pinv(H @ inverse @ H.T, rcond=1e-9, hermitian=True)

    def _set(self):
        handle = self._body._handle
        if not self._rows:
            handle.move()
            return
        G = self._response()
        if np.abs(G[3:]).max() * handle.shape.size > _TURNS * np.abs(G[:3]).max():
            self._turn()
            return
        handle.move([_combined([(g, rate) for g, (_, _, rate) in zip(row, self._rows)]) for row in G[:3]])

    def _turn(self):
        """Directions stay while points turn: velocities are found anew for every step."""
        sim = self._body._solfec._sim
        if not self._stepped:
            self._stepped = True
            sim.callback(0.0, lambda _: self._turn())
        time = sim.time + 0.5 * sim.step
        rates = [rate(time) if isinstance(rate, TimeSeries) else rate for _, _, rate in self._rows]
        velocity = self._response() @ rates
        sim._engine.set_velocity(self._body.id, velocity[:3], velocity[3:])


def drive(body):
    """The Drive of an obstacle."""
    if getattr(body, "_drive", None) is None:
        body._drive = Drive(body)
    return body._drive


def rate_of(kind, value, step):
    """Velocity (m/s) of a prescribed velocity, displacement or acceleration, exact at points at most a time step apart."""
    if kind == "velocity":
        return value
    if kind == "acceleration":
        return integrated(native("tms", value), 0.0, 0.0, step)
    if not isinstance(value, TimeSeries) or len(value.times) < 2:
        return 0.0
    t, v = np.asarray(value.times), np.asarray(value.values)
    slope, end = np.diff(v) / np.diff(t), t[1:] - 1e-9 * np.diff(t)
    table = np.stack([t[:-1], slope, end, slope], axis=1).reshape(-1, 2)
    return TimeSeries(np.concatenate([[[t[0] - 1e-9, 0.0]], table, [[t[-1], 0.0]]]))


def _combined(terms):
    """sum g rate as a number or TimeSeries."""
    constant = sum(g * rate for g, rate in terms if not isinstance(rate, TimeSeries))
    series = [(g, rate) for g, rate in terms if isinstance(rate, TimeSeries) and g != 0.0]
    if not series:
        return float(constant)
    times = np.unique(np.concatenate([rate.times for _, rate in series]))
    values = constant + sum(g * np.interp(times, rate.times, rate.values) for g, rate in series)
    return TimeSeries(np.stack([times, values], axis=1))
