"""Walls that follow a prescribed force or pressure, and boxes of them.

A servo wall is a rigid body with one degree of freedom: its rotations carry an inertia beyond anything that could turn it, two constraints at
its mass centre hold it across, and along its direction it moves by Newton's law under the prescribed force and the contacts. So the force is met
exactly at equilibrium, without a gain to tune."""
import numpy as np

from . import _check, series
from .handles import Body

#: Rotational inertia of a wall relative to mass times squared size: contacts turn it by less than rounding.
_HELD = 1e18
_AXES = "xyz"


def _value(what, value):
    """A function of time from a number or a TimeSeries."""
    given = series.native(what, value)
    return given.value


class ServoWall:
    """A wall pushed along a unit `direction` by a prescribed force; see Simulation.servo_wall(). body: the Body itself."""

    def __init__(self, sim, shape, direction, force, pressure, area, mass, label):
        self._sim = sim
        self.direction = _check.direction("servo_wall: direction", direction)
        self.direction = self.direction / np.linalg.norm(self.direction)
        if (force is None) == (pressure is None):
            raise ValueError("servo_wall: give either force (N) or pressure (Pa) with the wall's area (m^2)")
        if (pressure is None) != (area is None):
            raise ValueError("servo_wall: pressure (Pa) and area (m^2) belong together")
        if mass is not None:
            _check.positive("servo_wall: mass", mass)
        self._push = _value("servo_wall: force", force) if pressure is None else _value("servo_wall: pressure", pressure)
        self._area = 1.0 if pressure is None else area if callable(area) else _check.positive("servo_wall: area", area)
        self.body = self._make(shape, mass, label)
        self._start = self.body.position
        self.body.apply_function(self._load)

    def _make(self, shape, mass, label):
        sim = self._sim
        if mass is None:
            moving = sim.bodies.masses[sim.bodies.moving]
            mass = float(moving.sum()) if len(moving) else 1.0
        body = sim.rigid(shape, density=1.0, label=label)
        body.set_characteristics(mass=mass, inertia=_HELD * mass * body.shape.size**2 * np.eye(3))
        # Two directions across the wall's own.
        e = np.cross(self.direction, np.eye(3)[np.argmin(np.abs(self.direction))])
        e /= np.linalg.norm(e)
        for across in (e, np.cross(self.direction, e)):
            sim.fix_direction(body, body.center, across)
        return body

    @property
    def area(self):
        """On which the pressure acts now, m^2 (1 for a prescribed force)."""
        return _check.number("servo_wall: area()", self._area()) if callable(self._area) else self._area

    @property
    def force(self):
        """Prescribed force along the direction now, N."""
        return self._push(self._sim.time) * self.area

    @property
    def displacement(self):
        """Along the direction since the wall was made, m."""
        return float((self.body.position - self._start) @ self.direction)

    @property
    def reaction(self):
        """What contacts push against the direction, mean over the last step, N."""
        contacts = self._sim.contacts
        sign = (contacts["bodies"][:, 0] == self.body.id).astype(float) - (contacts["bodies"][:, 1] == self.body.id)
        return float(sign @ (contacts["force"] @ self.direction))

    def _load(self, state, time, step):
        # The weight along the direction is taken off: the wall stands for a machine, not for a mass.
        along = self._push(time) * self.area - self.body.mass * float(self._sim.gravity @ self.direction)
        return along * self.direction

    def __repr__(self):
        return f"<ServoWall {self.body.id}: {self.force:.4g} N along ({', '.join(f'{x:.3g}' for x in self.direction)})>"


class Triaxial:
    """A box of six walls; three stand still at `low`, the opposite three are driven. See Simulation.triaxial()."""

    def __init__(self, sim, low, high, pressure, velocity, surface, mass):
        self._sim = sim
        self.low, self._high = _check.vector("triaxial: low", low), _check.vector("triaxial: high", high)
        if not np.all(self._high > self.low):
            raise ValueError(f"triaxial: low = {tuple(self.low)}, high = {tuple(self._high)}: every coordinate of high must exceed that of low")
        pressures, velocities = self._three("pressure", pressure), self._three("velocity", velocity)
        for axis, p, v in zip(_AXES, pressures, velocities):
            if (p is None) == (v is None):
                raise ValueError(f"triaxial: axis {axis}: give either a pressure (Pa) or a velocity (m/s)")
            series.native(f"triaxial: pressure along {axis}" if v is None else f"triaxial: velocity along {axis}", p if v is None else v)
        if mass is not None:
            _check.positive("triaxial: mass", mass)
        surface = _check.integer("triaxial: surface", surface)
        self.fixed = [sim.obstacle(self._plate(axis, False, surface), label=f"wall {name}-") for axis, name in enumerate(_AXES)]
        self.driven = [self._drive(axis, pressures[axis], velocities[axis], surface, mass) for axis in range(3)]
        walls = [*self.fixed, *(wall if isinstance(wall, Body) else wall.body for wall in self.driven)]
        for i, one in enumerate(walls):
            for other in walls[i + 1:]:
                sim.exclude(bodies=(one, other))
        self.walls = walls
        self._size = self.size

    @staticmethod
    def _three(what, value):
        parts = [value] * 3 if _check.rank(value) == 0 else list(value)
        if len(parts) != 3:
            raise ValueError(f"triaxial: {what} = {value!r}: one value or three (x, y, z) are expected")
        return parts

    def _plate(self, axis, upper, surface):
        """A plate across an axis, half as large again as the box on every side, so that corners stay closed while others move."""
        from .shapes import box
        size = self._high - self.low
        low, high = self.low - 0.5 * size, self._high + 0.5 * size
        face = self._high[axis] if upper else self.low[axis]
        low[axis], high[axis] = (face, face + 0.1 * size.max()) if upper else (face - 0.1 * size.max(), face)
        return box(low=low, high=high, surface=surface)

    def _drive(self, axis, pressure, velocity, surface, mass):
        shape, label = self._plate(axis, True, surface), f"wall {_AXES[axis]}+"
        if pressure is None:
            return self._sim.obstacle(shape, label=label, velocity=[velocity if k == axis else 0.0 for k in range(3)])
        return self._sim.servo_wall(shape, -np.eye(3)[axis], pressure=pressure, area=lambda: self._area(axis), mass=mass, label=label)

    def _face(self, axis):
        """Coordinate of the driven wall's inner face, m."""
        wall = self.driven[axis]
        body = wall if isinstance(wall, Body) else wall.body
        return self._high[axis] + (body.position - body.center)[axis]

    @property
    def size(self):
        """Edges of the inner box now, m."""
        if not hasattr(self, "driven"):
            return self._high - self.low
        return np.array([self._face(axis) for axis in range(3)]) - self.low

    def _area(self, axis):
        return float(np.prod(np.delete(self.size, axis)))

    @property
    def volume(self):
        """Of the inner box, m^3."""
        return float(np.prod(self.size))

    @property
    def strain(self):
        """Logarithmic strains since the start, compression negative."""
        return np.log(self.size / self._size)

    @property
    def pressure(self):
        """With which the packing pushes the driven walls: mean force of the last step over area, Pa."""
        contacts, found = self._sim.contacts, []
        for axis, wall in enumerate(self.driven):
            body = wall if isinstance(wall, Body) else wall.body
            sign = (contacts["bodies"][:, 1] == body.id).astype(float) - (contacts["bodies"][:, 0] == body.id)
            found.append(float(sign @ contacts["force"][:, axis]) / self._area(axis))
        return np.array(found)

    @property
    def box(self):
        """(low, high) corners of the inner box, m: where to measure."""
        return self.low, self.low + self.size

    def __repr__(self):
        return f"<Triaxial box of {' x '.join(f'{x:.4g}' for x in self.size)} m>"
