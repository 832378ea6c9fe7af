"""Small scenes that several themes share."""
import numpy as np

from .. import shapes
from ..simulation import Simulation

G = 9.81
INTEGRATORS = ("MOREAU", "SHAKE", "RATTLE")


def simulation(step=1e-3, gravity=(0, 0, -G), integrator="MOREAU", friction=0.0, restitution=0.0, tolerance=None):
    """One thread, nothing written; SHAKE has no restitution."""
    sim = Simulation(step=step, gravity=gravity, integrator=integrator, threads=1)
    sim.surface_material(friction=friction, restitution=restitution)
    if tolerance is not None:
        sim.solver(tolerance=tolerance)
    return sim


def floor(sim, size=20.0, **motion):
    """A thick slab whose upper face is z = 0."""
    return sim.obstacle(shapes.box(center=(0, 0, -0.5), size=(size, size, 1)), **motion)


def box_of_walls(sim, side=1.0, thickness=0.5):
    """Six walls around 0 .. side."""
    for axis in range(3):
        for low in (-thickness, side):
            corner, size = np.full(3, -thickness), np.full(3, side + 2 * thickness)
            corner[axis], size[axis] = low, thickness
            sim.obstacle(shapes.box(low=corner, high=corner + size))


def kinetic(bodies):
    return sum(body.kinetic_energy for body in bodies)


def angular_momentum(body):
    """About its mass centre, spatial, kg m^2/s."""
    R = body.rotation
    return R @ body.inertia @ R.T @ body.angular_velocity


def random_rotation(rng):
    """Uniform over all rotations."""
    w, x, y, z = (q := rng.normal(size=4)) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def unit(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)
