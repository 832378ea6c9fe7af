"""Obstacles driven by single-body constraints: FIX_... and SET_... on an OBSTACLE.

An obstacle feels no force, so its constraints alone say how it moves: it is shifted as a whole, wherever the points are that they hold or move, and
turns only as far as no shift fulfils them (two points held: a hinge); its mass centre does not move where nothing asks it to."""
import numpy as np

from .. import _scree
from ..series import TimeSeries, integrated, native

_EPSILON = 1e-9  #: singular values below this share of the largest are rounding
_TURNS = 1e-12   #: angular velocity times size, relative to the velocity, below which it is rounding


class Drive:
    """The constraints of one obstacle: rows (direction, referential point, rate), the rate in m/s as a number or TimeSeries."""

    def __init__(self, body):
        self._body, self._rows, self._stepped, self._now = body, [], False, None

    def add(self, rows):
        """Take up more of them; returns a function that takes them back."""
        rows = [(np.asarray(direction, dtype=float) / np.linalg.norm(direction), np.asarray(point, dtype=float), rate) for direction, point, rate in rows]
        self._rows += rows
        self._set()

        def release():
            self._rows = [row for row in self._rows if not any(row is r for r in rows)]
            self._set()

        return release

    def _response(self, rotation):
        """(6, rows): velocity of the mass centre and angular velocity for a unit rate of each row, at a rotation: the least angular velocity, then
        the least velocity."""
        shifts = np.array([n for n, _, _ in self._rows]).reshape(-1, 3)
        turns = np.cross(np.array([X for _, X, _ in self._rows]).reshape(-1, 3) - self._body._handle.center, shifts @ rotation) @ rotation.T
        left, sizes, _ = np.linalg.svd(shifts)
        beyond = left[:, (sizes > _EPSILON).sum():].T  # combinations of rows that no shift changes
        asked, angular = beyond @ turns, np.zeros((3, len(shifts)))
        if np.linalg.norm(asked) > _EPSILON * np.linalg.norm(turns):
            angular = np.linalg.pinv(asked, rcond=_EPSILON) @ beyond
        return np.vstack([np.linalg.pinv(shifts, rcond=_EPSILON) @ (np.eye(len(shifts)) - turns @ angular), angular])

    def _set(self):
        handle = self._body._handle
        self._now = None
        if not self._rows:
            handle.move()
            return
        G = self._response(handle.rotation)
        if G[3:].any():
            self._turn()
            return
        handle.move([_combined([(g, rate) for g, (_, _, rate) in zip(row, self._rows)]) for row in G[:3]])

    def _turn(self):
        """Directions stay while points turn: for every step velocities are found anew, at its start and, where the body will then be, at its end."""
        handle, sim = self._body._handle, self._body._solfec._sim
        if not self._stepped:
            self._stepped = True
            sim.callback(0.0, lambda _: self._turn() if self._now is not None else None)
        start, end, rotation = sim.time, sim.time + sim.step, handle.rotation
        now = self._velocity(rotation, start) if self._now is None else self._now
        angle = sim.step * self._velocity(_rotated(rotation, 0.5 * sim.step * now[3:]), start + 0.5 * sim.step)[3:]
        turned = _rotated(rotation, angle)
        self._now = self._velocity(turned, end)
        # It turns about the slowest of its points, so that one that is held stays where it is.
        pivot = min((X for _, X, _ in self._rows), key=lambda X: np.linalg.norm(self._speed(now, rotation, X)))
        parts = zip((*self._speed(now, rotation, pivot), *now[3:]), (*self._speed(self._now, turned, pivot), *self._now[3:]))
        parts = [TimeSeries([(start, a), (end, b)]) for a, b in parts]
        handle.move(parts[:3], parts[3:], handle.point(pivot))

    def _speed(self, velocity, rotation, X):
        """Velocity of a referential point."""
        return velocity[:3] + np.cross(velocity[3:], rotation @ (X - self._body._handle.center))

    def _velocity(self, rotation, time):
        """Velocity of the mass centre and angular velocity at a rotation and a time."""
        velocity = self._response(rotation) @ [rate(time) if isinstance(rate, TimeSeries) else rate for _, _, rate in self._rows]
        if np.abs(velocity[3:]).max() * self._body._handle.shape.size <= _TURNS * np.abs(velocity[:3]).max():
            velocity[3:] = 0.0
        return velocity


def _rotated(rotation, vector):
    """A rotation followed by the one by a spatial rotation vector."""
    angle = np.linalg.norm(vector)
    if angle == 0.0:
        return rotation
    return np.stack([_scree.rotated_point(axis, np.zeros(3), vector / angle, angle) for axis in rotation.T], axis=1)


def drive(body):
    """The Drive of an obstacle."""
    if getattr(body, "_drive", None) is None:
        body._drive = Drive(body)
    return body._drive


def rate_of(kind, value, now, step):
    """Velocity (m/s) of a prescribed velocity, displacement or acceleration, for steps of this length from now on.

    Of a displacement D it is [D(t + step/2) - D(t - step/2)] / step, as for bodies that move: half-steps with the velocities of their ends then lead
    to D."""
    if kind == "velocity":
        return value
    if kind == "acceleration":
        return integrated(native("tms", value), 0.0, 0.0, step)
    if not isinstance(value, TimeSeries) or len(value.times) < 2:
        return 0.0
    t, v, half = np.asarray(value.times), np.asarray(value.values), 0.5 * step
    if t[0] <= now:  # it is under way from the start
        t, v = np.append(t[0] - step, t), np.append(v[0] - step * (v[1] - v[0]) / (t[1] - t[0]), v)
    times = np.unique(np.concatenate([t - half, t + half]))
    return TimeSeries(np.stack([times, (np.interp(times + half, t, v) - np.interp(times - half, t, v)) / step], axis=1))


def _combined(terms):
    """sum g rate as a number or TimeSeries."""
    constant = sum(g * rate for g, rate in terms if not isinstance(rate, TimeSeries))
    series = [(g, rate) for g, rate in terms if isinstance(rate, TimeSeries) and g != 0.0]
    if not series:
        return float(constant)
    times = np.unique(np.concatenate([rate.times for _, rate in series]))
    values = constant + sum(g * np.interp(times, rate.times, rate.values) for g, rate in series)
    return TimeSeries(np.stack([times, values], axis=1))
