"""Processes of disks in the plane y = 0: drum, biaxial compression, shear and compaction with a free surface (Table 8 of the paper on conjugate projected gradients)."""
import math

import numpy as np

THICK = 0.2     #: of walls, and half the extent of everything across the plane, m
DENSITY = 2500.0
FRICTION = 0.3


def radii(count, mean, spread=0.2, seed=1):
    """Radii of disks, uniform about a mean, m."""
    return mean * np.random.default_rng(seed).uniform(1.0 - spread, 1.0 + spread, count)


def _wall(sim, low, high, **motion):
    from .. import shapes
    low, high = np.array(low), np.array(high)
    middle, size = 0.5 * (low + high), high - low
    return sim.obstacle(shapes.box(center=(middle[0], 0.0, middle[1]), size=(size[0], THICK, size[1])), **motion)


def _pushed(sim, low, high, axis, force):
    """A wall that moves along one axis alone, under a constant force (N), as heavy as all disks; it feels no weight."""
    from .. import shapes
    low, high = np.array(low), np.array(high)
    middle, size = 0.5 * (low + high), high - low
    masses = sim.bodies.masses[sim.bodies.moving]
    wall = sim.rigid(shapes.box(center=(middle[0], 0.0, middle[1]), size=(size[0], THICK, size[1])), density=float(masses.sum()) / (size[0] * THICK * size[1]))
    wall.hold(motion="xyz".replace(axis, ""), rotation="xyz")
    along = np.array([float(axis == k) for k in "xyz"])
    wall.apply_force(wall.center, along, force)
    return wall


def _consolidate(sim, time=0.6):
    """Let a square come to rest under its pressure, without friction; then there is friction."""
    sim.advance(int(round(time / sim.step)))
    sim.surface_material(friction=FRICTION)


def _pass(sim, wall, *others):
    """Walls of a box pass through each other."""
    for other in others:
        sim.exclude(bodies=(wall, other))


def _simulation(step, friction=0.0, restitution=0.0, gravity=9.81):
    from .. import Simulation
    sim = Simulation(step=step, gravity=(0, 0, -gravity), threads=1)
    sim.surface_material(friction=friction, restitution=restitution)
    sim.solver("AUTO", tolerance=1e-3)
    return sim


def _fill(sim, sizes, left, right, floor):
    """Disks on a jittered lattice above a floor."""
    pitch, rng = 2.05 * sizes.max(), np.random.default_rng(2)
    across = max(1, int((right - left) / pitch))
    for k, radius in enumerate(sizes):
        row, column = divmod(k, across)
        sim.disk((left + (column + 0.5) * (right - left) / across + 0.02 * pitch * rng.uniform(-1, 1), 0.0, floor + (row + 0.5) * pitch), radius, density=DENSITY)


def box(count, step=1e-3, gravity=9.81, friction=0.0, settle=0.3):
    """Disks settled without friction in a box about 1 m wide: simulation, left and right walls, height of the filling."""
    sizes = radii(count, 0.5 * (0.8 / count) ** 0.5)
    sim = _simulation(step)
    floor = _wall(sim, (-1.0, -THICK), (2.0, 0.0))
    left, right = _wall(sim, (-THICK, -THICK), (0.0, 4.0)), _wall(sim, (1.0, -THICK), (1.0 + THICK, 4.0))
    _fill(sim, sizes, 0.0, 1.0, 0.0)
    sim.advance(int(round(settle / step)))
    moving = sim.bodies.moving
    top = float(np.max(sim.bodies.positions[moving][:, 2] + sizes))
    sim.surface_material(friction=friction)
    sim.gravity = (0, 0, -gravity)
    return sim, {"floor": floor, "left": left, "right": right, "top": top, "sizes": sizes}


class Process:
    """A process ready to run: simulation, steps, and functions of the simulation that make its macroscopic curves."""

    def __init__(self, sim, steps, curves):
        self.sim, self.steps, self.curves = sim, steps, curves


def _mobile(sim):
    """Disks among moving bodies: those that cannot leave the plane."""
    return [body for body in sim.bodies if body.kind == "rigid" and body.held[1] == "xz"]


def coordination(sim, count):
    """Mean number of contacts that push, a disk."""
    contacts = sim.contacts
    if not len(contacts["gap"]):
        return 0.0
    obstacles = set(int(i) for i, moving in zip(sim.bodies.ids, sim.bodies.moving) if not moving)
    pushing = np.abs(contacts["local_force"][:, 0]) > 0.0
    ends = sum(int(b) not in obstacles for pair in contacts["bodies"][pushing] for b in pair)
    return ends / count


def drum(count, turns):
    """Disks of 3 mm in a drum of 450 mm for 7200 of them, 3 rpm, restitution 0.92."""
    from .. import shapes
    sizes, bore = radii(count, 1.5e-3), 0.225 * math.sqrt(count / 7200)
    sim = _simulation(5e-4, FRICTION, 0.92)
    shell = sim.obstacle(shapes.pipe((0, -0.1, 0), (0, 0.2, 0), bore, 0.1 * bore, cells=(1, 48, 1)))
    inner = bore / math.sqrt(2.0) * 0.96
    # Half filled: what the inscribed square does not take goes on top of it.
    _fill(sim, sizes, -inner, inner, -inner)
    sim.advance(400)
    speed = 3 * 2 * math.pi / 60
    shell.move(angular_velocity=(0, speed, 0), pivot=(0, 0, 0))
    speeds = lambda sim: float(np.mean(np.linalg.norm(sim.bodies.velocities[sim.bodies.moving], axis=1)))
    return Process(sim, int(turns * 2 * math.pi / speed / sim.step), {"mean speed, m/s": speeds, "coordination": lambda sim: coordination(sim, count)})


def biaxial(count, strain):
    """A square of disks: the upper side comes down at constant speed, the right one is pushed by a constant pressure."""
    sim, parts = box(count, gravity=0.0)
    top, rate = parts["top"], 0.05
    parts["right"].delete()
    pressure = 1e4
    side = _pushed(sim, (1.0, -1.0), (1.0 + THICK, 3.0), "x", -pressure * top)
    upper = _wall(sim, (-1.0, top), (2.5, top + THICK))
    _pass(sim, side, parts["floor"], upper)
    _consolidate(sim)
    upper.move(velocity=(0, 0, -rate * top))
    area = float(np.sum(math.pi * parts["sizes"] ** 2))
    height = lambda sim: float(upper.position[2]) - 0.5 * THICK
    width = lambda sim: float(side.position[0]) - 0.5 * THICK
    def stress(sim):
        found = sim.contacts
        on = found["bodies"] == upper.id
        force = float(np.sum(found["force"][on[:, 1], 2]) - np.sum(found["force"][on[:, 0], 2]))
        return abs(force) / max(width(sim), 1e-9) / pressure
    return Process(sim, int(strain / rate / sim.step), {"vertical over lateral stress": stress, "compactness": lambda sim: area / (height(sim) * width(sim)),
                                                        "coordination": lambda sim: coordination(sim, count)})


def shear(count, angle):
    """A square of disks whose lateral sides turn about their feet, under a constant pressure on the upper side."""
    sim, parts = box(count, gravity=0.0)
    top, rate, pressure = parts["top"], 0.2, 1e4
    lid = _pushed(sim, (0.0, top), (1.0, top + THICK), "z", -pressure)
    _pass(sim, lid, parts["left"], parts["right"])
    _consolidate(sim)
    parts["left"].move(angular_velocity=(0, rate, 0), pivot=(0, 0, 0))
    parts["right"].move(angular_velocity=(0, rate, 0), pivot=(1, 0, 0))
    area = float(np.sum(math.pi * parts["sizes"] ** 2))
    return Process(sim, int(angle / rate / sim.step), {"compactness": lambda sim: area / max(float(lid.position[2]) - 0.5 * THICK, 1e-9), "coordination": lambda sim: coordination(sim, count)})


def compaction(count, time):
    """Disks with a free surface, pressed by a lateral wall that speeds up and slows down."""
    from .. import TimeSeries
    sim, parts = box(count, friction=FRICTION)
    begin = sim.time
    times = begin + np.linspace(0.0, max(time, 1e-3), 101)
    speed = TimeSeries(np.column_stack([times, -0.15 * (1.0 - np.cos(2 * math.pi * (times - begin) / 0.2))]))
    parts["right"].move(velocity=(speed, 0.0, 0.0))
    overlap = lambda sim: float(np.mean(np.minimum(sim.contacts["gap"], 0.0))) if len(sim.contacts["gap"]) else 0.0
    return Process(sim, int(time / sim.step), {"mean gap, m": overlap, "coordination": lambda sim: coordination(sim, count)})
