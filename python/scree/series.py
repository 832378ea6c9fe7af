"""Piecewise linear functions of time."""
import os

import numpy as np

from . import _check, _scree


class TimeSeries:
    """A linear spline through points (time in s, value), constant before the first and after the last point.

    points: a list [(t0, v0), (t1, v1), ...], a flat list [t0, v0, t1, v1, ...], an (n, 2) array, one number for
    a constant, or the path of a text or CSV file with `time value` pairs ('#' starts a comment; a first line that names the columns is skipped).

    Raises ValueError when times do not increase or a number is not finite, OSError when a file cannot be read.
    """

    __slots__ = ("_native", "label")

    def __init__(self, points, label=None):
        self.label = label
        if isinstance(points, TimeSeries):
            self._native = points._native
        elif isinstance(points, (str, os.PathLike)):
            self._native = _scree.TimeSeries.read(_check.path("TimeSeries: points", points))
        elif _check.rank(points) == 0:
            self._native = _scree.TimeSeries(_check.number("TimeSeries: value", points))
        else:
            try:
                table = np.asarray(points, dtype=float)
            except (TypeError, ValueError, OverflowError):
                raise ValueError(f"TimeSeries: points = {points!r:.80}: pairs (time, value) are expected") from None
            if table.ndim == 1 and table.size % 2 == 0:
                table = table.reshape(-1, 2)
            if table.ndim != 2 or table.shape[1] != 2:
                raise ValueError(f"TimeSeries: points: {table.size} numbers in an array of shape {table.shape}: pairs (time, value) are expected")
            self._native = _scree.TimeSeries(table[:, 0].tolist(), table[:, 1].tolist())

    def __call__(self, time):
        """Value at a time, s (numbers and arrays)."""
        return self._map(self._native.value, time)

    def derivative(self, time):
        """Right-sided slope at a time."""
        return self._map(self._native.derivative, time)

    def integral(self, time):
        """Exact integral from 0 to a time."""
        return self._map(self._native.integral, time)

    @staticmethod
    def _map(function, time):
        if np.ndim(time) == 0:
            return function(float(time))
        return np.array([function(float(t)) for t in np.ravel(time)]).reshape(np.shape(time))

    @property
    def times(self):
        """Times of the points, s."""
        return self._native.times()

    @property
    def values(self):
        """Values at the points."""
        return self._native.values()

    def __getstate__(self):
        return (self._native.times(), self._native.values(), self.label)

    def __setstate__(self, state):
        times, values, self.label = state
        self._native = _scree.TimeSeries(times.tolist(), values.tolist())

    def __repr__(self):
        if self._native.constant():
            return f"TimeSeries({self.values[0]:g})"
        t, v = self._native.times(), self._native.values()
        return f"TimeSeries({len(t)} points, t {t[0]:g} .. {t[-1]:g} s, values {v.min():g} .. {v.max():g})"


def integrated(rate, start, value, spacing):
    """TimeSeries of value + the integral of the engine's series `rate` from time `start` on, value before it.

    The integral of a piecewise linear series is quadratic between its points: it is met exactly at them and at points at most `spacing`
    (s) apart between them; a constant tail is followed for as long as numbers last."""
    ends = np.concatenate([[start], rate.times()[rate.times() > start]])
    parts = [np.linspace(a, b, 1 + max(1, int(np.ceil((b - a) / spacing))))[1:] for a, b in zip(ends[:-1], ends[1:])]
    times = np.concatenate([[start], *parts, [ends[-1] + 1e6]])
    rates = np.interp(times, rate.times(), rate.values())
    values = value + np.concatenate([[0.0], np.cumsum(0.5 * (rates[1:] + rates[:-1]) * np.diff(times))])
    return TimeSeries(np.stack([times, values], axis=1))


def native(what, value):
    """The engine's series of a number or a TimeSeries."""
    if isinstance(value, TimeSeries):
        return value._native
    return _scree.TimeSeries(_check.number(what, value))
