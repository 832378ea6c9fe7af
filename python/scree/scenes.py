"""Named scenes for benchmarks, tests and samples. Each is generated here, the same on every machine.

    scene = scenes.make("wall")
    scene.sim.run(1.0)
"""
import math

import numpy as np

from . import _check
from .handles import BulkMaterial
from .series import TimeSeries
from .shapes import box, ellipsoid, hex, hull, join, pipe, sphere
from .simulation import Simulation


class Scene:
    """A simulation ready to run, with how to benchmark it."""

    def __init__(self, name, sim, steps, warmup=0, still=False, peer=None):
        self.name, self.sim = name, sim
        self.steps = steps        #: steps a benchmark times by default
        self.warmup = warmup      #: steps made before timing, with a loose solver
        self.still = still        #: the exact answer is no motion: drift is reported
        self.peer = peer          #: another engine's driver (see scree.peers) and the function that writes the scene, as it is, for it
        self.start = sim.bodies.positions, sim.bodies.rotations

    def drift(self):
        """Largest and mean displacement (m) and largest rotation (rad) of the moving bodies since the start."""
        moving = self.sim.bodies.moving
        moved = np.linalg.norm(self.sim.bodies.positions - self.start[0], axis=1)[moving]
        chord = np.linalg.norm(self.sim.bodies.rotations - self.start[1], axis=(1, 2))[moving]
        return {"drift_max": float(moved.max()), "drift_mean": float(moved.mean()),
                "tilt_max": float(2 * np.arcsin(np.minimum(1.0, chord.max() / math.sqrt(8.0))))}


def _ground(sim, half, thickness=0.5):
    return sim.obstacle(box(low=(-half, -half, -thickness), high=(half, half, 0.0)), label="ground")


# --- column of spheres ----------------------------------------------------------------------------------------

_RADIUS, _DENSITY, _PITCH = 0.05, 2500.0, 0.11


def column_positions(count, width, seed=1):
    """Lattice of pitch 0.11 m with a jitter of up to 4.5 mm, `width` spheres along x and y."""
    k = np.arange(count)
    lattice = np.stack([k % width, k // width % width, k // width**2], axis=1) * _PITCH
    lattice[:, :2] -= 0.5 * (width - 1) * _PITCH
    lattice[:, 2] += 0.1
    return lattice + np.random.RandomState(seed).uniform(-0.0045, 0.0045, (count, 3))


def read_state(path):
    """Rows x, y, z [, quaternion w x y z, velocity, spatial angular velocity] of a comma-separated file with a header."""
    try:
        rows = np.genfromtxt(path, delimiter=",", skip_header=1, ndmin=2)
    except ValueError as error:
        raise ValueError(f"{path}: not a table of numbers ({error})") from None
    if rows.shape[1] not in (3, 13) or not np.isfinite(rows).all():
        raise ValueError(f"{path}: 3 or 13 finite columns are expected, not {rows.shape[1]}")
    return rows


def _quaternion_matrix(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def column(count, width, rows=None):
    """Spheres above a floor between four walls, `width` of them across, on a jittered lattice or in the places given by rows."""
    rows = column_positions(count, width) if rows is None else rows
    sim = Simulation(step=1e-3)
    sim.surface_material(friction=0.3)
    half, height, wall = 0.5 * _PITCH * width, rows[:, 2].max() + 1.0, 0.5
    outer = half + wall
    sim.obstacle(box(low=(-outer, -outer, -wall), high=(outer, outer, 0.0)), label="floor")
    for label, low, high in (("west", (-outer, -outer, 0), (-half, outer, height)), ("east", (half, -outer, 0), (outer, outer, height)),
                             ("south", (-half, -outer, 0), (half, -half, height)), ("north", (-half, half, 0), (half, outer, height))):
        sim.obstacle(box(low=low, high=high), label=label)
    for row in rows:
        ball = sim.rigid(sphere(row[:3], _RADIUS), density=_DENSITY)
        if len(row) == 13:
            ball.rotation = _quaternion_matrix(row[3:7])
            sim._engine.set_velocity(ball.id, row[7:10], row[10:13])
    return sim


def _column(name, count, width, steps, warmup, state=None):
    rows = None if state is None else read_state(state)
    if rows is not None and len(rows) != count:
        raise ValueError(f"{state}: {len(rows)} rows, but {name} has {count} spheres")
    settled = rows is not None and rows.shape[1] == 13
    sim = column(count, width, rows)
    return Scene(name, sim, steps, 0 if settled else warmup, peer=("ode_column", lambda: _column_text(sim, width)))


def _column_text(sim, width, iterations=20):
    """The column as it is, for ODE's driver. Spheres look the same however they are turned."""
    moving = sim.bodies.moving
    places, velocities, spins = (values[moving] for values in (sim.bodies.positions, sim.bodies.velocities, sim.bodies.angular_velocities))
    rows = np.hstack([places, np.tile([1.0, 0.0, 0.0, 0.0], (len(places), 1)), velocities, spins])
    head = f"{sim.step} {iterations} 0.3 {0.5 * _PITCH * width} {_RADIUS} {_DENSITY}\n"
    return head + "\n".join(" ".join(f"{value:.17g}" for value in row) for row in rows) + "\n"


# --- stacks ---------------------------------------------------------------------------------------------------

def _wall(name, state=None):
    sim = Simulation(step=1e-3)
    sim.surface_material(friction=0.3)
    _ground(sim, 3.0)
    for row in range(10):
        for i in range(10):
            x = (i - 4.5) * 0.201 + (0.05 if row % 2 else 0.0)
            sim.rigid(box(center=(x, 0.0, 0.05 + 0.1 * row), size=(0.2, 0.1, 0.1)), density=2500.0)
    return Scene(name, sim, 2000, still=True)


def _heavy_on_light(name, state=None):
    sim = Simulation(step=1e-3)
    sim.surface_material(friction=0.3)
    _ground(sim, 3.0)
    light = 1.0 / (4.0 / 3.0 * math.pi * _RADIUS**3)
    for j in range(10):
        for i in range(10):
            sim.rigid(sphere(((i - 4.5) * 0.11, (j - 4.5) * 0.11, _RADIUS), _RADIUS), density=light)
    sim.rigid(box(center=(0.0, 0.0, 2 * _RADIUS + 0.55), size=(1.1, 1.1, 1.1)), density=10000.0 / 1.1**3)
    return Scene(name, sim, 2000, still=True)


def _dominoes(name, state=None):
    sim = Simulation(step=1e-3)
    sim.surface_material(friction=0.4)
    _ground(sim, 4.0)
    for i in range(20):
        sim.rigid(box(center=(0.1 * i - 1.0, 0.0, 0.1), size=(0.02, 0.1, 0.2)), density=800.0)
    sim.bodies[1].angular_velocity = (0.0, 3.0, 0.0)
    return Scene(name, sim, 1000)


def _arch(name, state=None, blocks=27, radius=10.0, ratio=0.12, width=5.0):
    sim = Simulation(step=1e-3)
    sim.surface_material(friction=0.5)
    thickness = ratio * radius
    angles = np.linspace(0.0, math.pi, blocks + 1)
    for first, last in zip(angles[:-1], angles[1:]):
        corners = [(r * math.cos(a), y, r * math.sin(a)) for a in (first, last) for r in (radius - thickness / 2, radius + thickness / 2)
                   for y in (-width / 2, width / 2)]
        sim.rigid(hull(corners), density=1.0)
    for side in (-1.0, 1.0):
        sim.obstacle(box(center=(side * radius, 0.0, -0.5), size=(2 * thickness, 2 * width, 1.0)), label="abutment")
    return Scene(name, sim, 750)


# --- rotating drum --------------------------------------------------------------------------------------------

def _drum_radii(count):
    r0 = (0.1 / count) ** (1.0 / 3.0)
    return np.array([0.9, 0.5, 1.0]) * r0


def drum_obstacles(sim):
    """The drum (pipe with two lifters) and its two side discs; returns the drum."""
    shell = pipe((0.0, 0.0, 0.0), (0.0, 0.5, 0.0), 1.0, 0.05, cells=(1, 32, 1))
    lifters = [box(center=(x, 0.25, 0.0), size=(0.2, 0.5, 0.2)) for x in (-0.9, 0.9)]
    drum = sim.obstacle(join(shell, *lifters), label="drum")
    angles = 2 * math.pi * np.arange(31) / 31
    for label, low, high in (("front", -0.052, -0.002), ("back", 0.502, 0.552)):
        points = [(1.05 * math.cos(a), y, 1.05 * math.sin(a)) for a in angles for y in (low, high)]
        sim.obstacle(hull(points), label=label)
    return drum


def drum_lattice(radii):
    """Places where particles appear, layer by layer downwards."""
    rx, ry, rz = radii
    layers = int(0.75 / (2 * rz))
    for layer in range(layers):
        for x in np.arange(-0.7, 0.7, 2 * rx):
            for y in np.arange(0.05, 0.45, 2 * ry):
                yield (float(x), float(y), 0.25 - 2 * rz * layer)


def drum_callback(sim, state):
    """Insert particles until there are enough; on the call after that, set the drum turning."""
    radii = np.array(state["radii"])
    if state["made"] < state["count"]:
        for place in drum_lattice(radii):
            if state["made"] == state["count"]:
                break
            shape = sphere(place, float(radii[0])) if state["spheres"] else ellipsoid(place, radii)
            if state["soft"]:
                sim.pseudo_rigid(shape, material=BulkMaterial(sim, 0), stiffness_damping=sim.step)
            else:
                sim.rigid(shape, material=BulkMaterial(sim, 0))
            state["made"] += 1
    elif not state["turning"]:
        state["turning"] = True
        sim.bodies["drum"].move(angular_velocity=(0.0, 1.0, 0.0), pivot=(0.0, 0.0, 0.0))


def drum(name="drum", state=None, count=100, spheres=False, soft=False, friction=0.3, density=100.0):
    """The rotating drum of the quasi-Newton report: `count` ellipsoids or spheres, rigid or pseudo-rigid (`soft`)."""
    sim = Simulation(step=1e-3, gravity=(0.0, 0.0, -10.0))
    sim.surface_material(friction=friction)
    sim.bulk_material(young=1e6, poisson=0.25, density=density, label="grains")
    drum_obstacles(sim)
    radii = _drum_radii(count)
    if spheres:
        radii = np.full(3, radii.mean())
    layers = int(0.75 / (2 * radii[2]))
    sim.callback(layers * math.sqrt(2 * 2.1 * radii[2] / 10.0), drum_callback,
                 {"radii": radii.tolist(), "count": count, "spheres": spheres, "soft": soft, "made": 0, "turning": False})
    return Scene(name, sim, 2000)


# --- shaken cubes ---------------------------------------------------------------------------------------------

def cubes(name="cubes", state=None, edge=2, rigid=False, density=1000.0, friction=0.1):
    """edge^3 cubes of 0.1 m, meshed 2 x 2 x 2, in a box that shakes along (1, 1, 0): 2 Hz, 5 m/s^2."""
    step, size, gap = 5e-4, 0.1, 0.01 / edge
    sim = Simulation(step=step, gravity=(0.0, 0.0, -10.0))
    sim.surface_material(friction=friction)
    material = sim.bulk_material(young=1e9, poisson=0.25, density=density)
    inner, wall = edge * size + (edge + 1) * gap, 0.05
    times = np.arange(0.0, 3.0 + step, step)
    swing = TimeSeries(np.stack([times, 5.0 / (4 * math.pi) / math.sqrt(2.0) * np.sin(4 * math.pi * times)], axis=1))
    for axis in range(3):
        for low in (True, False):
            corner, far = np.full(3, -wall), np.full(3, inner + wall)
            corner[axis], far[axis] = (-wall, 0.0) if low else (inner, inner + wall)
            sim.obstacle(box(low=corner, high=far), velocity=(swing, swing, 0.0))
    for k in range(edge**3):
        low = gap + (size + gap) * np.array([k % edge, k // edge % edge, k // edge**2])
        corners = low + size * np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)])
        cube = hex(corners, cells=(2, 2, 2))
        if rigid:
            sim.rigid(cube, material=material)
        else:
            sim.finite_element(cube, material=material, stiffness_damping=step)
    return Scene(name, sim, 600)


def _elastic_block(name, state=None, form="TL"):
    """A block of 101376 unknowns that settles on a floor at 1024 nodes: E 1e7, nu 0.3, rho 1000, 0.6 x 0.6 x 0.62 m, damped."""
    step = 1e-3
    sim = Simulation(step=step)
    sim.surface_material(friction=0.3)
    material = sim.bulk_material(young=1e7, poisson=0.3, density=1000.0)
    _ground(sim, 1.0)
    corners = np.array([(x, y, z) for z in (0.0, 0.62) for x, y in ((0.0, 0.0), (0.6, 0.0), (0.6, 0.6), (0.0, 0.6))])
    sim.finite_element(hex(corners, cells=(31, 31, 32)), material=material, form=form, stiffness_damping=5 * step)
    return Scene(name, sim, 3)


def _pile(name, state=None):
    """Every kind of shape falling on a floor."""
    sim = Simulation(step=1e-3)
    sim.surface_material(friction=0.4, restitution=0.1)
    _ground(sim, 2.0)
    random = np.random.RandomState(7)
    for k in range(60):
        place = np.array([(k % 4 - 1.5) * 0.3, (k // 4 % 4 - 1.5) * 0.3, 0.2 + 0.3 * (k // 16)]) + random.uniform(-0.02, 0.02, 3)
        kind = k % 4
        if kind == 0:
            shape = sphere(place, 0.1)
        elif kind == 1:
            shape = ellipsoid(place, (0.12, 0.07, 0.1))
        elif kind == 2:
            shape = box(center=place, size=(0.2, 0.15, 0.1))
        else:
            shape = hull(place + 0.1 * random.uniform(-1, 1, (12, 3)))
        sim.rigid(shape, density=1500.0)
    return Scene(name, sim, 500)


# --- hulls ----------------------------------------------------------------------------------------------------

def ball_points(count, radius, random):
    """So many random points on a sphere about the origin: all of them are vertices of their hull."""
    points = random.normal(size=(count, 3))
    return radius * points / np.linalg.norm(points, axis=1)[:, None]


def _hulls(name, state=None, edge=6, vertices=60, pitch=0.95):
    """edge^3 hulls of points on balls of diameter 1 m, on a jittered lattice: neighbours overlap by up to 7 % of it. Nothing moves: for timing detection."""
    sim = Simulation(step=1e-4, gravity=(0.0, 0.0, 0.0))
    sim.surface_material(friction=0.3)
    sim.contact_settings(recovery=0.0, margin=5e-3)
    random, clouds = np.random.RandomState(5), []
    for k in range(edge**3):
        place = pitch * np.array([k % edge, k // edge % edge, k // edge**2]) + random.uniform(-0.02, 0.02, 3)
        clouds.append(place + ball_points(vertices, 0.5, random))
        sim.rigid(hull(clouds[-1]), density=1000.0)
    text = "\n".join(" ".join(f"{value:.17g}" for value in (len(cloud), *cloud.ravel())) for cloud in clouds)
    return Scene(name, sim, 20, warmup=2, peer=("bullet_hulls", lambda: text))


def _hull_pile(name, state=None, edge=10, vertices=14):
    """edge^3 hulls of 0.1 m fall into a pile on a floor between walls."""
    sim = Simulation(step=1e-3)
    sim.surface_material(friction=0.4)
    half, wall, pitch = 0.055 * edge, 0.3, 0.11
    sim.obstacle(box(low=(-half - wall, -half - wall, -wall), high=(half + wall, half + wall, 0.0)), label="floor")
    for axis in range(2):
        for side in (-1.0, 1.0):
            low, high = np.array((-half - wall, -half - wall, 0.0)), np.array((half + wall, half + wall, 2 * pitch * edge))
            low[axis], high[axis] = (half, half + wall) if side > 0 else (-half - wall, -half)
            sim.obstacle(box(low=low, high=high))
    random = np.random.RandomState(6)
    for k in range(edge**3):
        place = pitch * np.array([k % edge - 0.5 * (edge - 1), k // edge % edge - 0.5 * (edge - 1), k // edge**2 + 0.5])
        sim.rigid(hull(place + ball_points(vertices, 0.05, random)), density=2500.0)
    return Scene(name, sim, 20, warmup=300)


_DRUMS = {"drum": {}, "drum_spheres": {"spheres": True}, "drum_pseudo_rigid": {"soft": True}, "drum_spheres_pseudo_rigid": {"spheres": True, "soft": True}}

_BUILDERS = {
    "column_1k": lambda name, state: _column(name, 1000, 10, 100, 1000, state),
    "column_4k": lambda name, state: _column(name, 4000, 16, 50, 600, state),
    "column_16k": lambda name, state: _column(name, 16000, 25, 20, 800, state),
    "column_100k": lambda name, state: _column(name, 100000, 46, 5, 300, state),
    "wall": _wall,
    "heavy_on_light": _heavy_on_light,
    **{one: lambda name, state: drum(name, state, **_DRUMS[name]) for one in _DRUMS},
    **{f"cubes_{m}": lambda name, state, m=m: cubes(name, state, m) for m in (2, 3, 4, 5)},
    **{f"cubes_{m}_rigid": lambda name, state, m=m: cubes(name, state, m, True) for m in (2, 3, 4, 5)},
    "elastic_block": _elastic_block,
    "elastic_block_bc": lambda name, state: _elastic_block(name, state, "BC"),
    "arch": _arch,
    "dominoes": _dominoes,
    "pile": _pile,
    "hull_pile": _hull_pile,
    **{f"hulls_{v}": lambda name, state, v=v: _hulls(name, state, 5 if v == 240 else 6, v) for v in (30, 60, 120, 240)},
}


def names():
    """Names of all scenes."""
    return list(_BUILDERS)


def make(name, state=None, particles=None):
    """Build a scene; `state` is a file with places and velocities for the columns, `particles` how many a drum gets, the smaller the more there are."""
    _check.choice("scene", name, _BUILDERS)
    if particles is not None:
        if name not in _DRUMS:
            raise ValueError(f"scene '{name}' has its own number of bodies; particles = {particles} is for {', '.join(_DRUMS)}")
        return drum(name, state, particles, **_DRUMS[name])
    if state is not None and not name.startswith("column"):
        raise ValueError(f"scene '{name}' takes no state file; only the columns do")
    return _BUILDERS[name](name, state)
